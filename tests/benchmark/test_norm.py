"""Norms: quantiles and their intervals, percentiles, and the categories between edges."""

from __future__ import annotations

import numpy as np
import pytest
from made_norms import norm
from scipy import stats

from mediaan.judge.benchmark import norm as resampling
from mediaan.judge.benchmark.norm import (
    PERCENTS,
    SEED,
    _round_scalar,
    quantile_intervals,
    quantiles_of,
    round_significant,
)
from mediaan.judge.benchmark.ranges import categorize, percentile_span
from mediaan.types.benchmark import CATEGORIES


def test_edges_are_the_quantiles_between_categories() -> None:
    one = norm(lo=np.arange(0.5, 99), hi=np.arange(1.5, 100))
    assert one.edges == (10, 30, 70, 90)
    assert one.edges_lo == (9.5, 29.5, 69.5, 89.5)
    assert one.edges_hi == (10.5, 30.5, 70.5, 90.5)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, 1), (25, 25), (25.25, 25.25), (99, 99), (0.99, 0.5), (-1e9, 0.5), (99.01, 99.5), (float("inf"), 99.5)],
)
def test_percentile_of_a_uniform_population(value: float, expected: float) -> None:
    assert norm().percentile(value) == pytest.approx(expected)


def test_a_run_of_equal_quantiles_gives_its_middle() -> None:
    at = [*range(1, 20), *[20] * 61, *range(80, 99 + 1)]  # 20 to 80 % have the value 20
    assert len(at) == 100
    one = norm(at[:99])
    assert one.percentile(20) == pytest.approx(50)
    assert one.percentile(20.001) > 80
    assert one.percentile(19.999) == pytest.approx(20, abs=0.01)


@pytest.mark.parametrize(("share", "expected"), [(0.6, 30), (0.2, 10)])
def test_a_run_at_the_lower_end_begins_at_zero(share: float, expected: float) -> None:
    many = round(share * 100)
    assert norm([*[0.0] * many, *range(1, 100 - many)]).percentile(0) == pytest.approx(expected, abs=0.5)


def test_percentile_agrees_with_the_mean_rank_of_a_large_sample() -> None:
    """Independent: scipy ranks the sample itself, ties by half; quantiles tell that to a percent."""
    rng = np.random.default_rng(1)
    for sample in (rng.normal(50, 15, 20_000), rng.poisson(3, 20_000).astype(float), rng.gamma(0.5, 3, 20_000)):
        one = norm(np.quantile(sample, np.asarray(PERCENTS) / 100, method="weibull"))
        for value in rng.choice(sample, 200):
            assert one.percentile(value) == pytest.approx(stats.percentileofscore(sample, value, "mean"), abs=1.01)


def test_percentile_is_total_and_never_falls() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        at = np.sort(rng.choice([rng.normal(size=99), rng.integers(0, 6, 99), rng.gamma(0.2, size=99)]))
        one = norm(at)
        values = np.sort(np.concatenate([at, rng.normal(0, 3, 300), [-np.inf, np.inf]]))
        found = [one.percentile(value) for value in values]
        assert 0 <= min(found) <= max(found) <= 100
        assert np.all(np.diff(found) >= 0)


def test_value_at_is_the_other_way_round() -> None:
    one = norm(np.sort(np.random.default_rng(3).normal(50, 10, 99)))
    for percent in (1, 10, 33.3, 50, 90, 99):
        assert one.percentile(one.value_at(percent)) == pytest.approx(percent, abs=0.01)
    assert one.value_at(0) == one.quantiles[0]
    assert one.value_at(100) == one.quantiles[-1]
    with pytest.raises(ValueError, match="0-100"):
        one.value_at(101)


def test_nan_stands_nowhere() -> None:
    with pytest.raises(ValueError, match="NaN"):
        norm().percentile(float("nan"))


def test_rounding_survives_float32() -> None:
    values = np.random.default_rng(4).gamma(0.1, 1e3, 5000)
    once = round_significant(values)
    assert np.abs(once - values).max() <= 5e-6 * values.max()
    assert np.array_equal(round_significant(once.astype(np.float32)), once)
    assert all(
        float(f"{value:.6g}") == pytest.approx(kept, rel=1e-14) for value, kept in zip(values, once, strict=True)
    )


def test_numbers_are_rounded_alike_alone_and_together() -> None:
    """A score that is one of the population is tied with it, whatever its digits."""
    rng = np.random.default_rng(6)
    spread = rng.normal(0, 10.0 ** rng.integers(-9, 9, 20_000))
    values = np.concatenate([spread, rng.integers(0, 10**7, 5000) / 10 + 0.05, [0.0, 5e-324, -1e12]])
    assert [_round_scalar(value) for value in values.tolist()] == round_significant(values).tolist()


def test_a_tie_is_a_tie_whatever_the_digits() -> None:
    """A third is kept to 6 digits; whoever has exactly that is tied with the population all the same."""
    assert norm(np.full(99, 100 / 3)).percentile(100 / 3) == 50


@pytest.mark.parametrize(
    ("percentile", "expected"),
    [
        *((0, "extreme_low"), (9.999999, "extreme_low"), (10, "low"), (29.999999, "low"), (30, "medium")),
        *((50, "medium"), (69.999999, "medium"), (70, "high"), (89.999999, "high"), (90, "extreme_high")),
        (100, "extreme_high"),
    ],
)
def test_each_edge_belongs_above_it(percentile: float, expected: str) -> None:
    assert categorize(percentile) == expected


