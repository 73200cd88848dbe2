"""An image and what people looked at in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from mediaan.errors import MediumError, UsageError
from mediaan.media.open import open_image
from mediaan.saliency.density import CellIndices, GridShape, fixation_cells, fixation_density, normalise, resize_density
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import Window
from mediaan.types.media import ViewSpec

StimulusT = TypeVar("StimulusT")

# EXIF orientations in which rows and columns are swapped for display.
_TRANSPOSED = frozenset({5, 6, 7, 8})
_EXIF_ORIENTATION = 0x0112


def read_frame(path: Path, view: ViewSpec) -> UInt8:
    """Open an image in the size of a view, (1, H, W, 3) uint8 RGB.

    Raises UsageError: the image cannot be opened: a set with a hole would be scored on other images than were asked
        for.
    """
    try:
        return open_image(path, [view]).chunks[0].views[view.name]
    except MediumError as error:
        raise UsageError(f"{error.message}; mend the image or leave it out by --pictures", code=error.code) from error


def displayed_size(path: Path) -> tuple[int, int]:
    """Return width and height of an image file, px, as displayed; only its header is read."""
    try:
        with Image.open(path) as image:
            width, height = image.size
            turned = image.getexif().get(_EXIF_ORIENTATION) in _TRANSPOSED
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise UsageError(f"{path} cannot be opened as an image: {error}; mend it or take it out of the set") from error
    return (height, width) if turned else (width, height)


def fit_grid(width: int, height: int, long_side: int) -> GridShape:
    """Return rows and columns of the grid of a long side for a medium of a size.

    >>> fit_grid(1920, 1080, 160)
    (90, 160)
    """
    scale = long_side / max(width, height)
    return max(1, round(height * scale)), max(1, round(width * scale))


def stimulus_paths(folder: Path, subfolder: str) -> dict[str, Path]:
    """Return the files of DIR/images or DIR/videos by name without extension, in order."""
    files = folder / subfolder
    if not files.is_dir():
        raise UsageError(
            f"{folder} has no folder {subfolder}/; expected DIR/{subfolder}/NAME.* and DIR/fixations.parquet"
        )
    paths: dict[str, Path] = {}
    for path in sorted(files.iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        if path.stem in paths:
            raise UsageError(f"{paths[path.stem]} and {path} have the same name; names must be unique in a set")
        paths[path.stem] = path
    return paths


@dataclass(frozen=True, slots=True)
class GazePoints:
    """Gaze on one stimulus within one window, at least one point."""

    viewer: npt.NDArray[np.int64]
    """(n,) int64. Viewer of each point, numbered from 0 within the stimulus."""
    x: Float64
    y: Float64
    """x, y: (n,) float64. Unit coordinates, in [0, 1)."""

    @property
    def n_viewers(self) -> int:
        """Number of viewers."""
        return int(np.unique(self.viewer).size)


@dataclass(frozen=True, slots=True)
class Stimulus:
    """An image with human data: fixations, or the file of a density."""

    name: str
    """File name without extension."""
    path: Path
    shape: GridShape
    """(int, int). Grid for comparison: long side 320 cells, aspect of the displayed image."""
    gaze: GazePoints | None
    density_path: Path | None = None

    @property
    def cells(self) -> CellIndices:
        """Fixated cells of the grid, (n,) int64; none where only a density is known."""
        if self.gaze is None:
            return np.empty(0, np.int64)
        return fixation_cells(self.gaze.x, self.gaze.y, self.shape)

    def truth(self) -> Float32:
        """Return the density of the gaze, (h, w) float32."""
        if self.density_path is not None:
            values = cv2.imread(str(self.density_path), cv2.IMREAD_UNCHANGED)
            if values is None or values.ndim != 2 or not values.any():
                raise UsageError(
                    f"{self.density_path} is not a density: expected a grey PNG (16-bit) that is not all black"
                )
            return resize_density(normalise(values), self.shape)
        if self.gaze is None:
            raise UsageError(f"{self.name} has neither fixations nor a density")
        return fixation_density(self.gaze.x, self.gaze.y, self.shape)


@dataclass(frozen=True, slots=True)
class GazeSet(Generic[StimulusT]):
    """Images or videos with human data."""

    folder: Path
    window: Window
    """Part of the exposure; of videos the whole."""
    stimuli: tuple[StimulusT, ...]
    """All images or videos of the set, in order of their names: the centre bias comes from them."""
    selected: frozenset[str]
    """Names of those to score."""
    notes: tuple[str, ...]
    """For readers of the result."""
