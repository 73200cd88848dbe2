"""Intervals of scores: how far from the truth, and what they cover.

For a score that people were asked for, truth is what they said. For a proxy there is no truth; its interval then says
what would have come out with other weights that are as plausible, of the picture in another size, crop and coding.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from errors import FACTORS, Widening
from population import Measured

from mediaan.analysis.augmentation import Augmentation
from mediaan.metrics.scales import Scales, Spread, fit_spread, percentile, quantiles
from mediaan.metrics.scores.memory import Composite
from mediaan.types.arrays import Float64

UNSEEN = (
    Augmentation("cropped by 6 % on the left and below, at 80 % of the size", crop=(0.06, 0.0, 0.0, 0.06), scale=0.8),
    Augmentation("mirrored, cropped by 3 %, slightly blurred", mirrored=True, crop=(0.03,) * 4, blur=0.001),
)
"""Changes that should not matter."""

DRAWS = 40
WEIGHT_SD = 0.4
"""Of the log of weights: two thirds of the draws are within a factor of 1.5 of the stated weight."""


def composite_interval(
    name: str, model: Composite, people: list[Measured], unseen: list[list[Measured]], scales: Scales
) -> Spread:
    """Fit the interval of a proxy on half of the pictures that were changed, check it on the others."""
    knots = scales.scores[name]
    scores = np.array([score(model, m, scales, knots) for m in people[::2]])
    rng = np.random.default_rng(0)
    residuals = []
    for _ in range(DRAWS):
        weights = {t.driver: t.weight * float(np.exp(rng.normal(0, WEIGHT_SD))) for t in model.terms}
        ranks = quantiles(np.array([model.raw(model.ranks(m.values, scales), weights) for m in people]))
        other = [score(model, repeats[int(rng.integers(len(UNSEEN)))], scales, ranks, weights) for repeats in unseen]
        residuals.append(np.array(other) - scores)
    return fit_interval(name, scores, np.array(residuals).T)


def score(
    model: Composite,
    measured: Measured,
    scales: Scales,
    knots: tuple[float, ...],
    weights: dict[str, float] | None = None,
) -> float:
    return percentile(model.raw(model.ranks(measured.values, scales), weights), knots)


def fit_interval(name: str, scores: Float64, residuals: Float64) -> Spread:
    """Fit on one half of the pictures, check on the other, then fit on all.

    Parameters
    ----------
    scores : (n,) float64
    residuals : (n,) or (n, k) float64
        Truth less score; several truths a picture are allowed.
    """
    residuals = residuals.reshape(len(scores), -1)
    fine = ~(np.isnan(scores) | np.isnan(residuals).any(axis=1))
    scores, residuals = scores[fine], residuals[fine]
    half = np.random.default_rng(1).permutation(len(scores)) % 2 == 0
    held_out = coverage(_fit(scores[half], residuals[half]), scores[~half], residuals[~half])
    whole = _fit(scores, residuals)
    width = np.mean([np.subtract(*whole.bounds(score)[::-1]) for score in scores])
    print(f"{name}: 90 % intervals cover {held_out:.1%} of held-out truth, mean width {width:.1f}")
    return whole


def _fit(scores: Float64, residuals: Float64) -> Spread:
    """As wide as 90 % of these truths need: quantiles by fifths of the score with lines between hold a little more."""
    spread = fit_spread(np.repeat(scores, residuals.shape[1]), residuals.ravel())

    def holds(factor: float) -> float:
        return coverage(Widening(0.0, factor).of(spread), scores, residuals)

    return Widening(0.0, FACTORS[bisect_left(FACTORS[:-1], 0.9, key=holds)]).of(spread)


def coverage(spread: Spread, scores: Float64, residuals: Float64) -> float:
    """Share of truths that lie within their interval; truths beyond the scale count as its end."""
    inside = []
    for value, row in zip(scores, residuals, strict=True):
        lo, hi = spread.bounds(float(np.clip(value, 0, 100)))
        truth = np.clip(value + row, 0, 100)
        inside.append((truth >= lo - 1e-9) & (truth <= hi + 1e-9))
    return float(np.mean(inside))
