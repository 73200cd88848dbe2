"""Items on their way to machines that can be lost: who is next, and who is tried again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic

from mediaan.execution.line import given_up, times
from mediaan.execution.port import Crashed, Item, Limits, Reply, Watch

_LOSSES = 10
"""So often the machine of an item may be lost: not the item's fault, but nothing is tried for ever."""


@dataclass(eq=False, slots=True)
class Errand(Generic[Item]):
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


class Errands(Generic[Item]):
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

    def __init__(self, items: Iterable[Item], limits: Limits, watch: Watch[Item]) -> None:
        self._items, self._limits, self._watch = iter(items), limits, watch
        self._next: deque[Errand[Item]] = deque()
        self.fresh: deque[Errand[Item]] = deque()
        self.alone: deque[Errand[Item]] = deque()
        self.replies: deque[Reply[Item, Any]] = deque()

    def has(self, count: int) -> bool:
        """Whether so many ordinary items wait; the items are read on as far as needed to tell."""
        while len(self._next) < count:
            for item in self._items:
                self._sort_in(Errand(item, self._watch.earlier_deaths(item)))
                break
            else:
                return False
        return True

    def take(self) -> Errand[Item]:
        """Take the next ordinary item."""
        return self._next.popleft()

    def died(self, errand: Errand[Item], reason: str, code: str = "worker_died") -> None:
        """Take back what an actor was at as it died."""
        errand.deaths += 1
        self._watch.on_death(errand.item, reason)
        left = self._limits.deaths - errand.deaths
        if left > 0:
            (self.fresh if left > 1 else self.alone).append(errand)
        else:
            told = f"the worker that analysed it died {times(errand.deaths)}; the last time {reason}"
            self.give_up(errand, Crashed(told, code))

    def suspected(self, errand: Errand[Item], reason: str) -> None:
        """Put aside what exceeded a limit beside others, or in an actor that held much already."""
        self._watch.on_death(errand.item, reason)
        self.fresh.append(errand)

    def lost(self, errand: Errand[Item], machine: str) -> None:
        """Take back what was under way on a machine that is gone."""
        errand.losses += 1
        if errand.losses < _LOSSES:
            self.again(errand)
        else:
            self.give_up(errand, Crashed(f"its machine was lost {errand.losses} times, the last time {machine}"))

    def again(self, errand: Errand[Item]) -> None:
        """Have it tried again as if nothing had been."""
        self._next.appendleft(errand)

    def give_up(self, errand: Errand[Item], crashed: Crashed) -> None:
        """Reply that no worker could finish it."""
        self.replies.append(Reply(errand.item, crashed))

    def _sort_in(self, errand: Errand[Item]) -> None:
        if not errand.deaths:
            self._next.append(errand)
        elif crashed := given_up(errand.deaths, self._limits):
            self.give_up(errand, crashed)
        else:
            self.alone.append(errand)
