"""Statistics of saccades: length, direction, return."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mediaan.types.arrays import Float64

LENGTH_EDGES = np.array([0, 0.03, 0.06, 0.09, 0.12, 0.16, 0.2, 0.25, 0.3, 0.36, 0.43, 0.5, 0.6, 0.75, 1.5])
DIRECTIONS = 8
RETURN_DISTANCE = 0.06
"""A fixation returns when it lies so near to one before the last, share of the long side: some 2 degrees."""


@dataclass(frozen=True, slots=True)
class SaccadeStatistics:
    """Distributions over all saccades of some scanpaths."""

    mean_length: float
    median_length: float
    """mean_length, median_length: Share of the long side."""
    lengths: Float64
    """(14,) float64. Shares of saccades by length, in bins of `LENGTH_EDGES`."""
    directions: Float64
    """(8,) float64. Shares by direction, from rightwards clockwise."""
    returns: float
    """Share of fixations, from the third, that lie within `RETURN_DISTANCE` of an earlier one but the last."""

    @property
    def horizontal(self) -> float:
        """Share of saccades within 22.5 degrees of the horizontal."""
        return float(self.directions[0] + self.directions[DIRECTIONS // 2])


def saccade_statistics(x: Float64, y: Float64, aspect: tuple[float, float]) -> SaccadeStatistics:
    """Measure the saccades of scanpaths.

    Parameters
    ----------
    x, y : (n, k) float64
        Fixations in order, unit coordinates; NaN after the last.
    aspect : (float, float)
        Height and width of the image, share of its long side.

    Examples
    --------
    >>> one = saccade_statistics(np.array([[0.1, 0.5, 0.1]]), np.array([[0.5, 0.5, 0.5]]), (0.75, 1.0))
    >>> round(one.mean_length, 2), one.horizontal, one.returns
    (0.4, 1.0, 1.0)
    """
    across, down = x * aspect[1], y * aspect[0]
    steps_x, steps_y = np.diff(across, axis=1), np.diff(down, axis=1)
    made = np.isfinite(steps_x)
    lengths, angles = np.hypot(steps_x, steps_y)[made], np.arctan2(steps_y, steps_x)[made]
    sectors = np.round(angles / (2 * np.pi / DIRECTIONS)).astype(int) % DIRECTIONS
    back, possible = 0, 0
    for index in range(2, x.shape[1]):
        near = np.hypot(across[:, : index - 1] - across[:, [index]], down[:, : index - 1] - down[:, [index]])
        there = np.isfinite(across[:, index])
        back += int((near[there] <= RETURN_DISTANCE).any(axis=1).sum())
        possible += int(there.sum())
    return SaccadeStatistics(
        float(lengths.mean()),
        float(np.median(lengths)),
        np.histogram(lengths, LENGTH_EDGES)[0] / lengths.size,
        np.bincount(sectors, minlength=DIRECTIONS) / lengths.size,
        back / max(1, possible),
    )


def total_variation(first: Float64, second: Float64) -> float:
    """Return half the summed difference of two distributions: 0 for equal ones, 1 for disjoint ones."""
    return float(np.abs(first - second).sum() / 2)
