"""Means of a score by period, with how sure each of them is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from mediaan.comparison.periods import Part, part_of
from mediaan.comparison.t_distribution import t_quantile
from mediaan.metrics.interval_probability import Z90
from mediaan.types.trend import PeriodKind, PeriodMean

BORROWED_DF = 4
"""Most degrees of freedom that a period's spread borrows from the other periods; see `Level`."""


@cache
def t90(df: int) -> float:
    """90 % of Student's t distribution lie within so many standard deviations."""
    return t_quantile(0.95, df)


class Showing(NamedTuple):
    """One medium on one date: its score with its 90 % interval, None where none is known."""

    day: date
    value: float
    lo: float | None
    hi: float | None


@dataclass(frozen=True, slots=True)
class Level:
    """The mean of a period, and the variance of it.

    A period stands for media like those that were made in it. Two things keep its mean from being that level: other
    media might have been made (`spread`), and the true scores of these lie around the predicted ones (`error`). A few
    media say little of their own spread, so each period borrows that of the other periods, as if it had been seen in up
    to `BORROWED_DF` more media (the moderated variance of Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3, with a fixed
    prior).

    Attributes
    ----------
    period : Part
    at : date
        Mean date of its media.
    n : int
    mean : float
    spread, error : float
        Variances of the mean; 0 where nothing is known.
    df : int
        Degrees of freedom of `spread`; 0 where no period has two media.
    arms : (float, float)
        From the mean down and up to the ends of the interval that the scores' own intervals give; 0 where they have
        none.
    """

    period: Part
    at: date
    n: int
    mean: float
    spread: float
    error: float
    df: int
    arms: tuple[float, float]

    def interval(self, low: float = -inf, high: float = inf) -> tuple[float, float] | None:
        """90 % interval within the range of the score; None where nothing is known of it."""
        down = up = t90(self.df) * sqrt(self.spread + self.error) if self.df else 0.0
        if not self.df:
            down, up = self.arms
            if down + up == 0:
                return None
        return max(low, self.mean - down), min(high, self.mean + up)


def levels(showings: Sequence[Showing], kind: PeriodKind, split: date | None = None) -> tuple[Level, ...]:
    """Means by period, in order; periods without media are absent.

    Parameters
    ----------
    showings : sequence of Showing
    kind : PeriodKind
    split : date, optional
        Cuts the period that it lies in.

    Examples
    --------
    >>> days = date(2024, 1, 5), date(2024, 1, 25), date(2024, 3, 1)
    >>> for level in levels([Showing(day, value, None, None) for day, value in zip(days, (40, 50, 60))], "month"):
    ...     print(level.period.name, level.at, level.n, level.mean)
    2024-01 2024-01-15 2 45.0
    2024-03 2024-03-01 1 60.0
    """
    by_period: dict[Part, list[Showing]] = defaultdict(list)
    for showing in showings:
        by_period[part_of(showing.day, kind, split)].append(showing)
    periods = sorted(by_period)
    values = [np.array([one.value for one in by_period[period]], np.float64) for period in periods]
    squares = np.array([float(((some - some.mean()) ** 2).sum()) for some in values])
    free = np.array([len(some) - 1 for some in values])
    return tuple(
        _level(period, by_period[period], float(squares[i]), *_borrowed(squares, free, i))
        for i, period in enumerate(periods)
    )


def _borrowed(squares: np.ndarray, free: np.ndarray, i: int) -> tuple[float, int]:
    """Variance within the other periods, and the degrees of freedom that it counts for."""
    others = int(free.sum() - free[i])
    return (float(squares.sum() - squares[i]) / others, min(others, BORROWED_DF)) if others else (0.0, 0)


def _level(period: Part, showings: Sequence[Showing], squares: float, borrowed: float, weight: int) -> Level:
    n = len(showings)
    df = weight + n - 1
    arms = [(one.value - one.lo, one.hi - one.value) for one in showings if one.lo is not None and one.hi is not None]
    down, up = (sqrt(sum(arm[side] ** 2 for arm in arms)) / n for side in (0, 1))
    return Level(
        period=period,
        at=date.fromordinal(round(sum(one.day.toordinal() for one in showings) / n)),
        n=n,
        mean=float(np.mean([one.value for one in showings])),
        spread=(squares + weight * borrowed) / df / n if df else 0.0,
        error=((down + up) / 2 / Z90) ** 2,
        df=df,
        arms=(down, up),
    )


def period_mean(level: Level, low: float, high: float) -> PeriodMean:
    """What is told of a period; low and high are the range of the score."""
    interval = level.interval(low, high) or (None, None)
    return _told(level, *interval)


def period_share(level: Level) -> PeriodMean:
    """What is told of a period whose scores are 0 and 100: a share, %, with Wilson's interval."""
    return _told(level, *wilson(level.mean, level.n))


def share_level(level: Level) -> Level:
    """Such a period with a spread of no less than Wilson's interval says: three of three are no proof of all."""
    low, high = wilson(level.mean, level.n)
    return replace(level, spread=max(level.spread, ((high - low) / 2 / Z90) ** 2), df=max(level.df, 1))


def wilson(share: float, n: int) -> tuple[float, float]:
    """90 % interval of a share of n, both in % (Wilson 1927, J. Am. Stat. Assoc. 22, 209-212).

    Examples
    --------
    >>> low, high = wilson(75.0, 4)
    >>> round(low, 1), round(high, 1)
    (35.6, 94.2)
    """
    part, z2 = share / 100, Z90**2
    centre = (part + z2 / 2 / n) / (1 + z2 / n)
    reach = Z90 / (1 + z2 / n) * sqrt(part * (1 - part) / n + z2 / 4 / n**2)
    return max(0.0, 100 * (centre - reach)), min(100.0, 100 * (centre + reach))


def _told(level: Level, lo: float | None, hi: float | None) -> PeriodMean:
    period = level.period
    return PeriodMean(period.name, period.first, period.last, level.at, level.n, level.mean, lo, hi)
