"""Scores of a video as an ad, on areas and shots at known times; times on screen of tracks."""

from __future__ import annotations

from itertools import count
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from mediaan.aoi.scoring.film_scores import (
    FILM_SCORES,
    Film,
    characters_per_s,
    count_words,
    end_card_s,
    end_card_start_s,
    is_long_enough,
    merge_spans,
    opening_shots,
    reading_s,
    score_film,
    seconds_within,
    tracked_spans,
)
from mediaan.aoi.scoring.specs import ATTENTION, PERCENTAGE_SEEN
from mediaan.types.aoi import FOUND_BY, Aoi, AoiType, Box, TextFacts
from mediaan.types.metrics import Score

ALL = FOUND_BY["all"]
LEFT, INSIDE, RIGHT = Box(0.0, 0.0, 0.4, 0.4), Box(0.1, 0.1, 0.2, 0.2), Box(0.6, 0.6, 0.9, 0.9)
TWENTY_WORDS = "one two three four five six seven eight nine ten " * 2


Part = tuple[Aoi, tuple[tuple[float, float], ...]]
"""An area, and when it is on screen."""
_IDS = count(1)


def area(kind: AoiType, box: Box, *spans: tuple[float, float], **facts: Any) -> Part:
    return Aoi(UUID(int=next(_IDS)), kind, "", box, 0.9, "detector", **facts), spans


def mark(*spans: tuple[float, float], box: Box = LEFT, attention: float = 10.0, seen: float = 40.0) -> Part:
    scores = Score.of(ATTENTION, attention), Score.of(PERCENTAGE_SEEN, seen, (seen - 9, seen + 9))
    return area("branding", box, *spans, scores=scores)


def headline(text: str | None, *spans: tuple[float, float], legible: bool | None = True) -> Part:
    return area("headline_text", RIGHT, *spans, text=TextFacts(text, 5.0, 8.0, legible))


def film(
    *parts: Part,
    named: bool = True,
    looked_for: frozenset[AoiType] = ALL,
    audio: bool | None = False,
    shots: tuple[float, ...] = (0.0, 2.0, 7.0),
) -> Film:
    spans = {aoi.aoi_id: on_screen for aoi, on_screen in parts}
    return Film(10.0, shots, tuple(aoi for aoi, _ in parts), spans, looked_for, named, has_audio=audio)


def test_the_brand_is_on_screen_when_any_of_its_areas_is() -> None:
    scores = score_film(film(mark((2.0, 4.0)), mark((3.0, 5.0), box=RIGHT), mark((7.2, 10.0))))
    assert scores["brand_on_screen_s"].value == pytest.approx(5.8)  # 2 to 5 and 7.2 to 10
    assert scores["brand_share"].value == pytest.approx(58)
    assert scores["brand_appears_s"].value == 2.0
    assert (scores["brand_at_end_card"].value, scores["brand_at_end"].value) == (1, 1)


@pytest.mark.parametrize(
    ("spans", "at_card", "at_end"),
    [([(6.0, 7.4)], 1, 0), ([(7.4, 9.0)], 1, 0), ([(7.6, 10.0)], 0, 1), ([(0.0, 7.0)], 0, 0), ([(0.0, 9.95)], 1, 1)],
)
def test_the_brand_at_the_end_card_and_at_the_end(spans: list[tuple[float, float]], at_card: int, at_end: int) -> None:
    scores = score_film(film(mark(*spans)))
    assert (scores["brand_at_end_card"].value, scores["brand_at_end"].value) == (at_card, at_end)


def test_the_end_card_is_the_last_shot_unless_that_is_a_flash_or_half_the_film() -> None:
    assert end_card_start_s([0.0, 2.0, 7.0], 10.0) == 7.0
    assert end_card_start_s([0.0, 2.0, 9.5], 10.0) == 7.0
    assert end_card_start_s([0.0, 2.0], 30.0) == 27.0
    assert end_card_start_s([0.0], 30.0) == 27.0
    assert end_card_start_s([0.0], 8.0) == 5.0


