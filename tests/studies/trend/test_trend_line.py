"""Means of periods and the line through them, against hand-worked values, other implementations and simulation."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from scipy import optimize, stats

from mediaan.studies.trend.dates import PeriodKind
from mediaan.studies.trend.statistics import (
    BORROWED_DF,
    SHARE_UNIT,
    DatedScore,
    Trend,
    TrendLine,
    decide_trends,
    fit_line,
    measure_trend,
    period_levels,
    period_mean,
    wilson,
)

START = date(2024, 1, 1)
EMPTY = Trend(None, None, "focus", "Focus", "total", "score", (), 0, "year")


def showing(day: date, value: float, half: float | None = None) -> DatedScore:
    return DatedScore(value, *((None, None) if half is None else (value - half, value + half)), day=day)


def monthly(values: list[list[float]], half: float | None = None) -> list[DatedScore]:
    days = [date(2024 + i // 12, i % 12 + 1, 15) for i in range(len(values))]
    return [showing(day, value, half) for day, some in zip(days, values, strict=True) for value in some]


def line(days: list[float], means: list[float], spread: list[float], error: list[float] | None = None) -> TrendLine:
    found = fit_line(*(np.array(some, np.float64) for some in (days, means, spread, error or [0.0] * len(days))))
    assert isinstance(found, TrendLine), found
    return found


# means


def test_a_period_borrows_the_spread_of_the_others() -> None:
    """January: 40, 60; February: 50, 52, 54; March: 70. Worked by hand."""
    january, february, march = period_levels(monthly([[40, 60], [50, 52, 54], [70]]), "month")
    assert BORROWED_DF == 4
    assert (january.mean, january.n, january.df) == (50, 2, 3)
    assert january.spread == pytest.approx((200 + 2 * (8 / 2)) / 3 / 2)
    assert (february.mean, february.df) == (52, 3)
    assert february.spread == pytest.approx((8 + 1 * 200) / 3 / 3)
    assert (march.mean, march.df) == (70, 3)
    assert march.spread == pytest.approx(208 / 3)
    low, high = march.interval() or (0, 0)
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.95, 3) * (208 / 3) ** 0.5)


def test_errors_of_scores_widen_the_mean() -> None:
    bare = period_levels(monthly([[40, 60], [45, 55]]), "month")[0]
    wide = period_levels(monthly([[40, 60], [45, 55]], half=8.0), "month")[0]
    assert wide.error == pytest.approx((8 / stats.norm.ppf(0.95)) ** 2 / 2)
    assert wide.spread == bare.spread
    reach = stats.t.ppf(0.95, wide.df) * (wide.spread + wide.error) ** 0.5
    assert wide.interval() == pytest.approx((50 - reach, 50 + reach))


def test_single_media_alone_keep_their_own_intervals() -> None:
    (january, february) = period_levels(
        [DatedScore(60, 48, 66, day=START), DatedScore(50, day=date(2024, 2, 1))], "month"
    )
    assert january.interval() == (48, 66)
    assert february.interval() is None


def test_intervals_stay_within_the_range_of_the_score() -> None:
    first = period_levels(monthly([[90, 99], [10, 99]]), "month")[0]
    told = period_mean(first, 0, 100)
    assert told.hi == 100
    assert told.lo is not None
    assert told.lo < told.mean < 100


def test_wilson_against_its_definition() -> None:
    """Its ends are the shares from which the one that was found is 1.645 standard errors away."""
    z = stats.norm.ppf(0.95)
    for found, n in ((0, 5), (3, 7), (1, 1), (40, 50)):
        share = found / n
        low, high = wilson(100 * share, n)
        for end in {low, high} - {0.0, 100.0}:
            assert abs(share - end / 100) == pytest.approx(z * (end / 100 * (1 - end / 100) / n) ** 0.5)
        assert low <= 100 * share <= high


# the line


def test_equal_periods_give_least_squares() -> None:
    days, means = [0.0, 31, 59, 90, 120], [50.0, 53, 49, 57, 58]
    found, known = line(days, means, [0.0] * 5), stats.linregress(days, means)
    assert found.slope == pytest.approx(known.slope)
    assert found.deviation == pytest.approx(known.stderr)
    assert found.p == pytest.approx(known.pvalue)
    assert found.heights == pytest.approx(known.intercept + known.slope * np.array(days))


def test_the_variance_between_periods_solves_its_equation() -> None:
    """Paule and Mandel: weighted residuals are as large as their degrees of freedom; solved here in another way."""
    rng = np.random.default_rng(3)
    days, spread = np.arange(10) * 30.0, rng.uniform(1, 30, 10)
    means = 50 + rng.normal(0, 9, 10)
    design = np.stack([np.ones(10), days], axis=1)

    def weighted(between: float) -> tuple[np.ndarray, np.ndarray, float]:
        inverse = np.diag(1 / (spread + between))
        covariance = np.linalg.inv(design.T @ inverse @ design)
        coefficients = covariance @ design.T @ inverse @ means
        rest = means - design @ coefficients
        return coefficients, covariance, float(rest @ inverse @ rest)

    between = optimize.brentq(lambda tau: weighted(tau)[2] - 8, 0, 1e4)
    coefficients, covariance, _ = weighted(between)
    found = fit_line(days, means, spread, np.zeros(10))
    assert isinstance(found, TrendLine)
    assert found.slope == pytest.approx(coefficients[1], rel=1e-6)
    assert found.deviation == pytest.approx(covariance[1, 1] ** 0.5, rel=1e-6)


def test_a_sure_period_pulls_more_than_an_unsure_one() -> None:
    means = [50.0, 50, 50, 80]
    assert line([0, 1, 2, 3], means, [4, 4, 4, 400]).slope < line([0, 1, 2, 3], means, [4, 4, 4, 4]).slope / 3


def test_errors_that_do_not_show_widen_the_slope() -> None:
    days, means = [0.0, 1, 2, 3, 4], [50.0, 51, 49, 52, 50]
    deviations = [line(days, means, [2.0] * 5, [error] * 5).deviation for error in (0.0, 1.0, 3.0)]
    assert deviations == pytest.approx([(2 / 10) ** 0.5, (3 / 10) ** 0.5, (5 / 10) ** 0.5])


def test_what_is_no_line() -> None:
    assert fit_line(*np.zeros((4, 2))) == "too few periods for a line: 2 of 3"
    exact = fit_line(np.arange(3.0), np.array([10.0, 20, 30]), np.zeros(3), np.zeros(3))
    assert isinstance(exact, str)
    assert "how certain they are is unknown" in exact
    flat = line([0, 1, 2], [70, 70, 70], [0, 0, 0])
    assert (flat.slope, flat.reach, flat.p) == (0, 0, 1)


def test_mirrored_scores_and_other_units() -> None:
    rng = np.random.default_rng(5)
    days, means, spread = np.arange(8) * 30.0, rng.normal(50, 8, 8), rng.uniform(1, 9, 8)
    one, mirrored = line(days, means, spread), line(days, 100 - means, spread)
    assert mirrored.slope == pytest.approx(-one.slope)
    assert (mirrored.deviation, mirrored.p) == pytest.approx((one.deviation, one.p))
    scaled = line(days, 10 * means, 100 * spread)
    assert (scaled.slope, scaled.p) == pytest.approx((10 * one.slope, one.p), rel=1e-6)
    later = line(days + 9000, means, spread)
    assert (later.slope, later.p) == pytest.approx((one.slope, one.p), rel=1e-9)


# the trend


@pytest.mark.parametrize(("per", "days"), [("day", 1), ("week", 7), ("month", 365.2425 / 12)])
def test_a_slope_is_that_of_its_unit_of_time(per: PeriodKind, days: float) -> None:
    scores = monthly([[40 + i, 44 + i] for i in range(24)])
    trend, yearly = (measure_trend(replace(EMPTY, per=kind), scores, "month") for kind in (per, "year"))
    assert trend.slope == pytest.approx((yearly.slope or 0) * days / 365.2425)


def test_gaps_are_not_filled() -> None:
    some = monthly([[50, 51], [52, 53], [], [], [54, 55]])
    trend = measure_trend(EMPTY, some, "month")
    assert [one.period for one in trend.periods] == ["2024-01", "2024-02", "2024-05"]
    assert len(trend.line) == 3


def test_one_medium_per_period_still_has_a_slope() -> None:
    values = [50.0, 54, 47, 52, 49, 55, 46, 51, 53, 48, 52, 50]
    trend = measure_trend(EMPTY, monthly([[value] for value in values], half=6), "month")
    assert [(one.lo, one.hi) for one in trend.periods] == [(value - 6, value + 6) for value in values]
    assert trend.slope_lo is not None
    assert trend.slope_hi is not None
    assert trend.slope_lo < 0 < trend.slope_hi


def test_a_step_between_periods_that_are_alike_is_a_t_test_of_their_means() -> None:
    """One medium per period, no intervals: Student's test of the two groups."""
    values = [50.0, 54, 47, 52, 61, 66, 58, 63, 60]
    trend = measure_trend(EMPTY, monthly([[value] for value in values]), "month", split=date(2024, 5, 1))
    before, after = values[:4], values[4:]
    known = stats.ttest_ind(after, before)
    low, high = known.confidence_interval(0.9)
    assert (trend.change, trend.p) == pytest.approx((np.mean(after) - np.mean(before), known.pvalue))
    assert (trend.change_lo, trend.change_hi) == pytest.approx((low, high))
    assert (trend.line[0], trend.line[-1]) == pytest.approx((np.mean(before), np.mean(after)))
    assert (trend.slope, decide_trends([trend])[0].verdict) == (None, "rises")


