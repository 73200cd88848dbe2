"""Measure how much there is to read, and how well it stands out, from where the encoder sees letters."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.types.arrays import Float32
from mediaan.types.densities import Appearance

SOME_TEXT = 0.004
"""Share of the area under which an image is said to hold no text: a line of 40 letters of 2 % of the height."""

_LITTLE = 0.05
"""Share of the image under which what is not text says nothing of its ground."""

_LETTER = 0.5
"""Width of a letter with its gap, as a share of its height."""


def inside_text(plane: Float32, appearance: Appearance) -> float | None:
    """Return the mean of a map where letters are seen; None without text.

    Of local contrast it says how well type stands out; of luma, type and ground together, it tells dark type on white,
    as of a page, from type on a dark or coloured ground or on a photograph.

    `plane`: (h, w) float32.
    """
    if appearance.text_map is None or appearance.text_share < SOME_TEXT:
        return None
    height, width = plane.shape
    seen = cv2.resize(appearance.text_map, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.float64)
    total = float(seen.sum())
    return float((seen * plane).sum()) / total if total > 0 else None


def outside_text(plane: Float32, appearance: Appearance) -> float:
    """Return the mean of a map where no letters are seen; over all of it where there is nothing else.

    `plane`: (h, w) float32.
    """
    if appearance.text_map is None:
        return float(plane.mean(dtype=np.float64))
    height, width = plane.shape
    other = 1 - cv2.resize(appearance.text_map, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.float64)
    total = float(other.sum())
    if total < _LITTLE * plane.size:
        return float(plane.mean(dtype=np.float64))
    return float((other * plane).sum()) / total


def text_height(appearance: Appearance) -> float | None:
    """Return the height of the smaller lines as a share of the image's height; None without text."""
    return None if appearance.text_share < SOME_TEXT else appearance.text_height


def letter_count(appearance: Appearance) -> float:
    """Estimate how many letters an image holds: the area of its text over that of a letter there."""
    return 0.0 if appearance.text_share < SOME_TEXT else appearance.text_letters / _LETTER
