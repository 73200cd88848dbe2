"""Statistics of `mediaan results` against scipy, published definitions and simulated truth."""

from __future__ import annotations

import numpy as np
import pytest
from budget import budget

from mediaan.studies.results import statistics
from mediaan.studies.results.statistics import (
    benjamini_hochberg,
    bootstrap,
    choose_folds,
    correlate,
    correlations,
    find_target,
    membership,
    permutation_p,
    predict_left_out,
    prediction,
    rank_in_groups,
)
from mediaan.types.arrays import Float64, Int64

scipy_stats = pytest.importorskip("scipy.stats")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "PERMUTATIONS", 999)
    monkeypatch.setattr(statistics, "REFITS", 99)
    monkeypatch.setattr(statistics, "RESAMPLES", 200)


def one_group(n: int) -> Int64:
    return np.zeros(n, np.int64)


def value(x: Float64, y: Float64, groups: Int64, weights: Float64) -> float:
    return bootstrap(x[:, None], y, groups, weights, np.random.default_rng(0))[0][0]


def test_one_group_is_spearman_also_with_ties() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        x, y = rng.integers(0, 6, 40).astype(float), rng.integers(0, 4, 40).astype(float)
        assert value(x, y, one_group(40), np.ones(40)) == pytest.approx(scipy_stats.spearmanr(x, y).statistic)


def test_a_resample_is_ranked_again() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 9, 30).astype(float), rng.normal(size=30)
    counts = rng.multinomial(30, np.full(30, 1 / 30), size=5).astype(float)
    ranks = [rank_in_groups(values, one_group(30), counts) for values in (x, y)]
    found = correlate(*ranks, one_group(30), counts, False)
    for row, r in zip(counts, found, strict=True):
        drawn = np.repeat(np.arange(30), row.astype(int))
        assert r == pytest.approx(scipy_stats.spearmanr(x[drawn], y[drawn]).statistic)


