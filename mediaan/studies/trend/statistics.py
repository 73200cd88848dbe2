"""Hold scores of media over time, and fit a straight line, or one step, through the means of periods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cache
from math import inf, sqrt
from typing import Any, Literal

import numpy as np
from pydantic_core import to_jsonable_python

from mediaan.metrics.scales import ALPHA
from mediaan.studies.statistics import holm, t_cdf, t_quantile
from mediaan.studies.trend.dates import PeriodKind, PeriodPart, part_of
from mediaan.types.arrays import Float64
from mediaan.types.densities import Window
from mediaan.types.metrics import Z90, Interval

TrendVerdict = Literal["rises", "falls", "no_trend", "undefined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodMean(Interval):
    """The mean of one score in one period.

    It has no interval where a single medium without an interval of its own is all that there is.
    """

    value: float

    period: str
    """Such as ``2024-05-17``, ``2024-W20``, ``2024-05``, ``2024-Q2`` or ``2024``."""
    first: date
    last: date
    """first, last: Its first and last day."""
    at: date
    """Mean date of its media."""
    n: int
    """Media with a value."""

    @property
    def mean(self) -> float:
        """The same as `value`, as tables and pages call it."""
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; dates as they are."""
        return {name: getattr(self, name) for name in ("period", "first", "last", "at", "n", "mean", "lo", "hi")}


@dataclass(frozen=True, slots=True)
class Trend:
    """One score of one group of media over time."""

    group: str | None
    """None where media are not grouped."""
    aoi_type: str | None
    """None for a score of the media; otherwise the score is that of each medium's best AOI of that type."""
    metric: str
    title: str
    metric_time: Window
    unit: str
    periods: tuple[PeriodMean, ...]
    """In order; those without media are absent."""
    n: int
    """Media with a value, each once per date."""
    per: PeriodKind
    """What the slope is per."""
    slope: float | None = None
    slope_lo: float | None = None
    slope_hi: float | None = None
    """slope, slope_lo, slope_hi: Of a straight line through the means, with its 90 % interval, in the score's unit;
    None for a step."""
    change: float | None = None
    change_lo: float | None = None
    change_hi: float | None = None
    """change, change_lo, change_hi: The same over the whole time, from the first period to the last one; or the height
    of a step."""
    line: tuple[float, ...] = ()
    """Height of that line, or step, at each period; empty where there is none."""
    p: float | None = None
    p_corrected: float | None = None
    """p, p_corrected: Two-sided probability of such a slope by chance where there is none, and the same corrected for
    the number of trends."""
    n_trends: int = 0
    """How many were looked at together."""
    verdict: TrendVerdict = "undefined"
    """no_trend: none can be told."""
    reason: str | None = None
    """Why it is undefined."""


@dataclass(frozen=True)
class Trends:
    """Scores of runs over time."""

    runs: tuple[str, ...]
    dates: str
    """Where dates come from, in words."""
    period: PeriodKind
    first: date
    last: date
    """first, last: First and last day of all periods."""
    by: str | None
    """What media are grouped by."""
    groups: dict[str, int]
    """Mapping of str to int. Media by group, the largest first; empty where they are not grouped."""
    split: date | None
    """Day from which on a step is looked for; None where slopes are."""
    n: int
    """Media, each once per date."""
    undated: tuple[tuple[str, str], ...]
    """Tuple of (str, str). Path of each medium without a date, and why."""
    notes: tuple[str, ...]
    """What to bear in mind."""
    trends: tuple[Trend, ...] = field(repr=False)
    """By score, then by group."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; dates as ISO 8601."""
        content = asdict(self)
        for written, trend in zip(content["trends"], self.trends, strict=True):
            written["periods"] = [period.to_dict() for period in trend.periods]
        undated = [{"path": path, "reason": reason} for path, reason in self.undated]
        plain: dict[str, Any] = to_jsonable_python(content | {"undated": undated})
        return plain


BORROWED_DF = 4
"""Most degrees of freedom that a period's spread borrows from the other periods; see `PeriodLevel`."""


