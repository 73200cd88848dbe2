"""Compute the likelihood of who sees what under every pace of a grid: rate and agreement of fixations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.calibration.adjustment_grid import LEVEL, PENALTY, RESAMPLES, SEED
from mediaan.saliency.density import fixation_cells, resize_density
from mediaan.types.arrays import Float64
from mediaan.types.densities import Densities
from mediaan.types.eye_tracking import Interval, Pace

RATES: Float64 = np.round(2.0 ** (np.arange(-24, 25) / 12), 3)
"""Factors of the rate tried: 1/4 to 4 in steps of 6 %."""

AGREEMENTS: Float64 = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.6])
"""Factors of the power tried."""

TILES = (2, 3, 4, 6)
"""Grids of tiles on which viewers are counted, tiles per side: boxes of several sizes everywhere."""

MIN_EXPOSURE_S = 0.5

_MIN_SHARE = 1e-6  # predicted shares of viewers are kept within this and 1 minus this


class PaceGridPoint(NamedTuple):
    """A point of the grid: indices into `AGREEMENTS` and `RATES`."""

    agreement: int
    rate: int

    @property
    def values(self) -> tuple[float, float]:
        """Factors of the power and of the rate."""
        return float(AGREEMENTS[self.agreement]), float(RATES[self.rate])


UNCHANGED_PACE = PaceGridPoint(int(np.flatnonzero(AGREEMENTS == 1.0)[0]), int(np.flatnonzero(RATES == 1.0)[0]))


@dataclass(frozen=True, slots=True)
class PaceLikelihoods:
    """Log-likelihood that so many viewers see each tile, for each image and point of the grid."""

    bits: Float64
    """(images, agreements, rates) float64. Per viewer and tile."""

    def best(self, rows: npt.NDArray[np.int64]) -> PaceGridPoint:
        """Return the factors of maximum likelihood on some images, which may repeat."""
        changes = np.square(np.log2(AGREEMENTS))[:, None] + np.square(np.log2(RATES))
        mean = self.bits[rows].mean(axis=0, dtype=np.float64) - PENALTY / len(rows) * changes
        return PaceGridPoint(*(int(i) for i in np.unravel_index(int(mean.argmax()), mean.shape)))

    def at(self, place: PaceGridPoint) -> Float64:
        """Return the bits of each image, (images,) float64."""
        return np.asarray(self.bits[:, place.agreement, place.rate], np.float64)

    def held_out(self, group: npt.NDArray[np.int64]) -> Float64:
        """Return the bits of each image under the fit without its group, (images,) float64."""
        fitted = [self.at(self.best(np.flatnonzero(group != k))) for k in range(int(group.max()) + 1)]
        return np.asarray(np.stack(fitted)[group, np.arange(len(group))], np.float64)

    def estimate(self) -> Pace:
        """Return the best factors, with their 90 % bootstrap intervals over images."""
        n = len(self.bits)
        draws = np.random.default_rng(SEED).integers(n, size=(RESAMPLES, n))
        drawn = np.array([self.best(rows).values for rows in draws])
        (low, least), (high, most) = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0).round(4)
        agreement, rate = self.best(np.arange(n)).values
        return Pace(rate, (float(least), float(most)), agreement, (float(low), float(high)))


def pace_likelihoods(
    densities: Mapping[str, Densities], fixations: pd.DataFrame, exposure_s: float, model: FixationHazardModel
) -> PaceLikelihoods:
    """Return the likelihoods of the tiles that viewers saw on each image.

    `densities`: by name of the image; calibrated.
    `fixations`: image, viewer, x, y, onset_s.
    `exposure_s`: viewing time of the images, s.
    """
    groups = dict(iter(fixations.groupby("image")))
    rows = []
    for name, predicted in densities.items():
        seen = _share_seen(groups[name], exposure_s)
        bits = []
        for agreement in AGREEMENTS:
            hazard = _hazards(predicted, exposure_s, replace(model, sharpness=model.sharpness * float(agreement)))
            share = np.clip(model.share_seen(RATES[:, None] * hazard), _MIN_SHARE, 1 - _MIN_SHARE)
            bits.append((seen * np.log2(share) + (1 - seen) * np.log2(1 - share)).mean(axis=1))
        rows.append(np.stack(bits))
    return PaceLikelihoods(np.stack(rows))


def gaze_share(fixations: pd.DataFrame, exposure_s: float, latency_s: float) -> tuple[float, Interval | None] | None:
    """Return the share of the time after the latency that viewers fixate the image, and its interval.

    Return None where durations or onsets are unknown.
    """
    if not {"onset_s", "duration_s"} <= set(fixations) or fixations[["onset_s", "duration_s"]].isna().any(axis=None):
        return None
    onset = fixations["onset_s"].to_numpy(np.float64)
    ends = np.minimum(onset + fixations["duration_s"].to_numpy(np.float64), exposure_s)
    spent = np.clip(ends - np.maximum(onset, latency_s), 0, None)
    seconds = pd.Series(spent, fixations.index).groupby(fixations["image"]).sum()
    viewers = fixations.groupby("image")["viewer"].nunique()
    shares = (seconds / viewers / (exposure_s - latency_s)).clip(0.01, 1.0)
    low, high = bootstrap_interval(shares, level=LEVEL) or (None, None)
    interval = None if low is None or high is None else (round(low, 3), round(high, 3))
    return round(float(shares.mean()), 3), interval


def estimated_exposure(fixations: pd.DataFrame) -> float:
    """Estimate the viewing time, s: by then, nearly all last fixations had ended, or begun."""
    ends = fixations["onset_s"] + (fixations["duration_s"].fillna(0.0) if "duration_s" in fixations else 0.0)
    last = ends.groupby([fixations["image"], fixations["viewer"]]).max()
    return max(MIN_EXPOSURE_S, round(float(last.quantile(0.95)), 1))


def _hazards(densities: Densities, exposure_s: float, model: FixationHazardModel) -> Float64:
    """Return the cumulative hazard of each tile by the end of the exposure, (tiles,)."""
    total = np.zeros(sum(n * n for n in TILES))
    spans, maps = model.period_spans(exposure_s), model.period_densities(densities)
    for (t0_s, t1_s), density in zip(spans, maps, strict=False):
        shares = np.concatenate([resize_density(density, (n, n)).ravel() for n in TILES])
        total += model.hazard(shares, t0_s, t1_s)
    return total


def _share_seen(fixations: pd.DataFrame, exposure_s: float) -> Float64:
    """Return the share of the viewers of an image who fixate each tile in time, (tiles,)."""
    viewer = np.unique(fixations["viewer"], return_inverse=True)[1]
    early = (fixations["onset_s"] < exposure_s).to_numpy()
    x, y = (fixations[axis].to_numpy(np.float64)[early] for axis in ("x", "y"))
    shares = []
    for n in TILES:
        seen = np.zeros((int(viewer.max()) + 1, n * n))
        seen[viewer[early], fixation_cells(x, y, (n, n))] = 1
        shares.append(seen.mean(axis=0))
    return np.concatenate(shares)
