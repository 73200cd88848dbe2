"""Who leads on the headline scores, and how probably."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compared_results import comparison_of

from mediaan.studies.compare.differences import Comparison
from mediaan.studies.compare.pairs import combine_probabilities, decide, find_leader, mark_headlines
from mediaan.studies.compare.ranking import normal_cdf
from mediaan.studies.compare.result import leader_sentence, odds_words, verdict_words
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.media import Purpose


def row(metric: str, probability: float | None, aoi_type: str | None = None, n_b: int = 1) -> Comparison:
    p = None if probability is None else 2 * min(probability, 1 - probability)
    difference = None if probability is None else probability - 0.5
    return comparison_of(metric, difference, aoi_type=aoi_type, n_b=n_b, probability=probability, p=p)


@pytest.mark.parametrize("common", [0.0, 0.15, 0.6])
def test_the_combined_probability_comes_true_in_a_simulation(common: float) -> None:
    """Truths around their expectations, whose errors have a correlation in common."""
    rng = np.random.default_rng(1)
    weights = np.array([1.0, 1.0, 0.5, 0.5])
    expected = rng.normal(0, 0.8, (40_000, 4))
    errors = np.sqrt(common) * rng.normal(size=(40_000, 1)) + np.sqrt(1 - common) * rng.normal(size=(40_000, 4))
    ahead = ((expected + errors) @ weights) > 0
    stated = np.array([combine_probabilities(row, weights.tolist(), common) for row in normal_cdf(expected).tolist()])
    for low in np.arange(0, 1, 0.1):
        inside = (stated >= low) & (stated < low + 0.1)
        assert ahead[inside].mean() == pytest.approx(stated[inside].mean(), abs=2 / np.sqrt(inside.sum()))


def test_one_score_and_none_that_says_anything() -> None:
    assert combine_probabilities([0.83], [0.5]) == pytest.approx(0.83)
    assert combine_probabilities([0.5] * 4, [1.0] * 4) == pytest.approx(0.5)
    assert combine_probabilities([1.0] * 5, [1.0] * 5) == pytest.approx(1.0, abs=1e-4)
    assert find_leader([]) is None
    assert find_leader([row("cognitive_demand", 0.99)]) is None, "neither end is good"
    assert find_leader([row("cognitive_demand", 0.99)], "conversion").side == "b", "lower is better"


def test_scores_count_by_purpose_and_another_one_stands_in_where_there_is_none() -> None:
    scores = [row(metric, 0.6) for metric in ("focus", "clarity", "engagement", "cognitive_demand", "memory")]

    def headlines(rows: list[Comparison], purpose: Purpose | None) -> set[str]:
        return {one.metric for one in mark_headlines(rows, purpose) if one.headline}

    assert headlines(scores, None) == {"focus", "clarity", "engagement", "cognitive_demand"}
    assert headlines([*scores, row("design", 0.6)], None) == {"focus", "clarity", "design", "cognitive_demand"}
    assert headlines(scores, "conversion") == {"focus", "clarity", "cognitive_demand"}


def test_areas_count_by_purpose() -> None:
    areas = [row("percentage_seen", 0.9, kind) for kind in ("branding", "call_to_action", "face")]
    rows = mark_headlines([row("focus", 0.6), *areas, row("attention", 0.9, "branding")], "brand_building")
    assert [one.headline for one in rows] == [True, True, False, False, False]
    rows = mark_headlines([row("focus", 0.6), *areas, row("percentage_seen", 0.1, "branding")], "conversion")
    assert [one.headline for one in rows] == [True, True, True, False, False], "of a type the first one"


def test_an_area_that_one_side_lacks_counts_as_probable_where_it_was_looked_for() -> None:
    def rows(value_b: float | None) -> tuple[Comparison, ...]:
        lonely = replace(row("percentage_seen", None, "call_to_action", n_b=0), value_b=value_b)
        return decide(mark_headlines([row("focus", 0.5), lonely]))

    found = rows(0.0)
    assert find_leader(found).better[1] == AREA_TYPES["call_to_action"].one_sided_probability
    assert (found[1].lean, found[1].verdict, found[1].n_comparisons) == ("a", "undefined", 1)
    assert verdict_words(found[1]) == "found only in A: leans to A, 87 in 100"
    assert set(find_leader(rows(None)).better) == {0}, "nobody looked for one in B"
    assert "nothing to compare" not in verdict_words(rows(None)[0])


def test_what_is_said_of_the_leader() -> None:
    rows = decide([row("focus", 0.93), row("clarity", 0.2), row("engagement", 0.9), row("memory", 0.99)])
    leader = find_leader(rows)
    assert leader.side == "a"
    said = leader_sentence(leader, rows)
    assert said.startswith("A leads on 4 headline scores taken together: people would agree in 98 of 100 such pairs")
    assert "memory (99 in 100), focus (93 in 100) and engagement (90 in 100)" in said
    assert said.endswith("; B is probably better on clarity (80 in 100).")
    assert ": one more look would agree 98 times in 100" in leader_sentence(leader, rows, repeats=True)
    close = [row("focus", 0.54), row("clarity", 0.45)]
    assert leader_sentence(find_leader(close), close) == "A coin toss on 2 headline scores taken together."
    assert [odds_words(odds) for odds in (0.57, 0.799, 0.999)] == ["57 in 100", "79 in 100", "99 in 100"]