def test_attention_while_the_brand_is_shown() -> None:
    """A density that gives a box 30 % while it is there gives it 6 % of all attention where that is 2 of 10 s."""
    assert score_film(film(mark((2.0, 4.0), attention=6.0)))["brand_attention"].value == pytest.approx(30)
    both = mark((2.0, 4.0), attention=6.0), mark((2.0, 4.0), box=RIGHT, attention=2.0)
    assert score_film(film(*both))["brand_attention"].value == pytest.approx(40)
    nested = mark((2.0, 4.0), attention=6.0), mark((2.0, 4.0), box=INSIDE, attention=2.0)
    assert score_film(film(*nested))["brand_attention"].value == pytest.approx(30)
    later = mark((2.0, 4.0), attention=6.0), mark((5.0, 6.0), box=INSIDE, attention=3.0)
    assert score_film(film(*later))["brand_attention"].value == pytest.approx(30)
    seen = score_film(film(mark((2.0, 4.0), seen=40), mark((5.0, 6.0), seen=70)))["brand_seen"]
    assert (seen.value, seen.lo, seen.hi, seen.reason) == (70, 61, 79, None)


def test_a_brand_that_was_not_found_is_absent_only_where_it_was_named() -> None:
    named, unnamed = score_film(film()), score_film(film(named=False))
    assert (named["brand_on_screen_s"].value, named["brand_at_end"].value) == (0, 0)
    assert named["brand_appears_s"].reason == "There is no such area."
    assert unnamed["brand_on_screen_s"].value is None
    assert "brand was not named" in str(unnamed["brand_on_screen_s"].reason)


def test_words_and_the_time_to_read_them() -> None:
    assert [count_words(text) for text in ("20 % off until Sunday", "Don't – stop!", "www.tolma.com", "")] == [
        4,
        2,
        1,
        0,
    ]
    assert reading_s(TWENTY_WORDS) == pytest.approx(20 / 3)
    assert not is_long_enough(TWENTY_WORDS, [(1.0, 2.0)])
    assert is_long_enough(TWENTY_WORDS, [(0.0, 4.0), (6.0, 9.0)])


def test_texts_that_are_too_short_and_shots_without_text() -> None:
    scores = score_film(film(headline(TWENTY_WORDS, (1.0, 2.0)), headline("Order now", (8.0, 10.0))))
    assert (scores["texts"].value, scores["texts_too_short"].value) == (2, 1)
    one_of_three = film(headline(TWENTY_WORDS, (1.0, 2.0)), *(headline("Sale", (8.0, 10.0)) for _ in range(2)))
    assert score_film(one_of_three)["texts_too_short"].value == 1
    assert scores["text_share"].value == pytest.approx(30)
    assert scores["text_shots"].value == pytest.approx(200 / 3)
    illegible = score_film(film(headline("Order now", (8.0, 10.0), legible=False)))
    assert (illegible["texts"].value, illegible["text_share"].value) == (1, 0)
    assert score_film(film(headline(None, (1.0, 2.0))))["texts_too_short"].value is None


@pytest.mark.parametrize(
    ("areas", "told"),
    [
        ([mark((8.0, 10.0)), headline("Order now", (8.0, 10.0))], 1),
        ([mark((8.0, 10.0)), headline(TWENTY_WORDS, (8.0, 10.0))], 0),
        ([mark((8.0, 10.0)), headline("Order now", (8.0, 10.0), legible=False)], 0),
        ([mark((8.0, 10.0)), headline(None, (8.0, 10.0))], None),
        ([mark((8.0, 10.0))], 0),
        ([headline("Order now", (8.0, 10.0))], 0),
    ],
)
def test_a_message_that_is_told_without_sound(areas: list[Part], told: int | None) -> None:
    assert score_film(film(*areas))["told_without_sound"].value == told


