"""Differences of scores: published intervals, coverage, and what must hold whatever the scores are."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from mediaan.studies.compare.differences import NO_INTERVAL, Estimate, subtract


def wilson(successes: int, n: int) -> Estimate:
    """A proportion with its 95 % score interval (Wilson 1927)."""
    z, share = 1.959964, successes / n
    middle, reach = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    return Estimate(share, (middle - reach) / (1 + z * z / n), (middle + reach) / (1 + z * z / n))


@pytest.mark.parametrize(
    ("a", "b", "published"),
    [
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
    ],
)
def test_intervals_are_those_that_newcombe_published(
    a: tuple[int, int], b: tuple[int, int], published: tuple[float, float]
) -> None:
    """Newcombe 1998, Stat. Med. 17, 873-890, table II, method 10, which is MOVER from Wilson's intervals."""
    found = subtract(wilson(*a), wilson(*b))
    assert (found.lo, found.hi) == pytest.approx(published, abs=6e-5)


def random_estimates(rng: np.random.Generator, count: int) -> list[Estimate]:
    values = rng.uniform(0, 100, count)
    widths = rng.uniform(0, 40, (count, 2)) * rng.choice([0.0, 1.0, 1.0, 1.0], (count, 2))
    return [
        Estimate(float(v), float(max(0, v - d)), float(min(100, v + u)))
        for v, (d, u) in zip(values, widths, strict=True)
    ]


def test_swapping_the_sides_mirrors_everything() -> None:
    rng = np.random.default_rng(1)
    for a, b in zip(random_estimates(rng, 300), random_estimates(rng, 300), strict=True):
        one, other = subtract(a, b), subtract(b, a)
        assert one.value == pytest.approx(-other.value)
        assert one.lo == pytest.approx(-other.hi)
        assert one.hi == pytest.approx(-other.lo)
        assert one.probability == pytest.approx(1 - other.probability)
        assert one.p == pytest.approx(other.p)


def test_the_interval_leaves_out_0_where_the_probability_is_beyond_95_percent() -> None:
    rng = np.random.default_rng(2)
    apart = 0
    for a, b in zip(random_estimates(rng, 2000), random_estimates(rng, 2000), strict=True):
        found = subtract(a, b)
        assert (found.lo > 0) == (found.probability > 0.95)
        assert (found.hi < 0) == (found.probability < 0.05)
        assert (found.p < 0.10) == (found.lo > 0 or found.hi < 0)
        apart += found.p < 0.10
    assert 500 < apart < 1500, "both cases must occur"


def test_nine_in_ten_intervals_hold_and_stated_probabilities_come_true() -> None:
    rng = np.random.default_rng(3)
    n = 20_000
    sds = rng.uniform(3, 20, (n, 2))
    seen = rng.normal(50, 15, (n, 2))
    truths = rng.normal(seen, sds)
    held, stated, right = [], [], []
    for (a, b), (sa, sb), (ta, tb) in zip(seen, sds, truths, strict=True):
        found = subtract(Estimate(a, a - 1.6449 * sa, a + 1.6449 * sa), Estimate(b, b - 1.6449 * sb, b + 1.6449 * sb))
        held.append(found.lo <= ta - tb <= found.hi)
        stated.append(found.probability)
        right.append(ta > tb)
    assert np.mean(held) == pytest.approx(0.90, abs=0.007)
    chances, came = np.array(stated), np.array(right)
    for low in np.arange(0, 1, 0.1):
        inside = (chances >= low) & (chances < low + 0.1)
        noise = 0.5 / np.sqrt(inside.sum())
        assert came[inside].mean() == pytest.approx(chances[inside].mean(), abs=4 * noise)


def test_scores_at_the_end_of_their_scale() -> None:
    nothing, some = Estimate(0.0, 0.0, 12.0), Estimate(30.0, 20.0, 45.0)
    same = subtract(nothing, nothing)
    assert (same.value, same.lo, same.hi, same.probability, same.p) == (0.0, -12.0, 12.0, 0.5, 1.0)
    less = subtract(nothing, some)
    assert less.lo == pytest.approx(-30 - 15)  # A cannot be lower than 0, only B higher
    assert less.hi == pytest.approx(-30 + sqrt(12**2 + 10**2))
    assert less.probability < 0.05


def test_what_cannot_be_told_is_said() -> None:
    known = Estimate(60.0, 50.0, 65.0)
    assert subtract(Estimate(None, reason="No text."), known).reason == "No text."
    assert subtract(Estimate(None, reason="No text."), known).value is None
    without = subtract(Estimate(50.0), known)
    assert (without.value, without.lo, without.probability, without.p) == (-10.0, None, None, None)
    assert without.reason == NO_INTERVAL


@pytest.mark.parametrize("slope", [0.4, 0.8])
def test_probabilities_come_true_where_truths_are_less_extreme_than_scores(slope: float) -> None:
    """Of a score whose truth follows a line that is flatter than it, as its interval says."""
    rng = np.random.default_rng(4)
    scores = rng.uniform(10, 90, (20_000, 2))
    expected = 50 + slope * (scores - 50)
    truths = rng.normal(expected, 12)
    held, stated, right = [], [], []
    for (a, b), (ea, eb), (ta, tb) in zip(scores, expected, truths, strict=True):
        sides = (Estimate(v, min(v, e - 19.738), max(v, e + 19.738)) for v, e in ((a, ea), (b, eb)))
        found = subtract(*sides, from_middles=True)
        assert found.lo <= found.value <= found.hi
        held.append(found.lo <= ta - tb <= found.hi)
        stated.append(found.probability)
        right.append(ta > tb)
    assert np.mean(held) == pytest.approx(0.91, abs=0.015)
    chances, came = np.array(stated), np.array(right)
    for low in np.arange(0, 1, 0.1):
        inside = (chances >= low) & (chances < low + 0.1)
        assert came[inside].mean() == pytest.approx(chances[inside].mean(), abs=0.03)


def test_neither_side_is_more_probable_where_middles_and_values_disagree() -> None:
    found = subtract(Estimate(78.0, 50.0, 100.0), Estimate(80.0, 40.0, 82.0), from_middles=True)
    assert (found.probability, found.p) == (0.5, 1.0)
    assert found.lo < -2.0 < 0 < found.hi
