"""The fixations of a folder, in whichever of the known ways they are written down."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from mediaan.errors import UsageError
from mediaan.evaluation.gaze_exports import find_exports, read_exports
from mediaan.types.gaze_columns import GazeColumns

_NEEDED = ("image", "viewer", "x", "y")


@dataclass(frozen=True, slots=True)
class Fixations:
    """All fixations on the pictures of a folder.

    Attributes
    ----------
    table : DataFrame
        image, viewer, x, y in [0, 1); onset_s and duration_s, s, where they are known.
    source : Path
        Where they come from, for messages.
    paths : dict
        Pictures by name, in order of names, whether anybody looked at them or not.
    notes : tuple of str
        What was left out.
    """

    table: pd.DataFrame
    source: Path
    paths: dict[str, Path]
    notes: tuple[str, ...]

    def only(self, names: Collection[str]) -> Fixations:
        """Those on some pictures, named with or without extension; a UsageError where one is unknown."""
        known = set(self.paths)
        wanted = {name if name in known else Path(name).stem for name in names}
        if unknown := sorted(wanted - known):
            raise UsageError(f"picture {unknown[0]!r} of the list is not in images/ beside {self.source}")
        paths = {name: path for name, path in self.paths.items() if name in wanted}
        return replace(self, table=self.table[self.table["image"].isin(list(wanted))], paths=paths)

    def require(self, *columns: str) -> None:
        """See that columns are there; else a UsageError."""
        check_columns(self.table, columns, self.source)


def read_fixations(folder: Path, columns: GazeColumns | None = None) -> Fixations:
    """Read the fixations of a folder, of all pictures and the whole exposure.

    Parameters
    ----------
    folder : Path
        In the layout of `mediaan.evaluation.dataset`.
    columns : GazeColumns, optional
        Meaning of the columns of tables that no known program exported.

    Raises
    ------
    UsageError
        The folder is not in the layout; a table cannot be understood.
    """
    paths = image_paths(folder)
    notes: list[str] = []
    own, exports = folder / "fixations.parquet", find_exports(folder)
    if own.is_file():
        table, source = _read_parquet(own), own
    elif exports:
        table, told = read_exports(exports, paths, columns)
        notes += told
        source = exports[0] if len(exports) == 1 else folder
    else:
        raise UsageError(
            f"{folder} holds neither fixations.parquet nor densities/, nor an export of eye tracking (.csv, .tsv): "
            "there is nothing to compare with"
        )
    table = _inside(table, notes)
    here = table["image"].isin(list(paths))
    if lost := table["image"][~here].nunique():
        notes.append(f"fixations of {lost} pictures that are not in images/ are left out")
    return Fixations(table[here], source, paths, tuple(notes))


def image_paths(folder: Path) -> dict[str, Path]:
    """Pictures of a folder by name, in order."""
    images = folder / "images"
    if not images.is_dir():
        raise UsageError(f"{folder} has no folder images/; expected DIR/images/NAME.* and DIR/fixations.parquet")
    paths: dict[str, Path] = {}
    for path in sorted(images.iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        if path.stem in paths:
            raise UsageError(f"{paths[path.stem]} and {path} have the same name; names must be unique in a set")
        paths[path.stem] = path
    return paths


def check_columns(table: pd.DataFrame, needed: Sequence[str], source: Path) -> None:
    """See that a table has columns; else a UsageError that names its source."""
    missing = [column for column in needed if column not in table]
    if missing:
        raise UsageError(f"{source} lacks the column {', '.join(missing)}; needed are {', '.join(needed)}")


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as Parquet: {error}") from error
    check_columns(table, _NEEDED, path)
    return table.assign(image=table["image"].astype(str))


def _inside(table: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Without the fixations beside their picture, which are counted."""
    x, y = table["x"].astype(np.float64), table["y"].astype(np.float64)
    inside = (x >= 0) & (x < 1) & (y >= 0) & (y < 1)
    if not inside.all():
        notes.append(f"{int((~inside).sum())} of {len(table)} fixations lie outside their picture and are left out")
    return table[inside]
