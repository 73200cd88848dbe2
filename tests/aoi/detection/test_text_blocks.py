"""Text lines: letters told from their ground, single glyphs that are shapes, lines grouped as a reader takes them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from typeset import Typeset, as_line, picture, write

from mediaan.aoi.detection.text_blocks import (
    TextBlock,
    group_lines,
    is_spurious_glyph,
    line_size,
    rotated_rectangle,
    segment_letters,
    trim_line,
    typeset_line,
)
from mediaan.aoi.legibility import contrast_ratio
from mediaan.types.aoi import TextLine
from mediaan.types.arrays import UInt8

Page = list[Typeset]


def blocks_of(page: Page, size: tuple[int, int] = (600, 600)) -> list[TextBlock]:
    rgb, lines = picture(page, size)
    return group_lines([typeset_line(rgb, line) for line in lines])


def texts(blocks: list[TextBlock]) -> list[str | None]:
    return [block.text for block in blocks]


def paragraph(x: int, y: int, words: list[str], size: int = 20, leading: float = 1.3) -> Page:
    return [Typeset(line, x, y + round(i * size * leading), size) for i, line in enumerate(words)]


THREE = ["our coffee comes from", "small farms high up in", "the cool north hills"]
OTHER = ["roasted slowly by those", "who know what they do", "ground when you order"]


PARAGRAPH, RED, BLACK = "\n".join(THREE), (210, 20, 30), (0, 0, 0)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(paragraph(50, 50, THREE)[::-1], [PARAGRAPH], id="a paragraph, in reading order"),
        pytest.param(paragraph(50, 50, THREE, 24, 1.0), [PARAGRAPH], id="no leading"),
        pytest.param(paragraph(50, 50, THREE, 24, 1.4), [PARAGRAPH], id="wide leading"),
        pytest.param(
            paragraph(40, 50, THREE) + paragraph(330, 50, OTHER), [PARAGRAPH, "\n".join(OTHER)], id="two columns"
        ),
        pytest.param(
            paragraph(50, 50, THREE) + paragraph(50, 190, OTHER), [PARAGRAPH, "\n".join(OTHER)], id="a gap between"
        ),
        pytest.param(
            [Typeset("TASTE", 252, 60, 34), Typeset("THE LONG SUMMER", 146, 105, 34), Typeset("AGAIN", 252, 150, 34)],
            ["TASTE\nTHE LONG SUMMER\nAGAIN"], id="centred lines of any length",
        ),
        pytest.param(
            [Typeset("Our summer is back", 60, 100, 24), Typeset("with more of it", 60, 132, 24)],
            ["Our summer is back\nwith more of it"], id="a line below another",
        ),
        pytest.param(
            [Typeset("Our summer is back", 60, 100, 24), Typeset("with more of it", 190, 132, 24)],
            ["Our summer is back", "with more of it"], id="one that begins and ends elsewhere",
        ),
        pytest.param(
            [Typeset("49", 60, 60, 120), Typeset("per month", 230, 80, 20), Typeset("for a year", 60, 165, 18)],
            ["49", "per month", "for a year"], id="a price and the small print beside and below it",
        ),
        pytest.param(
            [Typeset("Sleep well", 50, 50, 60), *paragraph(50, 120, THREE)], ["Sleep well", PARAGRAPH],
            id="a headline and its body",
        ),
        pytest.param(
            [Typeset("HELLO BIG LASHES", 50, 50, 28), Typeset("get longer lashes now", 50, 82, 28)],
            ["HELLO BIG LASHES", "get longer lashes now"], id="capitals before small letters",
        ),
        pytest.param(
            [Typeset("CHOOSE TO CHARM", 50, 50, 30, BLACK), Typeset("CHOOSE TO LOVE", 50, 80, 30, RED)],
            ["CHOOSE TO CHARM\nCHOOSE TO LOVE"], id="two colours, close",
        ),
        pytest.param(
            [Typeset("small type in black", 50, 50, 30, BLACK), Typeset("loose type in red", 50, 105, 30, RED)],
            ["small type in black", "loose type in red"], id="two colours, apart",
        ),
    ],
)  # fmt: skip
def test_blocks_are_as_a_reader_takes_them(page: Page, expected: list[str]) -> None:
    assert sorted(texts(blocks_of(page)), key=str) == sorted(expected)


@pytest.mark.parametrize("degrees", [-20, 12, 35])
def test_slanted_lines(degrees: int) -> None:
    image = Image.new("RGB", (600, 600), "white")
    lines = write(image, paragraph(180, 250, THREE, 22))
    turned = np.asarray(image.rotate(-degrees, fillcolor="white", resample=Image.Resampling.BICUBIC), dtype=np.uint8)
    turn = np.radians(degrees)
    axes = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    found = []
    for line in lines:
        corners = (np.array(line.corners) - 0.5) @ axes + 0.5
        first, second, third, fourth = (tuple(corner) for corner in corners)
        found.append(type(line)((first, second, third, fourth), line.text, line.confidence))
    (block,) = group_lines([typeset_line(turned, line) for line in found])
    assert block.text == "\n".join(THREE)
    assert block.angle_deg == pytest.approx(degrees, abs=1)
    outline = np.array(rotated_rectangle(block.lines, block.angle_deg, 600, 600)) * 600
    along = outline[1] - outline[0]
    assert np.degrees(np.arctan2(along[1], along[0])) == pytest.approx(degrees, abs=1)
    ink = np.argwhere(turned.min(axis=2) < 100)[:, ::-1] - outline[0]
    across = outline[3] - outline[0]
    inside = [(ink @ side) / (side @ side) for side in (along, across)]
    assert all(np.quantile(share, 0.01) > -0.03 and np.quantile(share, 0.99) < 1.03 for share in inside)


def test_lines_that_were_not_read_are_grouped_by_place_alone() -> None:
    rgb, lines = picture(paragraph(50, 50, THREE) + paragraph(50, 300, OTHER))
    unread = [type(line)(line.corners, None, 0.8) for line in lines]
    blocks = group_lines([typeset_line(rgb, line) for line in unread])
    assert [len(block.lines) for block in blocks] == [3, 3]
    assert texts(blocks) == [None, None]


def test_no_lines_no_blocks() -> None:
    assert group_lines([]) == []


def test_no_line_is_lost_or_doubled_on_a_full_page() -> None:
    rng = np.random.default_rng(5)
    blank: UInt8 = np.full((500, 500, 3), 255, np.uint8)
    for _ in range(20):
        boxes = [(x, y, x + w, y + h) for x, y, w, h in zip(*rng.uniform(5, 250, (4, 30)), strict=True)]
        lines = [typeset_line(blank, as_line(f"line {i}", box, (500, 500))) for i, box in enumerate(boxes)]
        grouped = [typed.line.text for block in group_lines(lines) for typed in block.lines]
        assert sorted(map(str, grouped)) == sorted(f"line {i}" for i in range(30))


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
    assert letters.colour.max() < 40


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
