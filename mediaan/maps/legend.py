"""Draw legends: a strip below a map with its scale, so that a map still says what it means when it travels alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from mediaan.maps.levels import Scale
from mediaan.types.arrays import UInt8

PAPER = (250, 250, 248)
INK = (44, 46, 52)
FAINT = (118, 120, 127)


@dataclass(frozen=True, slots=True)
class Legend:
    """Text and colours of a strip.

    Attributes
    ----------
    title : str
        Name of what is shown.
    note : str
        What the numbers mean, in one line.
    ramp : bytes
        Colours from least to most, RGB triples.
    ticks : tuple of (float, str)
        Place on the bar, 0-1, and the text below it.
    """

    title: str
    note: str
    ramp: bytes
    ticks: tuple[tuple[float, str], ...]


def scale_legend(title: str, scale: Scale, ramp: UInt8) -> Legend:
    """Make the legend of a scale whose colours are `ramp`, (n, 3) uint8 from its low to its high end."""
    ticks = tuple((float(scale.place(np.array(value))), text) for value, text in scale.ticks)
    return Legend(title, scale.unit, ramp.tobytes(), ticks)


def with_legend(rgb: UInt8, legend: Legend) -> UInt8:
    """Add a legend below an image.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    legend : Legend

    Returns
    -------
    (H + strip, W, 3) uint8
        The image's own pixels are unchanged above the strip. Text grows a little with the image; where the
        image is too narrow, the note goes first, then the title, then the ticks.
    """
    height, width = rgb.shape[:2]
    size = int(np.clip(round(min(max(width, min(height, 2 * width)) / 76, height / 10)), 10, 22))
    return np.concatenate([rgb, draw_legend(legend, width, size)])


@lru_cache(maxsize=128)
def draw_legend(legend: Legend, width: int, size: int) -> UInt8:
    """Draw a legend of a given width, with text of a given size, both px; (3 * size, width, 3) uint8, read-only."""
    page = Image.new("RGB", (width, 3 * size), PAPER)
    left, right = _bar_span(legend, width, size)
    _draw_words(page, legend, left - size, size)
    _draw_ticks(page, legend, (left, right), size)
    pixels = np.array(page)
    bar = cv2.resize(_ramp(legend), (right - left, max(3, round(0.6 * size))), interpolation=cv2.INTER_LINEAR)
    top = round(0.62 * size)
    pixels[top : top + bar.shape[0], left:right] = bar
    pixels.setflags(write=False)
    return pixels


def _bar_span(legend: Legend, width: int, size: int) -> tuple[int, int]:
    """First and end column of the bar: at the right when the title fits beside it, else over the whole width."""
    overhang = max((_text_width(text, size) // 2 for _, text in legend.ticks), default=0)
    margin = min(size + overhang, width // 8)
    right = width - margin
    bar = 22 * size
    if _text_width(legend.title, size) + bar + 2 * overhang + 4 * size > width:
        return margin, max(right, margin + 1)
    return right - bar, right


def _draw_words(page: Image.Image, legend: Legend, room: int, size: int) -> None:
    draw, small = ImageDraw.Draw(page), _small_size(size)
    title_fits = size + _text_width(legend.title, size) < room
    note_fits = size + _text_width(legend.note, small) < room
    middle = round(0.62 * size) + round(0.3 * size)
    if title_fits:
        draw.text((size, middle if note_fits else 1.5 * size), legend.title, INK, _font(size), anchor="lm")
    if title_fits and note_fits:
        draw.text((size, round(2.1 * size)), legend.note, FAINT, _font(small), anchor="lm")


def _draw_ticks(page: Image.Image, legend: Legend, span: tuple[int, int], size: int) -> None:
    draw, small, (left, right) = ImageDraw.Draw(page), _small_size(size), span
    taken = 0
    for place, text in _ticks_that_fit(legend, right - left, small):
        x, half = left + place * (right - left), _text_width(text, small) / 2
        if x - half >= taken and x + half <= page.width:
            draw.text((x, round(2.1 * size)), text, FAINT, _font(small), anchor="mm")
            taken = round(x + half)


def _ticks_that_fit(legend: Legend, room: int, size: int) -> tuple[tuple[float, str], ...]:
    """Return all ticks if they have air between them, else the two ends."""
    needed = sum(_text_width(text, size) + size for _, text in legend.ticks)
    return legend.ticks if needed <= room else legend.ticks[:: max(1, len(legend.ticks) - 1)]


def _ramp(legend: Legend) -> UInt8:
    return np.frombuffer(legend.ramp, np.uint8).reshape(1, -1, 3)


def _small_size(size: int) -> int:
    return max(9, round(0.86 * size))


def _text_width(text: str, size: int) -> int:
    return round(_font(size).getlength(text))


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Load Pillow's own font: the same on every machine; it holds ASCII only."""
    return ImageFont.load_default(size)
