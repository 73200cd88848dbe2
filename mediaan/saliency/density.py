"""Make densities of fixations, and bring densities from size to size.

A density is an (h, w) float32 array, non-negative, that sums to 1: the probability that a fixation lands in each cell.
Cells tile the image evenly, row 0 is its top. Fixations lie in unit coordinates, origin top-left, half-open [0, 1).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from mediaan.errors import AnalysisError, UsageError
from mediaan.types.arrays import Float32

CellIndices: TypeAlias = npt.NDArray[np.int64]
GridShape: TypeAlias = tuple[int, int]

SIGMA = 0.025
"""Blur of a fixation as a share of the long side: about 1 degree of visual angle in the usual set-ups."""

# Gaussian (truncated to the image) fitted by maximum likelihood to the fixations of three free-viewing sets of
# natural scenes, each set with the same weight (1,494 pictures, 43 viewers, 237 k fixations); unit coordinates.
# The horizontal centre is put at .5, so that a mirrored image gets the mirrored density.
PRIOR_CENTRE = (0.5, 0.474)
PRIOR_SD = (0.246, 0.185)

# Beyond this many standard deviations the blur is cut off.
_TRUNCATE_SDS = 4.0


def fixation_cells(x: npt.ArrayLike, y: npt.ArrayLike, shape: GridShape) -> CellIndices:
    """Return the row-major index of the cell in which each fixation lies.

    `x`, `y` (n,) array_like: unit coordinates, in [0, 1).
    `shape` (int, int): rows and columns of the grid.
    Returns (n,) int64: ``row * columns + column``.
    Raises UsageError: a fixation lies outside the image or is not a number.

    >>> fixation_cells([0.0, 0.99], [0.0, 0.5], (2, 3)).tolist()
    [0, 5]
    """
    across, down = np.asarray(x, np.float64), np.asarray(y, np.float64)
    inside = (across >= 0) & (across < 1) & (down >= 0) & (down < 1)
    if not inside.all():
        raise UsageError(
            f"{int((~inside).sum())} of {inside.size} fixations lie outside the image; "
            "give unit coordinates in [0, 1) and drop the fixations beyond the edges"
        )
    rows, columns = shape
    return np.floor(down * rows).astype(np.int64) * columns + np.floor(across * columns).astype(np.int64)


def fixation_counts(x: npt.ArrayLike, y: npt.ArrayLike, shape: GridShape) -> CellIndices:
    """Count the fixations in each cell.

    `x`, `y` (n,) array_like: unit coordinates, in [0, 1).
    `shape` (int, int): rows and columns of the grid.
    Returns (h, w) int64.

    >>> fixation_counts([0.1, 0.2, 0.9], [0.1, 0.3, 0.9], (2, 2)).tolist()
    [[2, 0], [0, 1]]
    """
    counts = np.bincount(fixation_cells(x, y, shape), minlength=shape[0] * shape[1])
    return counts.astype(np.int64).reshape(shape)


def blur(counts: npt.NDArray[Any], sigma: float = SIGMA) -> Float32:
    """Spread the mass of each cell by a Gaussian; the sum stays the same.

    Mass that would leave the image is reflected at its edge (Silverman 1986, §2.10), so each fixation weighs the same
    wherever it lies. The Gaussian is cut off at 4 standard deviations.

    `counts` (h, w) array: non-negative.
    `sigma`: standard deviation as a share of the long side.
    Returns (h, w) float32.
    """
    sigma_cells = sigma * max(counts.shape)
    size = 2 * int(_TRUNCATE_SDS * sigma_cells + 0.5) + 1
    blurred = cv2.GaussianBlur(
        counts.astype(np.float32), (size, size), sigma_cells, sigmaY=sigma_cells, borderType=cv2.BORDER_REFLECT
    )
    return np.asarray(blurred, np.float32)


def fixation_density(x: npt.ArrayLike, y: npt.ArrayLike, shape: GridShape, sigma: float = SIGMA) -> Float32:
    """Make the density of a group of fixations: each is a Gaussian of the same weight.

    `x`, `y` (n,) array_like: unit coordinates, in [0, 1); at least one fixation.
    `shape` (int, int): rows and columns of the grid.
    `sigma`: standard deviation of the Gaussian as a share of the grid's long side.
    Returns (h, w) float32: sums to 1.
    Raises UsageError: no fixation, or one outside the image.

    >>> density = fixation_density([0.5], [0.5], (31, 41))
    >>> np.unravel_index(density.argmax(), density.shape) == (15, 20)
    True
    """
    if np.size(x) == 0:
        raise UsageError("there is no fixation to make a density of; leave this image or this window out")
    return normalise(blur(fixation_counts(x, y, shape), sigma))


def normalise(values: npt.NDArray[Any]) -> Float32:
    """Divide by the sum.

    `values` (h, w) array: finite, non-negative, not all zero.
    Returns (h, w) float32: sums to 1.
    Raises AnalysisError: the values cannot be a density.

    >>> normalise(np.array([[1, 3]])).tolist()
    [[0.25, 0.75]]
    """
    wide = np.asarray(values, np.float64)
    total = float(wide.sum())
    if not np.isfinite(total) or total <= 0 or wide.min() < 0:
        raise AnalysisError(
            "a map cannot be turned into a density: its values must be finite, non-negative and not all zero"
        )
    return (wide / total).astype(np.float32)


def resize_density(density: Float32, shape: GridShape) -> Float32:
    """Bring a density to another grid over the same image.

    Towards fewer cells mass is added up by overlap of areas; towards more cells it is interpolated linearly between
    cell centres; each axis on its own.

    `density`: (h, w) float32.
    `shape` (int, int): rows and columns wanted.
    Returns (rows, columns) float32: sums to 1.

    >>> resize_density(np.array([[0.125, 0.375], [0.5, 0.0]], np.float32), (1, 2)).tolist()
    [[0.625, 0.375]]
    """
    rows, columns = shape
    return normalise(_resize_axis(_resize_axis(density, density.shape[0], columns), rows, columns))


def uniform_density(shape: GridShape) -> Float32:
    """Return the density of a viewer who looks everywhere alike, (h, w) float32."""
    return np.full(shape, 1.0 / (shape[0] * shape[1]), np.float32)


def centre_prior(shape: GridShape) -> Float32:
    """Return the density that knows nothing of the image: people look near the centre.

    A Gaussian in unit coordinates, centre (.5, .474), standard deviations (.246, .185), cut off at the image's edges;
    fitted to free viewing of natural scenes. The general form follows Clarke & Tatler 2014, "Deriving an appropriate
    baseline for describing fixation behaviour", Vision Research 102.

    `shape` (int, int): rows and columns wanted.
    Returns (h, w) float32: sums to 1, positive everywhere.
    """
    rows, columns = shape
    down, across = (
        np.exp(-0.5 * (((np.arange(cells) + 0.5) / cells - centre) / sd) ** 2)
        for cells, centre, sd in ((rows, PRIOR_CENTRE[1], PRIOR_SD[1]), (columns, PRIOR_CENTRE[0], PRIOR_SD[0]))
    )
    return normalise(np.outer(down, across))


def _resize_axis(values: Float32, rows: int, columns: int) -> Float32:
    """Resize where at most one axis changes, so that cv2 takes the rule of that axis alone."""
    if values.shape == (rows, columns):
        return values
    shrinks = rows < values.shape[0] or columns < values.shape[1]
    interpolation = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(values, (columns, rows), interpolation=interpolation), np.float32)
