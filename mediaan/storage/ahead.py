"""Many files of a place, some read ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from mediaan.storage.place import Place


def read_many(
    place: Place, paths: Iterable[str], *, ahead: int = 16, limit: int | None = None
) -> Generator[tuple[str, bytes | None]]:
    """Read files in the order of their paths, so many at a time; no more than that lie in memory.

    Parameters
    ----------
    place : Place
    paths : iterable of str
        Taken as they are needed.
    ahead : int
        Files under way; 1 reads one after the other in this thread.
    limit : int or None
        Only the first so many bytes of each.

    Yields
    ------
    tuple of str and (bytes or None)
        A path and its contents; None where there is no such file.
    """
    if ahead == 1:
        yield from ((path, _read(place, path, limit)) for path in paths)
        return
    with ThreadPoolExecutor(ahead) as threads:
        under_way: deque[tuple[str, Future[bytes | None]]] = deque()
        try:
            for path in paths:
                under_way.append((path, threads.submit(_read, place, path, limit)))
                if len(under_way) == ahead:
                    yield _next(under_way)
            while under_way:
                yield _next(under_way)
        finally:
            for _, reading in under_way:
                reading.cancel()


def _next(under_way: deque[tuple[str, Future[bytes | None]]]) -> tuple[str, bytes | None]:
    path, reading = under_way.popleft()
    return path, reading.result()


def _read(place: Place, path: str, limit: int | None) -> bytes | None:
    try:
        return place.read(path, limit=limit)
    except FileNotFoundError:
        return None
