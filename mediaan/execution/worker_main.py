"""Run the main loop of a worker process: receive tasks, work on them, send results."""

from __future__ import annotations

import contextlib
import pickle
import threading
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any

from mediaan.execution.child_process import end_with_parent, prefer_oom_kill
from mediaan.execution.serialization import pickle_error, pickle_value
from mediaan.execution.worker import WorkerConfig, WorkerMessage


def run_worker(connection: Connection, config: WorkerConfig, threads: int) -> None:
    """Work on tasks until the parent sends None or ends.

    `connection`: brings ``(task id, pickled item)``; takes the fields of a `WorkerMessage`.
    `threads`: tasks at the same time. A single one is worked on in the main thread, whose stack is the largest.
    """
    end_with_parent()
    prefer_oom_kill()
    loop = _TaskLoop(connection, config, is_single=threads == 1)
    try:
        if config.install is not None:
            config.install(loop.report)
    except Exception as error:
        loop.send(WorkerMessage("raised", content=pickle_error(error)))
        return
    loop.send(WorkerMessage("ready"))
    if threads == 1:
        loop.run()
        return
    running = [threading.Thread(target=loop.run) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


class _TaskLoop:
    """A connection that one thread or several take tasks from."""

    def __init__(self, connection: Connection, config: WorkerConfig, *, is_single: bool) -> None:
        self._connection, self._function = connection, config.function
        self._statistics = None
        if config.memory_bytes is not None:
            import psutil

            self._statistics = psutil.Process()
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._has_ended = False
        # Threads that the function starts belong to the one task, too.
        self._current: Any = SimpleNamespace() if is_single else threading.local()

    def run(self) -> None:
        """Work on tasks, one after the other, until there are no more."""
        while (received := self._receive()) is not None:
            task_id, payload = received
            self._current.task_id = task_id
            self.send(WorkerMessage("begun", task_id))
            try:
                value = pickle_value(self._function(pickle.loads(payload)), "what came of an item")
                rss_bytes = int(self._statistics.memory_info().rss) if self._statistics else 0
                message = WorkerMessage("done", task_id, value, rss_bytes)
            except BaseException as error:  # it belongs to whoever asked for the work
                message = WorkerMessage("raised", task_id, pickle_error(error))
            self.send(message)

    def report(self, update: Any) -> None:
        """Send a progress update on the task of this thread."""
        task_id = getattr(self._current, "task_id", None)
        self.send(WorkerMessage("progress", task_id, pickle_value([update], "a progress update")))

    def send(self, message: WorkerMessage) -> None:
        """Send a message whole, whichever thread calls."""
        with self._writing, contextlib.suppress(OSError):  # nobody listens anymore: this process is about to end
            self._connection.send(tuple(message))

    def _receive(self) -> tuple[int, bytes] | None:
        with self._reading:
            if self._has_ended:
                return None
            try:
                received: tuple[int, bytes] | None = self._connection.recv()
            except (EOFError, OSError):  # the parent is gone
                received = None
            self._has_ended = received is None
            return received
