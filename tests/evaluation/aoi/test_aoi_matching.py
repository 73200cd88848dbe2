"""Found against drawn: pairs, outcomes and scores, worked by hand."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from mediaan.evaluation.aoi.scores import AoiMatches, greedy_pairs, match_areas, precision_recall_f1, score_type
from mediaan.types.aoi import Aoi, AoiType, Box, Candidate


def drawn(kind: AoiType, *sides: float, label: str = "") -> Aoi:
    return Aoi(UUID(int=0), kind, label, Box(*sides), None, "drawn")


def found(kind: AoiType, confidence: float, *sides: float) -> Candidate:
    return Candidate(kind, "", Box(*sides), confidence, "detector")


def boxes(rng: np.random.Generator, count: int) -> list[Box]:
    low = rng.uniform(0, 0.7, (count, 2))
    high = low + rng.uniform(0.05, 0.3, (count, 2))
    return [Box(*map(float, row)) for row in np.column_stack([low, high])]


def test_the_surest_takes_the_box_and_a_second_find_of_it_is_wrong() -> None:
    there = Box(0, 0, 1, 1)
    assert greedy_pairs([Box(0, 0, 1, 0.6), Box(0, 0, 1, 0.9)], [there], 0.5) == {0: 0}


def test_a_find_takes_the_box_that_it_overlaps_most() -> None:
    near, far = Box(0.1, 0, 0.6, 1), Box(0, 0, 0.5, 1)
    assert greedy_pairs([Box(0, 0, 0.5, 1)], [near, far], 0.5) == {0: 1}


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_one_to_one_at_the_overlap_and_leave_no_pair_that_both_are_free_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ours, theirs = boxes(rng, 30), boxes(rng, 20)
    pairs = greedy_pairs(ours, theirs, 0.2)
    assert pairs, "some boxes overlap"
    assert len(set(pairs.values())) == len(pairs)
    assert all(ours[i].iou(theirs[j]) >= 0.2 for i, j in pairs.items())
    free = (set(range(30)) - set(pairs), set(range(20)) - set(pairs.values()))
    assert not any(ours[i].iou(theirs[j]) >= 0.2 for i in free[0] for j in free[1])


def test_outcomes() -> None:
    people = [
        drawn("product", 0, 0, 0.2, 0.2),  # found exactly
        drawn("product", 0.4, 0, 0.6, 0.2),  # half as wide: IoU 0.4
        drawn("product", 0, 0.5, 0.2, 0.7),  # found as a logo
        drawn("product", 0.8, 0.8, 1, 1),  # not at all
    ]
    program = [
        found("product", 0.9, 0, 0, 0.2, 0.2),
        found("product", 0.8, 0.4, 0, 0.48, 0.2),
        found("branding", 0.7, 0, 0.5, 0.2, 0.7),
        found("product", 0.6, 0.5, 0.5, 0.6, 0.6),
    ]
    matches = match_areas("ad", "product", people, program)
    assert [matches.outcome(i) for i in range(4)] == ["found", "loose", "as_other", "missed"]
    assert matches.overlaps == pytest.approx((1, 0.4, 0, 0))
    assert matches.partner(1) is program[1]
    assert matches.partner(3) is None
    assert matches.errors == 3 + 2, "three not found at 0.5, two products that are none"


def test_the_role_that_overlaps_most_is_told_and_of_equals_the_own_one() -> None:
    people = [drawn("product", 0, 0, 0.2, 0.2), drawn("product", 0.5, 0.5, 0.7, 0.7), drawn("face", 0.5, 0.5, 0.7, 0.7)]
    program = [
        found("product", 0.9, 0, 0, 0.2, 0.15),
        found("branding", 0.8, 0, 0, 0.2, 0.19),
        found("product", 0.7, 0.8, 0, 1, 0.2),
        found("product", 0.6, 0.5, 0.5, 0.7, 0.7),
    ]
    matches = match_areas("ad", "product", people, program)
    assert matches.found_as == ("branding", "product")
    assert matches.drawn_as == ("product", None, "product")


@pytest.mark.parametrize(
    ("kind", "label", "left_out"),
    [
        ("product", "", {"product"}),
        ("face", "", set()),
        ("other", "", {"product", "other: offer"}),
        ("other", "offer", {"other: offer"}),
        ("other", "vase", set()),
    ],
)
def test_what_is_found_in_an_undecided_area_of_its_role_counts_neither_way(
    kind: AoiType, label: str, left_out: set[str]
) -> None:
    undecided = [drawn(kind, 0, 0, 0.5, 0.5, label=label)]
    inside = [found("product", 0.9, 0.1, 0.1, 0.3, 0.3), Candidate("other", "offer", Box(0, 0, 0.1, 0.1), 0.9, "text")]
    for role in ("product", "other: offer"):
        matches = match_areas("ad", role, [], inside, undecided=undecided)
        assert (len(matches.ignored), len(matches.detected)) == ((1, 0) if role in left_out else (0, 1))


def test_half_of_a_find_must_lie_in_an_undecided_area() -> None:
    undecided = [drawn("face", 0, 0, 0.5, 1)]
    matches = match_areas(
        "ad",
        "face",
        [],
        [found("face", 0.9, 0.3, 0, 0.7, 1), found("face", 0.8, 0.31, 0, 0.71, 1)],
        undecided=undecided,
    )
    assert [c.confidence for c in matches.ignored] == [0.9]


def test_what_is_drawn_in_an_undecided_area_is_found_or_missed_as_elsewhere() -> None:
    undecided = [drawn("person", 0, 0, 1, 0.5)]
    people = [drawn("person", 0, 0, 0.2, 0.4), drawn("person", 0.4, 0, 0.6, 0.4)]
    program = [found("person", 0.9, 0, 0, 0.2, 0.4), found("person", 0.8, 0.8, 0, 1, 0.4)]
    scores = score_type([match_areas("ad", "person", people, program, undecided=undecided)], "detected", "person")
    assert (scores.n_drawn, scores.n_found, scores.n_hits, scores.n_ignored) == (2, 1, 1, 1)
    assert (scores.precision.value, scores.recall.value, scores.average_precision) == (1, 0.5, 0.5)


def three_of_two_pictures() -> list[AoiMatches]:
    first = match_areas(
        "a",
        "product",
        [drawn("product", 0, 0, 0.1, 0.1), drawn("product", 0.5, 0.5, 0.6, 0.6)],
        [found("product", 0.9, 0, 0, 0.1, 0.1), found("product", 0.7, 0.5, 0.5, 0.6, 0.6)],
    )
    second = match_areas(
        "b", "product", [drawn("product", 0, 0, 0.1, 0.1)], [found("product", 0.8, 0.3, 0.3, 0.4, 0.4)]
    )
    return [first, second]


def test_scores_worked_by_hand() -> None:
    scores = score_type(three_of_two_pictures(), "detected", "product")
    assert (scores.n_pictures, scores.n_drawn, scores.n_found, scores.n_hits) == (2, 3, 3, 2)
    assert scores.precision.value == scores.recall.value == scores.f1.value == pytest.approx(2 / 3)
    # By confidence: right, wrong, right: precision 1, 1/2, 2/3; of three, the two right ones.
    assert scores.average_precision == pytest.approx((1 + 2 / 3) / 3)
    assert scores.median_iou == pytest.approx(1)
    assert scores.first_recall == pytest.approx(2 / 3)
    assert scores.first_ceiling == 1


def test_recall_of_the_first_three_counts_places_in_the_picture() -> None:
    people = [drawn("product", x / 10, 0, x / 10 + 0.1, 0.1) for x in range(5)]
    program = [found("product", 0.9 - x / 10, x / 10, 0, x / 10 + 0.1, 0.1) for x in range(5)]
    scores = score_type([match_areas("a", "product", people, program)], "detected", "product")
    assert (scores.recall.value, scores.first_recall, scores.first_ceiling) == (1, 0.6, 0.6)


def test_intervals_hold_the_value_and_widen_with_fewer_pictures() -> None:
    rng = np.random.default_rng(3)
    counts = np.column_stack([rng.binomial(4, 0.5, 40), np.full(40, 5), np.full(40, 4)]).astype(float)
    many, few = precision_recall_f1(counts)[1], precision_recall_f1(counts[:8])[1]
    assert many.lo is not None and many.value is not None and many.hi is not None  # noqa: PT018
    assert few.lo is not None and few.hi is not None  # noqa: PT018
    assert many.lo < many.value < many.hi
    assert many.hi - many.lo < few.hi - few.lo
    # Normal theory for the mean of binomial shares: 90 % lie within 1.645 standard errors, sd = √(.25 / 4) = .25.
    assert many.hi - many.lo == pytest.approx(2 * 1.645 * 0.25 / np.sqrt(40), rel=0.25)


def test_nothing_found_is_no_precision_and_nothing_drawn_no_recall() -> None:
    missed = score_type([match_areas("a", "face", [drawn("face", 0, 0, 1, 1)], [])] * 2, "detected", "face")
    assert (missed.precision.value, missed.recall.value, missed.f1.value) == (None, 0, 0)
    nobody = score_type([match_areas("a", "face", [], [found("face", 1, 0, 0, 1, 1)])] * 2, "detected", "face")
    assert (nobody.precision.value, nobody.recall.value, nobody.average_precision) == (0, None, None)
