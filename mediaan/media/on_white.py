"""Lay transparent pixels on white, and notice media of which hardly anything can be seen there."""

from __future__ import annotations

import numpy as np
from PIL import Image

from mediaan.types.arrays import UInt8
from mediaan.types.media import Problem

_LONG_SIDE = 320
_FAINT = 24
"""Steps of up to so many of 255 are hardly seen: the outline of #eee on white has 17."""

_MIN_SHARE_SEEN = 0.12
"""Of the contours that there are on grey. A white logo has none on white; a white card whose outline is lost has 16 %
with a line of small print on it, and two thirds with a headline."""


def on_white(multiplied: Image.Image) -> UInt8:
    """Lay an image on white.

    `multiplied`: in mode RGBa: colours multiplied by opacity.
    Returns (h, w, 3) uint8.
    """
    pixels = np.asarray(multiplied)
    white = 255 - pixels[..., 3:].astype(np.int16)
    # rounding may leave a colour one above its opacity
    return np.minimum(pixels[..., :3] + white, 255).astype(np.uint8)


class HiddenOnWhite:
    """Compares the contours of a medium's pictures on white with those on grey."""

    def __init__(self) -> None:
        self._on_white = self._on_grey = 0.0

    def add(self, multiplied: Image.Image) -> None:
        """Look at a picture of the medium.

        `multiplied`: in mode La or RGBa: colours multiplied by opacity. Those without opacity are passed over.
        """
        if multiplied.mode not in {"La", "RGBa"}:
            return
        small = multiplied.copy()
        small.thumbnail((_LONG_SIDE, _LONG_SIDE), Image.Resampling.BOX)
        pixels = np.asarray(small).astype(np.float32)
        transparency = 255 - pixels[..., -1:]
        for axis in (0, 1):
            steps = np.abs(np.diff(pixels[..., :-1] + transparency, axis=axis))
            self._on_white += float(steps[steps > _FAINT].sum())
            self._on_grey += float(np.abs(np.diff(pixels[..., :-1] + transparency / 2, axis=axis)).sum())

    @property
    def problem(self) -> Problem | None:
        """The note, if hardly anything was seen on white of what there is."""
        if self._on_white >= _MIN_SHARE_SEEN * self._on_grey:
            return None
        message = (
            "it is white or nearly so on a transparent background, and was analyzed on white, where hardly anything of "
            "it is seen; put it on the background on which it will appear"
        )
        return Problem("hidden_on_white", message)
