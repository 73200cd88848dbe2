"""Hold the worker processes of a run and feed them tasks."""

from __future__ import annotations

import atexit
import queue
import threading
import time
from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from mediaan.execution.child_process import defer_interrupts
from mediaan.execution.retry import Task
from mediaan.execution.tasks import RunHooks, TaskLimits
from mediaan.execution.worker import WorkerConfig, WorkerProcess
from mediaan.execution.worker_main import WorkerMessage

_MAX_UNREAD_UPDATES = 1000
_POLL_S = 0.25
_EXIT_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class TaskReturned:
    """What came of a job: a value, or an exception."""

    job: Task[Any] | None
    message: WorkerMessage


@dataclass(frozen=True, slots=True)
class WorkerExited:
    """The process of a worker has ended."""

    worker: WorkerProcess


class WorkerPool:
    """Workers of one kind.

    Threads that listen to the workers hand out what lies ready, so that no worker waits for who takes the replies.

    Parameters
    ----------
    duty : Duty
    limits : Limits
    watch : Watch

    Attributes
    ----------
    depth : int
        Items that a worker is given at the same time.
    open : int
        Jobs that were added and not settled.
    now : float
        Seconds in which this process was awake; kept by the guard.
    notes : deque of bytes
        The latest that nobody has read.
    """

    def __init__(self, duty: WorkerConfig, limits: TaskLimits, watch: RunHooks[Any]) -> None:
        self.open = 0
        self.now = 0.0
        self.notes: deque[bytes] = deque(maxlen=_MAX_UNREAD_UPDATES)
        self._duty, self._limits, self._watch = duty, limits, watch
        self._lock = threading.Lock()
        self._ready: deque[Task[Any]] = deque()
        self._workers: list[WorkerProcess] = []
        self._events: queue.SimpleQueue[TaskReturned | WorkerExited | Exception] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        atexit.register(self._end)  # before multiprocessing waits for processes that nobody ends
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with defer_interrupts():
            if kind is None:
                self.dismiss()
            self._end()
        atexit.unregister(self._end)

    @property
    def workers(self) -> list[WorkerProcess]:
        """Those whose end has not been taken note of."""
        return list(self._workers)

    def add(self, job: Task[Any]) -> None:
        """Lay a job ready."""
        self.open += 1
        with self._lock:
            self._ready.append(job)

    def put_back(self, job: Task[Any]) -> None:
        """Lay a job ready that a worker had, and that is not to blame for its end."""
        job.begun = False
        with self._lock:
            self._ready.appendleft(job)

    def withdraw(self) -> None:
        """Take away what lies ready."""
        with self._lock:
            self.open -= len(self._ready)
            self._ready.clear()

    def man(self, size: int, depth: int, lives: int | None) -> None:
        """See to it that there are workers for what lies ready, `size` at most, and that they get it."""
        staying = [worker for worker in self._workers if worker.dismissed_at is None]
        for worker in staying:
            worker.depth = depth
            self._feed(worker)
        starting = sum(not worker.ready for worker in staying)
        for _ in range(len(staying), size):
            if starting * depth >= len(self._ready):
                return
            self._start(depth, lives)
            starting += 1

    def _start(self, depth: int, lives: int | None) -> None:
        with defer_interrupts():  # a worker that nobody knows of would stay
            worker = WorkerProcess(self._duty, lives, depth, self.now)
            self._workers.append(worker)
            worker.listen(self._hear, self._take_note)

    def next_event(self) -> TaskReturned | WorkerExited | Exception | None:
        """What has happened; None when nothing did for a while; an exception of the caller's own functions."""
        for worker in self._workers:
            worker.kill_if_late()
        try:
            return self._events.get(timeout=_POLL_S)
        except queue.Empty:
            return None

    def bury(self, worker: WorkerProcess) -> int:
        """Take note of the end of a worker; returns its exit code."""
        self._workers.remove(worker)
        return worker.put_away()

    def dismiss(self) -> None:
        """End all workers, which have nothing to do, and wait for that."""
        for worker in self._workers:
            worker.dismiss()
        self._await_end(_EXIT_TIMEOUT_S)
        self._end()

    def _end(self) -> None:
        """End all workers at once."""
        for worker in self.workers:
            worker.kill()
        self._await_end(_EXIT_TIMEOUT_S)

    def _await_end(self, patience_s: float) -> None:
        deadline = time.monotonic() + patience_s
        while self._workers and (left := deadline - time.monotonic()) > 0:
            try:
                event = self._events.get(timeout=left)
            except queue.Empty:
                return
            if isinstance(event, WorkerExited):
                self.bury(event.worker)

    def _take_note(self, worker: WorkerProcess, error: Exception | None) -> None:
        if error is not None:
            self._events.put(error)
        self._events.put(WorkerExited(worker))

    def _hear(self, worker: WorkerProcess, message: WorkerMessage) -> None:
        """Called by the thread that listens to a worker."""
        if message.kind == "note":
            worker.sign(message.ticket, self.now)
            self.notes.append(message.content)
            return
        if message.kind == "begun" and message.ticket is not None:
            worker.begin(message.ticket, self.now)
            return
        if message.kind == "ready":
            worker.ready = True
        else:
            job = None if message.ticket is None else worker.finish(message.ticket)
            self._retire_if_full(worker, message.resident_bytes)
            self._events.put(TaskReturned(job, message))
        self._feed(worker)

    def _retire_if_full(self, worker: WorkerProcess, resident_bytes: int) -> None:
        """Let a worker go that has come to hold so much that the next item would be blamed for it."""
        limit = self._limits.memory_bytes
        worker.first_bytes = worker.first_bytes or resident_bytes
        if limit and resident_bytes > limit / 2 and resident_bytes - worker.first_bytes > limit / 4:
            worker.lives = 0

    def _feed(self, worker: WorkerProcess) -> None:
        while worker.has_room and (job := self._next_for(worker)) is not None:
            if not worker.send(job):
                self.put_back(job)
                return
        if worker.lives == 0 and not worker.jobs:
            worker.dismiss()

    def _next_for(self, worker: WorkerProcess) -> Task[Any] | None:
        if self._watch.stop():
            return None
        with self._lock:
            if not (self._ready and worker.has_room):
                return None
            job = self._ready.popleft()
            worker.take(job, self.now)
            return job
