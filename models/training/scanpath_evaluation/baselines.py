"""Scanpaths without a model of saccades: what a simulation must beat."""

from __future__ import annotations

import numpy as np

from mediaan.saliency.density import GridShape
from mediaan.types.arrays import Float32, Float64

Paths = tuple[Float64, Float64]
"""x and y of scanpaths, each (n, k), unit coordinates; NaN after the last fixation."""

INHIBITED = 0.1
"""Radius of the disc that winner-take-all leaves out after a fixation, share of the long side."""


def independent_draws(density: Float32, made: np.ndarray, rng: np.random.Generator) -> Paths:
    """Draw each fixation from the density, whatever came before.

    Parameters
    ----------
    density : (h, w) float32
    made : (n, k) bool
        Which fixations there are.
    rng : Generator
    """
    height, width = density.shape
    mass = density.astype(np.float64).ravel()
    cells = rng.choice(mass.size, size=made.shape, p=mass / mass.sum())
    x = (cells % width + rng.random(made.shape)) / width
    y = (cells // width + rng.random(made.shape)) / height
    return np.where(made, x, np.nan), np.where(made, y, np.nan)


def winner_take_all(density: Float32, count: int, radius: float = INHIBITED) -> Paths:
    """Rank places by density: the highest, then the highest outside discs around those before (Itti & Koch 2000).

    When the discs cover everything, all are released.

    Returns
    -------
    Paths
        One scanpath of `count` fixations.
    """
    shape: GridShape = (density.shape[0], density.shape[1])
    rows, columns = np.mgrid[: shape[0], : shape[1]] / max(shape)
    left, fixations = density.astype(np.float64), []
    for _ in range(count):
        if not (left > 0).any():
            left = density.astype(np.float64)
        row, column = np.unravel_index(int(left.argmax()), shape)
        fixations.append(((column + 0.5) / shape[1], (row + 0.5) / shape[0]))
        left[np.hypot(rows - rows[row, column], columns - columns[row, column]) <= radius] = 0
    x, y = np.array(fixations).T
    return x[None], y[None]


def shuffled_order(x: Float64, y: Float64, rng: np.random.Generator) -> Paths:
    """Put the fixations of each scanpath in random order."""
    keys = np.where(np.isfinite(x), rng.random(x.shape), 2.0)
    order = np.argsort(keys, axis=1)
    return np.take_along_axis(x, order, 1), np.take_along_axis(y, order, 1)