def test_groups_that_differ_in_level_alone_show_nothing() -> None:
    """Good campaigns have large logos; inside each, the logo has nothing to do with results (Simpson's paradox)."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(10), 20)
    x, y = rng.normal(size=200) + 5 * groups, rng.normal(size=200) + 5 * groups
    assert value(x, y, one_group(200), np.ones(200)) > 0.9
    assert abs(value(x, y, groups, np.ones(200))) < 0.2


def test_an_ad_of_weight_two_counts_like_two() -> None:
    rng = np.random.default_rng(4)
    ranks = rng.normal(size=(2, 1, 12))
    weights = rng.integers(1, 4, 12)
    weighted = correlate(ranks[0], ranks[1], one_group(12), weights[None].astype(float), True)
    twice = np.repeat(ranks, weights, axis=2)
    assert weighted[0] == pytest.approx(np.corrcoef(twice[0, 0], twice[1, 0])[0, 1])


def test_p_is_that_of_all_permutations() -> None:
    """Of 6 ads there are 720 orders: the exact p value is known."""
    x, y = np.array([1.0, 2, 3, 4, 5, 6]), np.array([1.0, 3, 2, 4, 6, 5])
    exact = scipy_stats.permutation_test(
        (x,), lambda a: scipy_stats.spearmanr(a, y).statistic, permutation_type="pairings", n_resamples=np.inf
    ).pvalue
    found = permutation_p(x[:, None], y, one_group(6), np.ones(6), np.random.default_rng(0))[0]
    assert found == pytest.approx(exact, abs=0.015)


def test_missing_values_and_a_constant_measure() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    x[:15, 1] = np.nan
    x[:, 2] = 7.0
    found = correlations(x, y, one_group(40), np.ones(40), rng)
    assert found[1].value == pytest.approx(scipy_stats.spearmanr(x[15:, 1], y[15:]).statistic)
    assert (found[2].value, found[2].p) == (0.0, 1.0)


def test_false_discoveries_are_those_of_scipy() -> None:
    p = np.random.default_rng(6).random(30) ** 2
    assert benjamini_hochberg(p) == pytest.approx(scipy_stats.false_discovery_control(p).tolist())


def test_false_claims_stay_at_the_stated_rate_and_true_ones_are_found() -> None:
    """Blocks of measures that resemble each other, as areas do; results go with one block, or with none."""
    rng, draws = np.random.default_rng(7), budget(60, 400)
    false, rates, found = 0, [], 0
    for _ in range(draws):
        blocks = [np.sqrt(0.7) * rng.normal(size=(100, 1)) + np.sqrt(0.3) * rng.normal(size=(100, 6)) for _ in range(7)]
        x = np.concatenate(blocks, axis=1)
        noise = np.array(benjamini_hochberg(permutation_p(x, rng.normal(size=100), one_group(100), np.ones(100), rng)))
        false += (noise <= 0.1).any()
        y = 0.5 * x[:, 0] + np.sqrt(0.75) * rng.normal(size=100)
        claims = np.array(benjamini_hochberg(permutation_p(x, y, one_group(100), np.ones(100), rng))) <= 0.1
        rates.append(claims[6:].sum() / max(1, claims.sum()))
        found += claims[0]
    assert false / draws <= 0.1 + 2 * np.sqrt(0.09 / draws)
    assert np.mean(rates) <= 0.1 + 0.03
    assert found / draws >= 0.9


def test_a_prediction_is_of_ads_that_were_not_seen() -> None:
    """Results of a fold do not change what is predicted of it."""
    rng = np.random.default_rng(8)
    x, y, folds = rng.normal(size=(60, 10)), rng.normal(size=60), choose_folds(None, 60, rng)
    other = np.where(folds == 0, 99.0, y)
    first, second = (predict_left_out(x, each, np.ones(60), folds) for each in (y, other))
    assert first[folds == 0] == pytest.approx(second[folds == 0])
    assert first[folds == 1] != pytest.approx(second[folds == 1])


def test_noise_is_not_predicted_and_many_small_things_are() -> None:
    rng = np.random.default_rng(9)
    groups = np.repeat(np.arange(8), 15)
    folds = choose_folds([str(group) for group in groups], 120, rng)
    noise = [
        prediction(rng.normal(size=(120, 40)), rng.normal(size=120), groups, np.ones(120), folds, rng).p
        for _ in range(20)
    ]
    assert sum(p <= 0.1 for p in noise) <= 6  # of 20, by chance 2
    x = rng.normal(size=(120, 40))
    y = x @ rng.normal(size=40) / np.sqrt(40) + rng.normal(size=120)
    assert prediction(x, y, groups, np.ones(120), folds, rng).p <= 0.02
    weights = rng.random(120) + 0.5
    assert prediction(x, y, groups, weights, folds, rng).p <= 0.02


def test_groups_are_left_out_whole() -> None:
    labels = [f"campaign {i % 23}" for i in range(200)]
    folds = choose_folds(labels, 200, np.random.default_rng(0))
    assert len(set(folds.tolist())) == 10
    for label in set(labels):
        assert len({fold for fold, own in zip(folds, labels, strict=True) if own == label}) == 1


@pytest.mark.parametrize("minimum", [True, False])
def test_three_quarters_of_the_best_fifth_reach_a_target(minimum: bool) -> None:
    rng = np.random.default_rng(10)
    result = rng.permutation(100).astype(float)
    measure = (result if minimum else -result) + rng.normal(size=100) * 20
    target = find_target(measure, result, one_group(100), np.ones(100), minimum=minimum, rng=rng)
    assert target.bounds is not None
    best = measure[result >= 80]
    reached = best >= target.value if minimum else best <= target.value
    assert (target.n, reached.sum()) == (20, 15 + 1)  # the ad at the target reaches it, too
    assert target.bounds[0] <= target.value <= target.bounds[1]


def test_a_target_that_nearly_all_reach_asks_for_nothing() -> None:
    result = np.arange(50.0)
    present = np.ones(50)
    present[:3] = 0.0
    for measure in (present, np.full(50, np.nan)):
        ads = result, one_group(50), np.ones(50)
        assert find_target(measure, *ads, minimum=True, rng=np.random.default_rng(0)) is None


def test_ads_that_tie_for_the_best_fifth_belong_to_it_alike() -> None:
    belongs = membership(np.array([1.0, 1, 0, 0, 1, 0, 0, 0, 0, 0]), one_group(10), np.ones((1, 10)))
    assert belongs[0].tolist() == pytest.approx([2 / 3, 2 / 3, 0, 0, 2 / 3, 0, 0, 0, 0, 0])
