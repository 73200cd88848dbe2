"""Does a score rise or fall over time? A straight line, or one step, through the means of periods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import inf

import numpy as np

from mediaan.comparison.multiplicity import ALPHA, holm
from mediaan.comparison.period_means import Level, Showing, levels, period_mean, period_share, share_level, t90
from mediaan.comparison.t_distribution import t_cdf
from mediaan.types.arrays import Float64
from mediaan.types.trend import PeriodKind, Trend, TrendVerdict

FEWEST = 3
"""Periods that a slope takes: through two there is always a line."""

DAYS: dict[PeriodKind, float] = {"day": 1.0, "week": 7.0, "month": 365.2425 / 12, "year": 365.2425}
"""Length of what a slope can be per, days."""

SHARE_UNIT = "% of media"
"""Of scores that are 0 or 100 of each medium, and of which the mean is a share."""

_LONG_ENOUGH: tuple[tuple[PeriodKind, float], ...] = (("year", 270.0), ("month", 60.0), ("week", 14.0))
_FLAT = 1e-12  # of a variance, as a share of the squared size of the values: rounding


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line through the means of periods.

    Attributes
    ----------
    slope, deviation : float
        Per day, or of a step its height; and its standard error.
    heights : (K,) float64
        At each period.
    df : int
        Degrees of freedom: periods less two.
    """

    slope: float
    deviation: float
    heights: Float64
    df: int

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


def fit_line(at: Float64, means: Float64, spread: Float64, error: Float64) -> Line | str:
    """Fit a line to means of periods, as studies are put together (random-effects meta-regression).

    Periods differ by more than their media explain: a campaign, a season. That variance between periods is estimated
    by Paule and Mandel's method (1982, J. Res. NBS 87, 377-385) from how far the means lie off the line; each period
    weighs by the inverse of it and its own. Student's t with K - 2 degrees of freedom then holds a test at its level
    also with few periods (Knapp & Hartung 2003, Stat. Med. 22, 2693-2710).

    Parameters
    ----------
    at : (K,) float64
        Where each period lies, in days; or 0 before a date and 1 after it, for a step: its height is the slope then.
    means : (K,) float64
    spread : (K,) float64
        Variance of each mean by which media there were: it shows in how far the means lie off the line.
    error : (K,) float64
        Variance of each by how far true scores are off the predicted ones, which does not show.

    Returns
    -------
    Line or str
        Why there is none: fewer than three periods, or means that lie on a line with nothing known of their errors.

    Examples
    --------
    >>> line = fit_line(np.arange(4.0), np.array([10.0, 12.0, 11.0, 13.0]), np.zeros(4), np.zeros(4))
    >>> round(line.slope, 3), round(line.deviation, 3)  # as least squares have it
    (0.8, 0.424)
    """
    if len(at) < FEWEST:
        return f"too few periods for a line: {len(at)} of {FEWEST}"
    x = at - at.mean()
    between = _between_periods(x, means, spread)
    variance = between + spread + error
    if variance.min() <= _FLAT * max(1.0, float(np.square(means).max())):
        return _exact(x, means)
    slope, heights = _line(x, means, 1 / variance)
    weight = 1 / variance
    middle = float((weight * x).sum() / weight.sum())
    return Line(slope, float((weight * (x - middle) ** 2).sum()) ** -0.5, heights, len(x) - 2)


def _line(x: Float64, y: Float64, weight: Float64) -> tuple[float, Float64]:
    """Slope and heights of weighted least squares."""
    x_middle, y_middle = (float((weight * some).sum() / weight.sum()) for some in (x, y))
    slope = float((weight * (x - x_middle) * y).sum() / (weight * (x - x_middle) ** 2).sum())
    return slope, y_middle + slope * (x - x_middle)


def _exact(x: Float64, y: Float64) -> Line | str:
    """Where neither spread nor errors are known, and no mean lies off the line."""
    slope, heights = _line(x, y, np.ones_like(x))
    if abs(slope) * float(np.ptp(x)) > 1e-6 * max(1.0, float(np.abs(y).max())):
        return "the means lie on a line to the last digit, and nothing is known of how sure they are"
    return Line(0.0, 0.0, heights, len(x) - 2)


