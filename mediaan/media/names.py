"""Tell which medium a name means that people or other programs wrote: with or without folders, whatever the case."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile

Rank = tuple[int, ...]


class NameIndex:
    """Names that files give media, to be found by the displayed path of a medium.

    A name fits a path where one of them is the end of the other: ``summer/a.png``, ``a.png``, and ``a`` without its
    extension name ``ads/summer/a.png``, and so does ``C:\\\\campaign\\\\ads\\\\summer\\\\a.png``. Neither case nor the
    encoding of accents matters where only one fits.

    Parameters
    ----------
    names : iterable of str

    Examples
    --------
    >>> index = NameIndex(["summer/a.png", "a.png", "B"])
    >>> index.find("ads/summer/A.png"), index.find("ads/winter/a.png"), index.find("b.jpg"), index.find("c.jpg")
    (['summer/a.png'], ['a.png'], ['B'], [])
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(dict.fromkeys(names))
        self._by_file: dict[str, list[str]] = defaultdict(list)
        for name in self._names:
            if parts := _parts(name):
                self._by_file[parts[-1].casefold()].append(name)

    def find(self, path: str) -> list[str]:
        """Return the names that fit a displayed path best: none, one, or several that fit equally well."""
        ranked = self._ranked(path)
        best = max((rank for rank, _ in ranked), default=None)
        return [name for rank, name in ranked if rank == best]

    def _ranked(self, path: str) -> list[tuple[Rank, str]]:
        file = _parts(path)[-1].casefold() if _parts(path) else ""
        stem = file.rpartition(".")[0]
        candidates = [*self._by_file.get(file, ()), *(self._by_file.get(stem, ()) if stem else ())]
        return [(rank, name) for name in candidates if (rank := _rank(name, path))]

    def unused(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the names that fit none of some paths, not even less well than another."""
        used = {name for path in paths for rank, name in self._ranked(path)}
        return tuple(name for name in self._names if name not in used)


def _rank(name: str, path: str) -> Rank | None:
    """Return how surely a name means a path, higher is surer; None where it does not."""
    if name == path:
        return (2,)
    named, parts = _parts(name), _parts(path)
    if named == parts:
        return (1,)
    length = min(len(named), len(parts))
    ends = [part.casefold() for part in named[-length:]], [part.casefold() for part in parts[-length:]]
    whole = ends[0] == ends[1]
    if not whole and [*ends[0][:-1], ends[0][-1]] != [*ends[1][:-1], ends[1][-1].rpartition(".")[0]]:
        return None
    return (0, length, whole, named[-length:] == parts[-length:])


def longest_common_ending(name: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that share most folders before the file with a name.

    Examples
    --------
    >>> longest_common_ending("/home/me/summer/a.png", ["ads/summer/a.png", "ads/winter/a.png"])
    ['ads/summer/a.png']
    """
    folders = [part.casefold() for part in reversed(_parts(name)[:-1])]

    def shared(path: str) -> int:
        pairs = zip(folders, (part.casefold() for part in reversed(_parts(path)[:-1])), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    most = max(map(shared, paths))
    return [path for path in paths if shared(path) == most]


@lru_cache(maxsize=65536)
def _parts(path: str) -> tuple[str, ...]:
    """Return folders and file of a path of any system, composed."""
    plain = unicodedata.normalize("NFC", path).strip().replace("\\", "/")
    return tuple(part for part in plain.split("/") if part not in ("", "."))
