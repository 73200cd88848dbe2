"""Work ahead of whoever takes the results, in one thread that never outlives them."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

ItemT = TypeVar("ItemT")


def ahead(items: Iterator[ItemT], depth: int) -> Generator[ItemT, None, None]:
    """Make the next `depth` items in a thread while the one before is being used.

    Errors come out where the item would have. When the generator is closed, the item under way is finished and the
    thread joined.

    Examples
    --------
    >>> list(ahead(iter("abc"), depth=2))
    ['a', 'b', 'c']
    """
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="mediaan-decode") as pool:
        coming = deque(pool.submit(next, items, end) for _ in range(depth))
        try:
            while (item := coming.popleft().result()) is not end:
                coming.append(pool.submit(next, items, end))
                yield item  # type: ignore[misc]
        finally:
            for future in coming:
                future.cancel()
