"""Rankings: who is the best, and the letters of those that cannot be told apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from compared_results import result_of

from mediaan.studies.compare.differences import Estimate, ScoreKey, subtract
from mediaan.studies.compare.pairs import all_pairs, decide
from mediaan.studies.compare.ranking import (
    VariantRanking,
    best_probabilities,
    compact_letters,
    indistinguishable_groups,
    letter_name,
    normal_cdf,
    rank,
)
from mediaan.types.metrics import Z90


def random_pairs(rng: np.random.Generator, count: int) -> list[tuple[int, int]]:
    """Told apart by chance alone, or by intervals of different widths."""
    if rng.uniform() < 0.5:
        return [pair for pair in combinations(range(count), 2) if rng.uniform() < 0.4]
    at, width = np.sort(rng.uniform(0, 100, count)), rng.uniform(1, 30, count)
    return [(i, j) for i, j in combinations(range(count), 2) if at[j] - at[i] > np.hypot(width[i], width[j])]


def maximal_cliques(count: int, apart: set[tuple[int, int]]) -> set[tuple[int, ...]]:
    """All largest sets in which nobody can be told from anybody, by trying every set."""
    alike = [
        one
        for size in range(1, count + 1)
        for one in combinations(range(count), size)
        if not any(pair in apart for pair in combinations(one, 2))
    ]
    return {one for one in alike if not any(set(one) < set(other) for other in alike)}


@pytest.mark.parametrize("seed", range(40))
def test_variants_share_a_letter_exactly_where_they_cannot_be_told_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 30))
    apart = set(random_pairs(rng, count))
    found = compact_letters(count, apart)
    for i, j in combinations(range(count), 2):
        assert bool(set(found[i]) & set(found[j])) == ((i, j) not in apart)
    assert all(found)


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_the_largest_sets_that_cannot_be_told_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 9))
    apart = set(random_pairs(rng, count))
    assert set(indistinguishable_groups(count, apart)) == maximal_cliques(count, apart)


def test_the_first_of_the_ranking_has_the_first_letter() -> None:
    assert compact_letters(3, [(0, 1), (0, 2), (1, 2)]) == [("a",), ("b",), ("c",)]
    assert compact_letters(3, []) == [("a",)] * 3
    assert compact_letters(0, []) == []
    assert [letter_name(n) for n in (0, 25, 26, 27)] == ["a", "z", "aa", "ab"]


def test_many_variants_take_no_time() -> None:
    count = 300
    apart = [(i, j) for i, j in combinations(range(count), 2) if j - i > 20]
    groups = indistinguishable_groups(count, apart)
    assert len(groups) == count - 20
    assert all(group == tuple(range(group[0], group[0] + 21)) for group in groups)


FOCUS = ScoreKey("focus", "total")


def ranked(estimates: dict[str, Estimate], direction: str = "higher") -> VariantRanking:
    media = [result_of(name, {("focus", "total"): score}) for name, score in estimates.items()]
    return rank(FOCUS, estimates, decide(all_pairs(media, FOCUS)), direction)


def test_the_share_of_a_normal_distribution_is_that_of_scipy() -> None:
    from scipy.stats import norm

    z = np.linspace(-9, 9, 2001)
    assert normal_cdf(z) == pytest.approx(norm.cdf(z), abs=1e-7)


def test_probabilities_of_being_best_are_those_of_a_simulation() -> None:
    rng = np.random.default_rng(0)
    values, half_widths = rng.uniform(30, 70, 7), rng.uniform(2, 30, (7, 2))
    estimates = [Estimate(v, v - d, v + u) for v, (d, u) in zip(values, half_widths, strict=True)]
    z = rng.normal(size=(200_000, 7))
    drawn = values + z * np.where(z < 0, half_widths[:, 0], half_widths[:, 1]) / Z90
    for sign in (1.0, -1.0):
        wins = np.bincount(np.argmax(sign * drawn, axis=1), minlength=7) / len(drawn)
        assert best_probabilities(estimates, sign) == pytest.approx(wins, abs=0.004)


def test_of_two_it_is_the_probability_of_being_higher() -> None:
    a, b = Estimate(60.0, 50.0, 70.0), Estimate(55.0, 40.0, 70.0)
    assert best_probabilities([a, b])[0] == pytest.approx(subtract(a, b).probability, abs=1e-3)


@pytest.mark.filterwarnings("error")
def test_ends_of_the_scale_and_no_width_at_all() -> None:
    assert best_probabilities([Estimate(100.0, 80.0, 100.0)] * 3) == pytest.approx([1 / 3] * 3)
    assert best_probabilities([Estimate(50.0, 50.0, 50.0)] * 2) == pytest.approx([0.5, 0.5])
    assert best_probabilities([Estimate(50.0, 50.0, 50.0), Estimate(60.0, 60.0, 60.0)]) == pytest.approx([0.0, 1.0])
    assert best_probabilities([Estimate(50.0), Estimate(60.0, 50.0, 70.0)]) == [None, None]


def test_the_best_stands_first_whichever_end_is_good() -> None:
    estimates = {"low": Estimate(10.0, 5.0, 15.0), "high": Estimate(90.0, 85.0, 95.0), "mid": Estimate(12.0, 6.0, 18.0)}
    assert [place.name for place in ranked(estimates).places] == ["high", "mid", "low"]
    lower = ranked(estimates, "lower")
    assert [place.name for place in lower.places] == ["low", "mid", "high"]
    assert [place.letters for place in lower.places] == [("a",), ("a",), ("b",)]
    assert [place.group for place in lower.places] == [1, 1, 2]
    near = {"a": Estimate(51.0, 40.0, 60.0), "b": Estimate(50.0, 40.0, 60.0), "c": Estimate(40.0, 30.0, 50.0)}
    assert [place.group for place in ranked(near).places] == [1, 1, 2]
    assert lower.places[0].best > 0.5
    assert all(place.best is None for place in ranked(estimates, "middle").places)


def test_variants_without_a_value_or_an_interval_are_left_out_with_the_reason() -> None:
    estimates = {
        "a": Estimate(10.0, 5.0, 15.0),
        "b": Estimate(90.0, 85.0, 95.0),
        "none": Estimate(None, reason="No text."),
        "bare": Estimate(0.0, reason="No branding was found.", n=0),
    }
    found = ranked(estimates)
    assert [place.name for place in found.places] == ["b", "a"]
    assert found.left_out == {"none": "No text.", "bare": "No branding was found."}
    assert found.n_comparisons == 1