@cache
def t90(df: int) -> float:
    """Return within how many standard deviations 90 % of Student's t distribution lie."""
    return t_quantile(0.95, df)


@dataclass(frozen=True, slots=True)
class DatedScore(Interval):
    """The score of one medium on one date."""

    value: float
    day: date = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class PeriodLevel:
    """The mean of a period, and the variance of it.

    A period stands for media like those that were made in it. Two things keep its mean from being that level: other
    media might have been made (`spread`), and the true scores of these lie around the predicted ones (`error`). A few
    media say little of their own spread, so each period borrows that of the other periods, as if it had been seen in up
    to `BORROWED_DF` more media (the moderated variance of Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3, with a fixed
    prior).
    """

    period: PeriodPart
    at: date
    """Mean date of its media."""
    n: int
    mean: float
    spread: float
    error: float
    """spread, error: Variances of the mean; 0 where nothing is known."""
    df: int
    """Degrees of freedom of `spread`; 0 where no period has two media."""
    half_widths: tuple[float, float]
    """(float, float). From the mean down and up to the ends of the interval that the scores' own intervals give; 0
    where they have none."""

    def interval(self, low: float = -inf, high: float = inf) -> tuple[float, float] | None:
        """Return the 90 % interval within the range of the score; None where nothing is known of it."""
        down = up = t90(self.df) * sqrt(self.spread + self.error) if self.df else 0.0
        if not self.df:
            down, up = self.half_widths
            if down + up == 0:
                return None
        return max(low, self.mean - down), min(high, self.mean + up)


def period_levels(scores: Sequence[DatedScore], kind: PeriodKind, split: date | None = None) -> tuple[PeriodLevel, ...]:
    """Average scores by period, in order; periods without media are absent.

    `split`: cuts the period that it lies in.
    """
    by_period: dict[PeriodPart, list[DatedScore]] = defaultdict(list)
    for score in scores:
        by_period[part_of(score.day, kind, split)].append(score)
    periods = sorted(by_period)
    values = [np.array([score.value for score in by_period[period]], np.float64) for period in periods]
    squares = [float(((of_period - of_period.mean()) ** 2).sum()) for of_period in values]
    free = [len(of_period) - 1 for of_period in values]
    levels = []
    for i, period in enumerate(periods):
        of_period, n = by_period[period], len(by_period[period])
        free_elsewhere = sum(free) - free[i]
        borrowed_df = min(free_elsewhere, BORROWED_DF)
        borrowed = (float(np.sum(squares)) - squares[i]) / free_elsewhere if free_elsewhere else 0.0
        df = borrowed_df + free[i]
        bounded = [(score.value, *score.bounds) for score in of_period if score.bounds]
        down = sqrt(sum((value - lo) ** 2 for value, lo, _ in bounded)) / n
        up = sqrt(sum((hi - value) ** 2 for value, _, hi in bounded)) / n
        levels.append(
            PeriodLevel(
                period=period,
                at=date.fromordinal(round(sum(score.day.toordinal() for score in of_period) / n)),
                n=n,
                mean=float(values[i].mean()),
                spread=(squares[i] + borrowed_df * borrowed) / df / n if df else 0.0,
                error=((down + up) / 2 / Z90) ** 2,
                df=df,
                half_widths=(down, up),
            )
        )
    return tuple(levels)


