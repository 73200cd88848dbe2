"""Chinese and Japanese set in columns are text, wherever the column stands; Latin that runs upwards stays lettering."""

from __future__ import annotations

import numpy as np
import pytest

from mediaan.aoi.detection.frame_aois import find_areas
from mediaan.aoi.detection.line_features import FEATURES, is_column, line_features
from mediaan.aoi.detection.text_blocks import TypesetLine, typeset_line
from mediaan.types.aoi import TextLine

SIDE = 800
CHINESE, JAPANESE = "夏季大促销全场五折", "新しい季節のはじまり"


def page(x: int, letters: int, *, size: int = 64, light: bool = False) -> np.ndarray:
    """A column of squares with a hole, as high and wide as letters, from the upper edge down."""
    rgb = np.full((SIDE, SIDE, 3), 30 if light else 240, np.uint8)
    for number in range(letters):
        top = 40 + number * round(1.2 * size)
        rgb[top : top + size, x : x + size] = 240 if light else 30
        rgb[top + size // 4 : top + 3 * size // 4, x + size // 4 : x + 3 * size // 4] = 30 if light else 240
    return rgb


def column(x: int, text: str, *, size: int = 64, down: bool = True) -> TextLine:
    """A line as the reader finds it: from its own top-left, here the upper right corner of a column that runs down."""
    left, right, top, bottom = x - 4, x + size + 4, 36, 44 + round(1.2 * size) * len(text)
    corners = [(right, top), (right, bottom), (left, bottom), (left, top)]
    if not down:
        corners = corners[2:] + corners[:2]
    first, second, third, fourth = ((px / SIDE, py / SIDE) for px, py in corners)
    return TextLine((first, second, third, fourth), text, 0.99)


def typeset(x: int, text: str, **options: bool) -> tuple[np.ndarray, TypesetLine]:
    rgb = page(x, len(text))
    return rgb, typeset_line(rgb, column(x, text, **options))


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("size", [40, 64])
@pytest.mark.parametrize("x", [40, 250, 400, 600, 700])
@pytest.mark.parametrize("text", [CHINESE, JAPANESE])
def test_a_column_is_found_as_text(text: str, x: int, size: int, light: bool) -> None:
    text = text[: 740 // round(1.2 * size)]
    found = find_areas(page(x, len(text), size=size, light=light), [column(x, text, size=size)], []).areas
    assert [area.type for area in found] in (["headline_text"], ["body_text"])
    assert found[0].text.transcription == text


def test_only_upright_scripts_are_columns() -> None:
    for text, down, expected in (
        (CHINESE, True, True),
        (JAPANESE, True, True),
        ("全场5折", True, True),
        ("SUMMERSAL", True, False),
        ("SUMMERSAL", False, False),
        ("123456789", True, False),
    ):
        rgb, line = typeset(200, text, down=down)
        assert is_column(line) == expected, text
        vertical = line_features(rgb, [line])[0, FEATURES.index("vertical")]
        assert vertical == (not expected), text
