"""Subtract scores, means of groups and paired scores, with 90 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, sqrt

import numpy as np

from mediaan.metrics.scales import probability_above
from mediaan.studies.statistics import t_cdf, t_quantile
from mediaan.types.metrics import Z90, Interval

NO_INTERVAL = "No interval is known."


@dataclass(frozen=True, slots=True)
class Estimate(Interval):
    """A score, or the mean of several."""

    reason: str | None = None
    """Why it is undefined."""
    n: int = 1
    """Media that it rests on."""

    @property
    def half_widths(self) -> tuple[float, float] | None:
        """Distances from the value down and up to the ends of the interval, both at least 0; None without one."""
        if self.value is None or self.bounds is None:
            return None
        lo, hi = self.bounds
        return max(0.0, self.value - lo), max(0.0, hi - self.value)

    def expected(self) -> Estimate:
        """Move the value to the middle of the interval, which is where the truth is expected.

        What people say of a picture with an extreme score is less extreme on average (regression to the mean), and the
        interval of a score says so: it reaches further towards the middle of the scale than away from it.
        """
        return self if self.bounds is None else replace(self, value=sum(self.bounds) / 2)


@dataclass(frozen=True, slots=True)
class ScoreDifference(Interval):
    """First less second."""

    probability: float | None = None
    """That the first one's true score is the higher one, 0-1; the interval leaves out 0 where it is above .95 or below
    .05."""
    p: float | None = None
    """Two-sided: how often chance alone makes a difference so large where there is none, 0-1."""
    reason: str | None = None
    """Why some of it is not known."""


def subtract(a: Estimate, b: Estimate, factor: float = 1.0, *, from_middles: bool = False) -> ScoreDifference:
    """Subtract two scores with independent errors.

    The interval is recovered from those of the scores (MOVER: Zou & Donner 2008, Stat. Med. 27, 1693-1702): what could
    make the difference smaller is A being lower and B being higher than stated, so that these two half-widths add in
    quadrature below, and the other two above. Half-widths end where a scale does: beyond 100 there is nothing.

    `factor`: by which the half-widths of the interval are multiplied, see `mediaan.metrics.scales.WIDENED`.
    `from_middles`: whether truths are expected in the middle of intervals and not at the values, see
        `Estimate.expected`: so of scores, but not of shares, which lie where half of the truths are lower. The interval
        is then that around the difference of the middles, extended to the difference of the values. Where these two
        disagree about the side, neither side is more probable.

    >>> d = subtract(Estimate(60.0, 50.0, 64.0), Estimate(40.0, 35.0, 55.0))  # below: 10 and 15, above: 4 and 5
    >>> [round(end, 2) for end in (d.value, d.lo, d.hi)], round(d.probability, 3)
    ([20.0, 1.97, 26.4], 0.966)
    """
    reason = " ".join(dict.fromkeys(score.reason for score in (a, b) if score.reason)) or None
    if a.value is None or b.value is None:
        return ScoreDifference(None, reason=reason or "It is undefined.")
    value = a.value - b.value
    if a.half_widths is None or b.half_widths is None:
        return ScoreDifference(value, reason=reason or NO_INTERVAL)
    center = value
    if from_middles:
        a, b = a.expected(), b.expected()
        assert a.value is not None
        assert b.value is not None
        center = a.value - b.value
    assert a.half_widths is not None
    assert b.half_widths is not None
    (a_down, a_up), (b_down, b_up) = a.half_widths, b.half_widths
    below, above = factor * hypot(a_down, b_up), factor * hypot(a_up, b_down)
    probability = probability_above(center, below, above) if center * value > 0 else 0.5
    ends = min(value, center - below), max(value, center + above)
    return ScoreDifference(value, *ends, probability, two_sided_p(probability), reason)


def two_sided_p(probability: float) -> float:
    """Return the two-sided p value that belongs to a probability of being higher.

    >>> round(two_sided_p(0.95), 3), two_sided_p(0.5)
    (0.1, 1.0)
    """
    return min(1.0, 2 * min(probability, 1 - probability))


MIN_GROUP = 3
"""Media below which a group has no interval: two values say next to nothing of their spread."""

NO_SCORE_INTERVALS = "The scores have no intervals: only the spread between files counts."


def group_mean(estimates: Sequence[Estimate], low: float = -inf, high: float = inf) -> Estimate:
    """Average the scores of a group's media, with a 90 % interval.

    The group stands for others like it, made for the same purpose. So the interval holds both how much its media differ
    and how far the score of each may be from the truth.

    `estimates`: one of each medium; those that are undefined are left out.
    `low`, `high`: range of the score, within which the interval stays.
    Returns: without an interval where there are fewer than three.

    >>> mean = group_mean([Estimate(v) for v in (40.0, 50.0, 60.0)])  # 2.92 * 10 / sqrt(3)
    >>> round(mean.value, 2), round(mean.lo, 2), round(mean.hi, 2), mean.n
    (50.0, 33.14, 66.86, 3)
    """
    values = [score.value for score in estimates if score.value is not None]
    n = len(values)
    if not values:
        return Estimate(None, reason="No file of the group has a value.", n=0)
    mean = float(np.mean(values))
    if n < MIN_GROUP:
        return Estimate(mean, reason=f"Only {n} in the group; an interval needs {MIN_GROUP}.", n=n)
    reach = t_quantile(0.95, n - 1) * sqrt(_variance(estimates) / n)
    note = None if any(score.half_widths is not None for score in estimates) else NO_SCORE_INTERVALS
    return Estimate(mean, max(low, mean - reach), min(high, mean + reach), note, n)


def subtract_means(a: Sequence[Estimate], b: Sequence[Estimate]) -> ScoreDifference:
    """Subtract the means of two groups that have no media in common (Welch 1947, Biometrika 34, 28-35).

    `a`, `b`: one of each medium; those that are undefined are left out.
    Returns: without an interval where a group has fewer than three.
    """
    means = group_mean(a), group_mean(b)
    if means[0].value is None or means[1].value is None:
        return subtract(*means)
    value = means[0].value - means[1].value
    reason = " ".join(dict.fromkeys(mean.reason for mean in means if mean.reason)) or None
    if means[0].half_widths is None or means[1].half_widths is None:
        return ScoreDifference(value, reason=reason)
    parts = [_variance(group) / mean.n for group, mean in zip((a, b), means, strict=True)]
    weights = [part**2 / (mean.n - 1) for part, mean in zip(parts, means, strict=True)]
    df = sum(parts) ** 2 / sum(weights) if sum(weights) else inf
    return _t_difference(value, sqrt(sum(parts)), df, reason)


def subtract_paired(pairs: Sequence[tuple[Estimate, Estimate]], factor: float = 1.0) -> ScoreDifference:
    """Average the differences of media that belong together, such as one design in two languages.

    `pairs`: those of which one is undefined are left out.
    `factor`: as of `subtract`.
    Returns: without an interval where there are fewer than three pairs.
    """
    differences = [subtract(a, b, factor) for a, b in pairs]
    estimates = [Estimate(difference.value, difference.lo, difference.hi) for difference in differences]
    mean = group_mean(estimates)
    if mean.value is None or mean.half_widths is None:
        return ScoreDifference(mean.value, reason=mean.reason)
    return _t_difference(mean.value, sqrt(_variance(estimates) / mean.n), mean.n - 1, mean.reason)


def _t_difference(value: float, deviation: float, df: float, reason: str | None) -> ScoreDifference:
    """Give a difference of means the interval and probability of Student's t, from its standard error."""
    df = min(df, 1e6)
    if deviation == 0:
        probability = 0.5 if value == 0 else float(value > 0)
        return ScoreDifference(value, value, value, probability, two_sided_p(probability), reason)
    reach, probability = t_quantile(0.95, df) * deviation, t_cdf(value / deviation, df)
    return ScoreDifference(value, value - reach, value + reach, probability, two_sided_p(probability), reason)


def _variance(estimates: Sequence[Estimate]) -> float:
    """Estimate the variance of a medium's true score in its group: spread between media, plus the error of a score."""
    errors = [(sum(score.half_widths) / 2 / Z90) ** 2 for score in estimates if score.half_widths is not None]
    values = [score.value for score in estimates if score.value is not None]
    return float(np.var(values, ddof=1) + (np.mean(errors) if errors else 0.0))
