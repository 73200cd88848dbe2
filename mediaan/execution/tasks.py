"""Define what every executor promises, one reply for each item, and decide which task is tried, again, or given up."""

from __future__ import annotations

import pickle
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

Item = TypeVar("Item")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Crashed:
    """An item that no worker could finish."""

    message: str
    """For people; without the item's name."""
    code: str = "worker_died"
    """One of ``worker_died``, ``time_limit``, ``memory_limit``."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[Item, Value]):
    """An item with the value that the function returned for it, or the reason why there is none."""

    item: Item
    value: Value | Crashed


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """Limits of one item; its worker is killed when it exceeds them."""

    memory_bytes: int | None = None
    """Resident memory of a worker process."""
    heartbeat_timeout_s: float | None = None
    """Wall time in which an item neither ends nor reports progress."""
    max_crashes: int = 3
    """An item that was under way in so many worker crashes is given up."""


@dataclass(frozen=True, slots=True)
class ProgressChannel:
    """The way of progress updates from workers to this process."""

    install: Callable[[Callable[[Any], None]], None]
    """Picklable; called once in each worker with a function that sends a small picklable update."""
    receive: Callable[[Any], None]
    """Called in this process with each update, some time after it was sent. An update can be lost with its worker, or
    where a thousand later ones wait to be received."""


@dataclass(frozen=True, slots=True)
class RunHooks(Generic[Item]):
    """Callbacks through which the caller steers the work and follows crashes."""

    stop: Callable[[], bool] = lambda: False
    """Asked now and then, by any thread; once it returns True no further item is begun: replies to those under way
    still come, then the work ends."""
    earlier_crashes: Callable[[Item], int] = lambda item: 0
    """Returns in how many worker crashes an item was under way before this run. Such items come last, each alone."""
    on_crash: Callable[[Item, str], None] = lambda item, reason: None
    """Called with each item that was under way when its worker died, and the reason, before it is tried again."""


def pickle_value(value: Any, what: str) -> bytes:
    """Pickle a value.

    Raises TypeError: it cannot be pickled; the message names it as `what`.
    """
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # pickling calls the methods of whatever it is given
        raise TypeError(f"{what} cannot be sent to another process: {error}") from error


def pickle_error(error: BaseException) -> bytes:
    """Pickle an exception with its traceback as text; one that cannot be pickled is described by another."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickled = pickle.dumps((error, trace))
        pickle.loads(pickled)
    except Exception:  # exceptions whose arguments are not those of their class, and more
        return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), trace))
    return pickled


def raise_pickled_error(pickled: bytes) -> NoReturn:
    """Raise what `pickle_error` pickled, with a note on where it was raised."""
    error, trace = pickle.loads(pickled)
    error.add_note(f"in a worker:\n{trace}")
    raise error


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
