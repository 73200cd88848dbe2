"""Call a function on many items, or read many files, with several requests under way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from mediaan.storage.base import Storage

Item = TypeVar("Item")
Value = TypeVar("Value")

CONCURRENT_REQUESTS = 16
"""Requests under way at a time: most of the time of one is spent on waiting for the store."""


def prefetch_map(
    function: Callable[[Item], Value], items: Iterable[Item], *, ahead: int = CONCURRENT_REQUESTS
) -> Generator[tuple[Item, Value]]:
    """Call a function on items in threads, and yield items and values in their order.

    `function`: safe in threads; what it raises is raised here.
    `items`: taken as they are needed: no more than `ahead` before their turn.
    `ahead`: calls under way; 1 makes them one after the other in this thread.

    >>> list(prefetch_map(str.upper, ["a", "b"], ahead=2))
    [('a', 'A'), ('b', 'B')]
    """
    if ahead == 1:
        yield from ((item, function(item)) for item in items)
        return
    with ThreadPoolExecutor(ahead) as threads:
        under_way: deque[tuple[Item, Future[Value]]] = deque()
        try:
            for item in items:
                under_way.append((item, threads.submit(function, item)))
                if len(under_way) == ahead:
                    first, call = under_way.popleft()
                    yield first, call.result()
            while under_way:
                first, call = under_way.popleft()
                yield first, call.result()
        finally:
            for _, call in under_way:
                call.cancel()


def read_many(
    storage: Storage, paths: Iterable[str], *, ahead: int = CONCURRENT_REQUESTS, limit: int | None = None
) -> Generator[tuple[str, bytes | None]]:
    """Read files in the order of their paths; no more than `ahead` of them lie in memory.

    `paths`: taken as they are needed.
    `ahead`: see `prefetch_map`.
    `limit`: only the first so many bytes of each.
    Yields tuple of str and (bytes or None): a path and its contents; None where there is no such file.
    """

    def read(path: str) -> bytes | None:
        try:
            return storage.read(path, limit=limit)
        except FileNotFoundError:
            return None

    return prefetch_map(read, paths, ahead=ahead)
