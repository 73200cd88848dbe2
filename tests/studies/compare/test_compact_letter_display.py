"""Letters: two share one exactly where they cannot be told apart, and there are no more than needed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mediaan.studies.compare.ranking import compact_letters, indistinguishable_groups, letter_name


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
