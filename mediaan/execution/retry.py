"""Decide which task is next, and which is tried again after a worker crashed."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic

from mediaan.execution.serialization import pickle_value
from mediaan.execution.tasks import Crashed, Item, Reply, RunHooks, TaskLimits

_CRASH_SIGNALS = {"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"}


@dataclass(slots=True, eq=False)
class Task(Generic[Item]):
    """An item on its way.

    Attributes
    ----------
    ticket : int
        No other item of the run has it: items may be equal.
    item : Item
    parcel : bytes
        The item, pickled.
    deaths : int
        How often a worker died while it was at it.
    begun : bool
        Whether a worker is at it, and not only about to take it.
    """

    ticket: int
    item: Item
    parcel: bytes
    deaths: int = 0
    begun: bool = False


class RetryQueue(Generic[Item]):
    """The items of a run that wait for a worker.

    Parameters
    ----------
    items : iterable
    limits : Limits
    watch : Watch

    Attributes
    ----------
    together : deque of Job
        Under way in one worker as it died: to be told apart by trying them one at a time.
    blamed : deque of Job
        Alone in a worker as it died: each is tried in a fresh one.
    last : deque of Job
        Killed from outside, as happens where memory is short, or in an earlier run: each is tried in a fresh worker
        with no other beside it.
    hopeless : deque of (item, Crashed)
        Had all their tries in earlier runs.
    """

    def __init__(self, items: Iterable[Item], limits: TaskLimits, watch: RunHooks[Item]) -> None:
        self._items, self._limits, self._watch = items, limits, watch
        self.together: deque[Task[Item]] = deque()
        self.blamed: deque[Task[Item]] = deque()
        self.last: deque[Task[Item]] = deque()
        self.hopeless: deque[tuple[Item, Crashed]] = deque()

    def ordinary(self) -> Iterator[Task[Item]]:
        """Items as they come; those with a history are put aside."""
        for ticket, item in enumerate(self._items):
            job = Task(ticket, item, pickle_value(item, "an item"), self._watch.earlier_deaths(item))
            if crashed := exhausted(job.deaths, self._limits):
                self.hopeless.append((item, crashed))
            elif job.deaths:
                self.last.append(job)
            else:
                yield job

    def died(self, jobs: list[Task[Item]], exit_code: int) -> Iterator[tuple[Task[Item], Crashed]]:
        """Take back what a worker was at as it died; yields those that are given up."""
        for job in jobs:
            job.deaths, job.begun = job.deaths + 1, False
            self._watch.on_death(job.item, f"the process that analysed it {describe_exit(exit_code)}")
            if len(jobs) > 1:
                self.together.append(job)
            elif job.deaths >= self._limits.deaths:
                message = (
                    f"the process that analysed it died {times_in_words(job.deaths)}; "
                    f"the last time it {describe_exit(exit_code)}"
                )
                yield job, Crashed(message)
            else:
                (self.last if was_killed_externally(exit_code) else self.blamed).append(job)

    def suspected(self, jobs: list[Task[Item]], reason: str) -> None:
        """Put aside what exceeded a limit together, or in a worker that held much already: each is tried alone."""
        for job in jobs:
            job.begun = False
            self._watch.on_death(job.item, reason)
            (self.together if len(jobs) > 1 else self.blamed).append(job)


def exhausted(deaths: int, limits: TaskLimits) -> Crashed | None:
    """What to reply to an item that had all its tries before this run; None: it had not."""
    if deaths < limits.deaths:
        return None
    return Crashed(f"the process that analysed it died {times_in_words(deaths)}, when the same work was begun before")


def drain(jobs: deque[Task[Item]]) -> Iterator[Task[Item]]:
    """Take jobs, also those that are added meanwhile."""
    while jobs:
        yield jobs.popleft()


def describe_exit(exit_code: int) -> str:
    """How a process ended.

    Examples
    --------
    >>> in_words(-11)
    'was ended by SIGSEGV (a fault in a decoder or another library)'
    >>> in_words(3)
    'ended itself with exit code 3'
    """
    if exit_code >= 0:
        return f"ended itself with exit code {exit_code}"
    name = _signal_name(exit_code)
    if name in _CRASH_SIGNALS:
        return f"was ended by {name} (a fault in a decoder or another library)"
    return f"was killed by {name}" + (" (most likely memory ran out)" if name == "SIGKILL" else "")


def was_killed_externally(exit_code: int) -> bool:
    """Whether a process was killed and did not fall by itself; see `in_words`."""
    return exit_code < 0 and _signal_name(exit_code) not in _CRASH_SIGNALS


def _signal_name(exit_code: int) -> str:
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


def times_in_words(count: int) -> str:
    """A number of times, in words."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


