"""Which areas are compared with which, and what is 0 because there is nothing."""

from __future__ import annotations

import pytest
from compared_results import area_of, result_of

from mediaan.studies.compare.differences import Estimate, ScoreKey, area_pairs
from mediaan.studies.compare.pairs import decide, media_rows
from mediaan.studies.compare.result import pair_sentence, verdict_words
from mediaan.types.aoi import Aoi, AoiType
from mediaan.types.result import Result

ATTENTION = ("attention", "total")


def area(kind: AoiType, label: str, attention: float) -> Aoi:
    return area_of(kind, label, {ATTENTION: Estimate(attention, attention - 1, attention + 1)})


def medium(name: str, *areas: Aoi, looked_for: tuple[AoiType, ...] = ("branding", "face")) -> Result:
    return result_of(name, {("focus", "total"): Estimate(50.0, 40.0, 60.0)}, *areas, looked_for=looked_for)


def test_areas_of_one_label_go_together_whatever_their_rank() -> None:
    a = [area("branding", "Acme", 5.0), area("branding", "Other", 9.0)]
    b = [area("branding", "acme ", 2.0), area("branding", "", 30.0)]
    assert [(x.label, y.label) for _, x, y in area_pairs(a, b)] == [("Acme", "acme ")]


def test_of_one_label_twice_the_most_attended_counts() -> None:
    a = [area("branding", "Acme", 5.0), area("branding", "Acme", 9.0)]
    ((_, first, _),) = area_pairs(a, [area("branding", "Acme", 1.0)])
    assert first.attention == 9.0


def test_otherwise_the_main_ones_of_a_type_do() -> None:
    a = [area("face", "", 5.0), area("face", "", 9.0), area("product", "", 1.0)]
    b = [area("face", "", 4.0), area("face", "", 2.0)]
    found = [(kind, x and x.attention, y and y.attention) for kind, x, y in area_pairs(a, b)]
    assert found == [("face", 9.0, 4.0), ("product", 1.0, None)]


def test_a_type_that_one_side_lacks_is_0_and_decides_nothing() -> None:
    a, b = medium("a", area("face", "", 9.0)), medium("b")
    wanted = [ScoreKey("attention", "total", "face"), ScoreKey("first_seen_s", "total", "face")]
    attention, first = decide(media_rows(a, b, wanted))
    assert (attention.value_b, attention.difference, attention.n_b) == (0.0, 9.0, 0)
    assert (attention.verdict, attention.p, attention.better) == ("undefined", None, None)
    assert "no face was found" in (attention.reason or "")
    assert (first.value_b, first.difference) == (None, None)
    assert verdict_words(attention) == "found only in A: nothing to compare"
    rows = [attention, *decide(media_rows(a, b, [ScoreKey("focus", "total")]))]
    assert "Found only in A: face." in pair_sentence(rows)


def test_a_type_that_was_not_looked_for_is_unknown_and_no_0() -> None:
    a, b = medium("a", area("product", "", 9.0)), medium("b")
    (row,) = media_rows(a, b, [ScoreKey("attention", "total", "product")])
    assert (row.value_b, row.difference) == (None, None)
    assert verdict_words(*decide([row])) == "not looked for in B: nothing to compare"
    assert "Only" not in pair_sentence(decide([row, *media_rows(a, b, [ScoreKey("focus", "total")])]))
    assert "not looked for" in (row.reason or "")


def test_a_score_that_the_run_lacks_is_undefined() -> None:
    (row,) = media_rows(medium("a"), medium("b"), [ScoreKey("percentage_seen", "start")])
    assert (row.value_a, row.difference, row.n_a) == (None, None, 0)


@pytest.mark.parametrize("swap", [False, True])
def test_equal_scores_are_not_told_apart(swap: bool) -> None:
    sides = (medium("a"), medium("b"))[:: -1 if swap else 1]
    (row,) = decide(media_rows(*sides, [ScoreKey("focus", "total")]))
    assert (row.difference, row.probability, row.p, row.verdict) == (0.0, 0.5, 1.0, "not_distinguishable")


def test_no_difference_is_larger_than_the_scale() -> None:
    ends = (Estimate(99.0, 60.0, 100.0), Estimate(3.0, 0.0, 40.0))
    seen = [area_of("face", "", {("percentage_seen", "total"): end, ATTENTION: end}) for end in ends]
    (row,) = media_rows(medium("a", seen[0]), medium("b", seen[1]), [ScoreKey("percentage_seen", "total", "face")])
    assert row.lo is not None
    assert row.lo < 96 < 99 < (row.hi or 0) <= 100
    (back,) = media_rows(medium("b", seen[1]), medium("a", seen[0]), [ScoreKey("percentage_seen", "total", "face")])
    assert (back.lo, back.hi) == (-row.hi, -row.lo)  # type: ignore[operator]
