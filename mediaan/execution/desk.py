"""Where a worker sits: its process takes items, works on them, and sends back what came of them."""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mediaan.execution.offspring import be_killed_first, follow_parent
from mediaan.execution.parcel import pickled, pickled_error

if TYPE_CHECKING:
    import psutil

Install = Callable[[Callable[[Any], None]], None]


class Message(NamedTuple):
    """What a worker says.

    Attributes
    ----------
    kind : {'ready', 'begun', 'done', 'raised', 'note'}
    ticket : int or None
        Of the item that it is about.
    content : bytes
        Pickled: the value, the exception with its traceback as text, or the note.
    resident_bytes : int
        Memory of the worker after an item; 0 where nobody asked.
    """

    kind: Literal["ready", "begun", "done", "raised", "note"]
    ticket: int | None = None
    content: bytes = b""
    resident_bytes: int = 0


def serve(
    connection: Connection, function: Callable[[Any], Any], install: Install | None, depth: int, weigh: bool
) -> None:
    """What the process of a worker does, until it is sent a None.

    Parameters
    ----------
    connection : Connection
        Brings ``(ticket, pickled item)``; takes `Message`.
    function : callable
    install : callable or None
        Is given a function that sends a note.
    depth : int
        Items at the same time; more than one are worked on in threads.
    weigh : bool
        Whether each reply shall say how much memory the process holds.
    """
    follow_parent()
    be_killed_first()
    desk = _Desk(connection, function, weigh, alone=depth == 1)
    try:
        if install is not None:
            install(desk.note)
    except Exception as error:
        desk.send(Message("raised", content=pickled_error(error)))
        return
    desk.send(Message("ready"))
    if depth == 1:  # in the main thread: its stack is the largest
        desk.work()
        return
    threads = [threading.Thread(target=desk.work) for _ in range(depth)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class _Desk:
    """One connection, at which one thread or several work."""

    def __init__(self, connection: Connection, function: Callable[[Any], Any], weigh: bool, *, alone: bool) -> None:
        self._connection, self._function = connection, function
        self._statistics = _me() if weigh else None
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._over = False
        self._mine: Any = SimpleNamespace() if alone else threading.local()  # one item is of all threads

    def work(self) -> None:
        """Take items, one after the other, until there are no more."""
        while (order := self._next()) is not None:
            self._mine.ticket = order[0]
            self.send(Message("begun", order[0]))
            self.send(self._reply(*order))

    def note(self, note: Any) -> None:
        """Send what a thread has to say about the item that it is at."""
        self.send(Message("note", getattr(self._mine, "ticket", None), pickled(note, "a note")))

    def send(self, message: Message) -> None:
        """Send a message whole, whichever thread has it."""
        with self._writing, contextlib.suppress(OSError):  # nobody listens any more: this process is about to end
            self._connection.send(tuple(message))

    def _next(self) -> tuple[int, bytes] | None:
        with self._reading:
            if self._over:
                return None
            try:
                order: tuple[int, bytes] | None = self._connection.recv()
            except (EOFError, OSError):  # nobody is there any more
                order = None
            self._over = order is None
            return order

    def _reply(self, ticket: int, parcel: bytes) -> Message:
        try:
            value = self._function(pickle.loads(parcel))
            return Message("done", ticket, pickled(value, "what came of an item"), self._resident_bytes())
        except BaseException as error:  # it belongs to who asked for the work
            return Message("raised", ticket, pickled_error(error))

    def _resident_bytes(self) -> int:
        return int(self._statistics.memory_info().rss) if self._statistics else 0


def _me() -> psutil.Process:
    import psutil

    return psutil.Process()