_MAX_MACHINE_LOSSES = 10
"""So often the machine of an item may be lost: not the item's fault, but nothing is tried for ever."""


@dataclass(eq=False, slots=True)
class RayTask(Generic[Item]):
    """An item on its way.

    Attributes
    ----------
    item : Item
    deaths : int
        How often an actor died while it was at it.
    losses : int
        How often the machine was lost on which it was worked on.
    """

    item: Item
    deaths: int = 0
    losses: int = 0


class RayRetryQueue(Generic[Item]):
    """The items of a run, as they are asked for.

    Parameters
    ----------
    items : iterable
    limits : Limits
    watch : Watch

    Attributes
    ----------
    fresh : deque of Errand
        Under way as an actor died: each is tried in a fresh one, when all others are done.
    alone : deque of Errand
        Suspects before their last try, or from earlier runs: each is tried in a fresh actor with nothing else under
        way, so that no neighbour can have taken the memory that it lacks.
    replies : deque of Reply
        To items that are given up.
    """

    def __init__(self, items: Iterable[Item], limits: TaskLimits, watch: RunHooks[Item]) -> None:
        self._items, self._limits, self._watch = iter(items), limits, watch
        self._next: deque[RayTask[Item]] = deque()
        self.fresh: deque[RayTask[Item]] = deque()
        self.alone: deque[RayTask[Item]] = deque()
        self.replies: deque[Reply[Item, Any]] = deque()

    def has(self, count: int) -> bool:
        """Whether so many ordinary items wait; the items are read on as far as needed to tell."""
        while len(self._next) < count:
            for item in self._items:
                self._sort_in(RayTask(item, self._watch.earlier_deaths(item)))
                break
            else:
                return False
        return True

    def take(self) -> RayTask[Item]:
        """Take the next ordinary item."""
        return self._next.popleft()

    def died(self, errand: RayTask[Item], reason: str, code: str = "worker_died") -> None:
        """Take back what an actor was at as it died."""
        errand.deaths += 1
        self._watch.on_death(errand.item, reason)
        left = self._limits.deaths - errand.deaths
        if left > 0:
            (self.fresh if left > 1 else self.alone).append(errand)
        else:
            told = f"the worker that analysed it died {times_in_words(errand.deaths)}; the last time {reason}"
            self.give_up(errand, Crashed(told, code))

    def suspected(self, errand: RayTask[Item], reason: str) -> None:
        """Put aside what exceeded a limit beside others, or in an actor that held much already."""
        self._watch.on_death(errand.item, reason)
        self.fresh.append(errand)

    def lost(self, errand: RayTask[Item], machine: str) -> None:
        """Take back what was under way on a machine that is gone."""
        errand.losses += 1
        if errand.losses < _MAX_MACHINE_LOSSES:
            self.again(errand)
        else:
            self.give_up(errand, Crashed(f"its machine was lost {errand.losses} times, the last time {machine}"))

    def again(self, errand: RayTask[Item]) -> None:
        """Have it tried again as if nothing had been."""
        self._next.appendleft(errand)

    def give_up(self, errand: RayTask[Item], crashed: Crashed) -> None:
        """Reply that no worker could finish it."""
        self.replies.append(Reply(errand.item, crashed))

    def _sort_in(self, errand: RayTask[Item]) -> None:
        if not errand.deaths:
            self._next.append(errand)
        elif crashed := exhausted(errand.deaths, self._limits):
            self.give_up(errand, crashed)
        else:
            self.alone.append(errand)