def test_faces_and_pace() -> None:
    face = area("face", LEFT, (1.0, 2.0), (4.0, 5.0))
    scores = score_film(film(face))
    assert (scores["faces_on_screen_s"].value, scores["face_appears_s"].value) == (2, 1)
    assert scores["largest_face"].value == pytest.approx(16)
    assert (scores["shots"].value, scores["shots_per_min"].value) == (3, 18)
    assert (scores["mean_shot_s"].value, scores["longest_shot_s"].value) == (pytest.approx(10 / 3), 5)
    assert scores["first_cut_s"].value == 2.0
    one_shot = score_film(film(shots=(0.0,)))
    assert (one_shot["first_cut_s"].value, one_shot["longest_shot_s"].value) == (None, 10)


def test_what_was_not_looked_for_is_null_with_a_reason() -> None:
    scores = score_film(film(looked_for=frozenset(), audio=None))
    assert scores.keys() == {spec.name for spec in FILM_SCORES}
    unknown = {name for name, score in scores.items() if score.value is None}
    assert unknown == scores.keys() - {"shots", "shots_per_min", "mean_shot_s", "longest_shot_s", "first_cut_s"}
    assert all(scores[name].reason for name in unknown)


FIVE_A_SECOND = [(k / 5, (k + 1) / 5) for k in range(50)]


@pytest.mark.parametrize(
    ("begin", "end", "gap"), [(0, 50, None), (34, 50, None), (5, 12, None), (5, 30, (10, 20)), (49, 50, None)]
)
def test_a_track_is_on_screen_from_its_first_sample_to_the_end_of_its_last(
    begin: int, end: int, gap: tuple[int, int] | None
) -> None:
    there = [k for k in range(begin, end) if gap is None or not gap[0] <= k < gap[1]]
    noise = np.random.default_rng(0).uniform(-4e-4, 4e-4, len(there))  # times that people give are rounded
    spans = tracked_spans([k / 5 + float(wrong) for k, wrong in zip(there, noise, strict=True)], FIVE_A_SECOND)
    assert spans[0][0] == begin / 5
    assert spans[-1][1] == pytest.approx(end / 5)
    assert len(spans) == (1 if gap is None else 2)
    assert seconds_within(spans, 0, 10) == pytest.approx(len(there) / 5)


def test_samples_of_unequal_length_stand_for_as_long_as_they_are_shown() -> None:
    delays = [(0.0, 1.2), (1.2, 2.0), (2.0, 4.0)]
    assert tracked_spans([0.0, 2.0], delays) == ((0.0, 1.2), (2.0, 4.0))


def test_a_sighting_beyond_the_last_sample_is_no_time() -> None:
    assert tracked_spans([11.0], FIVE_A_SECOND) == ()


def test_what_is_there_twice_counts_once() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        spans = [tuple(sorted(rng.integers(0, 100, 2).tolist())) for _ in range(rng.integers(1, 8))]
        there = np.zeros(100, bool)
        for begin, end in spans:
            there[begin:end] = True
        assert seconds_within(spans, 0, 100) == there.sum()
        assert seconds_within(spans, 20, 55) == there[20:55].sum()
        assert all(first[1] < then[0] for first, then in zip(merge_spans(spans), merge_spans(spans)[1:], strict=False))


def test_a_text_is_read_in_the_time_that_it_is_there() -> None:
    assert characters_per_s("Slow mornings,\n  quick espresso.", [(1.0, 2.4)]) == pytest.approx(30 / 1.4)
    assert characters_per_s("abcd", [(0.0, 1.0), (3.0, 4.0)]) == 2
    assert characters_per_s("abcd", []) is None


def test_the_end_card_is_brand_or_call_to_action_in_the_last_three_seconds() -> None:
    brand, action = [(0.0, 2.0), (8.0, 9.0)], [(8.5, 10.0)]
    assert end_card_s([brand, action], 10.0) == 2.0
    assert end_card_s([brand], 10.0) == 1.0
    assert end_card_s([[(0.0, 5.0)]], 10.0) == 0.0
    assert end_card_s([[(0.0, 2.0)]], 2.0) == 2.0


def test_shots_of_the_opening() -> None:
    assert opening_shots([0.0]) == 1
    assert opening_shots([0.0, 4.9, 5.0, 5.1]) == 2
