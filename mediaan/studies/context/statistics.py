"""Ratios of paired shares with their intervals, by a bootstrap over draws."""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, inf, sqrt
from typing import Literal, NamedTuple

import numpy as np

from mediaan.metrics.intervals import ALPHA
from mediaan.studies.statistics import t_quantile
from mediaan.types.arrays import Float64

FEWEST_DRAWS = 4
"""Draws below which a ratio has no interval."""

_RESAMPLES = 4000
_SEED = 2
"""Of the resampling, the same for all, so that the same shares give the same interval."""

Verdict = Literal["more", "less", "no clear difference"]


class Ratio(NamedTuple):
    """A ratio of two shares, or a share, with its 90 % interval; None where it has none."""

    value: float
    lo: float | None
    hi: float | None

    def scaled(self, factor: float, most: float = inf) -> Ratio:
        """Multiply value and interval; the interval stops at `most`."""
        lo, hi = (None if bound is None else min(most, factor * bound) for bound in (self.lo, self.hi))
        return Ratio(min(most, factor * self.value), lo, hi)


def ratio_verdict(lo: float | None, hi: float | None) -> Verdict:
    """Return whether an interval of a ratio lies above 1, below, or neither."""
    if lo is not None and lo > 1:
        return "more"
    return "less" if hi is not None and hi < 1 else "no clear difference"


def bootstrap_ratio(shares: Sequence[float], others: Sequence[float]) -> Ratio:
    """Divide the mean of some shares by that of others drawn with them.

    The interval is the percentile bootstrap over draws, expanded for their small number: the quantiles are those of
    Student's t, scaled by sqrt(n / (n - 1)) (Hesterberg 2015, Am. Stat. 69, 371-386).

    Parameters
    ----------
    shares, others : sequence of float
        One each of every draw, the same draws in the same order; not all of `others` 0.

    Returns
    -------
    Ratio
        Without interval of fewer than four draws.

    Examples
    --------
    >>> bootstrap_ratio([0.2, 0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1])
    Ratio(value=2.0, lo=2.0, hi=2.0)
    """
    own, other = np.asarray(shares, np.float64), np.asarray(others, np.float64)
    value, n = float(own.mean() / other.mean()), len(own)
    if n < FEWEST_DRAWS:
        return Ratio(value, None, None)
    drawn = np.random.default_rng(_SEED).integers(n, size=(_RESAMPLES, n))
    below = other[drawn].mean(axis=1)
    ratios: Float64 = own[drawn].mean(axis=1)[below > 0] / below[below > 0]
    t = t_quantile(1 - ALPHA / 2, n - 1) * sqrt(n / (n - 1))
    tail = 0.5 * (1 - erf(t / sqrt(2)))
    lo, hi = np.quantile(ratios, [tail, 1 - tail])
    return Ratio(value, min(float(lo), value), max(float(hi), value))


def relative_sd_of_mean(shares: Sequence[float], usual: float) -> float:
    """Return the relative standard deviation of the mean share over draws.

    Parameters
    ----------
    shares : sequence of float
        Of attention, one of each draw.
    usual : float
        Relative standard deviation of a share under changes of an image that should not matter; what the draws add is
        their standard error.
    """
    values = np.asarray(shares, np.float64)
    mean = float(values.mean())
    if len(values) < 2 or mean <= 0:
        return usual
    return float(np.hypot(usual, values.std(ddof=1) / mean / sqrt(len(values))))
