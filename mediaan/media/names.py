"""Tell which medium a name means that people or other programs wrote: with or without folders, whatever the case."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
        self._whole: dict[tuple[str, ...], list[str]] = defaultdict(list)
        self._endings: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name in self._names:
            parts = _folded(name)
            self._whole[parts].append(name)
            for i in range(1, len(parts)):
                self._endings[parts[i:]].append(name)

    def find(self, path: str) -> list[str]:
        """Return the names that fit a displayed path best: none, one, or several that fit equally well."""
        for names in self._by_length(path):
            if names:
                ranks = [_rank(name, path) for name in names]
                return [name for name, rank in zip(names, ranks, strict=True) if rank == max(ranks)]
        return []

    def unused(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the names that fit none of some paths, not even less well than another."""
        used = {name for path in paths for names in self._by_length(path) for name in names}
        return tuple(name for name in self._names if name not in used)

    def _by_length(self, path: str) -> Iterator[list[str]]:
        """Yield the names that fit a path, by the length of what both have in common, the longest first."""
        parts = _folded(path)
        for i in range(len(parts)):
            *folders, file = parts[i:]
            stem = file.rpartition(".")[0]
            endings = [(*folders, file), *([(*folders, stem)] if stem else [])]
            names = [name for ending in endings for name in self._whole.get(ending, ())]
            if i == 0:
                names += [name for ending in endings for name in self._endings.get(ending, ())]
            yield names


def _folded(path: str) -> tuple[str, ...]:
    return tuple(part.casefold() for part in _parts(path))


def _rank(name: str, path: str) -> Rank:
    """Return how surely a name that fits means a path, higher is surer."""
    named, parts = _parts(name), _parts(path)
    length = min(len(named), len(parts))
    has_suffix = named[-1].casefold() == parts[-1].casefold()
    return (name == path, named == parts, has_suffix, named[-length:] == parts[-length:])


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
