"""Decide which task is tried next, which again after a crash, and which is given up."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic

from mediaan.execution.serialization import pickle_value
from mediaan.execution.tasks import Crashed, Item, RunHooks, TaskLimits

_MAX_MACHINE_LOSSES = 10
"""Losing a machine is not the fault of its tasks, but nothing is tried forever."""


@dataclass(slots=True, eq=False)
class Task(Generic[Item]):
    """An item on its way through the workers."""

    task_id: int
    """Unique in a run, since items may be equal."""
    item: Item
    payload: bytes
    """The item, pickled."""
    crashes: int = 0
    """Number of worker crashes in which it was under way."""
    machine_losses: int = 0
    """How often the machine was lost on which it was under way."""
    has_begun: bool = False
    """True while a worker works on it, False while it waits for one, even if it was sent."""


@dataclass(frozen=True, slots=True)
class WorkerExit:
    """The end of a worker."""

    reason: str
    """Why, as `RunHooks.on_crash` is told it."""
    summary: str
    """The same, following "the ... that analyzed it died twice; the last time"."""
    actor: str = "process"
    """The thing that died, for people: process or worker."""
    code: str = "worker_died"
    """See `Crashed`."""
    lost_machine: str | None = None
    """Name of the machine, if that was lost and not the worker alone."""


class RetryQueue(Generic[Item]):
    """The retry policy of all executors, and the tasks that wait by it.

    A task whose worker died is suspect. All others come first; then it is tried alone in a fresh worker, and the last
    time with no other task under way anywhere, so that no neighbor can have taken the memory that it lacks. So it is
    given up only after it crashed a worker that had nothing else to do.

    `items`: taken as they are needed.
    `isolated` (deque of Task): each to be tried in a fresh worker.
    `exclusive` (deque of Task): each to be tried in a fresh worker with no other task under way.
    `exhausted` (deque of (Item, Crashed)): crashed too often in earlier runs.
    """

    def __init__(self, items: Iterable[Item], limits: TaskLimits, hooks: RunHooks[Item]) -> None:
        self._limits, self._hooks = limits, hooks
        self._items = enumerate(items)
        self._peeked: deque[Task[Item]] = deque()
        self.isolated: deque[Task[Item]] = deque()
        self.exclusive: deque[Task[Item]] = deque()
        self.exhausted: deque[tuple[Item, Crashed]] = deque()

    def has_work(self) -> bool:
        """Return True if anything is to be tried; items are taken until that is known."""
        if not self._peeked and (task := next(self.first_tries(), None)) is not None:
            self._peeked.append(task)
        return bool(self._peeked or self.isolated or self.exclusive)

    def first_tries(self) -> Iterator[Task[Item]]:
        """Yield tasks in the order of their items; those that crashed workers in earlier runs are put aside."""
        while self._peeked:
            yield self._peeked.popleft()
        for task_id, item in self._items:
            task = Task(task_id, item, pickle_value(item, "an item"), self._hooks.earlier_crashes(item))
            if crashed := exhausted(task.crashes, self._limits):
                self.exhausted.append((item, crashed))
            elif task.crashes:
                self.exclusive.append(task)
            else:
                yield task

    def add_crashed(self, tasks: list[Task[Item]], exit: WorkerExit) -> Iterator[tuple[Task[Item], Crashed]]:
        """Take back what was under way when a worker died; yield tasks that are given up."""
        for task in tasks:
            task.crashes += 1
            self._hooks.on_crash(task.item, exit.reason)
            if len(tasks) > 1:  # none was alone, so none is proven guilty
                self.isolated.append(task)
            elif task.crashes >= self._limits.max_crashes:
                died = f"the {exit.actor} that analyzed it died {times_in_words(task.crashes)}"
                yield task, Crashed(f"{died}; the last time {exit.summary}", exit.code)
            elif task.crashes == self._limits.max_crashes - 1:
                self.exclusive.append(task)
            else:
                self.isolated.append(task)

    def add_suspects(self, tasks: list[Task[Item]], reason: str) -> None:
        """Take back what exceeded a limit in company, or in a worker that held much already; it is tried alone."""
        for task in tasks:
            self._hooks.on_crash(task.item, reason)
            self.isolated.append(task)


def lose_machine(task: Task[Item], machine: str) -> Crashed | None:
    """Count the loss of a task's machine; return the reason to give it up, or None to try it elsewhere."""
    task.machine_losses += 1
    if task.machine_losses < _MAX_MACHINE_LOSSES:
        return None
    return Crashed(f"its machine was lost {task.machine_losses} times, the last time {machine}")


def exhausted(crashes: int, limits: TaskLimits) -> Crashed | None:
    """Return the reply to an item that had all its tries before this run; None if it had not."""
    if crashes < limits.max_crashes:
        return None
    return Crashed(f"the process that analyzed it died {times_in_words(crashes)}, when the same work was begun before")


def times_in_words(count: int) -> str:
    """Return a number of times in words: once, twice, 3 times."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
