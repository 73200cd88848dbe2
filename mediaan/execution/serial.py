"""Execution in this process, one item after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mediaan.execution.line import given_up
from mediaan.execution.port import Item, Limits, Reply, Value, Watch


def run_serially(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    watch: Watch[Item] = Watch(),  # noqa: B008 - frozen
) -> Iterator[Reply[Item, Value]]:
    """Reply to each item in order; nothing protects this process from an item that kills it.

    Items that ended this process in earlier runs come last, and are given up after `limits.deaths` deaths; memory and
    silence cannot be limited here.
    """
    late: list[tuple[Item, int]] = []

    def in_order() -> Iterator[tuple[Item, int]]:
        for item in items:
            if deaths := watch.earlier_deaths(item):
                late.append((item, deaths))
            else:
                yield item, 0
        yield from late

    line = in_order()
    while not watch.stop() and (turn := next(line, None)) is not None:
        item, deaths = turn
        yield Reply(item, given_up(deaths, limits) or function(item))
