"""Find norm sets: those that ship, and those in files of a user's own."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from pathlib import Path

from mediaan.benchmark.file import read_norm_set, read_provenance
from mediaan.benchmark.norm_set import NormSet, Provenance
from mediaan.errors import UsageError

NORM_SET_SUFFIX = ".parquet"


def norm_sets_folder() -> Path:
    """Folder of the norm sets that ship: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "_benchmarks"
    return inside if inside.is_dir() else package.parent / "benchmarks_data"


def norm_set_names() -> tuple[str, ...]:
    """Names of the norm sets that ship.

    Examples
    --------
    >>> shipped_names()
    ('ads', 'charts', 'films', 'web')
    """
    return tuple(sorted(file.stem for file in norm_sets_folder().glob(f"*{NORM_SET_SUFFIX}")))


def list_norm_sets() -> dict[str, Provenance]:
    """What the norm sets that ship are made of, by name; their numbers are not read."""
    found = (read_provenance(path) for path in sorted(norm_sets_folder().glob(f"*{NORM_SET_SUFFIX}")))
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
    return _shipped_norm_set(str(name_or_path))


@cache
def _shipped_norm_set(name: str) -> NormSet:
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
