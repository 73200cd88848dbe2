"""Who is next: items in their order, and after them those that may have killed a worker, apart from the others."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic

from mediaan.execution.parcel import pickled
from mediaan.execution.port import Crashed, Item, Limits, Watch

_OF_ITS_OWN = {"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"}


@dataclass(slots=True, eq=False)
class Job(Generic[Item]):
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


class Line(Generic[Item]):
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

    def __init__(self, items: Iterable[Item], limits: Limits, watch: Watch[Item]) -> None:
        self._items, self._limits, self._watch = items, limits, watch
        self.together: deque[Job[Item]] = deque()
        self.blamed: deque[Job[Item]] = deque()
        self.last: deque[Job[Item]] = deque()
        self.hopeless: deque[tuple[Item, Crashed]] = deque()

    def ordinary(self) -> Iterator[Job[Item]]:
        """Items as they come; those with a history are put aside."""
        for ticket, item in enumerate(self._items):
            job = Job(ticket, item, pickled(item, "an item"), self._watch.earlier_deaths(item))
            if crashed := given_up(job.deaths, self._limits):
                self.hopeless.append((item, crashed))
            elif job.deaths:
                self.last.append(job)
            else:
                yield job

    def died(self, jobs: list[Job[Item]], exit_code: int) -> Iterator[tuple[Job[Item], Crashed]]:
        """Take back what a worker was at as it died; yields those that are given up."""
        for job in jobs:
            job.deaths, job.begun = job.deaths + 1, False
            self._watch.on_death(job.item, f"the process that analysed it {in_words(exit_code)}")
            if len(jobs) > 1:
                self.together.append(job)
            elif job.deaths >= self._limits.deaths:
                message = (
                    f"the process that analysed it died {times(job.deaths)}; the last time it {in_words(exit_code)}"
                )
                yield job, Crashed(message)
            else:
                (self.last if from_outside(exit_code) else self.blamed).append(job)

    def suspected(self, jobs: list[Job[Item]], reason: str) -> None:
        """Put aside what exceeded a limit together, or in a worker that held much already: each is tried alone."""
        for job in jobs:
            job.begun = False
            self._watch.on_death(job.item, reason)
            (self.together if len(jobs) > 1 else self.blamed).append(job)


def given_up(deaths: int, limits: Limits) -> Crashed | None:
    """What to reply to an item that had all its tries before this run; None: it had not."""
    if deaths < limits.deaths:
        return None
    return Crashed(f"the process that analysed it died {times(deaths)}, when the same work was begun before")


def drain(jobs: deque[Job[Item]]) -> Iterator[Job[Item]]:
    """Take jobs, also those that are added meanwhile."""
    while jobs:
        yield jobs.popleft()


def in_words(exit_code: int) -> str:
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
    if name in _OF_ITS_OWN:
        return f"was ended by {name} (a fault in a decoder or another library)"
    return f"was killed by {name}" + (" (most likely memory ran out)" if name == "SIGKILL" else "")


def from_outside(exit_code: int) -> bool:
    """Whether a process was killed and did not fall by itself; see `in_words`."""
    return exit_code < 0 and _signal_name(exit_code) not in _OF_ITS_OWN


def _signal_name(exit_code: int) -> str:
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


def times(count: int) -> str:
    """A number of times, in words."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
