"""A folder of pictures and what people looked at in them.

::

    DIR/images/NAME.*              any image format
    DIR/fixations.parquet          image (NAME), viewer, x, y (unit coordinates, origin top-left), onset_s (s)
    or DIR/*.csv, *.tsv            exports of Tobii Pro Lab or RealEye, or any table (`mediaan.evaluation.gaze_exports`)
    or DIR/densities/NAME.png      8 or 16-bit grey, proportional to the density, where fixations are unknown

`onset_s` is needed for the windows start and end only; further columns are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd

from mediaan.errors import UsageError
from mediaan.evaluation.fixations import Fixations, image_paths, read_fixations
from mediaan.evaluation.frames import displayed_size
from mediaan.evaluation.gaze import Gaze, GazedPicture, GazeSet
from mediaan.maps.density import Shape
from mediaan.types.gaze_columns import GazeColumns
from mediaan.types.maps import Window

GRID_LONG_SIDE = 320
"""Cells along the longer side of the grid on which everything is compared."""

START_S = 2.0
"""The window start holds the fixations that begin before this."""

END_S = 3.0
"""The window end holds the fixations that begin from here on: the last 2 s of a 5 s exposure."""

LONG_VIEWING_S = 3.5
"""A set has a window end when someone still looks after this."""


def read_gaze_set(
    folder: Path,
    *,
    window: Window = "total",
    names: Collection[str] | None = None,
    limit: int | None = None,
    columns: GazeColumns | None = None,
) -> GazeSet:
    """Read the human data of a folder; pictures are not decoded.

    Parameters
    ----------
    folder : Path
        In the layout on top of this page.
    window : {'total', 'start', 'end'}
        Part of the exposure.
    names : collection of str, optional
        Pictures to score, with or without extension; all by default. The others still form the centre bias.
    limit : int, optional
        Score only the first so many in order of names.
    columns : GazeColumns, optional
        Meaning of the columns of tables that no known program exported.

    Returns
    -------
    GazeSet

    Raises
    ------
    UsageError
        The folder is not in the layout, or lacks what was asked for.
    """
    if _knows_only_densities(folder):
        paths = image_paths(folder)
        return _gaze_set(folder, window, _with_densities(folder / "densities", paths, window), paths, (), names, limit)
    return gaze_set_of(read_fixations(folder, columns), folder, window=window, names=names, limit=limit)


def gaze_set_of(
    fixations: Fixations,
    folder: Path,
    *,
    window: Window = "total",
    names: Collection[str] | None = None,
    limit: int | None = None,
) -> GazeSet:
    """The set of a folder whose fixations were read before; as `read_gaze_set`."""
    pictures = _with_fixations(fixations, window)
    return _gaze_set(folder, window, pictures, fixations.paths, fixations.notes, names, limit)


def _knows_only_densities(folder: Path) -> bool:
    return (folder / "densities").is_dir() and not (folder / "fixations.parquet").is_file()


def _gaze_set(
    folder: Path,
    window: Window,
    pictures: list[GazedPicture],
    paths: dict[str, Path],
    notes: tuple[str, ...],
    names: Collection[str] | None,
    limit: int | None,
) -> GazeSet:
    if len(pictures) < 2:
        raise UsageError(f"{folder}: centre bias needs at least 2 pictures with human data, found {len(pictures)}")
    if len(pictures) < len(paths):
        notes += (f"{len(paths) - len(pictures)} of {len(paths)} pictures have no human data and are left out",)
    selected = _select([p.name for p in pictures], names, limit, folder)
    return GazeSet(folder, window, tuple(pictures), frozenset(selected), notes)


def read_names(path: Path) -> list[str]:
    """Read a list of pictures: one name a line, or a JSON list of names.

    Raises
    ------
    UsageError
        The file cannot be read, or holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the list of pictures {path} cannot be read: {error}") from error
    names = _json_names(text, path) if text.lstrip().startswith(("[", "{")) else _line_names(text)
    if not names:
        raise UsageError(f"the list of pictures {path} is empty")
    return names


def _line_names(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _json_names(text: str, path: Path) -> list[str]:
    try:
        names = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise UsageError(f"the list of pictures {path} is not valid JSON: {error}") from error
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError(f'{path} must be a JSON list of names, such as ["1001", "1002"]')
    return names


def _select(known: list[str], names: Collection[str] | None, limit: int | None, folder: Path) -> list[str]:
    wanted = known if names is None else sorted({_match(name, known, folder) for name in names})
    return wanted[:limit]


def _match(name: str, known: Collection[str], folder: Path) -> str:
    for candidate in (name, Path(name).stem):
        if candidate in known:
            return candidate
    raise UsageError(f"picture {name!r} of the list is not in {folder} or has no human data there")


def _with_fixations(fixations: Fixations, window: Window) -> list[GazedPicture]:
    groups = dict(iter(_within(fixations, window).groupby("image")))
    return [
        GazedPicture(name, path, grid_shape(path), _gaze(groups[name]))
        for name, path in fixations.paths.items()
        if name in groups
    ]


def _gaze(fixations: pd.DataFrame) -> Gaze:
    viewer = np.unique(fixations["viewer"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    return Gaze(viewer, fixations["x"].to_numpy(np.float64), fixations["y"].to_numpy(np.float64))


def _within(fixations: Fixations, window: Window) -> pd.DataFrame:
    """The fixations of a window."""
    if window == "total":
        return fixations.table
    fixations.require("image", "viewer", "x", "y", "onset_s")
    onset = fixations.table["onset_s"]
    if window == "start":
        return fixations.table[onset < START_S]
    if not ends_late(fixations):
        raise UsageError(
            f"{fixations.source} has no window 'end': its last fixation begins at {float(onset.max()):.2f} s, and the "
            "window is the last 2 s of a 5 s exposure; use --window start or total"
        )
    return fixations.table[onset >= END_S]


def ends_late(fixations: Fixations) -> bool:
    """Whether someone looked for so long that there is a window end."""
    return "onset_s" in fixations.table and float(fixations.table["onset_s"].max()) > LONG_VIEWING_S


def _with_densities(densities: Path, paths: dict[str, Path], window: Window) -> list[GazedPicture]:
    if window != "total":
        raise UsageError(f"{densities} says nothing about time; only --window total can be evaluated")
    files = {name: densities / f"{name}.png" for name in paths}
    return [
        GazedPicture(name, path, grid_shape(path), None, files[name])
        for name, path in paths.items()
        if files[name].is_file()
    ]


def grid_shape(path: Path) -> Shape:
    """Rows and columns of the grid for a picture file, as displayed; only its header is read."""
    width, height = displayed_size(path)
    scale = GRID_LONG_SIDE / max(width, height)
    return max(1, round(height * scale)), max(1, round(width * scale))
