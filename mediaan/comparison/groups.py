"""Groups of media, such as two campaigns: the difference of their means."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np

from mediaan.comparison.difference import Difference, Estimate, subtract, two_sided
from mediaan.comparison.t_distribution import t_cdf, t_quantile
from mediaan.metrics.interval_probability import Z90

FEWEST = 3
"""Media below which a group has no interval: two values say next to nothing of their spread."""

SPREAD_ALONE = "The scores have no intervals: only the spread between media counts."


def mean_of(estimates: Sequence[Estimate], low: float = -inf, high: float = inf) -> Estimate:
    """Mean of the scores of a group's media, with its 90 % interval.

    The group stands for others like it, made for the same purpose. So the interval holds both how much its media differ
    and how far the score of each may be from the truth.

    Parameters
    ----------
    estimates : sequence of Estimate
        One of each medium; those that are undefined are left out.
    low, high : float
        Range of the score, within which the interval stays.

    Returns
    -------
    Estimate
        Without an interval where there are fewer than three.

    Examples
    --------
    >>> mean = mean_of([Estimate(v) for v in (40.0, 50.0, 60.0)])  # 2.92 * 10 / sqrt(3)
    >>> round(mean.value, 2), round(mean.lo, 2), round(mean.hi, 2), mean.n
    (50.0, 33.14, 66.86, 3)
    """
    values = _values(estimates)
    if not values:
        return Estimate(None, reason="No medium of the group has a value.", n=0)
    mean = float(np.mean(values))
    if len(values) < FEWEST:
        return Estimate(mean, reason=_too_few(len(values)), n=len(values))
    reach = t_quantile(0.95, len(values) - 1) * sqrt(_variance(estimates) / len(values))
    return Estimate(mean, max(low, mean - reach), min(high, mean + reach), _note(estimates), len(values))


def subtract_means(a: Sequence[Estimate], b: Sequence[Estimate]) -> Difference:
    """Difference of the means of two groups that have no media in common (Welch 1947, Biometrika 34, 28-35).

    Parameters
    ----------
    a, b : sequence of Estimate
        One of each medium; those that are undefined are left out.

    Returns
    -------
    Difference
        Without an interval where a group has fewer than three.
    """
    means = mean_of(a), mean_of(b)
    if means[0].value is None or means[1].value is None:
        return subtract(*means)
    value = means[0].value - means[1].value
    if means[0].arms is None or means[1].arms is None:
        return Difference(value, reason=_said(means))
    parts = [_variance(group) / mean.n for group, mean in zip((a, b), means, strict=True)]
    weights = [part**2 / (mean.n - 1) for part, mean in zip(parts, means, strict=True)]
    return _by_t(value, sqrt(sum(parts)), sum(parts) ** 2 / sum(weights) if sum(weights) else inf, _said(means))


def subtract_paired(pairs: Sequence[tuple[Estimate, Estimate]], factor: float = 1.0) -> Difference:
    """Mean of the differences of media that belong together, such as one design in two languages.

    Parameters
    ----------
    pairs : sequence of pairs of Estimate
        Those of which one is undefined are left out.
    factor : float
        As of `subtract`.

    Returns
    -------
    Difference
        Without an interval where there are fewer than three pairs.
    """
    found = [subtract(a, b, factor) for a, b in pairs]
    estimates = [Estimate(one.value, one.lo, one.hi) for one in found]
    mean = mean_of(estimates)
    if mean.value is None or mean.arms is None:
        return Difference(mean.value, reason=mean.reason)
    return _by_t(mean.value, sqrt(_variance(estimates) / mean.n), mean.n - 1, mean.reason)


def _by_t(value: float, deviation: float, df: float, reason: str | None) -> Difference:
    df = min(df, 1e6)
    if deviation == 0:
        probability = 0.5 if value == 0 else float(value > 0)
        return Difference(value, value, value, probability, two_sided(probability), reason)
    reach, probability = t_quantile(0.95, df) * deviation, t_cdf(value / deviation, df)
    return Difference(value, value - reach, value + reach, probability, two_sided(probability), reason)


def _values(estimates: Sequence[Estimate]) -> list[float]:
    return [one.value for one in estimates if one.value is not None]


def _variance(estimates: Sequence[Estimate]) -> float:
    """Of one medium's true score around the mean of its kind: spread between media, and the error of one score."""
    errors = [(sum(one.arms) / 2 / Z90) ** 2 for one in estimates if one.arms is not None]
    return float(np.var(_values(estimates), ddof=1) + (np.mean(errors) if errors else 0.0))


def _note(estimates: Sequence[Estimate]) -> str | None:
    return None if any(one.arms is not None for one in estimates) else SPREAD_ALONE


def _too_few(count: int) -> str:
    return f"A group of {count}: too few for an interval, which takes {FEWEST}."


def _said(means: Sequence[Estimate]) -> str | None:
    return " ".join(dict.fromkeys(mean.reason for mean in means if mean.reason)) or None
