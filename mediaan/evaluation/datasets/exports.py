"""Tables of eye tracking as other programs write them, told by their columns; `docs/calibration.md` shows examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.gaze_table import GazeTable, open_gaze_table, resolve_images
from mediaan.evaluation.datasets.idt import detect_fixations
from mediaan.evaluation.datasets.stimulus import displayed_size
from mediaan.evaluation.datasets.tobii import is_tobii, read_tobii
from mediaan.types.eye_tracking import GazeColumns

COLUMNS_FILE = "columns.yaml"
"""File beside tables of unknown programs that maps their columns."""

EXAMPLE = (
    "image: Stimulus\nviewer: Subject\nx: FixX\ny: FixY\nunit: px\nonset: Start\nduration: Duration\ntime_unit: ms"
)

REALEYE = GazeColumns(
    "item_filename",
    "participant_id",
    "fixation_point_x",
    "fixation_point_y",
    "percent",
    "fixation_starts_at_ms",
    "fixation_duration_ms",
    "ms",
)
"""RealEye's export of fixations, as its help describes it (support.realeye.io/fixations-data-export)."""

_REALEYE_PRESENTATION = "exposure_number"
_REALEYE_GAZE = frozenset({"test_raw_data", "gaze_x_percents"})
_SUFFIXES = (".csv", ".tsv")


def find_exports(folder: Path) -> list[Path]:
    """Return the tables of a folder, in order of their names."""
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in _SUFFIXES and not p.name.startswith("."))


def read_exports(
    files: Sequence[Path], paths: Mapping[str, Path], columns: GazeColumns | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """Read fixations from exported tables.

    `paths`: images by name.
    `columns`: meaning of the columns; without it they must be those of Tobii Pro Lab, RealEye or fixations.parquet.
    Returns `table`: image (name of an image, or what the table calls it where there is no such image), viewer, x, y
        (0-1 within the image; NaN where gaze was lost), and onset_s, duration_s where they are known.
    Returns `notes`: what was left out.
    Raises UsageError: naming the file, the column, the row, and what to do.
    """
    notes: list[str] = []
    parts = [_read(file, paths, columns, notes) for file in files]
    table = pd.concat(parts, ignore_index=True)
    if not table["image"].isin(list(paths)).any():
        raise UsageError(
            f"{files[0]}: none of its images is in images/: it speaks of {_some(table['image'].unique())}, and there "
            f"are {_some(list(paths))}; give the images the names that they had in the study"
        )
    times = ("onset_s", "duration_s")
    return table.drop(columns=[name for name in times if name in table and bool(table[name].isna().all())]), notes


def _read(file: Path, paths: Mapping[str, Path], columns: GazeColumns | None, notes: list[str]) -> pd.DataFrame:
    table = open_gaze_table(file)
    if columns is not None:
        return _mapped(table, columns, paths)
    if is_tobii(table.columns):
        return read_tobii(table, paths, notes)
    if table.has(*REALEYE.named.values()):
        if table.has(_REALEYE_PRESENTATION):
            presentation = table.numbers(_REALEYE_PRESENTATION)
            again = presentation.notna() & (presentation > 1)
            if again.any():
                notes.append(f"{int(again.sum())} fixations of {file.name} on images shown again are left out")
                table = table.where(~again)
        return _mapped(table, REALEYE, paths)
    if table.has("image", "viewer", "x", "y"):
        onset, duration = (name if table.has(name) else None for name in ("onset_s", "duration_s"))
        return _mapped(table, GazeColumns("image", "viewer", "x", "y", "unit", onset, duration, "s"), paths)
    if any(table.has(name) for name in _REALEYE_GAZE):
        raise UsageError(
            f"{file}: this is RealEye's export of raw gaze; take its export of fixations, in which they are told apart"
        )
    raise UsageError(
        f"{file}: its columns are not known ({_some(table.columns)}); say in {file.parent / COLUMNS_FILE} which is "
        f"which, for example:\n{EXAMPLE}"
    )


def _mapped(table: GazeTable, columns: GazeColumns, paths: Mapping[str, Path]) -> pd.DataFrame:
    """Return the fixations of a table whose columns are known."""
    table.require(columns.named.values())
    images = resolve_images(table.text(columns.image), paths)
    x, y = _places(table, columns, images, paths)
    fixations = pd.DataFrame({"image": images, "viewer": table.text(columns.viewer), "x": x, "y": y})
    for name, column in (("onset_s", columns.onset), ("duration_s", columns.duration)):
        if column is not None:
            fixations[name] = table.numbers(column) * columns.seconds
    if columns.rows == "fixations":
        return fixations
    if columns.onset is None:
        raise UsageError(f"{table.path}: samples of gaze need a time: name its column as onset in {COLUMNS_FILE}")
    return detect_fixations(fixations, paths)


def _places(
    table: GazeTable, columns: GazeColumns, images: pd.Series[str], paths: Mapping[str, Path]
) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return places in unit coordinates of the image."""
    x, y = table.numbers(columns.x), table.numbers(columns.y)
    if columns.unit == "unit":
        return x, y
    if columns.unit == "percent":
        return x / 100, y / 100
    if columns.width is not None and columns.height is not None:
        left = table.numbers(columns.left) if columns.left else 0.0
        top = table.numbers(columns.top) if columns.top else 0.0
        return (x - left) / table.numbers(columns.width), (y - top) / table.numbers(columns.height)
    sizes = {name: displayed_size(paths[name]) for name in images.unique() if name in paths}
    unknown = (np.nan, np.nan)
    return (
        x / images.map(lambda name: sizes.get(name, unknown)[0]),
        y / images.map(lambda name: sizes.get(name, unknown)[1]),
    )


def _some(names: Iterable[str]) -> str:
    every = [str(name) for name in names]
    return ", ".join(every[:5]) + (", …" if len(every) > 5 else "")
