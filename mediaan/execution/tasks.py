"""Define what every executor promises: one reply for each item, in any order, whatever happens to a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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
