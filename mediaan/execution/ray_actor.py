"""Run tasks in an actor of a Ray cluster and stream progress and results."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, NamedTuple

from mediaan.execution.child_process import exit_orphaned
from mediaan.execution.serialization import pickle_error, pickle_value
from mediaan.execution.worker import WorkerConfig, WorkerMessage

_CHECK_MEMORY_EVERY_S = 0.05
_SEND_PROGRESS_EVERY_S = 0.25
_CHECK_PARENT_EVERY_S = 0.25
_MAX_UNSENT_UPDATES = 1000
_FLUSH_S = 2.0
"""The last message of a stream is still on its way; a process that ended at once would take it along."""


class ActorInfo(NamedTuple):
    """The version of mediaan in an actor, and its machine, by Ray's id and by name."""

    version: str
    node_id: str
    machine: str


class RayActor:
    """A worker on a cluster; `RayCluster.start_actor` makes a remote class of it.

    `config`: above its memory limit the process ends itself.
    `depth`: tasks at the same time, each in a thread.
    """

    def __init__(self, config: WorkerConfig, depth: int) -> None:
        self._config = config
        self._threads = ThreadPoolExecutor(depth)
        # Threads that the function starts belong to the one task, too.
        self._current: Any = SimpleNamespace() if depth == 1 else threading.local()
        # Ray ends an actor with SIGTERM; a cluster that was started for the run falls with it, without a signal.
        signal.signal(signal.SIGTERM, lambda number, frame: exit_orphaned())
        threading.Thread(target=_exit_with, args=(os.getppid(),), daemon=True).start()
        if config.install is not None:
            config.install(self._report)

    def info(self) -> ActorInfo:
        """Return what runs here, and where."""
        import ray

        from mediaan import __version__

        return ActorInfo(__version__, ray.get_runtime_context().get_node_id(), socket.gethostname())

    def work(self, task_id: int, payload: bytes) -> Iterator[WorkerMessage]:
        """Work on a pickled item; the last message holds its value, or what the function raised."""
        yield WorkerMessage("begun", task_id)
        updates: deque[Any] = deque(maxlen=_MAX_UNSENT_UPDATES)
        result = self._threads.submit(self._run, task_id, payload, updates)
        done = threading.Event()
        result.add_done_callback(lambda result: done.set())
        process, sent_at = None, time.monotonic()
        if self._config.memory_bytes is not None:
            import psutil

            process = psutil.Process()
        while not done.wait(_CHECK_MEMORY_EVERY_S):
            if process is not None and process.memory_info().rss > (self._config.memory_bytes or 0):
                yield WorkerMessage("memory_exceeded", task_id)
                time.sleep(_FLUSH_S)
                os._exit(1)
            if updates and time.monotonic() - sent_at > _SEND_PROGRESS_EVERY_S:
                yield _progress(task_id, updates)
                sent_at = time.monotonic()
        if updates:
            yield _progress(task_id, updates)
        yield result.result()

    def _run(self, task_id: int, payload: bytes, updates: deque[Any]) -> WorkerMessage:
        self._current.updates = updates
        try:
            value = self._config.function(pickle.loads(payload))
            return WorkerMessage("done", task_id, pickle_value(value, "what came of an item"))
        except BaseException as error:  # it belongs to whoever asked for the work
            return WorkerMessage("raised", task_id, pickle_error(error))

    def _report(self, update: Any) -> None:
        updates: deque[Any] | None = getattr(self._current, "updates", None)
        if updates is not None:
            updates.append(update)


def _progress(task_id: int, updates: deque[Any]) -> WorkerMessage:
    taken = [updates.popleft() for _ in range(len(updates))]
    return WorkerMessage("progress", task_id, pickle_value(taken, "a progress update"))


def _exit_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK_PARENT_EVERY_S)
    exit_orphaned()
