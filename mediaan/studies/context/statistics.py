"""Compare the attention of an ad with what is expected of its place, and with that of other pictures there."""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, sqrt

import numpy as np

from mediaan.metrics.intervals import ALPHA
from mediaan.studies.context.result import ContextScore
from mediaan.studies.context.specs import SPECS
from mediaan.studies.statistics import t_quantile
from mediaan.types.arrays import Float64

FEWEST_DRAWS = 4
"""Draws below which a ratio has no interval."""

_RESAMPLES = 4000
_SEED = 2
"""Of the resampling, the same for all, so that the same shares give the same interval."""


def against_expected(
    attention: ContextScore, name: str, ratio: str, expected: float | None, reason: str
) -> tuple[ContextScore, ContextScore]:
    """Compare attention with what is expected of a place.

    `attention`: of the ad, %.
    `name`, `ratio`: metrics of what is expected, and of how many times that the ad gets; its interval is that of the
        attention.
    `expected`: share of attention, 0-1; None where it is not known.
    `reason`: why there is no ratio, where nothing is expected or known.
    """
    without_ratio = ContextScore.of(SPECS[ratio], None, reason=reason)
    if expected is None or attention.value is None:
        return ContextScore.of(SPECS[name], None, reason=reason), without_ratio
    score = ContextScore.of(SPECS[name], 100 * expected)
    if expected <= 0:
        return score, without_ratio
    factor = 0.01 / expected
    lo, hi = (None if bound is None else factor * bound for bound in (attention.lo, attention.hi))
    return score, ContextScore.of(SPECS[ratio], factor * attention.value, (lo, hi))


def against_others(ad: Sequence[float], others: Sequence[float]) -> tuple[ContextScore, ContextScore]:
    """Compare shares, 0-1, with those of other pictures at the same place, one each of every draw."""
    mean = float(np.mean(others))
    score = ContextScore.of(SPECS["others"], 100 * mean)
    if mean <= 0:
        reason = "Others get no attention there."
        return score, ContextScore.of(SPECS["ratio_to_others"], None, reason=reason)
    value, *bounds = bootstrap_ratio(ad, others)
    return score, ContextScore.of(SPECS["ratio_to_others"], value, (bounds[0], bounds[1]))


def bootstrap_ratio(shares: Sequence[float], others: Sequence[float]) -> tuple[float, float | None, float | None]:
    """Divide the mean of some shares by that of others drawn with them.

    The interval is the percentile bootstrap over draws, expanded for their small number: the quantiles are those of
    Student's t, scaled by sqrt(n / (n - 1)) (Hesterberg 2015, Am. Stat. 69, 371-386).

    `shares`, `others`: one each of every draw, the same draws in the same order; not all of `others` 0.
    Returns (float, float or None, float or None): value, and 90 % interval; there is none of fewer than four draws.

    >>> bootstrap_ratio([0.2, 0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1])
    (2.0, 2.0, 2.0)
    """
    above, below = np.asarray(shares, np.float64), np.asarray(others, np.float64)
    value, n = float(above.mean() / below.mean()), len(above)
    if n < FEWEST_DRAWS:
        return value, None, None
    drawn = np.random.default_rng(_SEED).integers(n, size=(_RESAMPLES, n))
    means = below[drawn].mean(axis=1)
    ratios: Float64 = above[drawn].mean(axis=1)[means > 0] / means[means > 0]
    t = t_quantile(1 - ALPHA / 2, n - 1) * sqrt(n / (n - 1))
    tail = 0.5 * (1 - erf(t / sqrt(2)))
    lo, hi = np.quantile(ratios, [tail, 1 - tail])
    return value, min(float(lo), value), max(float(hi), value)
