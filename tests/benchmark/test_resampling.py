"""Quantiles and their intervals, against theory and against plainer ways of computing them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mediaan.judge.benchmark import norm as resampling
from mediaan.judge.benchmark.norm import SEED, quantile_intervals, quantiles_of

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


def test_the_same_values_have_the_same_intervals() -> None:
    values, groups = np.random.default_rng(3).normal(size=50), np.arange(50)
    assert np.array_equal(quantile_intervals(values, groups, EDGES), quantile_intervals(values, groups, EDGES))


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
