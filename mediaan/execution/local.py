"""Execute tasks on this machine: in this process, or in worker processes of which a crash costs one task only."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Generic

from mediaan.errors import SetupError
from mediaan.execution.retry import RetryQueue, Task, describe_exit, drain, exhausted
from mediaan.execution.tasks import Crashed, Item, ProgressChannel, Reply, RunHooks, TaskLimits, Value
from mediaan.execution.watchdog import Watchdog
from mediaan.execution.worker import WorkerConfig, WorkerProcess
from mediaan.execution.worker_pool import TaskReturned, WorkerExited, WorkerPool


def run_serially(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    limits: TaskLimits = TaskLimits(),  # noqa: B008 - frozen
    watch: RunHooks[Item] = RunHooks(),  # noqa: B008 - frozen
) -> Iterator[Reply[Item, Value]]:
    """Reply to each item in order; nothing protects this process from an item that kills it.

    Items that ended this process in earlier runs come last, and are given up after `limits.deaths` deaths; memory and
    silence cannot be limited here.
    """
    late: list[tuple[Item, int]] = []

    def in_order() -> Iterator[tuple[Item, int]]:
        for item in items:
            if deaths := watch.earlier_deaths(item):
                late.append((item, deaths))
            else:
                yield item, 0
        yield from late

    line = in_order()
    while not watch.stop() and (turn := next(line, None)) is not None:
        item, deaths = turn
        yield Reply(item, exhausted(deaths, limits) or function(item))


_MAX_FAILED_STARTS = 3
"""So many workers in a row may die before they have taken an item."""


def run_in_processes(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    workers: int,
    depth: int = 1,
    limits: TaskLimits = TaskLimits(),  # noqa: B008 - frozen
    notes: ProgressChannel | None = None,
    watch: RunHooks[Item] = RunHooks(),  # noqa: B008 - frozen
) -> Iterator[Reply[Item, Value]]:
    """Reply to each item once, in the order in which they finish.

    Parameters
    ----------
    function : callable
        Picklable; it returns failures as values and raises only when the whole run must stop.
    items : iterable
        Taken from as workers get free, so it may be long.
    workers : int
        Processes, at least 1.
    depth : int
        Items that one process works on at the same time, each in a thread; with 1 the function runs in the main thread.
    limits : Limits, optional
        What one item may cost.
    notes : Notes, optional
        Where what workers say on the way shall go. The latest thousand are kept for a caller who is slow to take
        replies. A note proves that the item of the thread that sends it is alive.
    watch : Watch, optional
        `stop` may be asked by any thread.

    Raises
    ------
    SetupError
        Processes cannot be started at all.
    TypeError
        The function, an item or a value cannot be pickled.

    Notes
    -----
    When a worker dies it is replaced, and the others go on. What it was at is suspect. Suspects are tried again after
    all others: those that were at work side by side one at a time, which shows the culprit; a culprit alone in a
    fresh worker, and if it was killed from outside, as happens where memory is short, with nothing beside it. It is
    given up after `limits.deaths` deaths, and at once when it exceeds another limit alone in a fresh worker. Closing
    the iterator, or an exception, ends all workers at once.
    """
    if workers < 1 or depth < 1:
        raise ValueError(f"workers and depth must be at least 1; found {workers} and {depth}")
    duty = WorkerConfig(function, notes.install if notes else None, depth, weigh=limits.memory_bytes is not None)
    with WorkerPool(duty, limits, watch) as crew, Watchdog(crew, limits):
        work: _ProcessRun[Item, Value] = _ProcessRun(crew, RetryQueue(items, limits, watch), limits, notes, watch)
        yield from work.replies(workers, depth)


class _ProcessRun(Generic[Item, Value]):
    """One run: who is tried when, and what is made of each end of a worker."""

    def __init__(
        self,
        crew: WorkerPool,
        line: RetryQueue[Item],
        limits: TaskLimits,
        notes: ProgressChannel | None,
        watch: RunHooks[Item],
    ) -> None:
        self._crew, self._line, self._limits, self._notes, self._watch = crew, line, limits, notes, watch
        self._failed_starts = 0
        self._works = False

    def replies(self, workers: int, depth: int) -> Iterator[Reply[Item, Value]]:
        yield from self._round(self._line.ordinary(), workers, depth)
        while not self._watch.stop():
            if self._line.hopeless:
                yield Reply(*self._line.hopeless.popleft())
            elif self._line.together:
                yield from self._round(drain(self._line.together), workers, 1)
            elif self._line.blamed:
                yield from self._fresh(drain(self._line.blamed), workers)
            elif self._line.last:
                yield from self._fresh(iter([self._line.last.popleft()]), 1)
            else:
                return

    def _fresh(self, jobs: Iterator[Task[Item]], workers: int) -> Iterator[Reply[Item, Value]]:
        """Try each in a worker that nothing was tried in before."""
        self._crew.dismiss()
        yield from self._round(jobs, workers, 1, lives=1)

    def _round(
        self, jobs: Iterator[Task[Item]], workers: int, depth: int, lives: int | None = None
    ) -> Iterator[Reply[Item, Value]]:
        """Reply to jobs until there are none, or none shall be begun; those of workers that die may be put aside."""
        while True:
            if self._watch.stop():
                self._crew.withdraw()
            else:
                self._crew.man(workers, depth, lives)
                for job in self._as_many_as(workers * (depth + 1), jobs):
                    self._crew.add(job)
                    self._crew.man(workers, depth, lives)  # at once: the next may take its time to come
            if not self._crew.open:
                return
            event = self._crew.next_event()
            self._deliver_notes()
            if isinstance(event, Exception):
                raise event
            if isinstance(event, TaskReturned):
                yield self._reply(event)
            elif isinstance(event, WorkerExited):
                yield from self._ended(event.worker)

    def _as_many_as(self, count: int, jobs: Iterator[Task[Item]]) -> Iterator[Task[Item]]:
        """Take jobs until so many are open, which keeps the workers busy and memory flat."""
        while self._crew.open < count and not self._watch.stop() and (job := next(jobs, None)) is not None:
            yield job

    def _reply(self, brought: TaskReturned) -> Reply[Item, Value]:
        content = pickle.loads(brought.message.content)
        if brought.message.kind == "raised" or brought.job is None:
            error, trace = content
            error.add_note(f"in a worker:\n{trace}")
            raise error
        self._failed_starts, self._works = 0, True
        self._crew.open -= 1
        return Reply(brought.job.item, content)

    def _ended(self, worker: WorkerProcess) -> Iterator[Reply[Item, Value]]:
        jobs, exit_code = worker.jobs, self._crew.bury(worker)
        if not worker.begun and worker.dismissed_at is None:
            self._count_failed_start(worker, exit_code)
        for job, crashed in self._judged(worker, jobs, exit_code):
            yield Reply(job.item, crashed)

    def _judged(
        self, worker: WorkerProcess, jobs: list[Task[Item]], exit_code: int
    ) -> Iterator[tuple[Task[Item], Crashed]]:
        """Put aside who is suspect, give back who is not, and yield who is given up."""
        sentence = worker.sentence
        guilty = [job for job in jobs if job.begun and (sentence is None or job.ticket in sentence.tickets)]
        for job in jobs:
            if job not in guilty:
                self._crew.put_back(job)
        self._crew.open -= len(guilty)
        if sentence is None:
            yield from self._line.died(guilty, exit_code)
        elif len(jobs) == 1 and (sentence.code == "time_limit" or worker.begun == 1):
            yield from ((job, Crashed(sentence.message, sentence.code)) for job in guilty)
        else:
            self._line.suspected(guilty, sentence.message)

    def _count_failed_start(self, worker: WorkerProcess, exit_code: int) -> None:
        self._failed_starts += 1
        if worker.sentence is not None and worker.sentence.code == "memory_limit":
            raise SetupError(f"worker processes cannot be used: {worker.sentence.message}, before any item; allow more")
        if exit_code == 1 and not worker.ready and not self._works:  # the next would end alike
            raise SetupError(
                "worker processes cannot be started; a script that analyses with several workers must do so under "
                '`if __name__ == "__main__":`, because each worker imports it',
                code="no_workers",
            )
        if self._failed_starts >= _MAX_FAILED_STARTS:
            message = (
                f"{_MAX_FAILED_STARTS} in a row ended before they had taken anything; "
                f"the last one {describe_exit(exit_code)}"
            )
            raise SetupError(f"worker processes cannot be started: {message}", code="no_workers")

    def _deliver_notes(self) -> None:
        while self._notes and self._crew.notes:
            self._notes.receive(pickle.loads(self._crew.notes.popleft()))
