"""Which norm sets ship, without reading them."""

from __future__ import annotations

from pathlib import Path

NORM_SET_SUFFIX = ".parquet"


def norms_folder() -> Path:
    """Folder of the norm sets that ship: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "_benchmarks"
    return inside if inside.is_dir() else package.parent / "benchmarks_data"


def shipped_names() -> tuple[str, ...]:
    """Names of the norm sets that ship.

    Examples
    --------
    >>> shipped_names()
    ('ads', 'charts', 'films', 'web')
    """
    return tuple(sorted(file.stem for file in norms_folder().glob(f"*{NORM_SET_SUFFIX}")))