def test_a_split_cuts_the_period_that_it_lies_in() -> None:
    some = [showing(date(2024, 5, day), value) for day, value in ((3, 10), (16, 20), (17, 90), (30, 80))]
    trend = measure_trend(EMPTY, some, "month", split=date(2024, 5, 17))
    assert [(one.period, one.last.day, one.mean) for one in trend.periods] == [
        ("2024-05 before", 16, 15),
        ("2024-05 after", 31, 85),
    ]
    assert trend.reason == "too few periods for a line: 2 of 3"
    early = measure_trend(EMPTY, some, "day", split=date(2024, 6, 1))
    assert early.reason == "no media after 2024-06-01"


def test_a_share_of_all_is_not_certain() -> None:
    trend = measure_trend(replace(EMPTY, unit=SHARE_UNIT), monthly([[100.0] * 3] * 6), "month", low=0, high=100)
    assert (trend.periods[0].mean, trend.periods[0].hi) == (100, 100)
    assert trend.periods[0].lo == pytest.approx(100 / (1 + stats.norm.ppf(0.95) ** 2 / 3))
    assert trend.slope == pytest.approx(0)
    assert (trend.slope_hi or 0) > 1


def test_holm_counts_only_what_could_be_told() -> None:
    """0.01 x 3 = .03; .04 x 2 = .08; .06 x 1, but not below the one before."""
    some = [replace(EMPTY, change=change, p=p) for change, p in ((1.0, 0.01), (-1.0, 0.04), (1.0, 0.06))]
    found = decide_trends([*some, replace(EMPTY, reason="too few")])
    assert [one.p_corrected for one in found] == pytest.approx([0.03, 0.08, 0.08, None])
    assert [one.verdict for one in found] == ["rises", "falls", "rises", "undefined"]
    assert {one.n_trends for one in found} == {3}
    alone = decide_trends([replace(EMPTY, change=1.0, p=0.1)])
    assert alone[0].verdict == "no_trend"


