"""Single glyphs over much of a frame are shapes, all else may be text."""

from __future__ import annotations

import pytest

from mediaan.aoi.detection.text_blocks import is_spurious_glyph
from mediaan.types.aoi import TextLine


def line(said: str | None, width: float, height: float) -> TextLine:
    return TextLine(((0.0, 0.0), (width, 0.0), (width, height), (0.0, height)), said, 0.9)


@pytest.mark.parametrize("said", ["1", "O", "%", "l.", "—"])
def test_a_glyph_as_high_as_the_frame_is_junk(said: str) -> None:
    assert is_spurious_glyph(line(said, 0.3, 1.0), 16 / 9)


@pytest.mark.parametrize(
    ("said", "width", "height", "aspect"),
    [
        ("5", 0.2, 0.35, 1.0),
        ("SALE", 0.9, 0.9, 16 / 9),
        ("50", 0.5, 0.6, 1.0),
        ("M", 0.1, 0.85, 8.1),
        (None, 0.9, 0.6, 1.0),
    ],
    ids=["a large digit", "a word", "a number", "a letter on a leaderboard", "not read"],
)
def test_what_may_be_text_is_kept(said: str | None, width: float, height: float, aspect: float) -> None:
    assert not is_spurious_glyph(line(said, width, height), aspect)


def test_a_pole_is_judged_by_its_length() -> None:
    assert is_spurious_glyph(line("I", 0.03, 0.8), 1.0)
    assert is_spurious_glyph(line("I", 0.03, 0.8), 16 / 9)
    assert not is_spurious_glyph(line("I", 0.03, 0.2), 16 / 9)
