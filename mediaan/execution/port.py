"""What every way of execution promises: one reply for each item, in any order, whatever happens to a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Crashed:
    """The process that worked on an item died; the item was then tried alone, and it died again."""

    message: str


@dataclass(frozen=True, slots=True)
class Reply(Generic[Item, Value]):
    """An item and what came of it."""

    item: Item
    value: Value | Crashed