def period_mean(level: PeriodLevel, low: float = -inf, high: float = inf, *, is_share: bool = False) -> PeriodMean:
    """Make what is told of a period.

    `is_share`: whether scores are 0 and 100, so that the mean is a share, %, with Wilson's interval.
    """
    lo, hi = wilson(level.mean, level.n) if is_share else level.interval(low, high) or (None, None)
    first, last, name = level.period
    return PeriodMean(value=level.mean, lo=lo, hi=hi, period=name, first=first, last=last, at=level.at, n=level.n)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Compute the 90 % interval of a share of n, both in % (Wilson 1927, J. Am. Stat. Assoc. 22, 209-212)."""
    part, z2 = share / 100, Z90**2
    centre = (part + z2 / 2 / n) / (1 + z2 / n)
    reach = Z90 / (1 + z2 / n) * sqrt(part * (1 - part) / n + z2 / 4 / n**2)
    return max(0.0, 100 * (centre - reach)), min(100.0, 100 * (centre + reach))


MIN_PERIODS = 3
"""Periods that a slope takes: through two there is always a line."""

DAYS: dict[PeriodKind, float] = {"day": 1.0, "week": 7.0, "month": 365.2425 / 12, "year": 365.2425}
"""Length of what a slope can be per, days."""

SHARE_UNIT = "% of files"
"""Of scores that are 0 or 100 of each medium, and of which the mean is a share."""

_LONG_ENOUGH: tuple[tuple[PeriodKind, float], ...] = (("year", 270.0), ("month", 60.0), ("week", 14.0))
_FLAT = 1e-12  # of a variance, as a share of the squared size of the values: rounding


@dataclass(frozen=True, slots=True)
class TrendLine:
    """A straight line through the means of periods."""

    slope: float
    deviation: float
    """slope, deviation: Per day, or of a step its height; and its standard error."""
    heights: Float64
    """(K,) float64. At each period."""
    df: int
    """Degrees of freedom: periods less two."""

    @property
    def p(self) -> float:
        """Two-sided probability of such a slope where there is none."""
        if self.deviation == 0:
            return 1.0
        return min(1.0, 2 * t_cdf(-abs(self.slope) / self.deviation, self.df))

    @property
    def reach(self) -> float:
        """Half the width of the slope's 90 % interval."""
        return t90(self.df) * self.deviation


def fit_line(at: Float64, means: Float64, spread: Float64, error: Float64) -> TrendLine | str:
    """Fit a line to means of periods, as studies are put together (random-effects meta-regression).

    Periods differ by more than their media explain: a campaign, a season. That variance between periods is estimated
    by Paule and Mandel's method (1982, J. Res. NBS 87, 377-385) from how far the means lie off the line; each period
    weighs by the inverse of it and its own. Student's t with K - 2 degrees of freedom then holds a test at its level
    also with few periods (Knapp & Hartung 2003, Stat. Med. 22, 2693-2710).

    `at` (K,) float64: where each period lies, in days; or 0 before a date and 1 after it, for a step: its height is the
        slope then.
    `means`: (K,) float64.
    `spread` (K,) float64: variance of each mean by which media there were: it shows in how far the means lie off the
        line.
    `error` (K,) float64: variance of each by how far true scores are off the predicted ones, which does not show.
    Returns: why there is none: fewer than three periods, or means that lie on a line with nothing known of their
        errors.
    """
    if len(at) < MIN_PERIODS:
        return f"too few periods for a line: {len(at)} of {MIN_PERIODS}"
    x = at - at.mean()
    between = _between_periods(x, means, spread)
    variance = between + spread + error
    if variance.min() <= _FLAT * max(1.0, float(np.square(means).max())):
        slope, heights = _line(x, means, np.ones_like(x))
        if abs(slope) * float(np.ptp(x)) > 1e-6 * max(1.0, float(np.abs(means).max())):
            return "the means lie exactly on a line, and how certain they are is unknown"
        return TrendLine(0.0, 0.0, heights, len(x) - 2)
    slope, heights = _line(x, means, 1 / variance)
    weight = 1 / variance
    middle = float((weight * x).sum() / weight.sum())
    return TrendLine(slope, float((weight * (x - middle) ** 2).sum()) ** -0.5, heights, len(x) - 2)


def _line(x: Float64, y: Float64, weight: Float64) -> tuple[float, Float64]:
    """Fit weighted least squares: slope and heights."""
    x_middle, y_middle = (float((weight * values).sum() / weight.sum()) for values in (x, y))
    slope = float((weight * (x - x_middle) * y).sum() / (weight * (x - x_middle) ** 2).sum())
    return slope, y_middle + slope * (x - x_middle)


