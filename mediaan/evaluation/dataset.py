"""A folder of pictures and what people looked at in them.

::

    DIR/images/NAME.*              any image format
    DIR/fixations.parquet          image (NAME), viewer, x, y (unit coordinates, origin top-left), onset_s (s)
    or DIR/densities/NAME.png      8 or 16-bit grey, proportional to the density, where fixations are unknown

`onset_s` is needed for the windows start and end only; further columns are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from mediaan.errors import UsageError
from mediaan.evaluation.gaze import Gaze, GazedPicture, GazeSet
from mediaan.maps.density import Shape
from mediaan.types.maps import Window

GRID_LONG_SIDE = 320
"""Cells along the longer side of the grid on which everything is compared."""

START_S = 2.0
"""The window start holds the fixations that begin before this."""

END_S = 3.0
"""The window end holds the fixations that begin from here on: the last 2 s of a 5 s exposure."""

LONG_VIEWING_S = 3.5
"""A set has a window end when someone still looks after this."""

# EXIF orientations in which rows and columns are swapped for display.
_TRANSPOSED = frozenset({5, 6, 7, 8})
_EXIF_ORIENTATION = 0x0112


def read_gaze_set(
    folder: Path, *, window: Window = "total", names: Collection[str] | None = None, limit: int | None = None
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

    Returns
    -------
    GazeSet

    Raises
    ------
    UsageError
        The folder is not in the layout, or lacks what was asked for.
    """
    paths = _image_paths(folder)
    notes: list[str] = []
    if (folder / "fixations.parquet").is_file():
        pictures = _with_fixations(folder / "fixations.parquet", paths, window, notes)
    elif (folder / "densities").is_dir():
        pictures = _with_densities(folder / "densities", paths, window)
    else:
        raise UsageError(f"{folder} holds neither fixations.parquet nor densities/: there is nothing to compare with")
    if len(pictures) < 2:
        raise UsageError(f"{folder}: centre bias needs at least 2 pictures with human data, found {len(pictures)}")
    if len(pictures) < len(paths):
        notes.append(f"{len(paths) - len(pictures)} of {len(paths)} pictures have no human data and are left out")
    selected = _select([p.name for p in pictures], names, limit, folder)
    return GazeSet(folder, window, tuple(pictures), frozenset(selected), tuple(notes))


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
    except json.JSONDecodeError as error:
        raise UsageError(f"the list of pictures {path} is not valid JSON: {error}") from error
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError(f'{path} must be a JSON list of names, such as ["1001", "1002"]')
    return names


def _image_paths(folder: Path) -> dict[str, Path]:
    """Pictures by name, in order."""
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


def _select(known: list[str], names: Collection[str] | None, limit: int | None, folder: Path) -> list[str]:
    wanted = known if names is None else sorted({_match(name, known, folder) for name in names})
    return wanted[:limit]


def _match(name: str, known: Collection[str], folder: Path) -> str:
    for candidate in (name, Path(name).stem):
        if candidate in known:
            return candidate
    raise UsageError(f"picture {name!r} of the list is not in {folder} or has no human data there")


def _with_fixations(table: Path, paths: dict[str, Path], window: Window, notes: list[str]) -> list[GazedPicture]:
    fixations = _within(_read_fixations(table, window, notes), window, table)
    groups = {name: group for name, group in fixations.groupby("image") if name in paths}
    lost = fixations["image"].nunique() - len(groups)
    if lost:
        notes.append(f"fixations of {lost} pictures that are not in images/ are left out")
    return [
        GazedPicture(name, path, grid_shape(path), _gaze(groups[name]))
        for name, path in paths.items()
        if name in groups
    ]


def _gaze(fixations: pd.DataFrame) -> Gaze:
    viewer = np.unique(fixations["viewer"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    return Gaze(viewer, fixations["x"].to_numpy(np.float64), fixations["y"].to_numpy(np.float64))


def _read_fixations(table: Path, window: Window, notes: list[str]) -> pd.DataFrame:
    needed = ["image", "viewer", "x", "y"] + (["onset_s"] if window != "total" else [])
    try:
        fixations = pd.read_parquet(table)
    except (OSError, ValueError) as error:
        raise UsageError(f"{table} cannot be read as Parquet: {error}") from error
    missing = [column for column in needed if column not in fixations]
    if missing:
        raise UsageError(f"{table} lacks the column {', '.join(missing)}; needed are {', '.join(needed)}")
    x, y = fixations["x"].astype(np.float64), fixations["y"].astype(np.float64)
    inside = (x >= 0) & (x < 1) & (y >= 0) & (y < 1)
    if not inside.all():
        notes.append(f"{int((~inside).sum())} of {len(fixations)} fixations lie outside their picture and are left out")
    return fixations[inside].assign(image=lambda f: f["image"].astype(str))


def _within(fixations: pd.DataFrame, window: Window, table: Path) -> pd.DataFrame:
    """Keep the fixations of a window."""
    if window == "total":
        return fixations
    if window == "start":
        return fixations[fixations["onset_s"] < START_S]
    latest = float(fixations["onset_s"].max())
    if not latest > LONG_VIEWING_S:
        raise UsageError(
            f"{table} has no window 'end': its last fixation begins at {latest:.2f} s, and the window is the last 2 s "
            "of a 5 s exposure; use --window start or total"
        )
    return fixations[fixations["onset_s"] >= END_S]


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
    try:
        with Image.open(path) as image:
            width, height = image.size
            turned = image.getexif().get(_EXIF_ORIENTATION) in _TRANSPOSED
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise UsageError(f"{path} cannot be opened as a picture: {error}; mend it or take it out of the set") from error
    if turned:
        width, height = height, width
    scale = GRID_LONG_SIDE / max(width, height)
    return max(1, round(height * scale)), max(1, round(width * scale))
