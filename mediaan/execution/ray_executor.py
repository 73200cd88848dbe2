"""Execute tasks on a Ray cluster; an actor that dies, or whose machine is lost, costs its task a try."""

from __future__ import annotations

import contextlib
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Self

from mediaan.errors import SetupError
from mediaan.execution.ray_actor import ActorInfo, ActorMessage
from mediaan.execution.ray_cluster import ClusterCapacity, RayCluster, ResourceRequest, join_cluster
from mediaan.execution.retry import RayRetryQueue, RayTask
from mediaan.execution.serialization import pickle_value, raise_pickled_error
from mediaan.execution.tasks import Crashed, Item, ProgressChannel, Reply, RunHooks, TaskLimits, Value

_POLL_S = 0.25


@dataclass(eq=False, slots=True)
class ActorHandle:
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
    introduction: ActorInfo | None = None
    errands: dict[Any, RayTask[Any]] = field(default_factory=dict)
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

    def take(self, errand: RayTask[Any], now: float, *, is_reserved: bool = False) -> None:
        """Give it an item."""
        parcel = pickle_value(errand.item, "an item")
        stream = self.actor.work.options(num_returns="streaming").remote(parcel)
        self.errands[stream], self.heard[stream] = errand, now
        self.taken, self.is_reserved = self.taken + 1, is_reserved

    def finish(self, stream: Any) -> RayTask[Any]:
        """Take an item from it."""
        del self.heard[stream]
        return self.errands.pop(stream)

    def silent_since(self, moment: float) -> list[RayTask[Any]]:
        """Items of which nothing was heard after a moment."""
        return [self.errands[stream] for stream, heard in self.heard.items() if heard < moment]


class ActorPool:
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

    def __init__(self, cluster: RayCluster, need: ResourceRequest, depth: int, arguments: tuple[Any, ...]) -> None:
        self._cluster, self._need, self._arguments = cluster, need, arguments
        self.depth = depth
        self.all: list[ActorHandle] = []
        self.alone: ActorHandle | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for hand in list(self.all):
            self.let_go(hand)

    @property
    def coming(self) -> list[ActorHandle]:
        """Those that have not started yet."""
        return [hand for hand in self.all if hand.introduction is None]

    @property
    def at_work(self) -> list[ActorHandle]:
        """Those that have something to do."""
        return [hand for hand in self.all if hand.errands]

    @property
    def started(self) -> list[ActorHandle]:
        """Those that have introduced themselves."""
        return [hand for hand in self.all if hand.introduction]

    @property
    def used(self) -> list[ActorHandle]:
        """Those that have nothing to do, but had."""
        return [hand for hand in self.all if hand.taken and not hand.errands]

    @property
    def unused(self) -> list[ActorHandle]:
        """Those that never had anything to do, started or not."""
        return sorted((hand for hand in self.all if not hand.taken), key=lambda hand: not hand.introduction)

    @property
    def free(self) -> list[ActorHandle]:
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
        self.all.append(ActorHandle(actor, actor.introduce.remote()))

    def let_go(self, hand: ActorHandle) -> None:
        """End an actor at once, whatever it is at."""
        import ray

        self.all.remove(hand)
        with contextlib.suppress(ray.exceptions.RayError, ValueError):  # it has ended already
            ray.kill(hand.actor)

    def words(self) -> Iterator[tuple[ActorHandle, Any, ActorInfo | ActorMessage | Exception]]:
        """What has come from them: the hand, the stream or greeting, and the word or what went wrong.

        Waits a quarter of a second for the first, and for no other.
        """
        patience_s = _POLL_S
        while ready := self._ready(patience_s):
            patience_s = 0
            for hand, source in ready:
                if hand in self.all:  # not let go because of what came before
                    yield hand, source, _receive(source)

    def _ready(self, patience_s: float) -> list[tuple[ActorHandle, Any]]:
        import ray

        sources: dict[Any, ActorHandle] = {}
        for hand in self.all:
            sources.update(dict.fromkeys(hand.errands if hand.introduction else [hand.greeting], hand))
        if not sources:
            return []
        ready, _ = ray.wait(list(sources), num_returns=len(sources), timeout=0)
        if not ready and patience_s:
            ready, _ = ray.wait(list(sources), timeout=patience_s)
        return [(sources[source], source) for source in ready]


def _receive(source: Any) -> ActorInfo | ActorMessage | Exception:
    import ray

    try:
        word: ActorInfo | ActorMessage = ray.get(next(source) if isinstance(source, ray.ObjectRefGenerator) else source)
    except ray.exceptions.RayError as error:
        return error
    return word


