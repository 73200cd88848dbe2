"""Norm sets that ship, and those in files of a user's own."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from pathlib import Path

from mediaan.benchmark.file import read_norm_set, read_provenance
from mediaan.benchmark.norm_set import NormSet, Provenance
from mediaan.benchmark.shipped import NORM_SET_SUFFIX, norms_folder
from mediaan.errors import UsageError


def list_norm_sets() -> dict[str, Provenance]:
    """What the norm sets that ship are made of, by name; their numbers are not read."""
    found = (read_provenance(path) for path in sorted(norms_folder().glob(f"*{NORM_SET_SUFFIX}")))
    return {about.name: about for about in found}


def find_norm_set(name_or_path: str | Path) -> NormSet:
    """A norm set that ships, by name, or one in a file, whose path ends in .parquet.

    Raises
    ------
    UsageError
        There is none, or it does not hold together; where a name is misspelt, the nearest is named, or the file.
    """
    if str(name_or_path).endswith(NORM_SET_SUFFIX):
        return read_norm_set(Path(name_or_path))
    return _shipped(str(name_or_path))


@cache
def _shipped(name: str) -> NormSet:
    known = list_norm_sets()
    about = known.get(name)
    if about is None or about.path is None:
        near = [name + NORM_SET_SUFFIX] if Path(name + NORM_SET_SUFFIX).is_file() else get_close_matches(name, known, 1)
        guess = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(
            f"no norm set is called {name!r}; there are {', '.join(known) or 'none'}, and files of your own "
            f"({NORM_SET_SUFFIX}){guess}",
            code="unknown_norm_set",
        )
    return read_norm_set(about.path)
