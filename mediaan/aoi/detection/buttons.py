"""Find the buttons in which short lines of text stand."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from mediaan.aoi.detection.text_blocks import TypesetLine
from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import UInt8

_LEAST_BUTTON = 0.25
"""Confidence from which a detected button is taken for the plate of a line."""

_MAX_LETTERS = 28
_MARGIN_X, _MARGIN_Y = 8.0, 2.7
"""Room beside and above the letters in which the shape must end, in type sizes."""

_TOLERANCE = 18
"""A shape's pixels differ from its ground by no more per channel, 0-255: JPEG's noise, a weak gradient."""

_MIN_FILL = 0.86
"""Of its bounds; a pill three times as wide as high fills .93."""

_MIN_PADDING, _MAX_PADDING = 0.2, 2.0
"""Between letters and the shape's top and bottom, in type sizes."""

_MAX_OFFSET_X, _MAX_OFFSET_Y = 1.6, 0.6
"""Of the letters from the shape's middle, in type sizes; an arrow may stand beside them."""

_MIN_WIDTH_RATIO = 1.3
_PHRASE, _WORD, _PHRASE_WORDS = 0.55, 0.4, range(2, 6)


def button_around(rgb: UInt8, typed: TypesetLine, detections: Sequence[Detection] = ()) -> tuple[Box | None, float]:
    """Find the button in which a line stands.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    typed : TypesetLine
    detections : sequence of Detection
        Those of type button go before shapes.

    Returns
    -------
    box : Box or None
    confidence : float
        None and 0 without one; a shape found in the pixels, filled or outlined, is hardly surer than not: labels look
        alike, most of all those of one word, of many, or with figures.
    """
    text = typed.line.box
    around = (
        d
        for d in detections
        if d.type == "button"
        and d.confidence >= _LEAST_BUTTON
        and d.box.intersection(text) >= 0.7 * text.area
        and text.area >= 0.08 * d.box.area
    )
    best = max(around, key=lambda d: d.confidence, default=None)
    shape = shape_around(rgb, typed)
    words = typed.line.text or ""
    is_phrase = len(words.split()) in _PHRASE_WORDS and not any(letter.isdigit() for letter in words)
    confidence = (_PHRASE if is_phrase else _WORD) if shape else 0.0
    if best is not None:
        return best.box, 1 - (1 - best.confidence) * (1 - confidence)
    return shape, confidence


def shape_around(rgb: UInt8, typed: TypesetLine) -> Box | None:
    """Find a filled or outlined rectangle, with or without round corners, close around a short upright line.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    typed : TypesetLine
    """
    letters, size = typed.letters, typed.size_px
    if letters is None or abs(typed.along[1]) > 0.1 or len(typed.line.text or "") > _MAX_LETTERS:
        return None
    (x0, y0), (x1, y1) = typed.corners.min(axis=0), typed.corners.max(axis=0)
    height, width = rgb.shape[:2]
    left, top = max(0, int(x0 - _MARGIN_X * size)), max(0, int(y0 - _MARGIN_Y * size))
    right, bottom = min(width, int(x1 + _MARGIN_X * size)), min(height, int(y1 + _MARGIN_Y * size))
    x0, y0, x1, y1 = x0 - left, y0 - top, x1 - left, y1 - top  # px of the patch, as all that follows
    ground = letters.ground.astype(np.int16)
    plain = cv2.inRange(rgb[top:bottom, left:right], ground - _TOLERANCE, ground + _TOLERANCE) // 255
    # the plain region around the letters
    _, labels, stats, _ = cv2.connectedComponentsWithStats(np.asarray(plain, dtype=np.uint8), connectivity=4)
    rim = labels[max(0, int(y0 - 0.15 * size)) : int(y1 + 0.15 * size) + 1, max(0, int(x0)) : int(x1) + 1]
    counts = np.bincount(rim[rim > 0].ravel(), minlength=1)
    if counts.size < 2:
        return None
    label = int(counts.argmax())
    u0, v0, w, h, _ = (int(value) for value in stats[label])
    u1, v1 = u0 + w, v0 + h
    ends_inside = u0 > 0 and v0 > 0 and u1 < plain.shape[1] and v1 < plain.shape[0]
    wide = u0 <= x0 and u1 >= x1 and w >= _MIN_WIDTH_RATIO * h
    above, below = (y0 - v0) / size, (v1 - y1) / size
    padded = min(above, below) >= _MIN_PADDING and max(above, below) <= _MAX_PADDING
    off_x = abs((x0 - u0) - (u1 - x1)) / 2 / size
    central = abs(above - below) / 2 <= _MAX_OFFSET_Y and off_x <= _MAX_OFFSET_X
    if not (ends_inside and wide and padded and central):
        return None
    contours, _ = cv2.findContours((labels == label).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    outline = max(contours, key=cv2.contourArea)
    _, _, across, down = cv2.boundingRect(outline)
    fill = float(cv2.contourArea(outline)) / max(1, (across - 1) * (down - 1))
    if fill < _MIN_FILL:
        return None
    return Box((left + u0) / width, (top + v0) / height, (left + u1) / width, (top + v1) / height)