def _between_periods(x: Float64, y: Float64, spread: Float64) -> float:
    """Estimate the variance between periods that makes residuals as large as expected; 0 where spread explains them."""
    df = len(x) - 2
    most = float(np.square(y - _line(x, y, np.ones_like(x))[1]).sum())
    tiny = _FLAT * max(1.0, float(np.square(y).max()))
    if most <= tiny or _weighted_residuals(x, y, spread + tiny) <= df:
        return 0.0
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _weighted_residuals(x, y, spread + middle) > df else (low, middle)
    return high


def _weighted_residuals(x: Float64, y: Float64, variance: Float64) -> float:
    """Sum the squares of the residuals, weighted."""
    return float((np.square(y - _line(x, y, 1 / variance)[1]) / variance).sum())


def slope_unit(days: float) -> PeriodKind:
    """Choose what slopes are per, by how long the dates span: not per year after eight weeks.

    >>> slope_unit(700), slope_unit(90), slope_unit(5)
    ('year', 'month', 'day')
    """
    return next((unit for unit, least in _LONG_ENOUGH if days >= least), "day")


def measure_trend(
    trend: Trend,
    scores: Sequence[DatedScore],
    kind: PeriodKind,
    *,
    low: float = -inf,
    high: float = inf,
    split: date | None = None,
) -> Trend:
    """Complete a trend that says what it is of.

    `scores`: media with a value, each once per date.
    `low`, `high`: range of the score; one whose unit is `SHARE_UNIT` has its own.
    `split`: look for a step between the days before it and those from it on, and not for a slope.
    """
    levels = period_levels(scores, kind, split)
    is_share = trend.unit == SHARE_UNIT
    periods = tuple(period_mean(level, low, high, is_share=is_share) for level in levels)
    spreads = [level.spread for level in levels]
    if is_share:  # three of three are no proof of all: spreads are as wide as Wilson's intervals
        widths = [high - low for low, high in (wilson(level.mean, level.n) for level in levels)]
        spreads = [max(spread, (width / 2 / Z90) ** 2) for spread, width in zip(spreads, widths, strict=True)]
    trend = replace(trend, periods=periods, n=len(scores))
    at = [level.at.toordinal() if split is None else level.period.first >= split for level in levels]
    if len(set(at)) < 2 and split:
        return replace(trend, reason=f"no media {'before' if at[0] else 'after'} {split}")
    columns = [level.mean for level in levels], spreads, [level.error for level in levels]
    means, spread, error = (np.array(column, np.float64) for column in columns)
    line = fit_line(np.array(at, np.float64), means, spread, error)
    if isinstance(line, str):
        return replace(trend, reason=line)
    trend = replace(trend, line=tuple(line.heights.tolist()), p=line.p)
    low_end, high_end = line.slope - line.reach, line.slope + line.reach
    if split:
        return replace(trend, change=line.slope, change_lo=low_end, change_hi=high_end)
    per, days = DAYS[trend.per], (periods[-1].at - periods[0].at).days
    return replace(
        trend,
        slope=per * line.slope,
        slope_lo=per * low_end,
        slope_hi=per * high_end,
        change=days * line.slope,
        change_lo=days * low_end,
        change_hi=days * high_end,
    )


def decide_trends(trends: Sequence[Trend]) -> tuple[Trend, ...]:
    """Correct trends that are looked at together for being many, and say of each what can be told."""
    p_values = [trend.p for trend in trends if trend.p is not None]
    corrected = iter(holm(p_values))
    decided = []
    for trend in trends:
        verdict: TrendVerdict = trend.verdict
        p_corrected = None
        if trend.p is not None:
            assert trend.change is not None
            p_corrected = next(corrected)
            verdict = "no_trend" if p_corrected >= ALPHA else "rises" if trend.change > 0 else "falls"
        decided.append(replace(trend, n_trends=len(p_values), p_corrected=p_corrected, verdict=verdict))
    return tuple(decided)
