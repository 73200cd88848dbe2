"""Define what every executor promises: one reply for each item, in any order, whatever happens to a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Crashed:
    """An item that no worker could finish.

    Attributes
    ----------
    message : str
        What happened, for people; without the item's name.
    code : {'worker_died', 'time_limit', 'memory_limit'}
    """

    message: str
    code: str = "worker_died"


@dataclass(frozen=True, slots=True)
class Reply(Generic[Item, Value]):
    """An item and what came of it."""

    item: Item
    value: Value | Crashed


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """What one item may cost before its worker is ended.

    Attributes
    ----------
    memory_bytes : int or None
        Resident memory of a worker process.
    silence_s : float or None
        Wall time in which an item neither ends nor gives a sign of life (a note).
    deaths : int
        So many times an item may take its worker with it; then it is given up.
    """

    memory_bytes: int | None = None
    silence_s: float | None = None
    deaths: int = 3


@dataclass(frozen=True, slots=True)
class ProgressChannel:
    """What workers say while they work.

    Attributes
    ----------
    install : callable
        Picklable; called once in each worker with a function that sends a small picklable note.
    receive : callable
        Called in this process with each note, some time after it was sent. A note can be lost with its worker, or where
        a thousand later ones wait to be received.
    """

    install: Callable[[Callable[[Any], None]], None]
    receive: Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class RunHooks(Generic[Item]):
    """How the caller follows and steers the work.

    Attributes
    ----------
    stop : callable
        Asked now and then, by any thread; once it is true no further item is begun: replies to those under way still
        come, then the work ends.
    earlier_deaths : callable
        How often an item killed its worker before this work began. Such items come last, each alone.
    on_death : callable
        Told of each item that was under way when its worker died, with the reason, before it is tried again.
    """

    stop: Callable[[], bool] = lambda: False
    earlier_deaths: Callable[[Item], int] = lambda item: 0
    on_death: Callable[[Item, str], None] = lambda item, reason: None
