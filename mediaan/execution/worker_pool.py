"""Run tasks in a pool of workers, replace those that die, and retry what they were at."""

from __future__ import annotations

import atexit
import contextlib
import pickle
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Protocol, Self

from mediaan.execution.child_process import defer_interrupts
from mediaan.execution.retry import RetryQueue, Task, WorkerExit, lose_machine
from mediaan.execution.serialization import raise_pickled_error
from mediaan.execution.tasks import Crashed, Item, ProgressChannel, Reply, TaskLimits
from mediaan.execution.watchdog import Watchdog
from mediaan.execution.worker import KillReason, PoolWorker, WorkerMessage

_MAX_UNREAD_UPDATES = 1000
_POLL_S = 0.25
_EXIT_TIMEOUT_S = 5.0


class WorkerBackend(Protocol):
    """Starts workers of one kind."""

    @property
    def size(self) -> int:
        """Number of workers to have now, at least 1."""
        ...

    def start(self, depth: int, max_tasks: int | None, now: float) -> PoolWorker:
        """Start a worker; see `PoolWorker`."""
        ...

    def check(self, workers: list[PoolWorker], now: float) -> None:
        """Look after the workers, several times a second.

        Raises SetupError: there can be no worker.
        """
        ...

    def check_start(self, worker: PoolWorker, exit: WorkerExit, failed_starts: int, *, has_worked: bool) -> None:
        """Judge a worker that ended before it began a task, the latest of so many in a row.

        Raises SetupError: others would end alike.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Returned:
    """A task came back with a value or an exception; there is no task if the worker failed before it took one."""

    task: Task[Any] | None
    message: WorkerMessage


@dataclass(frozen=True, slots=True)
class _Exited:
    worker: PoolWorker


class WorkerPool:
    """Workers of one run and the tasks that are ready for them.

    Threads that listen to the workers hand out the tasks, so that no worker waits for whoever takes the replies.

    `stop`: once it returns True, no task is handed out.
    `open_tasks`: tasks that were added and not settled.
    `now`: seconds in which this process was awake; kept by the watchdog.
    `updates` (deque of bytes): the latest progress updates that were not received, each a pickled list.
    `failed_starts`: workers in a row that ended before they began a task.
    `has_worked`: True once any task was begun.
    """

    def __init__(self, backend: WorkerBackend, limits: TaskLimits, stop: Callable[[], bool]) -> None:
        self.open_tasks = 0
        self.now = 0.0
        self.updates: deque[bytes] = deque(maxlen=_MAX_UNREAD_UPDATES)
        self.failed_starts, self.has_worked = 0, False
        self.backend, self._limits, self._stop = backend, limits, stop
        self._lock = threading.Lock()
        self._ready: deque[Task[Any]] = deque()
        self._workers: list[PoolWorker] = []
        self._events: queue.SimpleQueue[_Returned | _Exited | Exception] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        atexit.register(self._kill_all)  # before multiprocessing waits for processes that nobody ends
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with defer_interrupts():
            if kind is None:
                self.dismiss()
            self._kill_all()
        atexit.unregister(self._kill_all)

    @property
    def workers(self) -> list[PoolWorker]:
        """Workers that were not reaped yet."""
        return list(self._workers)

    def add(self, task: Task[Any]) -> None:
        """Make a task ready for a worker."""
        self.open_tasks += 1
        with self._lock:
            self._ready.append(task)

    def put_back(self, task: Task[Any]) -> None:
        """Make a task ready again that is not to blame for the end of its worker."""
        task.has_begun = False
        with self._lock:
            self._ready.appendleft(task)

    def withdraw(self) -> None:
        """Drop the tasks that no worker has."""
        with self._lock:
            self.open_tasks -= len(self._ready)
            self._ready.clear()

    def ensure_workers(self, depth: int, max_tasks: int | None) -> None:
        """Hand out ready tasks, and start the workers that they need, as many as the backend allows."""
        staying = [worker for worker in self._workers if worker.dismissed_at is None]
        for worker in staying:
            worker.depth = depth
            self._feed(worker)
        starting = sum(not worker.is_ready for worker in staying)
        for _ in range(len(staying), self.backend.size):
            if starting * depth >= len(self._ready):
                return
            with defer_interrupts():  # a worker that nobody knows of would stay
                worker = self.backend.start(depth, max_tasks, self.now)
                self._workers.append(worker)
                worker.listen(self._on_message, self._on_exit)
            starting += 1

    def next_event(self) -> _Returned | _Exited | Exception | None:
        """Return what happened; None if nothing did for a while; an exception of functions that the caller gave."""
        self.backend.check(self.workers, self.now)
        for worker in self._workers:
            since = worker.dismissed_at
            if since is not None and time.monotonic() - since > _EXIT_TIMEOUT_S and not worker.tasks:
                worker.kill()
        try:
            return self._events.get(timeout=_POLL_S)
        except queue.Empty:
            return None

    def reap(self, worker: PoolWorker) -> WorkerExit:
        """Remove a worker that has ended and tell why it did."""
        self._workers.remove(worker)
        return worker.reap()

    def dismiss(self) -> None:
        """End all workers, which have nothing to do, and wait for that."""
        for worker in self._workers:
            worker.dismiss()
        self._await_exits()
        self._kill_all()

    def _kill_all(self) -> None:
        for worker in self.workers:
            worker.kill()
        self._await_exits()

    def _await_exits(self) -> None:
        deadline = time.monotonic() + _EXIT_TIMEOUT_S
        while self._workers and (left_s := deadline - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                event = self._events.get(timeout=left_s)
                if isinstance(event, _Exited):
                    self.reap(event.worker)

    def _on_exit(self, worker: PoolWorker, error: Exception | None) -> None:
        if error is not None:
            self._events.put(error)
        self._events.put(_Exited(worker))

    def _on_message(self, worker: PoolWorker, message: WorkerMessage) -> None:
        """Handle a message, in the thread that listens to the worker."""
        if message.kind == "progress":
            worker.heartbeat(message.task_id, self.now)
            self.updates.append(message.content)
        elif message.kind == "begun" and message.task_id is not None:
            worker.begin(message.task_id, self.now)
            self.failed_starts, self.has_worked = 0, True
        elif message.kind == "memory_exceeded":
            task_ids = frozenset(task.task_id for task in worker.tasks)
            worker.kill_because(KillReason.memory(self._limits.memory_bytes or 0, task_ids))
        else:
            if message.kind == "ready":
                worker.is_ready = True
            else:
                task = None if message.task_id is None else worker.finish(message.task_id)
                limit, rss_bytes = self._limits.memory_bytes, message.rss_bytes
                worker.first_rss_bytes = worker.first_rss_bytes or rss_bytes
                if limit and rss_bytes > limit / 2 and rss_bytes - worker.first_rss_bytes > limit / 4:
                    worker.remaining_tasks = 0  # it holds so much that its next task would be blamed for it
                self._events.put(_Returned(task, message))
            self._feed(worker)

    def _feed(self, worker: PoolWorker) -> None:
        while not self._stop():
            with self._lock:
                if not (self._ready and worker.has_capacity):
                    break
                task = self._ready.popleft()
                worker.assign(task, self.now)
            if not worker.send(task):
                self.put_back(task)
                return
        if worker.remaining_tasks == 0 and not worker.tasks:
            worker.dismiss()


def run_in_pool(
    backend: WorkerBackend,
    tasks: RetryQueue[Item],
    limits: TaskLimits,
    progress: ProgressChannel | None,
    stop: Callable[[], bool],
    *,
    depth: int,
) -> Iterator[Reply[Item, Any]]:
    """Reply to each task once, in the order in which they finish.

    `stop`: see `RunHooks`.
    `depth`: tasks that a worker has at the same time; suspects of a crash are always alone in theirs.
    """
    with WorkerPool(backend, limits, stop) as pool, Watchdog(pool, limits):
        run: _PoolRun[Item] = _PoolRun(pool, tasks, progress, stop)
        yield from run.replies(tasks.first_tries(), depth)
        while not stop():
            while tasks.exhausted:
                yield Reply(*tasks.exhausted.popleft())
            if tasks.isolated:
                waiting, tasks.isolated = tasks.isolated, deque()
            elif tasks.exclusive:
                waiting = deque([tasks.exclusive.popleft()])
            else:
                return
            pool.dismiss()  # each is tried in a worker that nothing was tried in before
            yield from run.replies(iter(waiting), 1, max_tasks=1)


class _PoolRun(Generic[Item]):
    """Turns the events of a pool into replies and retries."""

    def __init__(
        self,
        pool: WorkerPool,
        tasks: RetryQueue[Item],
        progress: ProgressChannel | None,
        stop: Callable[[], bool],
    ) -> None:
        self._pool, self._tasks, self._progress, self._stop = pool, tasks, progress, stop

    def replies(
        self, waiting: Iterator[Task[Item]], depth: int, max_tasks: int | None = None
    ) -> Iterator[Reply[Item, Any]]:
        """Yield replies until no task is left, or none may be begun; suspects of crashes go back to the queue."""
        pool = self._pool
        while True:
            if self._stop():
                pool.withdraw()
            else:
                pool.ensure_workers(depth, max_tasks)
                # as many open tasks as keep the workers busy, and memory flat
                while (
                    pool.open_tasks < pool.backend.size * (depth + 1)
                    and not self._stop()
                    and (task := next(waiting, None)) is not None
                ):
                    pool.add(task)
                    pool.ensure_workers(depth, max_tasks)  # at once: the next task may take its time to come
            if not pool.open_tasks:
                return
            event = pool.next_event()
            while self._progress and pool.updates:
                for update in pickle.loads(pool.updates.popleft()):
                    self._progress.receive(update)
            if isinstance(event, Exception):
                raise event
            if isinstance(event, _Returned):
                if event.message.kind == "raised" or event.task is None:
                    raise_pickled_error(event.message.content)
                else:
                    pool.open_tasks -= 1
                    yield Reply(event.task.item, pickle.loads(event.message.content))
            elif isinstance(event, _Exited):
                for task, crashed in self._settle(event.worker):
                    yield Reply(task.item, crashed)

    def _settle(self, worker: PoolWorker) -> Iterator[tuple[Task[Item], Crashed]]:
        """Put back the innocent tasks of a worker that ended, queue the suspects, yield those that are given up."""
        tasks, pool, reason = worker.tasks, self._pool, worker.kill_reason
        exit = pool.reap(worker)
        if not worker.tasks_begun and worker.dismissed_at is None:
            pool.failed_starts += 1
            pool.backend.check_start(worker, exit, pool.failed_starts, has_worked=pool.has_worked)
        if exit.lost_machine is not None:
            for task in tasks:
                if task.has_begun and (crashed := lose_machine(task, exit.lost_machine)):
                    pool.open_tasks -= 1
                    yield task, crashed
                else:
                    pool.put_back(task)
            return
        suspects = [task for task in tasks if task.has_begun and (reason is None or task.task_id in reason.task_ids)]
        for task in tasks:
            if task not in suspects:
                pool.put_back(task)
        pool.open_tasks -= len(suspects)
        if reason is None:
            yield from self._tasks.add_crashed(suspects, exit)
        elif len(tasks) == 1 and (reason.code == "time_limit" or worker.tasks_begun == 1):
            yield from ((task, Crashed(reason.message, reason.code)) for task in suspects)
        else:
            self._tasks.add_suspects(suspects, reason.message)
