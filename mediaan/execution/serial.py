"""Execution in this process, one item after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mediaan.execution.port import Item, Reply, Value


def run_serially(function: Callable[[Item], Value], items: Iterable[Item]) -> Iterator[Reply[Item, Value]]:
    """Reply to each item in order; nothing protects this process from an item that kills it."""
    for item in items:
        yield Reply(item, function(item))
