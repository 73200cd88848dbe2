"""Find norm sets: those that ship, and those in files of a user's own.

Names are listed without loading what reads the files, which completion in a shell would wait for.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mediaan.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from mediaan.judge.benchmark.norm_set import NormSet, Provenance

NORM_SET_SUFFIX = ".parquet"


def norm_sets_folder() -> Path:
    """Return the folder of the norm sets that ship: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "_benchmarks"
    return inside if inside.is_dir() else package.parent / "benchmarks_data"


def norm_set_names() -> tuple[str, ...]:
    """Return the names of the norm sets that ship.

    >>> norm_set_names()
    ('ads', 'charts', 'films', 'web')
    """
    return tuple(sorted(file.stem for file in norm_sets_folder().glob(f"*{NORM_SET_SUFFIX}")))


def list_norm_sets() -> dict[str, Provenance]:
    """Read the provenance of the norm sets that ship, by name, but not their numbers."""
    return dict(_provenances(norm_sets_folder()))


@cache
def _provenances(folder: Path) -> dict[str, Provenance]:
    from mediaan.judge.benchmark.file import read_provenance

    provenances = (read_provenance(path) for path in sorted(folder.glob(f"*{NORM_SET_SUFFIX}")))
    return {about.name: about for about in provenances}


def find_norm_set(name_or_path: str | Path) -> NormSet:
    """Read a norm set that ships, by name, or one in a file, whose path ends in .parquet.

    Raises
    ------
    UsageError
        There is none, or it does not hold together; where a name is misspelt, the nearest is named, or the file.
    """
    from mediaan.judge.benchmark.file import read_norm_set

    if str(name_or_path).endswith(NORM_SET_SUFFIX):
        return read_norm_set(Path(name_or_path))
    return _shipped_norm_set(str(name_or_path))


@cache
def _shipped_norm_set(name: str) -> NormSet:
    from mediaan.judge.benchmark.file import read_norm_set

    shipped = list_norm_sets()
    about = shipped.get(name)
    if about is None or about.path is None:
        file = name + NORM_SET_SUFFIX
        guess = f"; did you mean {file!r}?" if Path(file).is_file() else did_you_mean(name, shipped)
        raise UsageError(
            f"no norm set is called {name!r}; there are {', '.join(shipped) or 'none'}, and files of your own "
            f"({NORM_SET_SUFFIX}){guess}",
            code="unknown_norm_set",
        )
    return read_norm_set(about.path)
