"""Letters told from their ground, on rendered text of known colours."""

from __future__ import annotations

import numpy as np
import pytest
from typeset import Typeset, as_line, picture

from mediaan.aoi.detection.text_blocks import line_size, segment_letters, trim_line
from mediaan.aoi.legibility import contrast_ratio

PAIRS = [
    ((0, 0, 0), (255, 255, 255)),
    ((255, 255, 255), (0, 0, 0)),
    ((118, 118, 118), (255, 255, 255)),
    ((255, 230, 90), (20, 60, 140)),
    ((120, 120, 120), (150, 150, 150)),
    ((200, 30, 40), (250, 240, 230)),
    ((0, 128, 60), (225, 40, 40)),
]


@pytest.mark.parametrize(("colour", "ground"), PAIRS)
@pytest.mark.parametrize("font", ["poppins-600", "anton-400", "playfair-500"])
@pytest.mark.parametrize("size", [28, 90])
def test_colours_are_those_of_the_type(
    colour: tuple[int, int, int], ground: tuple[int, int, int], font: str, size: int
) -> None:
    rgb, (line,) = picture([Typeset("Fresh bread", 40, 40, size, colour, font)], (700, 220), ground)
    letters = segment_letters(rgb, line)
    assert letters is not None
    truth = contrast_ratio(np.array(colour, float), np.array(ground, float))
    assert contrast_ratio(letters.colour, letters.ground) == pytest.approx(truth, rel=0.05)
    assert letters.colour == pytest.approx(np.array(colour), abs=8)
    assert letters.ground == pytest.approx(np.array(ground), abs=8)


def test_noise_and_a_gradient_change_little() -> None:
    rgb, (line,) = picture([Typeset("Fresh bread", 40, 40, 60, (30, 30, 90))], (500, 160), (220, 210, 190))
    noise = np.random.default_rng(0).normal(0, 6, rgb.shape) + np.linspace(-10, 10, 500)[None, :, None]
    noisy = np.clip(rgb + noise, 0, 255).astype(np.uint8)
    clean, rough = segment_letters(rgb, line), segment_letters(noisy, line)
    assert clean is not None
    assert rough is not None
    truth = contrast_ratio(clean.colour, clean.ground)
    assert contrast_ratio(rough.colour, rough.ground) == pytest.approx(truth, rel=0.2)


@pytest.mark.parametrize("value", [0, 128, 255])
def test_nothing_to_tell_apart(value: int) -> None:
    blank = np.full((100, 300, 3), value, np.uint8)
    assert segment_letters(blank, as_line("ghost", (50, 30, 250, 70), (300, 100))) is None


@pytest.mark.parametrize("text", ["Fresh gypsum", "FRESH BREAD", "sun arcs"])
@pytest.mark.parametrize("margin", [0.0, 0.1, 0.2])
def test_trimming_finds_the_ink(text: str, margin: float) -> None:
    rgb, _ = picture([Typeset(text, 60, 60, 70)], (700, 220))
    dark = rgb.min(axis=2) < 128
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    height = rows[-1] + 1 - rows[0]
    box = (
        columns[0] - margin * height,
        rows[0] - margin * height,
        columns[-1] + 1 + margin * height,
        rows[-1] + 1 + margin * height,
    )
    line = as_line(text, box, (700, 220))
    tight = trim_line(line, segment_letters(rgb, line))
    assert line_size(tight, 700, 220)[1] == pytest.approx(height, rel=0.1)
    assert tight.box.y0 * 220 == pytest.approx(rows[0], abs=0.06 * height)
    assert tight.box.x0 * 700 == pytest.approx(columns[0], abs=0.08 * height)


def test_without_letters_a_line_stays_as_it_was_found() -> None:
    line = as_line("ghost", (50, 30, 250, 70), (300, 100))
    assert trim_line(line, None) == line


def test_a_line_at_the_border_of_the_picture() -> None:
    rgb, (line,) = picture([Typeset("EDGE", 0, 0, 60)], (400, 200))
    letters = segment_letters(rgb, line)
    assert letters is not None
    assert letters.colour.max() < 40
