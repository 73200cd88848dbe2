"""Run the main loop of a worker process: receive tasks, work on them, send results."""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mediaan.execution.child_process import end_with_parent, prefer_oom_kill
from mediaan.execution.serialization import pickle_error, pickle_value

if TYPE_CHECKING:
    import psutil

InstallProgress = Callable[[Callable[[Any], None]], None]


class WorkerMessage(NamedTuple):
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


def run_worker(
    connection: Connection, function: Callable[[Any], Any], install: InstallProgress | None, depth: int, weigh: bool
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
    end_with_parent()
    prefer_oom_kill()
    desk = _TaskLoop(connection, function, weigh, alone=depth == 1)
    try:
        if install is not None:
            install(desk.note)
    except Exception as error:
        desk.send(WorkerMessage("raised", content=pickle_error(error)))
        return
    desk.send(WorkerMessage("ready"))
    if depth == 1:  # in the main thread: its stack is the largest
        desk.work()
        return
    threads = [threading.Thread(target=desk.work) for _ in range(depth)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class _TaskLoop:
    """One connection, at which one thread or several work."""

    def __init__(self, connection: Connection, function: Callable[[Any], Any], weigh: bool, *, alone: bool) -> None:
        self._connection, self._function = connection, function
        self._statistics = _this_process() if weigh else None
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._over = False
        self._mine: Any = SimpleNamespace() if alone else threading.local()  # one item is of all threads

    def work(self) -> None:
        """Take items, one after the other, until there are no more."""
        while (order := self._next()) is not None:
            self._mine.ticket = order[0]
            self.send(WorkerMessage("begun", order[0]))
            self.send(self._reply(*order))

    def note(self, note: Any) -> None:
        """Send what a thread has to say about the item that it is at."""
        self.send(WorkerMessage("note", getattr(self._mine, "ticket", None), pickle_value(note, "a note")))

    def send(self, message: WorkerMessage) -> None:
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

    def _reply(self, ticket: int, parcel: bytes) -> WorkerMessage:
        try:
            value = self._function(pickle.loads(parcel))
            return WorkerMessage("done", ticket, pickle_value(value, "what came of an item"), self._resident_bytes())
        except BaseException as error:  # it belongs to who asked for the work
            return WorkerMessage("raised", ticket, pickle_error(error))

    def _resident_bytes(self) -> int:
        return int(self._statistics.memory_info().rss) if self._statistics else 0


def _this_process() -> psutil.Process:
    import psutil

    return psutil.Process()
