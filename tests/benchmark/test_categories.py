from __future__ import annotations

import numpy as np
import pytest

from mediaan.judge.benchmark.ranges import categorize, percentile_span
from mediaan.types.benchmark import CATEGORIES


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
