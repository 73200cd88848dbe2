"""Many comparisons: Holm against closed testing, and how often chance finds something."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from compared_results import comparison_of

from mediaan.metrics.scales import ALPHA
from mediaan.studies.compare.differences import Comparison
from mediaan.studies.compare.pairs import decide
from mediaan.studies.statistics import holm


def closed(p: list[float]) -> list[float]:
    """The closed test with Bonferroni's for every subset: Holm's procedure is a short cut to it."""
    subsets = [s for size in range(1, len(p) + 1) for s in combinations(range(len(p)), size)]
    return [max(min(1.0, len(s) * min(p[k] for k in s)) for s in subsets if i in s) for i in range(len(p))]


def test_holm_is_the_closed_test() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        p = (rng.uniform(size=rng.integers(1, 7)) ** 3).tolist()
        assert holm(p) == pytest.approx(closed(p))


def test_by_hand() -> None:
    assert holm([0.01, 0.02, 0.03]) == pytest.approx([0.03, 0.04, 0.04])
    assert holm([0.5, 0.01]) == pytest.approx([0.5, 0.02])
    assert holm([]) == []


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.95])
def test_chance_finds_something_in_one_of_ten_families_at_most(correlation: float) -> None:
    rng = np.random.default_rng(2)
    draws, tests = 4000, 12
    shared = rng.normal(size=(draws, 1)) * np.sqrt(correlation)
    z = shared + rng.normal(size=(draws, tests)) * np.sqrt(1 - correlation)
    from scipy.stats import norm

    p = 2 * norm.sf(np.abs(z))
    found = np.mean([min(holm(row)) < ALPHA for row in p.tolist()])
    assert found < 0.11
    assert correlation > 0 or found > 0.08, "it should not be far more careful than it has to be"


def row(metric: str, difference: float | None, p: float | None, aoi_type: str | None = None) -> Comparison:
    return comparison_of(metric, difference, aoi_type=aoi_type, p=p)


def test_verdicts_after_correction() -> None:
    rows = decide([row("focus", 20.0, 0.001), row("clarity", -9.0, 0.08), row("hotspot_count", 1.0, None)])
    assert [one.verdict for one in rows] == ["a_higher", "b_higher", "undefined"]
    assert [one.n_comparisons for one in rows] == [2, 2, 2]
    more = decide([*rows[:2], row("memory", 1.0, 0.9), row("engagement", 1.0, 0.5)])
    assert [one.verdict for one in more] == ["a_higher", *["not_distinguishable"] * 3]


def test_which_side_is_better_follows_from_the_objective() -> None:
    demand = [row("cognitive_demand", 20.0, 0.001)]
    assert decide(demand)[0].better is None  # neither end is good
    assert decide(demand, "conversion")[0].better == "b"
    assert decide([row("focus", 20.0, 0.001)])[0].better == "a"
    assert decide([row("first_seen_s", 2.0, 0.001, "branding")])[0].better == "b"  # sooner is better
    assert decide([row("focus", 20.0, 0.5)])[0].better is None
