"""The actors of a run: hired, given items, listened to, and let go."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from mediaan.execution.actor import Introduction, Said
from mediaan.execution.cluster import Cluster
from mediaan.execution.errands import Errand
from mediaan.execution.parcel import pickled
from mediaan.execution.room import Need

_LISTEN_S = 0.25


@dataclass(eq=False, slots=True)
class Hand:
    """An actor as the run sees it.

    Attributes
    ----------
    actor : Any
        Ray's handle.
    greeting : Any
        Reference to its introduction.
    introduction : Introduction or None
        None until it has started.
    errands : dict of stream to Errand
        What it is at.
    heard : dict of stream to float
        When a word came last, s of the clock of the run.
    taken : int
        Items that it was given.
    is_reserved : bool
        Whether it takes nothing beside what it is at.
    """

    actor: Any
    greeting: Any
    introduction: Introduction | None = None
    errands: dict[Any, Errand[Any]] = field(default_factory=dict)
    heard: dict[Any, float] = field(default_factory=dict)
    taken: int = 0
    is_reserved: bool = False

    @property
    def machine(self) -> str:
        """Name of the machine that it is on."""
        return self.introduction.machine if self.introduction else ""

    @property
    def node_id(self) -> str:
        """What Ray calls that machine."""
        return self.introduction.node_id if self.introduction else ""

    def take(self, errand: Errand[Any], now: float, *, is_reserved: bool = False) -> None:
        """Give it an item."""
        parcel = pickled(errand.item, "an item")
        stream = self.actor.work.options(num_returns="streaming").remote(parcel)
        self.errands[stream], self.heard[stream] = errand, now
        self.taken, self.is_reserved = self.taken + 1, is_reserved

    def finish(self, stream: Any) -> Errand[Any]:
        """Take an item from it."""
        del self.heard[stream]
        return self.errands.pop(stream)

    def silent_since(self, moment: float) -> list[Errand[Any]]:
        """Items of which nothing was heard after a moment."""
        return [self.errands[stream] for stream, heard in self.heard.items() if heard < moment]


class Hands:
    """All actors of a run.

    Parameters
    ----------
    cluster : Cluster
    need : Need
        Of each.
    depth : int
        Items that one is given at the same time.
    arguments : tuple
        What each is started with; see `Actor`.

    Attributes
    ----------
    all : list of Hand
    alone : Hand or None
        The latest that shall have no other at work beside it.
    """

    def __init__(self, cluster: Cluster, need: Need, depth: int, arguments: tuple[Any, ...]) -> None:
        self._cluster, self._need, self._arguments = cluster, need, arguments
        self.depth = depth
        self.all: list[Hand] = []
        self.alone: Hand | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for hand in list(self.all):
            self.let_go(hand)

    @property
    def coming(self) -> list[Hand]:
        """Those that have not started yet."""
        return [hand for hand in self.all if hand.introduction is None]

    @property
    def at_work(self) -> list[Hand]:
        """Those that have something to do."""
        return [hand for hand in self.all if hand.errands]

    @property
    def started(self) -> list[Hand]:
        """Those that have introduced themselves."""
        return [hand for hand in self.all if hand.introduction]

    @property
    def used(self) -> list[Hand]:
        """Those that have nothing to do, but had."""
        return [hand for hand in self.all if hand.taken and not hand.errands]

    @property
    def unused(self) -> list[Hand]:
        """Those that never had anything to do, started or not."""
        return sorted((hand for hand in self.all if not hand.taken), key=lambda hand: not hand.introduction)

    @property
    def free(self) -> list[Hand]:
        """Those that can take an item, the least busy first."""
        able = [hand for hand in self.started if not hand.is_reserved and len(hand.errands) < self.depth]
        return sorted(able, key=lambda hand: len(hand.errands))

    @property
    def is_held(self) -> bool:
        """Whether one is at work that shall be alone."""
        return self.alone in self.at_work

    def hire(self) -> None:
        """Ask for one more; it comes when there is room."""
        actor = self._cluster.hire(self._need, self._arguments, depth=self.depth)
        self.all.append(Hand(actor, actor.introduce.remote()))

    def let_go(self, hand: Hand) -> None:
        """End an actor at once, whatever it is at."""
        import ray

        self.all.remove(hand)
        with contextlib.suppress(ray.exceptions.RayError, ValueError):  # it has ended already
            ray.kill(hand.actor)

    def words(self) -> Iterator[tuple[Hand, Any, Introduction | Said | Exception]]:
        """What has come from them: the hand, the stream or greeting, and the word or what went wrong.

        Waits a quarter of a second for the first, and for no other.
        """
        patience_s = _LISTEN_S
        while ready := self._ready(patience_s):
            patience_s = 0
            for hand, source in ready:
                if hand in self.all:  # not let go because of what came before
                    yield hand, source, _word(source)

    def _ready(self, patience_s: float) -> list[tuple[Hand, Any]]:
        import ray

        sources: dict[Any, Hand] = {}
        for hand in self.all:
            sources.update(dict.fromkeys(hand.errands if hand.introduction else [hand.greeting], hand))
        if not sources:
            return []
        ready, _ = ray.wait(list(sources), num_returns=len(sources), timeout=0)
        if not ready and patience_s:
            ready, _ = ray.wait(list(sources), timeout=patience_s)
        return [(sources[source], source) for source in ready]


def _word(source: Any) -> Introduction | Said | Exception:
    import ray

    try:
        word: Introduction | Said = ray.get(next(source) if isinstance(source, ray.ObjectRefGenerator) else source)
    except ray.exceptions.RayError as error:
        return error
    return word
