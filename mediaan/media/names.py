"""Write names of files, and tell which medium a name means: with or without folders, whatever the case."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

Rank = tuple[int, ...]

_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|[A-Za-z][A-Za-z0-9+.-]*://")


def displayable(text: str) -> str:
    """Make a file name valid UTF-8: bytes that are not become ``\\xNN``.

    >>> displayable("caf\\udce9.jpg")
    'caf\\\\xe9.jpg'
    """
    return os.fsencode(text).decode("utf-8", "backslashreplace")


class NameIndex:
    """Names that files give media, to be found by the displayed path of a medium.

    A name fits a path of which it is the end: ``summer/a.png``, ``a.png``, and ``a`` without its extension name
    ``ads/summer/a.png``. So does an absolute path that ends with it, such as ``C:\\campaign\\ads\\summer\\a.png``.
    Neither case nor the encoding of accents matters where only one fits.

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
            for i in range(1, len(parts) if _ABSOLUTE.match(name) else 0):
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
            if i == 0:  # paths of another machine, down to the file
                names += [name for ending in endings for name in self._endings.get(ending, ())]
            yield names


def _folded(path: str) -> tuple[str, ...]:
    return tuple(part.casefold() for part in _parts(path))


def _rank(name: str, path: str) -> Rank:
    """Return how surely a name that fits means a path, higher is surer."""
    named, parts = _parts(name), _parts(path)
    length = min(len(named), len(parts))
    has_suffix = named[-1].casefold() == parts[-1].casefold()
    is_spelled = path.endswith(name.removeprefix("./"))  # also where accents are encoded as in the path
    return (name == path, named == parts, has_suffix, named[-length:] == parts[-length:], is_spelled)


def closest(name: str, paths: Sequence[str]) -> list[str]:
    """Return, of paths with the same file name, the one that an address of another machine means; several where it may
    be any of them.

    >>> closest("/home/me/summer/a.png", ["ads/summer/a.png", "ads/winter/a.png"])
    ['ads/summer/a.png']
    >>> closest("a.png", ["summer/a.png", "winter/a.png"])
    ['summer/a.png', 'winter/a.png']
    """
    named = _parts(name)
    folders = [part.casefold() for part in reversed(named[:-1])]

    def likeness(path: str) -> Rank:
        parts = _parts(path)
        pairs = zip(folders, (part.casefold() for part in reversed(parts[:-1])), strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return (path == name, shared, named == parts, named[-1:] == parts[-1:], name.endswith(path))

    ranks = [likeness(path) for path in paths]
    return [path for path, rank in zip(paths, ranks, strict=True) if rank == max(ranks)]


@lru_cache(maxsize=65536)
def _parts(path: str) -> tuple[str, ...]:
    """Return folders and file of a path of any system, composed."""
    plain = unicodedata.normalize("NFC", path).strip().replace("\\", "/")
    return tuple(part for part in plain.split("/") if part not in ("", "."))