# simulation; the larger one is models/training/trend_checks.py


def simulated(rng: np.random.Generator, slope: float, months: float, n: int = 120) -> Trend:
    days = rng.integers(720, size=n)
    own = rng.normal(0, months, 25)
    values = 50 + slope * days / 365.2425 + own[days // 30] + rng.normal(0, 15, n)
    some = [
        showing(START + timedelta(days=int(day)), float(value), 8.0) for day, value in zip(days, values, strict=True)
    ]
    return decide_trends([measure_trend(EMPTY, some, "month")])[0]


@pytest.mark.parametrize("months", [0.0, 8.0])
def test_no_trend_is_rarely_told_and_a_true_slope_is_held(months: float) -> None:
    rng = np.random.default_rng(1)
    still = [simulated(rng, 0.0, months) for _ in range(150)]
    assert sum(one.verdict != "no_trend" for one in still) <= 0.16 * 150  # 10 %, and 2.4 standard errors
    moving = [simulated(rng, 20.0, months) for _ in range(150)]
    assert sum(one.slope_lo <= 20 <= one.slope_hi for one in moving) >= 0.84 * 150  # type: ignore[operator]
    assert sum(one.verdict == "rises" for one in moving) >= 0.8 * 150
    assert sum(one.verdict == "falls" for one in moving) == 0
