"""Represent a worker in the process that asked for the work: its tasks, heartbeats and end."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from mediaan.execution.tasks import Task, WorkerExit

InstallProgress: TypeAlias = Callable[[Callable[[Any], None]], None]


class WorkerMessage(NamedTuple):
    """A message of a worker."""

    kind: Literal["ready", "begun", "progress", "memory_exceeded", "done", "raised"]
    task_id: int | None = None
    """Of the task that it is about."""
    content: bytes = b""
    """Pickled: a list of progress updates, the value, or the exception with its traceback as text."""
    rss_bytes: int = 0
    """Resident memory of the worker after a task; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """The arguments with which all workers of a run are started."""

    function: Callable[[Any], Any]
    install: InstallProgress | None
    """Called in the worker with a function that sends a progress update."""
    memory_bytes: int | None
    """Limit of resident memory."""


@dataclass(frozen=True, slots=True)
class KillReason:
    """Why a worker was killed."""

    code: str
    """One of ``time_limit``, ``memory_limit``."""
    message: str
    task_ids: frozenset[int]
    """Tasks to blame: those under way when the limit was exceeded."""

    @classmethod
    def memory(cls, limit_bytes: int, task_ids: frozenset[int]) -> KillReason:
        """Return the reason for a worker above the memory limit."""
        message = f"its analysis took more than {limit_bytes / 1e6:,.0f} MB of memory, the limit of each process"
        return cls("memory_limit", message, task_ids)


class PoolWorker(ABC):
    """A worker that has at most `depth` tasks at the same time; its methods may be called by any thread.

    `max_tasks`: tasks that it may take before it ends; None sets no limit.
    `now`: time of the pool, s.
    `is_ready`: True once it has started and can take tasks.
    `remaining_tasks`: tasks that it may still take.
    `dismissed_at`: monotonic time at which it was told to end, s.
    `first_rss_bytes`: resident memory after its first task.
    """

    start_timeout_s: ClassVar[float] = inf
    """A worker that takes longer to start is killed."""

    def __init__(self, depth: int, max_tasks: int | None, now: float) -> None:
        self.depth, self.remaining_tasks, self.started_at = depth, max_tasks, now
        self.is_ready = False
        self.tasks_begun = 0
        self.dismissed_at: float | None = None
        self.kill_reason: KillReason | None = None
        self.first_rss_bytes = 0
        self._lock = threading.Lock()
        self._tasks: dict[int, Task[Any]] = {}
        self._heartbeats: dict[int, float] = {}

    @property
    def tasks(self) -> list[Task[Any]]:
        """Tasks that it was sent and has not finished."""
        with self._lock:
            return list(self._tasks.values())

    @property
    def has_capacity(self) -> bool:
        """True if it can take one more task."""
        is_staying = self.is_ready and self.dismissed_at is None and self.kill_reason is None
        return is_staying and self.remaining_tasks != 0 and len(self._tasks) < self.depth

    def assign(self, task: Task[Any], now: float) -> None:
        """Book a task for it, which is to be sent next."""
        with self._lock:
            self._tasks[task.task_id], self._heartbeats[task.task_id] = task, now
            if self.remaining_tasks is not None:
                self.remaining_tasks -= 1

    def finish(self, task_id: int) -> Task[Any]:
        """Remove a task from it."""
        with self._lock:
            del self._heartbeats[task_id]
            return self._tasks.pop(task_id)

    def begin(self, task_id: int, now: float) -> None:
        """Record that it has begun to work on a task."""
        with self._lock:
            self.tasks_begun += 1
            self._tasks[task_id].has_begun = True
            self._heartbeats[task_id] = now

    def heartbeat(self, task_id: int | None, now: float) -> None:
        """Record that a task is alive."""
        with self._lock:
            if task_id in self._heartbeats:
                self._heartbeats[task_id] = now

    def silent_since(self, moment: float) -> frozenset[int]:
        """Return the tasks without a heartbeat after a moment."""
        with self._lock:
            return frozenset(task_id for task_id, beat in self._heartbeats.items() if beat < moment)

    def kill_because(self, reason: KillReason) -> None:
        """Kill it and keep the first reason."""
        self.kill_reason = self.kill_reason or reason
        self.kill()

    def dismiss(self) -> None:
        """Tell it to end when its tasks are done."""
        if self.dismissed_at is None:
            self.dismissed_at = time.monotonic()
            self._request_exit()

    @abstractmethod
    def listen(
        self,
        on_message: Callable[[PoolWorker, WorkerMessage], None],
        on_exit: Callable[[PoolWorker, Exception | None], None],
    ) -> None:
        """Call back with each message and once at its end, in another thread.

        `on_exit` is given what `on_message` raised, if it did.
        """

    @abstractmethod
    def send(self, task: Task[Any]) -> bool:
        """Send an assigned task; return False, and unassign it, if the worker is gone."""

    @abstractmethod
    def rss_bytes(self) -> int:
        """Return its resident memory; 0 if that is unknown here."""

    @abstractmethod
    def kill(self) -> None:
        """End it at once."""

    @abstractmethod
    def reap(self) -> WorkerExit:
        """Release a worker that has ended and tell why it did."""

    @abstractmethod
    def _request_exit(self) -> None: ...