_LOOK_EVERY_S = 2.0
_LONGEST_TICK_S = 1.0
"""What is more was no time: this process was stopped, or who takes the replies was busy."""
_MAX_FAILED_STARTS = 5
"""So many actors in a row may die before they have started."""


def run_on_ray(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    workers: int | None,
    address: str | None = None,
    gpu_share: float = 0,
    cpus: float = 1,
    depth: int = 1,
    patience_s: float = 300,
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
    workers : int or None
        Actors; None: as many as the machines of the cluster have room for, and more when machines join.
    address : str, optional
        Of the cluster, as ``10.0.0.1:6379`` or ``auto``; without it ``RAY_ADDRESS`` is asked, and if that is not set a
        cluster is started on this machine and ended afterwards.
    gpu_share, cpus : float
        What an actor takes of a machine: 0.25 lets four share a GPU. With 0 it sees no GPU.
    depth : int
        Items that one actor works on at the same time, each in a thread.
    patience_s : float
        How long to wait while there is not a single actor, because a cluster may have to start machines first.
    limits : Limits, optional
        What one item may cost. A sign of life is a note; memory is looked at twenty times a second.
    notes : Notes, optional
        Where what workers say on the way shall go.
    watch : Watch, optional

    Raises
    ------
    SetupError
        Ray is not installed (code no_ray); the cluster cannot be joined, or one of its machines has another version of
        mediaan or none (no_cluster); it has no room for a single actor (no_room).

    Notes
    -----
    An actor that dies is replaced. What it was at is tried again in a fresh one when all others are done, the last time
    with nothing else under way; after `limits.deaths` deaths it is given up. The machine of an actor being lost is not
    the item's fault: it is tried elsewhere, ten times at most. Closing the iterator, or an exception, ends all actors
    at once.
    """
    need, errands = ResourceRequest(cpus, gpu_share), RayRetryQueue(items, limits, watch)
    if errands.has(1) or errands.alone:  # nothing is started for nothing
        with join_cluster(address, workers=workers, need=need) as cluster:
            arguments = (function, notes.install if notes else None, limits.memory_bytes)
            with ActorPool(cluster, need, depth, arguments) as hands:
                room = ClusterCapacity(cluster, need, workers, patience_s)
                work: _RayRun[Item, Value] = _RayRun(errands, hands, room, limits, notes)
                yield from work.replies(watch.stop)
    yield from errands.replies


class _RayRun(Generic[Item, Value]):
    """One run: who is tried when, and what is made of each word and each end of an actor."""

    def __init__(
        self,
        errands: RayRetryQueue[Item],
        hands: ActorPool,
        room: ClusterCapacity,
        limits: TaskLimits,
        notes: ProgressChannel | None,
    ) -> None:
        self._errands, self._hands, self._room, self._limits, self._notes = errands, hands, room, limits, notes
        self._clock = _Clock()
        self._looked = time.monotonic()
        self._failed_starts = 0

    def replies(self, stop: Callable[[], bool]) -> Iterator[Reply[Item, Value]]:
        while True:
            stopped = stop()
            if not stopped:
                self._staff()
            while self._errands.replies:
                yield self._errands.replies.popleft()
            if not self._hands.at_work and (stopped or not self._hands.all):
                return
            for hand, source, word in self._hands.words():
                self._hear(hand, source, word)
            self._clock.tick()
            self._mind()

    def _staff(self) -> None:
        """Hand out what waits, let go of who is not needed, hire who is."""
        for hand in self._hands.free:
            self._give(hand)
        if not self._errands.has(1):
            self._let_go_of_the_idle()
        while len(self._hands.all) < self._room.workers and self._is_short():
            self._hands.hire()

    def _give(self, hand: ActorHandle) -> None:
        errands, now = self._errands, self._clock.now
        if errands.has(1):
            if not self._hands.is_held:
                hand.take(errands.take(), now)
        elif errands.fresh and not hand.taken:
            hand.take(errands.fresh.popleft(), now, is_reserved=True)
        elif errands.alone and not hand.taken and not self._hands.at_work:
            hand.take(errands.alone.popleft(), now, is_reserved=True)
            self._hands.alone = hand

    def _is_short(self) -> bool:
        """Whether there is more to do than hands for it."""
        errands, hands = self._errands, self._hands
        if errands.has(1):
            return not hands.is_held and errands.has(hands.depth * len(hands.coming) + 1)
        return len(hands.unused) < self._suspects()

    def _suspects(self) -> int:
        """How many fresh hands are needed now or next."""
        return len(self._errands.fresh) or min(1, len(self._errands.alone))

    def _let_go_of_the_idle(self) -> None:
        spare = self._hands.unused[self._suspects() :]
        for hand in self._hands.used + spare:
            self._hands.let_go(hand)

    def _hear(self, hand: ActorHandle, source: Any, word: ActorInfo | ActorMessage | Exception) -> None:
        if isinstance(word, Exception):
            self._ended(hand, word)
        elif isinstance(word, ActorInfo):
            self._welcome(hand, word)
        elif word.kind == "too_large":
            self._too_large(hand)
        else:
            hand.heard[source] = self._clock.now
            self._take_note(hand, source, word)

    def _take_note(self, hand: ActorHandle, source: Any, said: ActorMessage) -> None:
        if said.kind == "notes" and self._notes:
            for note in said.content:
                self._notes.receive(note)
        elif said.kind == "raised":
            raise_pickled_error(said.content)
        elif said.kind == "done":
            self._errands.replies.append(Reply(hand.finish(source).item, pickle.loads(said.content)))
            if hand.is_reserved:
                self._hands.let_go(hand)

    def _welcome(self, hand: ActorHandle, introduction: ActorInfo) -> None:
        from mediaan import __version__

        if introduction.version != __version__:
            raise SetupError(
                f"mediaan is {__version__} here and {introduction.version} on {introduction.machine}; install the same "
                "version on all machines of the cluster",
                code="no_cluster",
            )
        hand.introduction = introduction
        self._failed_starts = 0

    def _ended(self, hand: ActorHandle, error: Exception) -> None:
        """An actor is gone."""
        from ray.exceptions import ActorUnavailableError, OutOfMemoryError

        if hand.introduction is None:
            self._count_failed_start(error)
        self._room.look()
        if isinstance(error, ActorUnavailableError) or self._room.has_lost(hand.node_id):
            self._lost(hand)
        elif isinstance(error, OutOfMemoryError):
            self._died(hand, f"memory ran out on {hand.machine}", "memory_limit")
        else:
            self._died(hand, f"on {hand.machine} (out of memory, or a fault in a decoder)")

    def _died(self, hand: ActorHandle, reason: str, code: str = "worker_died") -> None:
        self._hands.let_go(hand)
        for errand in hand.errands.values():
            self._errands.died(errand, reason, code)

    def _lost(self, hand: ActorHandle) -> None:
        self._hands.let_go(hand)
        for errand in hand.errands.values():
            self._errands.lost(errand, hand.machine)

    def _too_large(self, hand: ActorHandle) -> None:
        """It exceeds the limit of memory: its item's fault for certain only if it never had another."""
        self._hands.let_go(hand)
        limit = (self._limits.memory_bytes or 0) / 1e6
        told = f"its analysis took more than {limit:,.0f} MB of memory, the limit of each process"
        for errand in hand.errands.values():
            if hand.taken == 1:
                self._errands.give_up(errand, Crashed(told, "memory_limit"))
            else:
                self._errands.suspected(errand, told)

    def _mind_silence(self, hand: ActorHandle, limit_s: float) -> None:
        silent = hand.silent_since(self._clock.now - limit_s)
        if not silent:
            return
        self._hands.let_go(hand)
        for errand in hand.errands.values():
            if errand in silent:
                told = f"there was no sign of life from its analysis for {limit_s:g} s"
                self._errands.give_up(errand, Crashed(told, "time_limit"))
            else:
                self._errands.again(errand)

    def _count_failed_start(self, error: Exception) -> None:
        self._failed_starts += 1
        if getattr(error, "actor_init_failed", False) or self._failed_starts >= _MAX_FAILED_STARTS:
            told = (str(error).strip() or type(error).__name__).splitlines()[-1]
            raise SetupError(
                f"workers do not start on the Ray cluster ({told}); all its machines need the same version of mediaan",
                code="no_cluster",
            ) from error

    def _mind(self) -> None:
        """See to hands that are silent, and to those whose machine is gone."""
        if time.monotonic() - self._looked > _LOOK_EVERY_S:
            self._room.look()
            for hand in self._hands.started:
                if self._room.has_lost(hand.node_id):  # Ray can take minutes to say so of what was under way there
                    self._lost(hand)
            self._looked = time.monotonic()
        if self._limits.silence_s is not None:
            for hand in self._hands.at_work:
                self._mind_silence(hand, self._limits.silence_s)
        self._room.check(self._clock.now, is_empty=bool(self._hands.coming) and not self._hands.started)


class _Clock:
    """Seconds in which this process was awake."""

    def __init__(self) -> None:
        self.now, self._before = 0.0, time.monotonic()

    def tick(self) -> None:
        """Take note that time has passed."""
        moment = time.monotonic()
        self.now += min(moment - self._before, _LONGEST_TICK_S)
        self._before = moment
