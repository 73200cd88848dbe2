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
from pathlib import Path, PurePosixPath
from typing import Any, Generic, Protocol, Self

from mediaan.execution.child_process import defer_interrupts
from mediaan.execution.tasks import (
    Crashed,
    Item,
    ProgressChannel,
    Reply,
    RetryQueue,
    Task,
    TaskLimits,
    WorkerExit,
    lose_machine,
    raise_pickled_error,
)
from mediaan.execution.worker import KillReason, PoolWorker, WorkerMessage

_MEMORY_SHARE = 0.8
"""The rest is for the parent, the system and the growth of a worker between two checks."""

_LEAST_MEMORY_BYTES = 3 * 2**29
"""1.5 GiB: models and a large image need about half of it."""

_CHECK_EVERY_S = 0.2
_SHORTEST_PAUSE_S = 0.02
_FASTEST_GROWTH_BYTES_PER_S = 4e9
"""About what one thread can fill; the nearer a worker is to the limit, the sooner it is checked."""

_LONGEST_TICK_S = 1.0
"""In a longer tick this process was stopped, and its workers most likely too (Ctrl-Z); the rest is not counted."""


class Watchdog:
    """Checks the workers of a pool in a thread of its own, and keeps the pool's clock."""

    def __init__(self, pool: WorkerPool, limits: TaskLimits) -> None:
        self._pool, self._limits = pool, limits
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watches workers", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._has_ended.set()
        self._thread.join()

    def _watch(self) -> None:
        memory_bytes, timeout_s = self._limits.memory_bytes, self._limits.heartbeat_timeout_s
        memory_due: dict[PoolWorker, float] = {}
        before, pause = time.monotonic(), _CHECK_EVERY_S
        while not self._has_ended.wait(pause):
            now = time.monotonic()
            self._pool.now += min(now - before, _LONGEST_TICK_S)
            before = now
            workers = self._pool.workers
            for worker in workers:
                if worker.kill_reason is not None:
                    continue
                if timeout_s is not None:
                    silent = worker.silent_since(self._pool.now - timeout_s)
                    started_s = self._pool.now - worker.started_at
                    if silent:
                        message = f"there was no sign of life from its analysis for {timeout_s:g} s"
                        worker.kill_because(KillReason("time_limit", message, silent))
                    elif not worker.is_ready and started_s > max(timeout_s, worker.start_timeout_s):
                        worker.kill_because(KillReason("time_limit", "it did not start", silent))
                if memory_bytes is not None and now >= memory_due.get(worker, 0.0):
                    # read before its memory: the next task may have no part in it
                    task_ids = frozenset(task.task_id for task in worker.tasks)
                    left_bytes = memory_bytes - worker.rss_bytes()
                    if left_bytes < 0:
                        worker.kill_because(KillReason.memory(memory_bytes, task_ids))
                    soonest_s = left_bytes / _FASTEST_GROWTH_BYTES_PER_S
                    memory_due[worker] = now + max(_SHORTEST_PAUSE_S, min(_CHECK_EVERY_S, soonest_s))
            memory_due = {worker: memory_due[worker] for worker in workers if worker in memory_due}
            pause = max(_SHORTEST_PAUSE_S, min([_CHECK_EVERY_S, *(due - now for due in memory_due.values())]))


def default_memory_limit(workers: int) -> int:
    """Return the resident memory that each of several workers may take, bytes.

    It is four fifths of the memory of this machine, or of the control group (container) that this process belongs to,
    divided by the workers; at least 1.5 GiB.

    `workers`: on this machine, at least 1.
    """
    import psutil

    available: int = psutil.virtual_memory().total
    return max(_LEAST_MEMORY_BYTES, int(_MEMORY_SHARE * min([available, *control_group_limits()]) / workers))


def control_group_limits(
    groups: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")
) -> Iterator[int]:
    """Yield the memory limits of the control groups of this process, bytes; a huge one stands for no limit.

    `groups`: lines of ``number:controllers:path``, as the Linux kernel gives them; without it there are no limits.
    `root`: where the groups are mounted; in a container its own group is the root, whatever `groups` says.
    """
    try:
        lines = groups.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        base, name = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        for group in (PurePosixPath(path), *PurePosixPath(path).parents):  # the limit of a group holds for those in it
            try:
                yield int((base / group.relative_to("/") / name).read_text(encoding="ascii"))
            except (OSError, ValueError):  # not there, or "max"
                continue


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
        self._events: queue.SimpleQueue[_Returned | PoolWorker | Exception] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        atexit.register(self._kill_all)  # before multiprocessing waits for processes that nobody ends
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
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

    def next_event(self) -> _Returned | PoolWorker | Exception | None:
        """Return what came back, a worker that ended, or an exception of functions that the caller gave.

        None if nothing happened for a while.
        """
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
                if isinstance(event, PoolWorker):
                    self.reap(event)

    def _on_exit(self, worker: PoolWorker, error: Exception | None) -> None:
        if error is not None:
            self._events.put(error)
        self._events.put(worker)

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
            elif isinstance(event, PoolWorker):
                for task, crashed in self._settle(event):
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