def _between_periods(x: Float64, y: Float64, spread: Float64) -> float:
    """Variance between periods that makes residuals as large as they should be; 0 where spread explains them."""
    df = len(x) - 2
    most = float(np.square(y - _line(x, y, np.ones_like(x))[1]).sum())
    tiny = _FLAT * max(1.0, float(np.square(y).max()))
    if most <= tiny or _off(x, y, spread + tiny) <= df:
        return 0.0
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _off(x, y, spread + middle) > df else (low, middle)
    return high


def _off(x: Float64, y: Float64, variance: Float64) -> float:
    """Weighted sum of squares of the residuals."""
    return float((np.square(y - _line(x, y, 1 / variance)[1]) / variance).sum())


def slope_unit(days: float) -> PeriodKind:
    """What slopes are per, by how long the dates span: not per year after eight weeks.

    Examples
    --------
    >>> slope_unit(700), slope_unit(90), slope_unit(5)
    ('year', 'month', 'day')
    """
    return next((unit for unit, least in _LONG_ENOUGH if days >= least), "day")


def measure_trend(
    trend: Trend,
    showings: Sequence[Showing],
    kind: PeriodKind,
    *,
    low: float = -inf,
    high: float = inf,
    split: date | None = None,
) -> Trend:
    """Complete a trend that says what it is of.

    Parameters
    ----------
    trend : Trend
        Without periods.
    showings : sequence of Showing
        Media with a value, each once per date.
    kind : PeriodKind
    low, high : float
        Range of the score; one whose unit is `SHARE_UNIT` has its own.
    split : date, optional
        Look for a step between the days before it and those from it on, and not for a slope.
    """
    found = levels(showings, kind, split)
    share = trend.unit == SHARE_UNIT
    periods = tuple(period_share(one) if share else period_mean(one, low, high) for one in found)
    trend = replace(trend, periods=periods, n=len(showings))
    line = _through([share_level(one) for one in found] if share else found, split)
    if isinstance(line, str):
        return replace(trend, reason=line)
    return _with_step(trend, line) if split else _with_slope(trend, line)


def _through(found: Sequence[Level], split: date | None) -> Line | str:
    at = [one.at.toordinal() if split is None else one.period.first >= split for one in found]
    if len(set(at)) < 2 and split:
        return f"no media {'before' if at[0] else 'after'} {split}"
    columns = at, [one.mean for one in found], [one.spread for one in found], [one.error for one in found]
    return fit_line(*(np.array(column, np.float64) for column in columns))


def _with_step(trend: Trend, line: Line) -> Trend:
    return replace(
        trend,
        change=line.slope,
        change_lo=line.slope - line.reach,
        change_hi=line.slope + line.reach,
        line=tuple(line.heights.tolist()),
        p=line.p,
    )


def _with_slope(trend: Trend, line: Line) -> Trend:
    days = DAYS[trend.per]
    whole = (trend.periods[-1].at - trend.periods[0].at).days
    ends = line.slope - line.reach, line.slope + line.reach
    return replace(
        trend,
        slope=days * line.slope,
        slope_lo=days * ends[0],
        slope_hi=days * ends[1],
        change=whole * line.slope,
        change_lo=whole * ends[0],
        change_hi=whole * ends[1],
        line=tuple(line.heights.tolist()),
        p=line.p,
    )


def settle_trends(trends: Sequence[Trend]) -> tuple[Trend, ...]:
    """Correct trends that are looked at together for being many, and say of each what can be told."""
    known = [trend.p for trend in trends if trend.p is not None]
    corrected = iter(holm(known))
    return tuple(
        replace(trend, n_trends=len(known))
        if trend.p is None
        else _settled(replace(trend, n_trends=len(known), p_corrected=next(corrected)))
        for trend in trends
    )


def _settled(trend: Trend) -> Trend:
    assert trend.change is not None
    assert trend.p_corrected is not None
    moved: TrendVerdict = "rises" if trend.change > 0 else "falls"
    return replace(trend, verdict=moved if trend.p_corrected < ALPHA else "no_trend")
