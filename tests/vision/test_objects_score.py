"""The figures of the detector's card, on cases that are worked by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "models" / "training" / "objects"))
from score import There, compared
from tally import Tally

from mediaan.types.aoi import Box, Detection

LEFT, RIGHT, FAR = Box(0, 0, 1, 1), Box(2, 0, 3, 1), Box(8, 8, 9, 9)


def seen(*pairs: tuple[Box, float]) -> list[Detection]:
    return [Detection("product", box, confidence) for box, confidence in pairs]


def test_each_box_is_found_once_and_the_rest_is_wrong() -> None:
    """Right, a double of it, wrong, right: precision 1, 1/2, 1/3, 2/4; recall steps at the first and the fourth."""
    tally = Tally()
    tally.add(*compared(seen((LEFT, 0.9), (LEFT, 0.8), (FAR, 0.7), (RIGHT, 0.6)), There([LEFT, RIGHT])))
    assert tally.right == [True, False, False, True]
    assert tally.average_precision() == pytest.approx((1 + 0.5) / 2)
    assert tally.at(0.75) == (0.5, 0.5)
    assert tally.at(0.0) == (0.5, 1.0)
    assert tally.recall_within(3) == 0.5
    assert tally.best() == pytest.approx((2 / 3, 0.5, 1.0)) or tally.best() == pytest.approx((2 / 3, 1.0, 0.5))


def test_the_places_are_those_in_each_picture_and_confidence_orders_all() -> None:
    """Over two pictures: .9 right, .8 wrong, .7 right of three boxes; precision made non-increasing: 1, 2/3, 2/3."""
    tally = Tally()
    tally.add(*compared(seen((FAR, 0.8), (LEFT, 0.7)), There([LEFT, RIGHT])))
    tally.add(*compared(seen((LEFT, 0.9)), There([LEFT])))
    assert tally.average_precision() == pytest.approx((1 + 2 / 3) / 3)
    assert tally.recall_within(1) == pytest.approx(1 / 3)
    assert tally.recall_within(2) == pytest.approx(2 / 3)
    assert tally.possible_within(1) == pytest.approx(2 / 3)
    assert tally.recall_by_picture(1) == pytest.approx((0 + 1) / 2)
    assert tally.recall_by_picture(2) == pytest.approx((1 / 2 + 1) / 2)


@pytest.mark.parametrize(("shift", "hit"), [(0.33, True), (0.34, False)])
def test_half_of_the_union_must_be_shared(shift: float, hit: bool) -> None:
    """A unit square moved by s shares (1 - s) / (1 + s): 1/2 at s = 1/3."""
    tally = Tally()
    tally.add(*compared(seen((Box(shift, 0, 1 + shift, 1), 0.5)), There([LEFT])))
    assert tally.right == [hit]


def test_nothing_there_and_nothing_found() -> None:
    tally = Tally()
    tally.add(*compared([], There([])))
    assert (tally.average_precision(), tally.recall_within(3), tally.at(0.5)) == (None, None, (None, None))
    tally.add(*compared([], There([LEFT])))
    assert (tally.average_precision(), tally.recall_within(3), tally.at(0.5)) == (0.0, 0.0, (None, 0.0))
    assert np.allclose(tally.best(), 0)


def test_what_is_found_where_nobody_could_decide_counts_neither_way() -> None:
    tally = Tally()
    tally.add(*compared(seen((LEFT, 0.9), (FAR, 0.8)), There([LEFT], doubtful=[FAR])))
    assert (tally.at(0.5), tally.there) == ((1.0, 1.0), 1)
