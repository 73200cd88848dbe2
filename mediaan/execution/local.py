"""Execute tasks on this machine: in this process, or in worker processes of which a crash costs one task only."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from mediaan.errors import SetupError
from mediaan.execution.child_process import run_worker, single_threaded_blas
from mediaan.execution.tasks import (
    Item,
    ProgressChannel,
    Reply,
    RetryQueue,
    RunHooks,
    Task,
    TaskLimits,
    Value,
    WorkerExit,
    exhausted,
)
from mediaan.execution.worker import PoolWorker, WorkerConfig, WorkerMessage
from mediaan.execution.worker_pool import run_in_pool

_CONTEXT = multiprocessing.get_context("spawn")
# spawn: forking a process that holds threads of numeric libraries can deadlock the child

EXIT_TIMEOUT_S = 5.0
_CRASH_SIGNALS = frozenset({"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"})
"""Raised by a fault of the process itself; others come from outside."""


class ProcessWorker(PoolWorker):
    """A worker in a process of this machine.

    `threads`: tasks that the process can work on at the same time.
    `depth`, `max_tasks`, `now`: see `PoolWorker`.
    """

    start_timeout_s: ClassVar[float] = 60.0

    def __init__(self, config: WorkerConfig, threads: int, depth: int, max_tasks: int | None, now: float) -> None:
        super().__init__(depth, max_tasks, now)
        self._writing = threading.Lock()
        self._connection, other = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=run_worker, args=(other, config, threads), name="mediaan worker")
        try:
            with single_threaded_blas(), other:
                self._process.start()
        except BaseException:
            self._connection.close()
            raise
        self.exit_code = 0
        import psutil  # only where there are processes

        self._statistics: psutil.Process | None = None
        with contextlib.suppress(psutil.Error):  # it has ended already
            self._statistics = psutil.Process(self._process.pid)

    def listen(
        self,
        on_message: Callable[[PoolWorker, WorkerMessage], None],
        on_exit: Callable[[PoolWorker, Exception | None], None],
    ) -> None:
        """Call back with each message and once at its end, in a thread of its own."""

        def listen() -> None:
            fault: Exception | None = None
            try:
                while True:
                    try:
                        message = WorkerMessage(*self._connection.recv())
                    except (EOFError, OSError):  # it has ended, perhaps in the middle of a message
                        break
                    on_message(self, message)
            except Exception as error:  # of functions that the caller gave; whoever takes the replies gets it
                fault = error
                self.kill()
            if not multiprocessing.connection.wait([self._process.sentinel], EXIT_TIMEOUT_S):
                self.kill()
            self._process.join()
            on_exit(self, fault)

        threading.Thread(target=listen, name="listens to a worker", daemon=True).start()

    def send(self, task: Task[Any]) -> bool:
        """Send an assigned task; return False, and unassign it, if the process is gone."""
        try:
            with self._writing:
                self._connection.send((task.task_id, task.payload))
        except OSError:
            self.finish(task.task_id)
            return False
        return True

    def rss_bytes(self) -> int:
        """Return its resident memory; 0 when the process has gone."""
        import psutil

        try:
            return 0 if self._statistics is None else int(self._statistics.memory_info().rss)
        except psutil.Error:
            return 0

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(ValueError):  # it was reaped already
            self._process.kill()

    def reap(self) -> WorkerExit:
        """Release a process that has ended and tell why it did."""
        self.exit_code = self._process.exitcode or 0
        self._connection.close()
        self._process.close()
        told = describe_exit(self.exit_code)
        return WorkerExit(f"the process that analyzed it {told}", f"it {told}")

    def _request_exit(self) -> None:
        with contextlib.suppress(OSError), self._writing:
            self._connection.send(None)


def describe_exit(exit_code: int) -> str:
    """Describe how a process ended.

    >>> describe_exit(-11)
    'was ended by SIGSEGV (a fault in a decoder or another library)'
    >>> describe_exit(3)
    'ended itself with exit code 3'
    """
    if exit_code >= 0:
        return f"ended itself with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    if name in _CRASH_SIGNALS:
        return f"was ended by {name} (a fault in a decoder or another library)"
    return f"was killed by {name}" + (" (most likely memory ran out)" if name == "SIGKILL" else "")


_MAX_FAILED_STARTS = 3


def run_serially(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    hooks: RunHooks[Item] = RunHooks(),  # noqa: B008 - frozen
) -> Iterator[Reply[Item, Value]]:
    """Reply to each item in order; nothing protects this process from an item that kills it.

    Items that ended this process in earlier runs come last, and are given up as in processes; memory and silence
    cannot be limited here.
    """
    late: list[tuple[Item, int]] = []

    def in_order() -> Iterator[tuple[Item, int]]:
        for item in items:
            if crashes := hooks.earlier_crashes(item):
                late.append((item, crashes))
            else:
                yield item, 0
        yield from late

    ordered = in_order()
    while not hooks.stop() and (following := next(ordered, None)) is not None:
        item, crashes = following
        yield Reply(item, exhausted(crashes, TaskLimits()) or function(item))


def run_in_processes(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    workers: int,
    depth: int = 1,
    limits: TaskLimits = TaskLimits(),  # noqa: B008 - frozen
    progress: ProgressChannel | None = None,
    hooks: RunHooks[Item] = RunHooks(),  # noqa: B008 - frozen
) -> Iterator[Reply[Item, Value]]:
    """Reply to each item once, in the order in which they finish.

    `function`: picklable; it returns failures as values and raises only when the whole run must stop.
    `items`: taken as workers get free, so it may be long.
    `workers`: processes, at least 1.
    `depth`: items that one process works on at the same time, each in a thread; with 1 the function runs in the main
        thread.
    `progress`: the latest thousand updates are kept for a caller who is slow to take replies. An update is a heartbeat
        of the item of the thread that sends it.
    Raises SetupError: processes cannot be started at all.
    Raises TypeError: the function, an item or a value cannot be pickled.

    Notes
    -----
    When a worker dies it is replaced, and the others go on. What was under way in it is tried again after all others
    (see `RetryQueue`), and given up after `limits.max_crashes`, or at once when it exceeds another limit alone in a
    fresh worker. Closing the iterator, or an exception, ends all workers at once.
    """
    if workers < 1 or depth < 1:
        raise ValueError(f"workers and depth must be at least 1; found {workers} and {depth}")
    config = WorkerConfig(function, progress.install if progress else None, limits.memory_bytes)
    tasks = RetryQueue(items, limits, hooks)
    yield from run_in_pool(_ProcessBackend(config, workers, depth), tasks, limits, progress, hooks.stop, depth=depth)


class _ProcessBackend:
    """Starts processes on this machine; see `WorkerBackend`."""

    def __init__(self, config: WorkerConfig, size: int, threads: int) -> None:
        self._config, self.size, self._threads = config, size, threads

    def start(self, depth: int, max_tasks: int | None, now: float) -> PoolWorker:
        return ProcessWorker(self._config, self._threads, depth, max_tasks, now)

    def check(self, workers: list[PoolWorker], now: float) -> None:
        pass

    def check_start(self, worker: PoolWorker, exit: WorkerExit, failed_starts: int, *, has_worked: bool) -> None:
        assert isinstance(worker, ProcessWorker)
        reason = worker.kill_reason
        if reason is not None and reason.code == "memory_limit":
            raise SetupError(f"worker processes cannot be used: {reason.message}, before any item; allow more")
        if worker.exit_code == 1 and not worker.is_ready and not has_worked:  # the next would end alike
            raise SetupError(
                "worker processes cannot be started; a script that analyses with several workers must do so under "
                '`if __name__ == "__main__":`, because each worker imports it',
                code="no_workers",
            )
        if failed_starts >= _MAX_FAILED_STARTS:
            ended = f"{failed_starts} in a row ended before they had taken anything"
            message = f"worker processes cannot be started: {ended}; the last one {describe_exit(worker.exit_code)}"
            raise SetupError(message, code="no_workers")
