from __future__ import annotations

import numpy as np
import pytest
from made_norms import norm
from scipy import stats

from mediaan.judge.benchmark.norm import PERCENTS, _round_scalar, round_significant


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


def test_what_everybody_has_stands_in_the_middle() -> None:
    one = norm(np.full(99, 100.0))
    assert one.percentile(100) == 50
    assert one.percentile(99) == 0.5
    assert one.percentile(101) == 99.5


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


def test_norms_do_not_change() -> None:
    with pytest.raises(ValueError, match="read-only"):
        norm().quantiles[0] = 5
