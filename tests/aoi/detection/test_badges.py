"""The badge on which a price stands."""

import cv2
import numpy as np
import pytest
from typeset import Typeset, picture

from mediaan.aoi.detection.surroundings import expand_to_badge
from mediaan.types.aoi import Box

SIDE = 600
RED = (180, 20, 20)


def px(x0: float, y0: float, x1: float, y1: float) -> Box:
    return Box(x0 / SIDE, y0 / SIDE, x1 / SIDE, y1 / SIDE)


def test_a_badge_is_alone_whole_and_not_far_larger_than_its_text() -> None:
    rgb, (price, other) = picture([Typeset("$25", 250, 280, 60, (255, 255, 255)), Typeset("more", 270, 350, 18)])
    letters = (rgb != rgb[0, 0]).any(axis=2)
    for radius, others, grows in ((75, [], True), (75, [other.box], False), (190, [], False)):
        shown = rgb.copy()
        cv2.circle(shown, (300, 302), radius, RED, -1)
        shown[letters] = 255
        found = expand_to_badge(shown, price.box, 60, np.array(RED, np.float64), others)
        assert (
            found.iou(px(300 - radius, 302 - radius, 301 + radius, 303 + radius)) > 0.95
            if grows
            else found == price.box
        )


@pytest.mark.parametrize("box", [Box(-0.05, 0.2, 0.1, 0.3), Box(-0.2, 0.2, -0.1, 0.3), Box(0.9, 0.98, 1.2, 1.1)])
def test_a_badge_at_the_border_is_no_error(box: Box) -> None:
    rgb = np.full((SIDE, SIDE, 3), 200, np.uint8)
    assert expand_to_badge(rgb, box, 20, np.full(3, 200.0), []) == box
