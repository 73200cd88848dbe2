"""What lines of text are for: probabilities, told apart by what lines say and by what stands around them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw
from typeset import Typeset, write

from mediaan.aoi.detection.line_roles import (
    FEATURES,
    LINE_ROLES,
    fused_line_roles,
    line_features,
    line_roles,
    object_evidence,
)
from mediaan.aoi.detection.text_blocks import TypesetLine, typeset_line
from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import UInt8

TEXTS = (
    Typeset("Sleep better tonight", 60, 60, 60),
    Typeset("our mattress comes in a box and", 60, 240, 18),
    Typeset("goes back if you do not like it", 60, 264, 18),
    Typeset("Shop now", 90, 356, 26, (255, 255, 255)),
    Typeset("-30 %", 440, 250, 40),
    Typeset("www.example.com", 60, 560, 14),
)


@pytest.fixture(scope="module")
def page() -> tuple[UInt8, list[TypesetLine]]:
    image = Image.new("RGB", (600, 600), (250, 246, 240))
    ImageDraw.Draw(image).rounded_rectangle((60, 340, 240, 400), 14, fill=(20, 60, 150))
    lines = write(image, list(TEXTS))
    rgb = np.asarray(image)
    return rgb, [typeset_line(rgb, line) for line in lines]


def test_each_part_of_an_ad_has_its_role(page: tuple[UInt8, list[TypesetLine]]) -> None:
    roles = line_roles(*page)
    assert roles.sum(axis=1) == pytest.approx(np.ones(len(TEXTS)))
    said = [LINE_ROLES[i] for i in roles.argmax(axis=1)]
    assert said == ["headline_text", "body_text", "body_text", "call_to_action", "offer", "call_to_action"]


def test_features_are_finite_and_a_neighbour_changes_them(page: tuple[UInt8, list[TypesetLine]]) -> None:
    rgb, lines = page
    among, alone = line_features(rgb, lines), line_features(rgb, lines[:1])
    assert among.shape == (len(lines), len(FEATURES))
    assert np.isfinite(among).all()
    below = FEATURES.index("gap_below")
    assert among[0, below] < alone[0, below] == 6.0


def test_a_name_is_known_by_the_address_that_is_made_of_it(page: tuple[UInt8, list[TypesetLine]]) -> None:
    image = Image.new("RGB", (600, 300), "white")
    lines = write(
        image, [Typeset("KALVO", 60, 60, 40), Typeset("Coffee", 60, 140, 40), Typeset("www.kalvo.com", 60, 240, 16)]
    )
    rgb = np.asarray(image)
    features = line_features(rgb, [typeset_line(rgb, line) for line in lines])
    assert features[:2, FEATURES.index("in_address")].tolist() == [1.0, 0.0]


def test_a_button_around_a_line_speaks_for_a_call_to_action(page: tuple[UInt8, list[TypesetLine]]) -> None:
    rgb, lines = page
    column = LINE_ROLES.index("call_to_action")
    box = lines[1].line.box
    button = Detection("button", Box(box.x0 - 0.02, box.y0 - 0.01, box.x1 + 0.02, box.y1 + 0.01), 0.9)
    fused = fused_line_roles(rgb, lines, [button])
    assert fused[1, column] > fused_line_roles(rgb, lines, ())[1, column]
    assert fused.sum(axis=1) == pytest.approx(np.ones(len(TEXTS)))
    assert object_evidence(box, [button]).tolist() == [0.9, 0.0, 0.0]
    assert object_evidence(lines[0].line.box, [button]).tolist() == [0.0, 0.0, 0.0]


def test_no_lines_have_no_roles() -> None:
    blank = np.zeros((40, 60, 3), np.uint8)
    assert fused_line_roles(blank, (), ()).shape == (0, len(LINE_ROLES))
