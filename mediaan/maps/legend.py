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
    """Text and colours of a strip."""

    title: str
    """Name of what is shown."""
    note: str
    """What the numbers mean, in one line."""
    ramp: bytes
    """Colours from least to most, RGB triples."""
    ticks: tuple[tuple[float, str], ...]
    """Tuple of (float, str). Place on the bar, 0-1, and the text below it."""


def scale_legend(title: str, scale: Scale, ramp: UInt8) -> Legend:
    """Make the legend of a scale whose colours are `ramp`, (n, 3) uint8 from its low to its high end."""
    ticks = tuple((float(scale.place(np.array(value))), text) for value, text in scale.ticks)
    return Legend(title, scale.unit, ramp.tobytes(), ticks)


def with_legend(rgb: UInt8, legend: Legend) -> UInt8:
    """Add a legend below an image.

    `rgb`: (H, W, 3) uint8.
    Returns (H + strip, W, 3) uint8: the image's own pixels are unchanged above the strip. Text grows a little with the
        image; where the image is too narrow, the note goes first, then the title, then the ticks.
    """
    height, width = rgb.shape[:2]
    size = int(np.clip(round(min(max(width, min(height, 2 * width)) / 76, height / 10)), 10, 22))
    return np.concatenate([rgb, draw_legend(legend, width, size)])


@lru_cache(maxsize=128)
def draw_legend(legend: Legend, width: int, size: int) -> UInt8:
    """Draw a legend of a given width, with text of a given size, both px; (3 * size, width, 3) uint8, read-only."""
    page = Image.new("RGB", (width, 3 * size), PAPER)
    draw, small = ImageDraw.Draw(page), max(9, round(0.86 * size))
    # The bar stands at the right if the title fits beside it, else it takes the whole width.
    overhang = max((_text_width(text, size) // 2 for _, text in legend.ticks), default=0)
    margin = min(size + overhang, width // 8)
    right, bar_width = width - margin, 22 * size
    left = right - bar_width
    if _text_width(legend.title, size) + bar_width + 2 * overhang + 4 * size > width:
        left, right = margin, max(right, margin + 1)
    title_fits = size + _text_width(legend.title, size) < left - size
    note_fits = size + _text_width(legend.note, small) < left - size
    if title_fits:
        middle = round(0.62 * size) + round(0.3 * size) if note_fits else 1.5 * size
        draw.text((size, middle), legend.title, INK, text_font(size), anchor="lm")
        if note_fits:
            draw.text((size, round(2.1 * size)), legend.note, FAINT, text_font(small), anchor="lm")
    ticks, taken = legend.ticks, 0
    if sum(_text_width(text, small) + small for _, text in ticks) > right - left:
        ticks = ticks[:: max(1, len(ticks) - 1)]  # the two ends alone
    for place, text in ticks:
        x, half = left + place * (right - left), _text_width(text, small) / 2
        if x - half >= taken and x + half <= width:
            draw.text((x, round(2.1 * size)), text, FAINT, text_font(small), anchor="mm")
            taken = round(x + half)
    pixels = np.array(page)
    ramp = np.frombuffer(legend.ramp, np.uint8).reshape(1, -1, 3)
    bar = cv2.resize(ramp, (right - left, max(3, round(0.6 * size))), interpolation=cv2.INTER_LINEAR)
    top = round(0.62 * size)
    pixels[top : top + bar.shape[0], left:right] = bar
    pixels.setflags(write=False)
    return pixels


def _text_width(text: str, size: int) -> int:
    return round(text_font(size).getlength(text))


@cache
def text_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Load Pillow's own font: the same on every machine; it holds ASCII only."""
    return ImageFont.load_default(size)
