"""Read a folder of images and what people looked at in them.

::

    DIR/images/NAME.*              any image format
    DIR/fixations.parquet          image (NAME), viewer, x, y (unit coordinates, origin top-left), onset_s (s)
    or DIR/*.csv, *.tsv            exports of Tobii Pro Lab or RealEye, or any table
    (`mediaan.evaluation.datasets.exports`)
    or DIR/densities/NAME.png      8 or 16-bit grey, proportional to the density, where fixations are unknown

`onset_s` is needed for the windows start and end only; further columns are ignored."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.exports import find_exports, read_exports
from mediaan.evaluation.datasets.stimulus import (
    GazePoints,
    GazeSet,
    Stimulus,
    displayed_size,
    fit_grid,
    stimulus_paths,
)
from mediaan.saliency.density import GridShape
from mediaan.types.densities import Window
from mediaan.types.eye_tracking import GazeColumns

_COLUMNS = ("image", "viewer", "x", "y")


@dataclass(frozen=True, slots=True)
class FixationTable:
    """All fixations on the images of a folder."""

    table: pd.DataFrame
    """image, viewer, x, y in [0, 1); onset_s and duration_s, s, where they are known."""
    source: Path
    """Their file or folder, for messages."""
    paths: dict[str, Path]
    """Images by name, in order of names, with or without fixations."""
    notes: tuple[str, ...]
    """What was left out."""

    def only(self, names: Collection[str]) -> FixationTable:
        """Keep the fixations on some images, named with or without extension; a UsageError where one is unknown."""
        names_of_set = set(self.paths)
        wanted = {name if name in names_of_set else Path(name).stem for name in names}
        if unknown := sorted(wanted - names_of_set):
            raise UsageError(f"picture {unknown[0]!r} of the list is not in images/ beside {self.source}")
        paths = {name: path for name, path in self.paths.items() if name in wanted}
        return replace(self, table=self.table[self.table["image"].isin(list(wanted))], paths=paths)

    def require(self, *columns: str) -> None:
        """Raise a UsageError where a column is missing."""
        check_columns(self.table, columns, self.source)


def read_fixations(folder: Path, columns: GazeColumns | None = None) -> FixationTable:
    """Read the fixations of a folder, on all images and over the whole exposure.

    `folder`: in the layout on top of this page.
    `columns`: meaning of the columns of tables that no known program exported.
    Raises UsageError: the folder is not in the layout; a table cannot be understood.
    """
    paths = stimulus_paths(folder, "images")
    notes: list[str] = []
    fixations_table, exports = folder / "fixations.parquet", find_exports(folder)
    if fixations_table.is_file():
        try:
            table, source = pd.read_parquet(fixations_table), fixations_table
        except (OSError, ValueError) as error:
            raise UsageError(f"{fixations_table} cannot be read as Parquet: {error}") from error
        check_columns(table, _COLUMNS, fixations_table)
        table = table.assign(image=table["image"].astype(str))
    elif exports:
        table, told = read_exports(exports, paths, columns)
        notes += told
        source = exports[0] if len(exports) == 1 else folder
    else:
        raise UsageError(
            f"{folder} holds neither fixations.parquet nor densities/, nor an export of eye tracking (.csv, .tsv): "
            "there is nothing to compare with"
        )
    x, y = table["x"].astype(np.float64), table["y"].astype(np.float64)
    inside = (x >= 0) & (x < 1) & (y >= 0) & (y < 1)
    if not inside.all():
        notes.append(f"{int((~inside).sum())} of {len(table)} fixations lie outside their image and are left out")
    table = table[inside]
    here = table["image"].isin(list(paths))
    if lost := table["image"][~here].nunique():
        notes.append(f"fixations of {lost} images that are not in images/ are left out")
    return FixationTable(table[here], source, paths, tuple(notes))


def check_columns(table: pd.DataFrame, needed: Sequence[str], source: Path) -> None:
    """Raise a UsageError that names the source of a table where a column is missing."""
    missing = [column for column in needed if column not in table]
    if missing:
        raise UsageError(f"{source} lacks the column {', '.join(missing)}; needed are {', '.join(needed)}")


GRID_LONG_SIDE = 320
"""Cells along the longer side of the grid on which everything is compared."""

START_S = 2.0
"""The window start holds the fixations that begin before this."""

END_S = 3.0
"""The window end holds the fixations that begin from here on: the last 2 s of a 5 s exposure."""

LONG_VIEWING_S = 3.5
"""A set has the window end when someone still looks after this."""


def read_gaze_set(
    folder: Path,
    *,
    window: Window = "total",
    names: Collection[str] | None = None,
    limit: int | None = None,
    columns: GazeColumns | None = None,
) -> GazeSet[Stimulus]:
    """Read the human data of a folder; images are not decoded.

    `folder`: in the layout on top of this page.
    `window`: part of the exposure.
    `names`: images to score, with or without extension; all by default. The others still form the centre bias.
    `limit`: score only the first so many in order of names.
    `columns`: meaning of the columns of tables that no known program exported.
    Raises UsageError: the folder is not in the layout, or lacks what was asked for.
    """
    densities = folder / "densities"
    if densities.is_dir() and not (folder / "fixations.parquet").is_file():
        paths = stimulus_paths(folder, "images")
        if window != "total":
            raise UsageError(f"{densities} says nothing about time; only --window total can be evaluated")
        stimuli = [
            Stimulus(name, path, grid_shape(path), None, density)
            for name, path in paths.items()
            if (density := densities / f"{name}.png").is_file()
        ]
        return _gaze_set(folder, window, stimuli, paths, (), names, limit)
    return gaze_set_from_fixations(read_fixations(folder, columns), folder, window=window, names=names, limit=limit)


def gaze_set_from_fixations(
    fixations: FixationTable,
    folder: Path,
    *,
    window: Window = "total",
    names: Collection[str] | None = None,
    limit: int | None = None,
) -> GazeSet[Stimulus]:
    """Return the set of a folder whose fixations were read before; arguments as of `read_gaze_set`."""
    table = fixations.table
    if window != "total":
        fixations.require("image", "viewer", "x", "y", "onset_s")
        onset = table["onset_s"]
        if window == "end" and not has_end_window(fixations):
            raise UsageError(
                f"{fixations.source} has no window 'end': its last fixation begins at {float(onset.max()):.2f} s, and "
                "the window is the last 2 s of a 5 s exposure; use --window start or total"
            )
        table = table[onset < START_S] if window == "start" else table[onset >= END_S]
    groups = dict(iter(table.groupby("image")))
    stimuli = []
    for name, path in fixations.paths.items():
        if name not in groups:
            continue
        rows = groups[name]
        viewer = np.unique(rows["viewer"].to_numpy(), return_inverse=True)[1].astype(np.int64)
        gaze = GazePoints(viewer, rows["x"].to_numpy(np.float64), rows["y"].to_numpy(np.float64))
        stimuli.append(Stimulus(name, path, grid_shape(path), gaze))
    return _gaze_set(folder, window, stimuli, fixations.paths, fixations.notes, names, limit)


def _gaze_set(
    folder: Path,
    window: Window,
    stimuli: list[Stimulus],
    paths: dict[str, Path],
    notes: tuple[str, ...],
    names: Collection[str] | None,
    limit: int | None,
) -> GazeSet[Stimulus]:
    if len(stimuli) < 2:
        raise UsageError(f"{folder}: centre bias needs at least 2 images with human data, found {len(stimuli)}")
    if len(stimuli) < len(paths):
        notes += (f"{len(paths) - len(stimuli)} of {len(paths)} images have no human data and are left out",)
    stimulus_names = [stimulus.name for stimulus in stimuli]
    selected = stimulus_names if names is None else sorted({_match(name, stimulus_names, folder) for name in names})
    return GazeSet(folder, window, tuple(stimuli), frozenset(selected[:limit]), notes)


def read_names(path: Path) -> list[str]:
    """Read a list of stimuli: one name a line, or a JSON list of names.

    Raises UsageError: the file cannot be read, or holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the list of images {path} cannot be read: {error}") from error
    if text.lstrip().startswith(("[", "{")):
        try:
            names = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise UsageError(f"the list of images {path} is not valid JSON: {error}") from error
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise UsageError(f'{path} must be a JSON list of names, such as ["1001", "1002"]')
    else:
        names = [line.strip() for line in text.splitlines() if line.strip()]
    if not names:
        raise UsageError(f"the list of images {path} is empty")
    return names


def _match(name: str, names: Collection[str], folder: Path) -> str:
    for candidate in (name, Path(name).stem):
        if candidate in names:
            return candidate
    raise UsageError(f"picture {name!r} of the list is not in {folder} or has no human data there")


def has_end_window(fixations: FixationTable) -> bool:
    """Return True if someone looked for long enough for the window end."""
    return "onset_s" in fixations.table and float(fixations.table["onset_s"].max()) > LONG_VIEWING_S


def grid_shape(path: Path) -> GridShape:
    """Return rows and columns of the grid for an image file, as displayed; only its header is read."""
    return fit_grid(*displayed_size(path), GRID_LONG_SIDE)
