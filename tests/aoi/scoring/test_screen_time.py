"""Times on screen of tracks with known beginnings and ends."""

from __future__ import annotations

import numpy as np
import pytest

from mediaan.aoi.scoring.screen_time import (
    characters_per_s,
    end_card_s,
    merge_spans,
    opening_shots,
    seconds_within,
    tracked_spans,
)

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
