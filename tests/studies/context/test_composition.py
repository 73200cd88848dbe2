"""An ad in a screenshot: where it stands, and what is left of the page."""

from __future__ import annotations

import numpy as np
import pytest

from mediaan.errors import UsageError
from mediaan.studies.context.pictures import crop_to_aspect, parse_place, paste_ad
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8

RED, BLUE = (200, 20, 20), (20, 40, 190)


def plain(width: int, height: int, colour: tuple[int, int, int] = RED) -> UInt8:
    return np.full((height, width, 3), colour, np.uint8)


def inside(rgb: UInt8, box: Box) -> UInt8:
    """Pixels that lie in a box with all of themselves."""
    height, width = rgb.shape[:2]
    x0, y0 = int(np.ceil(round(box.x0 * width, 4))), int(np.ceil(round(box.y0 * height, 4)))
    return rgb[y0 : int(round(box.y1 * height, 4)), x0 : int(round(box.x1 * width, 4))]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("10,10,50", "is not X,Y,WIDTH,HEIGHT"),
        ("a,b,c,d", "is not X,Y,WIDTH,HEIGHT"),
        ("10,10,2000,50", "does not lie in the screenshot of 1000 x 500 px"),
        ("-5,0,50,50", "does not lie in"),
        ("10,10,4,50", "smaller than 8 px"),
        ("0,0,nan,10", "does not lie in"),
    ],
)
def test_places_that_cannot_be(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse_place(text, 1000, 500)


def test_an_ad_fills_its_place_in_its_own_shape_and_leaves_nothing_of_what_was_there() -> None:
    page = plain(200, 100, (255, 255, 255))
    page[20:80, 50:150] = BLUE  # an ad that is replaced
    shown = paste_ad(page, plain(30, 30), Box(0.25, 0.2, 0.75, 0.8))
    assert shown.box == Box(0.35, 0.2, 0.65, 0.8)
    assert (inside(shown.rgb, shown.box) == RED).all()
    assert not (shown.rgb == BLUE).all(axis=2).any()
    assert (page[50, 100] == BLUE).all(), "the screenshot itself stays"


def test_cropping_keeps_the_middle() -> None:
    picture = np.zeros((10, 30, 3), np.uint8)
    picture[:, 10:20] = 255
    assert (crop_to_aspect(picture, 1.0) == 255).all()
    assert crop_to_aspect(picture, 3.0).shape == picture.shape
