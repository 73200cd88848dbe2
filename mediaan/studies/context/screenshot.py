"""Put an ad into a screenshot of a page."""

from __future__ import annotations

import numpy as np

from mediaan.errors import UsageError
from mediaan.studies.context.composition import ComposedPicture, paste, scale_image
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8

_RING = 6
"""Width of the border around a place from which its background is taken, px."""

_LEAST_SIDE = 8
"""Least width and height of a place, px."""


def parse_place(text: str, width: int, height: int) -> Box:
    """Read a place in a screenshot.

    Parameters
    ----------
    text : str
        ``x,y,w,h``: left, top, width and height, each in pixels of the file or, with ``%``, of its width or height.
    width, height : int
        Of the screenshot's file, px.

    Raises
    ------
    UsageError
        It is not written so, or does not lie in the screenshot.

    Examples
    --------
    >>> parse_place("100,50%,300,250", 1000, 1000)
    Box(x0=0.1, y0=0.5, x1=0.4, y1=0.75)
    """
    parts = [part.strip() for part in text.split(",")]
    try:
        if len(parts) != 4:
            raise ValueError
        sides = (width, height, width, height)
        x, y, w, h = (
            float(part[:-1]) / 100 if part.endswith("%") else float(part) / side
            for part, side in zip(parts, sides, strict=True)
        )
    except ValueError as error:
        message = f"--at {text}: is not X,Y,WIDTH,HEIGHT in pixels or %, such as 100,50,300,250 or 10%,5%,30%,25%"
        raise UsageError(message, code="bad_place") from error
    box = Box(x, y, x + w, y + h)
    inside = -1e-9 <= box.x0 < box.x1 <= 1 + 1e-9 and -1e-9 <= box.y0 < box.y1 <= 1 + 1e-9
    if not inside or w * width < _LEAST_SIDE or h * height < _LEAST_SIDE:
        message = (
            f"--at {text}: does not lie in the screenshot of {width} x {height} px, or is smaller than "
            f"{_LEAST_SIDE} px; give left, top, width and height"
        )
        raise UsageError(message, code="bad_place")
    return box.clipped()


def paste_ad(screenshot: UInt8, ad: UInt8, place: Box) -> ComposedPicture:
    """Put an ad into a place: as large as it fits, in its own shape, in the middle.

    What the ad leaves free of the place gets the most frequent colour of the border around it, so that nothing remains
    of what was there before.

    Parameters
    ----------
    screenshot : (H, W, 3) uint8
    ad : (h, w, 3) uint8
    place : Box

    Returns
    -------
    ComposedPicture
        Its box is the ad's own, not larger than `place`.
    """
    height, width = screenshot.shape[:2]
    x0, y0 = round(place.x0 * width), round(place.y0 * height)
    x1, y1 = max(x0 + 1, round(place.x1 * width)), max(y0 + 1, round(place.y1 * height))
    canvas = screenshot.copy()
    inner = np.zeros((height, width), np.bool_)
    inner[y0:y1, x0:x1] = True
    ring = np.zeros_like(inner)
    ring[max(0, y0 - _RING) : y1 + _RING, max(0, x0 - _RING) : x1 + _RING] = True
    ring &= ~inner
    if ring.any():
        colours, counts = np.unique(screenshot[ring] // 8, axis=0, return_counts=True)
        usual = colours[counts.argmax()]
        canvas[y0:y1, x0:x1] = np.median(screenshot[ring & (screenshot // 8 == usual).all(axis=2)], axis=0)
    scale = min((x1 - x0) / ad.shape[1], (y1 - y0) / ad.shape[0])
    shown = scale_image(ad, round(ad.shape[1] * scale), round(ad.shape[0] * scale))
    left, top = x0 + (x1 - x0 - shown.shape[1]) // 2, y0 + (y1 - y0 - shown.shape[0]) // 2
    return ComposedPicture(canvas, paste(canvas, shown, left, top))
