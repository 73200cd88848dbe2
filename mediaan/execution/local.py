"""Execute tasks on this machine: in this process, or in worker processes of which a crash costs one task only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mediaan.errors import SetupError
from mediaan.execution.process_worker import ProcessWorker, describe_exit
from mediaan.execution.retry import RetryQueue, WorkerExit, exhausted
from mediaan.execution.tasks import Item, ProgressChannel, Reply, RunHooks, TaskLimits, Value
from mediaan.execution.worker import PoolWorker, WorkerConfig
from mediaan.execution.worker_pool import run_in_pool

_MAX_FAILED_STARTS = 3


def run_serially(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    limits: TaskLimits = TaskLimits(),  # noqa: B008 - frozen
    hooks: RunHooks[Item] = RunHooks(),  # noqa: B008 - frozen
) -> Iterator[Reply[Item, Value]]:
    """Reply to each item in order; nothing protects this process from an item that kills it.

    Items that ended this process in earlier runs come last, and are given up after `limits.max_crashes`; memory and
    silence cannot be limited here.
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
        yield Reply(item, exhausted(crashes, limits) or function(item))


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
