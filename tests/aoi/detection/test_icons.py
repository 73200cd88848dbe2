"""What stands beside text and belongs to it: icons of telephone numbers."""

import cv2
import numpy as np
import pytest
from typeset import Typeset, picture

from mediaan.aoi.detection.surroundings import expand_to_icon
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8

SIDE = 600


def number(x: int = 230, text: str = "0337 863 6844", ground: tuple[int, int, int] = (255, 255, 255)) -> UInt8:
    return picture([Typeset(text, x, 290, 28)], ground=ground)[0].copy()


def line_at(x: int = 230, text: str = "0337 863 6844") -> Box:
    return picture([Typeset(text, x, 290, 28)])[1][0].box


def px(x0: float, y0: float, x1: float, y1: float) -> Box:
    return Box(x0 / SIDE, y0 / SIDE, x1 / SIDE, y1 / SIDE)


@pytest.mark.parametrize("x", [190, 476])
def test_the_icon_left_or_right_of_a_number_is_part_of_it(x: int) -> None:
    rgb = number()
    cv2.circle(rgb, (x, 300), 18, (40, 160, 60), -1)
    found = expand_to_icon(rgb, line_at(), 28, ())
    drawn = Box.around((line_at(), px(x - 18, 282, x + 18, 318)))
    assert found.iou(drawn) > 0.88


@pytest.mark.parametrize(
    ("centre", "radius"),
    [((190, 250), 18), ((110, 300), 18), ((150, 300), 60), ((215, 300), 4)],
    ids=["of another row", "far away", "a picture", "a bullet"],
)
def test_other_graphics_are_not(centre: tuple[int, int], radius: int) -> None:
    rgb = number()
    cv2.circle(rgb, centre, radius, (40, 160, 60), -1)
    assert expand_to_icon(rgb, line_at(), 28, ()) == line_at()


def test_the_words_beside_a_number_are_no_icon() -> None:
    rgb, (name, line) = picture([Typeset("Tel", 170, 290, 28), Typeset("0337 863 6844", 230, 290, 28)])
    assert expand_to_icon(rgb, line.box, 28, [name.box]) == line.box


def test_a_plain_ground_gives_the_line_itself() -> None:
    assert expand_to_icon(np.full((SIDE, SIDE, 3), 200, np.uint8), line_at(), 28, ()) == line_at()
