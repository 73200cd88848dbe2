"""What an actor of a cluster does: it works on items, and streams what it has to say about each."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, Literal, NamedTuple

from mediaan.execution.desk import Install

_WEIGH_EVERY_S = 0.05
_LAST_WORDS_S = 2.0
"""What a stream said last is still on its way; a process that ended at once would take it along."""


class Introduction(NamedTuple):
    """Who an actor is."""

    version: str
    node_id: str
    machine: str


class Said(NamedTuple):
    """A word of the stream about an item.

    Attributes
    ----------
    kind : {'begun', 'note', 'too_large', 'done'}
    content : Any
        The note, resident memory in bytes, or the value.
    """

    kind: Literal["begun", "note", "too_large", "done"]
    content: Any = None


class Actor:
    """A worker on a cluster; `Cluster.hire` makes a remote class of it.

    Parameters
    ----------
    function : callable
    install : callable or None
        Is given a function that sends a note.
    memory_bytes : int or None
        Resident memory at which the process ends itself.
    depth : int
        Items at the same time, each in a thread.
    """

    def __init__(
        self, function: Callable[[Any], Any], install: Install | None, memory_bytes: int | None, depth: int
    ) -> None:
        self._function, self._memory_bytes = function, memory_bytes
        self._threads = ThreadPoolExecutor(depth)
        self._mine = threading.local()
        if install is not None:
            install(self._note)

    def introduce(self) -> Introduction:
        """Tell what runs here, and where."""
        import ray

        from mediaan import __version__

        return Introduction(__version__, ray.get_runtime_context().get_node_id(), socket.gethostname())

    def work(self, item: Any) -> Iterator[Said]:
        """Work on an item; the stream ends with its value, or raises what the function raised."""
        mail: SimpleQueue[Said | None] = SimpleQueue()
        answer = self._threads.submit(self._answer, item, mail)
        answer.add_done_callback(lambda answer: mail.put(None))
        yield Said("begun")
        while (said := self._next(mail)) is not None:
            yield said
            if said.kind == "too_large":
                time.sleep(_LAST_WORDS_S)
                os._exit(1)
        yield Said("done", answer.result())

    def _answer(self, item: Any, mail: SimpleQueue[Said | None]) -> Any:
        self._mine.mail = mail
        return self._function(item)

    def _next(self, mail: SimpleQueue[Said | None]) -> Said | None:
        """Wait for a word about an item, and mind the memory of this process meanwhile."""
        while True:
            try:
                return mail.get(timeout=_WEIGH_EVERY_S)
            except Empty:
                if self._memory_bytes is not None and (resident_bytes := _resident_bytes()) > self._memory_bytes:
                    return Said("too_large", resident_bytes)

    def _note(self, note: Any) -> None:
        mail: SimpleQueue[Said | None] | None = getattr(self._mine, "mail", None)
        if mail is not None:
            mail.put(Said("note", note))


def _resident_bytes() -> int:
    import psutil

    resident: int = psutil.Process().memory_info().rss
    return resident
