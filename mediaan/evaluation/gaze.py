"""A picture with what people looked at in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from mediaan.errors import UsageError
from mediaan.maps.density import Cells, Shape, fixation_cells, fixation_density, normalise, resize_density
from mediaan.types.arrays import Float32, Float64
from mediaan.types.maps import Window


@dataclass(frozen=True, slots=True)
class Gaze:
    """Fixations on one picture within one window, at least one.

    Attributes
    ----------
    viewer : (n,) int64
        Which viewer made each fixation, numbered from 0 within the picture.
    x, y : (n,) float64
        Unit coordinates, in [0, 1).
    """

    viewer: npt.NDArray[np.int64]
    x: Float64
    y: Float64

    @property
    def n_viewers(self) -> int:
        """People with at least one fixation here."""
        return int(np.unique(self.viewer).size)


@dataclass(frozen=True, slots=True)
class GazedPicture:
    """A picture and its human data: fixations, or the file of a density.

    Attributes
    ----------
    name : str
        File name without extension.
    shape : (int, int)
        Grid for comparison: long side 320 cells, aspect of the displayed picture.
    """

    name: str
    path: Path
    shape: Shape
    gaze: Gaze | None
    density_path: Path | None = None

    @property
    def cells(self) -> Cells:
        """Fixated cells of the grid, (n,) int64; none where only a density is known."""
        if self.gaze is None:
            return np.empty(0, np.int64)
        return fixation_cells(self.gaze.x, self.gaze.y, self.shape)

    def truth(self) -> Float32:
        """Density of what people looked at, (h, w) float32."""
        if self.density_path is not None:
            return resize_density(_read_density(self.density_path), self.shape)
        if self.gaze is None:
            raise UsageError(f"{self.name} has neither fixations nor a density")
        return fixation_density(self.gaze.x, self.gaze.y, self.shape)


@dataclass(frozen=True, slots=True)
class GazeSet:
    """Pictures with human data.

    Attributes
    ----------
    pictures : tuple of GazedPicture
        All pictures of the set, in order of their names: the centre bias comes from them.
    selected : frozenset of str
        Names of the pictures to score.
    notes : tuple of str
        What the reader of the result must know.
    """

    folder: Path
    window: Window
    pictures: tuple[GazedPicture, ...]
    selected: frozenset[str]
    notes: tuple[str, ...]


def _read_density(path: Path) -> Float32:
    values = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if values is None or values.ndim != 2 or not values.any():
        raise UsageError(f"{path} is not a density: expected a grey PNG (16-bit) that is not all black")
    return normalise(values)
