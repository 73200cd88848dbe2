"""Who leads on the headline scores, and how probably."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from mediaan.comparison.headlines import leader_of, probability_of_most, with_headlines
from mediaan.comparison.multiplicity import settle
from mediaan.comparison.sentences import leader_sentence, odds_words
from mediaan.types.comparison import Comparison


def row(metric: str, probability: float | None, aoi_type: str | None = None, n_b: int = 1) -> Comparison:
    p = None if probability is None else 2 * min(probability, 1 - probability)
    difference = None if probability is None else probability - 0.5
    return Comparison(
        "a", "b", aoi_type, None, metric, "total", "score", 1.0, 1.0, 1, n_b, difference, probability=probability, p=p
    )


@pytest.mark.parametrize("better", [[0.8], [0.9, 0.4], [0.9, 0.8, 0.3], [0.6, 0.7, 0.2, 0.95, 0.5]])
def test_independent_errors_give_the_sum_over_all_outcomes(better: list[float]) -> None:
    expected = 0.0
    for outcome in product((0, 1), repeat=len(better)):
        chance = float(np.prod([p if won else 1 - p for p, won in zip(better, outcome, strict=True)]))
        expected += chance * (np.sign(sum(outcome) - len(better) / 2) + 1) / 2
    assert probability_of_most(better, 0.0) == pytest.approx(expected)


@pytest.mark.parametrize("common", [0.1, 0.3, 0.6])
def test_errors_in_common_are_those_of_a_simulation(common: float) -> None:
    rng = np.random.default_rng(1)
    from scipy.stats import norm

    better = np.array([0.9, 0.75, 0.4, 0.8])
    errors = np.sqrt(common) * rng.normal(size=(200_000, 1)) + np.sqrt(1 - common) * rng.normal(size=(200_000, 4))
    won = (norm.ppf(better) + errors > 0).sum(axis=1)
    expected = np.mean(won > 2) + np.mean(won == 2) / 2
    assert probability_of_most(better.tolist(), common) == pytest.approx(expected, abs=0.005)


def test_one_score_and_none_that_says_anything() -> None:
    assert probability_of_most([0.83]) == pytest.approx(0.83, abs=1e-4)
    assert probability_of_most([0.5] * 4) == pytest.approx(0.5)
    assert probability_of_most([1.0] * 5) == pytest.approx(1.0, abs=1e-4)
    assert leader_of([]) is None
    assert leader_of([row("cognitive_demand", 0.99)]) is None, "neither end is good"
    assert leader_of([row("cognitive_demand", 0.99)], "conversion").side == "b", "lower is better"


def test_areas_count_by_purpose_and_an_absent_one_does_not() -> None:
    areas = [row("percentage_seen", 0.9, kind) for kind in ("branding", "call_to_action", "face")]
    rows = with_headlines([row("focus", 0.6), *areas, row("attention", 0.9, "branding")], "brand_building")
    assert [one.headline for one in rows] == [True, True, False, False, False]
    rows = with_headlines([row("focus", 0.6), *areas, row("percentage_seen", 0.1, "branding")], "conversion")
    assert [one.headline for one in rows] == [True, True, True, False, False], "of a type the first one"
    lonely = with_headlines([row("focus", 0.6), row("percentage_seen", 0.9, "branding", n_b=0)])
    assert set(leader_of(lonely).better) == {0}


def test_what_is_said_of_the_leader() -> None:
    rows = settle([row("focus", 0.93), row("clarity", 0.2), row("engagement", 0.9), row("memory", 0.99)])
    leader = leader_of(rows)
    assert leader.side == "a"
    said = leader_sentence(leader, rows)
    assert said.startswith("A leads: better on most of 4 headline scores, ")
    assert "memory (99 in 100), focus (9 in 10) and engagement (9 in 10)" in said
    assert said.endswith("; B is probably better on clarity (8 in 10).")
    close = leader_of([row("focus", 0.6), row("clarity", 0.45)])
    assert close.side is None
    assert leader_sentence(close, [row("focus", 0.6), row("clarity", 0.45)]).startswith("Too close to call on 2")
    assert [odds_words(one) for one in (0.7, 0.799, 0.949, 0.95, 0.999)] == [
        "7 in 10", "7 in 10", "9 in 10", "19 in 20", "99 in 100",
    ]  # fmt: skip
