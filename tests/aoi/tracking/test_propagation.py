"""Boxes follow known motions of known pictures."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from moving_scenes import photo

from mediaan.aoi.tracking.association import GreyPyramid
from mediaan.aoi.tracking.propagation import FlowTarget, propagate_boxes
from mediaan.types.aoi import Box

WIDTH, HEIGHT = 320, 200
FACE = Box(0.34, 0.15, 0.58, 0.6)


def seen(x: float = 0.0, y: float = 0.0, zoom: float = 1.0, picture: str = "astronaut") -> np.ndarray:
    """A photo moved by (x, y) px and zoomed about the middle of the frame."""
    matrix = np.array([[zoom, 0, (1 - zoom) * WIDTH / 2 + x], [0, zoom, (1 - zoom) * HEIGHT / 2 + y]])
    return cv2.warpAffine(photo(picture), matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)


def moved(box: Box, x: float = 0.0, y: float = 0.0, zoom: float = 1.0) -> Box:
    xs, ys = (
        ((side - 0.5) * zoom + 0.5 + x / WIDTH for side in box[::2]),
        ((side - 0.5) * zoom + 0.5 + y / HEIGHT for side in box[1::2]),
    )
    (x0, x1), (y0, y1) = xs, ys
    return Box(x0, y0, x1, y1)


def one(before: np.ndarray, now: np.ndarray, target: FlowTarget) -> Box | None:
    (box,) = propagate_boxes(GreyPyramid(before, 512), GreyPyramid(now, 512), [target])
    return box


@pytest.mark.parametrize(
    "motion", [(0.0, 0.0, 1.0), (0.4, -0.3, 1.0), (7.5, 3.0, 1.0), (-20.0, 10.0, 1.0), (0, 0, 1.1), (4.0, -6.0, 0.92)]
)
def test_shift_and_zoom_are_followed(motion: tuple[float, float, float]) -> None:
    box = one(seen(), seen(*motion), FlowTarget(FACE))
    assert box is not None
    np.testing.assert_allclose(box, moved(FACE, *motion), atol=0.004)


def test_a_large_step_is_followed_where_it_is_expected() -> None:
    assert one(seen(), seen(70, 20), FlowTarget(FACE)) != pytest.approx(moved(FACE, 70, 20), abs=0.01)
    box = one(seen(), seen(70, 20), FlowTarget(FACE, (68 / WIDTH, 19 / HEIGHT)))
    assert box == pytest.approx(moved(FACE, 70, 20), abs=0.004)


def test_many_are_followed_at_once_each_its_own_way() -> None:
    ground, part = seen(picture="hubble").copy(), seen()[30:120, 100:190]
    frames = []
    for step in (0, 6):
        frame = ground.copy()
        frame[20 : 20 + 90, 20 + step : 110 + step] = part
        frame[100 - step : 190 - step, 200:290] = part[::-1]
        frames.append(frame)
    boxes = [Box(20 / WIDTH, 0.1, 110 / WIDTH, 0.55), Box(200 / WIDTH, 0.5, 290 / WIDTH, 0.95)]
    first, second = propagate_boxes(
        GreyPyramid(frames[0], 512), GreyPyramid(frames[1], 512), [FlowTarget(box) for box in boxes]
    )
    assert first == pytest.approx(moved(boxes[0], x=6), abs=0.004)
    assert second == pytest.approx(moved(boxes[1], y=-6), abs=0.004)


def test_what_has_nothing_to_follow_is_lost() -> None:
    flat = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    assert one(flat, flat, FlowTarget(FACE)) is None
    assert one(seen(), flat, FlowTarget(FACE)) is None
    assert one(seen(), seen(picture="cat"), FlowTarget(FACE)) is None, "another picture"
    assert one(seen(), seen(), FlowTarget(Box(1.2, 0.1, 1.4, 0.3))) is None, "outside"
    assert propagate_boxes(GreyPyramid(flat, 512), GreyPyramid(flat, 512), []) == []


def test_letters_rest_where_the_picture_under_them_moves() -> None:
    frames = []
    for step in (0, 8):
        frame = seen(step, 0, picture="rocket").copy()
        cv2.putText(frame, "ACME", (100, 120), cv2.FONT_HERSHEY_DUPLEX, 1.4, (255, 255, 255), 3)
        frames.append(frame)
    letters = Box(98 / WIDTH, 84 / HEIGHT, 226 / WIDTH, 128 / HEIGHT)
    assert one(*frames, FlowTarget(letters, overlay=True)) == letters


def test_following_back_comes_to_the_start() -> None:
    there = one(seen(), seen(9, -4, 1.06), FlowTarget(FACE))
    assert there is not None
    assert one(seen(9, -4, 1.06), seen(), FlowTarget(there)) == pytest.approx(FACE, abs=0.004)
