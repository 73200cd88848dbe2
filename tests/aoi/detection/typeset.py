"""Pictures with text whose place, size and colours are known."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from mediaan.types.aoi import Box, TextLine
from mediaan.types.arrays import UInt8

FONTS = Path(__file__).resolve().parents[2] / "sample_ads" / "source" / "fonts"
Colour = tuple[int, int, int]
MARGIN = 0.05
"""Of its height that a reader leaves around a line."""


class Typeset(NamedTuple):
    """A line as a designer sets it: its text, left and top of its ink, type size, px, and colour."""

    text: str
    x: int
    y: int
    size: int
    colour: Colour = (0, 0, 0)
    font: str = "poppins-600"


def picture(
    lines: list[Typeset], size: tuple[int, int] = (600, 600), ground: Colour = (255, 255, 255)
) -> tuple[UInt8, list[TextLine]]:
    """The picture, and its lines as a reader would give them."""
    image = Image.new("RGB", size, ground)
    found = write(image, lines)
    return np.asarray(image), found


def write(image: Image.Image, lines: list[Typeset]) -> list[TextLine]:
    """Write on a picture; the lines as a reader would give them."""
    draw = ImageDraw.Draw(image)
    found = []
    for line in lines:
        face = ImageFont.truetype(FONTS / f"{line.font}.woff2", line.size)
        left, top, right, bottom = draw.textbbox((0, 0), line.text, font=face)
        draw.text((line.x - left, line.y - top), line.text, fill=line.colour, font=face)
        width, height = right - left, bottom - top
        margin = MARGIN * height
        box = (line.x - margin, line.y - margin, line.x + width + margin, line.y + height + margin)
        found.append(as_line(line.text, box, image.size))
    return found


def as_line(text: str | None, box: tuple[float, ...], size: tuple[int, int], confidence: float = 0.95) -> TextLine:
    """An upright line from px."""
    x0, y0, x1, y1 = (side / size[i % 2] for i, side in enumerate(box))
    return TextLine(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), text, confidence)


def ink(lines: list[TextLine]) -> Box:
    """Bounds of lines, without the reader's margin to within a few px."""
    return Box.around(line.box for line in lines)
