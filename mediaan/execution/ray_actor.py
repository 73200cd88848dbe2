"""Run tasks in an actor of a Ray cluster and stream progress and results."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

from mediaan.execution.child_process import exit_orphaned
from mediaan.execution.serialization import pickle_error, pickle_value
from mediaan.execution.worker_main import InstallProgress

_WEIGH_EVERY_S = 0.05
_SPEAK_EVERY_S = 0.25
_LOOK_EVERY_S = 0.25
_UNSAID_NOTES = 1000
_LAST_WORDS_S = 2.0
"""What a stream said last is still on its way; a process that ended at once would take it along."""


class ActorInfo(NamedTuple):
    """Who an actor is."""

    version: str
    node_id: str
    machine: str


class ActorMessage(NamedTuple):
    """A word of the stream about an item.

    Attributes
    ----------
    kind : {'begun', 'notes', 'too_large', 'done', 'raised'}
    content : Any
        A list of notes; pickled: the value, or the exception with its traceback.
    """

    kind: Literal["begun", "notes", "too_large", "done", "raised"]
    content: Any = None


class RayActor:
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
        self, function: Callable[[Any], Any], install: InstallProgress | None, memory_bytes: int | None, depth: int
    ) -> None:
        self._function, self._memory_bytes = function, memory_bytes
        self._threads = ThreadPoolExecutor(depth)
        self._mine: Any = SimpleNamespace() if depth == 1 else threading.local()  # one item is of all threads
        _end_with_run()
        if install is not None:
            install(self._note)

    def introduce(self) -> ActorInfo:
        """Tell what runs here, and where."""
        import ray

        from mediaan import __version__

        return ActorInfo(__version__, ray.get_runtime_context().get_node_id(), socket.gethostname())

    def work(self, parcel: bytes) -> Iterator[ActorMessage]:
        """Work on a pickled item; the last word is its value, or what the function raised."""
        yield ActorMessage("begun")
        notes: deque[Any] = deque(maxlen=_UNSAID_NOTES)
        answer = self._threads.submit(self._answer, parcel, notes)
        done = threading.Event()
        answer.add_done_callback(lambda answer: done.set())
        spoke = time.monotonic()
        while not done.wait(_WEIGH_EVERY_S):
            if self._is_too_large():
                yield ActorMessage("too_large")
                time.sleep(_LAST_WORDS_S)
                os._exit(1)
            if notes and time.monotonic() - spoke > _SPEAK_EVERY_S:
                yield ActorMessage("notes", _drain(notes))
                spoke = time.monotonic()
        if notes:
            yield ActorMessage("notes", _drain(notes))
        yield answer.result()

    def _answer(self, parcel: bytes, notes: deque[Any]) -> ActorMessage:
        self._mine.notes = notes
        try:
            return ActorMessage("done", pickle_value(self._function(pickle.loads(parcel)), "what came of an item"))
        except BaseException as error:  # it belongs to who asked for the work
            return ActorMessage("raised", pickle_error(error))

    def _note(self, note: Any) -> None:
        notes: deque[Any] | None = getattr(self._mine, "notes", None)
        if notes is not None:
            notes.append(note)

    def _is_too_large(self) -> bool:
        if self._memory_bytes is None:
            return False
        import psutil

        return bool(psutil.Process().memory_info().rss > self._memory_bytes)


def _end_with_run() -> None:
    """End with the run: Ray says so with SIGTERM; a cluster that was started for it falls with it, without a word."""
    signal.signal(signal.SIGTERM, lambda number, frame: exit_orphaned())
    threading.Thread(target=_exit_with, args=(os.getppid(),), daemon=True).start()


def _exit_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY_S)
    exit_orphaned()


def _drain(notes: deque[Any]) -> list[Any]:
    return [notes.popleft() for _ in range(len(notes))]
