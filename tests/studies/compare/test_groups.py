"""Groups of media, of which some may resemble each other: means, differences, and how often chance tells them apart."""

from __future__ import annotations

import numpy as np
import pytest
from compared_results import result_of
from scipy import stats

from mediaan.studies.compare.differences import (
    Estimate,
    ScoreKey,
    cluster_mean,
    cluster_media,
    estimate,
    group_mean,
    subtract_means,
    subtract_paired,
)
from mediaan.studies.statistics import t_cdf, t_quantile
from mediaan.types.result import Result


def plain(values: np.ndarray) -> list[Estimate]:
    return [Estimate(float(value)) for value in values]


def test_students_t_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    for t, df in zip(rng.normal(0, 5, 500), np.exp(rng.uniform(0, 13, 500)), strict=True):
        assert t_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), abs=1e-8)
    for share, df in zip(rng.uniform(0.01, 0.99, 100), np.exp(rng.uniform(0, 13, 100)), strict=True):
        assert t_quantile(share, df) == pytest.approx(stats.t.ppf(share, df), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_without_errors_it_is_welchs_test(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(50, 10, 3 + seed), rng.normal(55, 25, 12)
    found, known = subtract_means(plain(a), plain(b)), stats.ttest_ind(a, b, equal_var=False)
    interval = known.confidence_interval(0.90)
    assert found.value == pytest.approx(a.mean() - b.mean())
    assert (found.lo, found.hi) == pytest.approx((interval.low, interval.high))
    assert found.p == pytest.approx(known.pvalue)
    assert found.probability == pytest.approx(1 - known.pvalue / 2 if found.value > 0 else known.pvalue / 2)
    assert "spread between media alone" in (found.reason or "") or "only the spread" in (found.reason or "")


def test_paired_without_errors_it_is_students_test() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(50, 20, 8)
    b = a + rng.normal(4, 3, 8)
    found = subtract_paired(list(zip(plain(a), plain(b), strict=True)))
    known = stats.ttest_rel(a, b)
    # scores without intervals have differences without intervals: the spread of the pairs alone counts
    assert found.p == pytest.approx(known.pvalue)
    assert (found.lo, found.hi) == pytest.approx(tuple(known.confidence_interval(0.90)))
    unpaired = subtract_means(plain(a), plain(b))
    assert found.p < unpaired.p / 3


def test_errors_of_scores_widen_the_interval() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(50, 5, 10)
    sure = [Estimate(float(v), float(v) - 0.01, float(v) + 0.01) for v in values]
    unsure = [Estimate(float(v), float(v) - 30, float(v) + 30) for v in values]
    assert group_mean(unsure).hi - group_mean(unsure).lo > 3 * (group_mean(sure).hi - group_mean(sure).lo)
    assert group_mean(sure).value == group_mean(unsure).value


def test_nine_in_ten_intervals_hold_the_difference_of_the_populations() -> None:
    """Scores as a fitted model gives them: the truth lies around each, and media differ."""
    rng = np.random.default_rng(3)
    held = []
    for _ in range(800):
        groups, means = [], []
        for mean, size in ((50.0, 5), (58.0, 9)):
            scores, error = rng.normal(mean, 12, size), 10.0
            groups.append([Estimate(float(s), float(s) - 1.645 * error, float(s) + 1.645 * error) for s in scores])
            # the truth of these media, of which the population's mean differs by chance alone
            means.append(np.mean(rng.normal(scores, error)) - np.mean(scores) + mean)
        found = subtract_means(*groups)
        held.append(found.lo <= means[0] - means[1] <= found.hi)
    assert np.mean(held) == pytest.approx(0.90, abs=0.03)


def test_small_groups_have_no_interval_and_say_so() -> None:
    two = plain(np.array([40.0, 60.0]))
    found = subtract_means(two, plain(np.array([1.0, 2.0, 3.0, 4.0])))
    assert found.value == pytest.approx(47.5)
    assert (found.lo, found.p) == (None, None)
    assert "Only 2 in the group" in (found.reason or "")
    assert subtract_means([], two).value is None


def test_undefined_scores_are_left_out_and_counted() -> None:
    found = group_mean([*plain(np.array([10.0, 20.0, 30.0])), Estimate(None, reason="No text.")])
    assert (found.value, found.n) == (20.0, 3)


FOCUS = ScoreKey("focus", "total")


def medium(name: str, value: float | None) -> Result:
    return result_of(name, {("focus", "total"): Estimate(value, reason="dark")})


def test_media_are_put_together_by_their_cluster() -> None:
    media = [medium("a", 10.0), medium("b", 50.0), medium("c", 30.0), medium("d", 99.0)]
    found = cluster_media(media, {"a": "x", "c": "x", "b": "y"})
    assert [[medium.path for medium in cluster] for cluster in found] == [["a", "c"], ["b"]]
    assert [estimate(cluster, FOCUS).value for cluster in found] == [20.0, 50.0]


def test_groups_of_few_campaigns_are_told_apart_by_chance_as_seldom_as_stated() -> None:
    """Five campaigns of six media on each side, half of the variance in common, no difference: 10 % at most."""
    rng = np.random.default_rng(1)
    draws, media_told, clusters_told = 300, 0, 0
    for _ in range(draws):
        groups = [[[*map(Estimate, row)] for row in (rng.normal(size=(5, 1)) + rng.normal(size=(5, 6))).tolist()]
                  for _ in "ab"]  # fmt: skip
        media = subtract_means(*([one for campaign in group for one in campaign] for group in groups))
        clusters = subtract_means(*([cluster_mean(campaign) for campaign in group] for group in groups))
        media_told += (media.p or 0.0) < 0.1
        clusters_told += (clusters.p or 0.0) < 0.1
    assert clusters_told / draws == pytest.approx(0.1, abs=0.04)
    assert media_told / draws > 0.3
