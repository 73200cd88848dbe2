"""Compute the likelihood of gaze under every adjustment of a grid.

A likelihood on a grid has no local optimum to be caught in, no start and no tolerance; and holding images out, or
resampling them, costs a mean over rows.

A fixation counts neither as a point, as information gain has it, nor as the Gaussian of KLD and CC, but as one of half
that variance: its maximum gains in all of them, where either alone is bought at the cost of the other
(`docs/calibration.md` has figures).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from mediaan.saliency.density import SIGMA, blur, centre_prior, normalise
from mediaan.saliency.predictor import adjust_density
from mediaan.types.arrays import Float32, Float64
from mediaan.types.eye_tracking import Adjustment, Interval

SHARPNESS: Float64 = np.round(2.0 ** (np.arange(-18, 19) / 12), 3)
"""Powers tried: 0.354 to 2.828 in steps of 6 %."""

SPREAD: Float64 = np.array([0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.13, 0.16])
"""Blurs tried, as a share of the long side; .025 is about a degree of visual angle in the usual set-ups."""

CENTRE: Float64 = np.round(np.concatenate([[0, 0.02], np.arange(0.05, 0.61, 0.05), [0.7, 0.8, 0.9]]), 2)
"""Shares of the centre prior tried."""

SCALES = (1.0, 0.05, 0.3)
"""Changes that are equally unlikely a priori: a doubling of the power, a blur by two degrees, three tenths of the gaze
in the centre."""

PENALTY = 0.1
"""Cost of a change by one of `SCALES`, bits per fixation times images. With 50 images it is 0.002 bits, and moves
nothing that matters; with five it keeps the fit near no change."""

LEVEL = 0.9
RESAMPLES = 1000
SEED = 20240229

KERNEL = SIGMA / 2**0.5
"""Standard deviation of a fixation, as a share of the long side."""

_FLOOR = 2.2204e-16  # as in information gain
_MAX_PLACES = 30_000  # OpenCV takes fewer than 32,767 in one go


class GridPoint(NamedTuple):
    """A point of the grid: indices into `SHARPNESS`, `SPREAD` and `CENTRE`."""

    sharpness: int
    spread: int
    centre: int

    @property
    def values(self) -> tuple[float, float, float]:
        """Power, blur, share of the centre prior."""
        return float(SHARPNESS[self.sharpness]), float(SPREAD[self.spread]), float(CENTRE[self.centre])

    @property
    def adjustment(self) -> Adjustment:
        """Adjustment at this point, without intervals."""
        sharpness, spread, centre = self.values
        return Adjustment(sharpness=sharpness, spread=spread, centre=centre)


NO_CHANGE = GridPoint(int(np.flatnonzero(SHARPNESS == 1.0)[0]), 0, 0)


@dataclass(frozen=True, slots=True)
class AdjustmentLikelihoods:
    """Mean log-likelihood of a fixation, for each image and adjustment."""

    bits: Float64
    """(images, sharpness, spread, centre) float64. Differences between adjustments are information gains."""

    def best(self, rows: npt.NDArray[np.int64], anchor: GridPoint = NO_CHANGE) -> GridPoint:
        """Return the adjustment of maximum likelihood on some images, which may repeat.

        Distance from `anchor` costs `PENALTY`.
        """
        counts = np.bincount(rows, minlength=len(self.bits)) / len(rows)
        steps = (
            np.log2(SHARPNESS / SHARPNESS[anchor.sharpness]),
            SPREAD - SPREAD[anchor.spread],
            CENTRE - CENTRE[anchor.centre],
        )
        a, b, c = (np.square(step / scale) for step, scale in zip(steps, SCALES, strict=True))
        distance = a[:, None, None] + b[None, :, None] + c[None, None, :]
        mean = np.tensordot(counts, self.bits, axes=1) - PENALTY / len(rows) * distance
        return GridPoint(*(int(i) for i in np.unravel_index(int(mean.argmax()), mean.shape)))

    def at(self, point: GridPoint) -> Float64:
        """Return the bits of each image, (images,) float64."""
        return np.asarray(self.bits[:, point.sharpness, point.spread, point.centre], np.float64)

    def estimate(self, anchor: GridPoint = NO_CHANGE) -> Adjustment:
        """Return the best adjustment, each number with its 90 % bootstrap interval over images."""
        n = len(self.bits)
        draws = np.random.default_rng(SEED).integers(n, size=(RESAMPLES, n))
        drawn = np.array([self.best(rows, anchor).values for rows in draws])
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0).round(4)
        intervals: list[Interval] = [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
        sharpness, spread, centre = self.best(np.arange(n), anchor).values
        return Adjustment(sharpness, intervals[0], spread, intervals[1], centre, intervals[2])


def adjustment_likelihoods(density: Float32, x: Float64, y: Float64, kernel: float = KERNEL) -> Float64:
    """Return the mean log-likelihood of the fixations on one image under each adjustment.

    `density` (h, w) float32: predicted; sums to 1.
    `x`, `y` (n,) float64: fixations in unit coordinates, at least one.
    `kernel`: standard deviation of the Gaussian of a fixation, as a share of the long side.
    Returns (sharpness, spread, centre) float64: bits.
    """
    shape = rows, columns = (density.shape[0], density.shape[1])
    # four places around each fixation have the mean and the variance of its Gaussian
    reach = kernel * 2**0.5 * max(shape)
    across = np.concatenate([x * columns + step for step in (-reach, reach, 0, 0)]) - 0.5
    down = np.concatenate([y * rows + step for step in (0, 0, -reach, reach)]) - 0.5
    places = (across.astype(np.float32), down.astype(np.float32))
    prior = _interpolate(centre_prior(shape), *places)
    share = CENTRE[:, None]
    bits = np.empty((len(SHARPNESS), len(SPREAD), len(CENTRE)))
    for i, sharpness in enumerate(SHARPNESS):
        sharp = adjust_density(density, Adjustment(sharpness=float(sharpness)))
        for j, spread in enumerate(SPREAD):
            spreaded = _interpolate(normalise(blur(sharp, float(spread))) if spread else sharp, *places)
            bits[i, j] = np.log2(_FLOOR + (1 - share) * spreaded + share * prior).mean(axis=1)
    return bits


def _interpolate(density: Float32, across: Float32, down: Float32) -> Float64:
    """Interpolate a density between the centres of its cells; beyond its edges it is reflected."""
    parts = [
        cv2.remap(density, x[:, None], y[:, None], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)[:, 0]
        for x, y in zip(
            *(np.split(values, range(_MAX_PLACES, len(values), _MAX_PLACES)) for values in (across, down)), strict=True
        )
    ]
    return np.concatenate(parts).astype(np.float64)
