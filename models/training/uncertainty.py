"""Intervals of scores: how far from the truth, how much movement under changes that should not matter, what it covers.

For a score that people were asked for, truth is what they said. For a proxy there is no truth; its interval then says
what would have come out with other weights that are as plausible, of the picture in another size, crop and coding.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from population import Measured

from mediaan.analysis.augmentation import Augmentation
from mediaan.metrics.scales import Scales, Uncertainty, fit_spread, percentile, quantiles
from mediaan.metrics.scores.memory import Composite
from mediaan.types.arrays import Float64

UNSEEN = (
    Augmentation("cropped by 6 % on the left and below, at 80 % of the size", crop=(0.06, 0.0, 0.0, 0.06), scale=0.8),
    Augmentation("mirrored, cropped by 3 %, slightly blurred", mirrored=True, crop=(0.03,) * 4, blur=0.001),
)
"""Changes other than those under which the usual movement is measured, to check it with."""

DRAWS = 40
WEIGHT_SD = 0.4
"""Of the log of weights: two thirds of the draws are within a factor of 1.5 of the stated weight."""


def composite_uncertainty(
    name: str,
    model: Composite,
    people: list[Measured],
    varied: list[list[Measured]],
    unseen: list[list[Measured]],
    scales: Scales,
) -> Uncertainty:
    """Fit the interval of a proxy on half of the pictures that were changed, check it on the others."""
    knots = scales.scores[name]
    scores = np.array([score(model, m, scales, knots) for m in people[::2]])
    moved = np.array([[score(model, m, scales, knots) for m in repeats] for repeats in varied])
    rng = np.random.default_rng(0)
    residuals = []
    for _ in range(DRAWS):
        weights = {t.driver: t.weight * float(np.exp(rng.normal(0, WEIGHT_SD))) for t in model.terms}
        ranks = quantiles(np.array([model.raw(model.ranks(m.values, scales), weights) for m in people]))
        other = [score(model, repeats[int(rng.integers(len(UNSEEN)))], scales, ranks, weights) for repeats in unseen]
        residuals.append(np.array(other) - scores)
    return fit_uncertainty(name, scores, np.array(residuals).T, moved)


def score(
    model: Composite,
    measured: Measured,
    scales: Scales,
    knots: tuple[float, ...],
    weights: dict[str, float] | None = None,
) -> float:
    return percentile(model.raw(model.ranks(measured.values, scales), weights), knots)


def fit_uncertainty(name: str, scores: Float64, residuals: Float64, moved: Float64) -> Uncertainty:
    """Fit on one half of the pictures, check on the other, then fit on all.

    Parameters
    ----------
    scores : (n,) float64
    residuals : (n,) or (n, k) float64
        Truth less score; several truths a picture are allowed.
    moved : (n, variants) float64
        The score under changes.
    """
    residuals = residuals.reshape(len(scores), -1)
    fine = ~(np.isnan(scores) | np.isnan(residuals).any(axis=1) | np.isnan(moved).any(axis=1))
    scores, residuals, moved = scores[fine], residuals[fine], moved[fine]
    half = np.random.default_rng(1).permutation(len(scores)) % 2 == 0
    trial = _fit(scores[half], residuals[half], moved[half])
    held_out = coverage(trial, scores[~half], residuals[~half])
    whole = _fit(scores, residuals, moved)
    width = np.mean([np.subtract(*whole.bounds(score)[::-1]) for score in scores])
    print(f"{name}: 90 % intervals cover {held_out:.1%} of held-out truth, mean width {width:.1f}, "
          f"repeatability sd {whole.repeatability:.2f}, factor {whole.factor}")  # fmt: skip
    return whole


def _fit(scores: Float64, residuals: Float64, moved: Float64) -> Uncertainty:
    error = fit_spread(np.repeat(scores, residuals.shape[1]), residuals.ravel())
    repeatability = float(np.sqrt(np.mean(np.var(moved, axis=1, ddof=1))))
    start = Uncertainty(error, round(repeatability, 3), 1.0)
    for factor in np.arange(0.5, 1.5, 0.01):
        tried = replace(start, factor=round(float(factor), 2))
        if coverage(tried, scores, residuals) >= 0.9:
            return tried
    return replace(start, factor=1.5)


def coverage(uncertainty: Uncertainty, scores: Float64, residuals: Float64) -> float:
    """Share of truths that lie within their interval; truths beyond the scale count as its end."""
    inside = []
    for value, row in zip(scores, residuals, strict=True):
        lo, hi = uncertainty.bounds(float(np.clip(value, 0, 100)))
        truth = np.clip(value + row, 0, 100)
        inside.append((truth >= lo - 1e-9) & (truth <= hi + 1e-9))
    return float(np.mean(inside))