def test_total_and_never_falling() -> None:
    rng = np.random.default_rng(1)
    percentiles = np.sort(np.concatenate([rng.uniform(0, 100, 5000), np.arange(0, 101.0)]))
    places = [CATEGORIES.index(categorize(value)) for value in percentiles.tolist()]
    assert np.all(np.diff(places) >= 0)
    assert set(places) == {0, 1, 2, 3, 4}


def test_shares_of_an_even_population() -> None:
    """By definition a population has 10, 20, 40, 20 and 10 % of its media in the categories."""
    found = [categorize(value) for value in np.arange(0.05, 100, 0.1).tolist()]
    assert [found.count(name) for name in CATEGORIES] == [100, 200, 400, 200, 100]


@pytest.mark.parametrize("first", range(5))
def test_a_span_holds_what_is_of_its_categories_and_nothing_else(first: int) -> None:
    for last in range(first, 5):
        low, high = percentile_span(CATEGORIES[first : last + 1])
        for percentile in np.arange(0, 100, 0.25).tolist():
            assert (low <= percentile < high) == (categorize(percentile) in CATEGORIES[first : last + 1])
    assert percentile_span(CATEGORIES) == (0, 100)


EDGES = np.array([10.0, 30.0, 70.0, 90.0])


def test_an_edge_parts_the_population_as_it_says_whatever_n() -> None:
    """The share of the population below P10 is 10 % on average over samples; by NumPy's default it is 12.6 %."""
    rng = np.random.default_rng(1)
    samples = rng.uniform(size=(20_000, 30))
    assert np.mean([quantiles_of(s, EDGES) for s in samples], axis=0) == pytest.approx(EDGES / 100, abs=0.003)
    assert np.quantile(samples, 0.1, axis=1).mean() == pytest.approx(0.126, abs=0.003)


def plainly(values: np.ndarray, groups: np.ndarray, percents: np.ndarray, resamples: int) -> np.ndarray:
    """Bootstrap one by one: groups are drawn, their values laid together, and numpy asked."""
    names = np.unique(groups)
    times = np.random.default_rng(SEED).multinomial(names.size, np.full(names.size, 1 / names.size), size=resamples)
    found = []
    for drawn in times:
        sample = np.concatenate([np.repeat(values[groups == g], k) for g, k in zip(names, drawn, strict=True)])
        found.append(np.quantile(sample, percents / 100, method="weibull"))
    return np.quantile(found, [0.05, 0.95], axis=0)


@pytest.mark.parametrize("cells", [10**7, 500])
def test_intervals_are_those_of_a_bootstrap_done_plainly(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in blocks, and with ties, few groups and the outermost quantiles."""
    monkeypatch.setattr(resampling, "_CELLS", cells)
    rng = np.random.default_rng(2)
    percents = np.array([1.0, 10.0, 50.0, 90.0, 99.0])
    for values in (rng.normal(size=60), rng.integers(0, 4, 60).astype(float)):
        groups = rng.integers(0, 12, 60)
        lo, hi = quantile_intervals(values, groups, percents, resamples=200)
        expected = plainly(values, groups, percents, 200)
        exact = quantiles_of(values, percents)
        assert lo == pytest.approx(np.minimum(expected[0], exact))
        assert hi == pytest.approx(np.maximum(expected[1], exact))


def test_intervals_agree_with_those_of_order_statistics() -> None:
    """Independent: ranks of the distribution-free interval follow from the binomial distribution alone."""
    n = 400
    values = (np.arange(n) + 0.5) / n
    lo, hi = quantile_intervals(values, np.arange(n), EDGES)
    assert lo == pytest.approx(stats.binom.ppf(0.05, n, EDGES / 100) / n, abs=0.006)
    assert hi == pytest.approx(stats.binom.ppf(0.95, n, EDGES / 100) / n, abs=0.006)


@pytest.mark.parametrize("draw", [stats.norm(50, 15), stats.uniform(0, 100), stats.expon(scale=20)])
@pytest.mark.parametrize("n", [30, 100])
def test_nine_of_ten_intervals_hold_the_true_edge(draw: stats.rv_continuous, n: int) -> None:
    rng = np.random.default_rng(4)
    truth, draws = draw.ppf(EDGES / 100), 250
    held = np.zeros(EDGES.size)
    for _ in range(draws):
        lo, hi = quantile_intervals(draw.rvs(n, random_state=rng), np.arange(n), EDGES, resamples=300)
        held += (lo <= truth) & (truth <= hi)
    assert np.all(held / draws > 0.82)
    assert np.mean(held / draws) == pytest.approx(0.9, abs=0.04)


def test_media_are_resampled_since_their_aois_resemble_each_other() -> None:
    """AOIs share their medium's level: resampling AOIs would promise too much, resampling media does not."""
    rng = np.random.default_rng(5)
    media, each, draws = 40, 10, 200
    groups = np.repeat(np.arange(media), each)
    truth = stats.norm(0, np.hypot(1, 0.4)).ppf(EDGES / 100)
    held = {"media": 0, "aois": 0}
    for _ in range(draws):
        values = np.repeat(rng.normal(size=media), each) + 0.4 * rng.normal(size=media * each)
        for name, by in (("media", groups), ("aois", np.arange(values.size))):
            lo, hi = quantile_intervals(values, by, EDGES, resamples=200)
            held[name] += int(((lo <= truth) & (truth <= hi)).sum())
    share = {name: count / (draws * EDGES.size) for name, count in held.items()}
    assert share["media"] == pytest.approx(0.9, abs=0.05)
    assert share["aois"] < 0.6
