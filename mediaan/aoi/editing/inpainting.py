"""Inpaint an image: estimate the ground behind what is taken out of it.

A hole is filled with a membrane, the smoothest surface through its border (Laplace's equation), solved coarse to fine.
Where most of the border is one even ground, be it plain or a ramp, only that ground is carried on, so that a neighbour
that the border touches does not run into the hole.

References
----------
Perez, Gangnet & Blake (2003). Poisson image editing. ACM TOG 22, 313-318: the membrane interpolant.
Fischler & Bolles (1981). Random sample consensus. CACM 24, 381-395.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from mediaan.types.arrays import Bool, Float32, Float64, UInt8

_BORDER = 0.006
"""Width of the border around a hole, share of the image's long side."""

_EVEN = 18.0
"""A colour belongs to an even ground if no channel is further from it, 0-255: paper with JPEG noise and grain does."""

MIN_EVENNESS = 0.7
"""Share of the border that must be even for only that part to be carried on."""

_DRAWS, _AT_ONCE, _REFITS = 100, 4, 3
"""Planes that are tried, through how many pixels each, and how often at most the best is fitted to all it holds."""

_TESTED_PIXELS = 1000
"""About how many pixels of a border the plane is fitted to."""

_NEIGHBOURS = np.array([[0, 0.25, 0], [0.25, 0, 0.25], [0, 0.25, 0]], np.float32)
_ROUNDS = 40
_SMALLEST = 2


class InpaintedImage(NamedTuple):
    """An image without what was in a hole."""

    rgb: UInt8
    """(H, W, 3) uint8. Unchanged outside the hole."""
    evenness: float
    """Share of the hole's border that is one even ground, 0-1; 0 where there is no border."""


def inpaint_membrane(rgb: UInt8, hole: Bool) -> InpaintedImage:
    """Fill a hole of an image with the ground around it.

    `rgb`: (H, W, 3) uint8.
    `hole` (H, W) bool: where nothing is left of what was there. A hole that is the whole image becomes its mean colour.

    >>> rgb = np.full((20, 30, 3), 200, np.uint8)
    >>> rgb[8:12, 10:20] = 0
    >>> hole = np.zeros((20, 30), np.bool_)
    >>> hole[7:13, 9:21] = True
    >>> int(inpaint_membrane(rgb, hole).rgb.min())
    200
    """
    px = border_width_px(rgb)
    window = _window_around(hole, px)
    inside, shown = hole[window], rgb[window]
    border = dilate(inside, px) & ~inside
    if not border.any():
        colour = np.round(rgb.reshape(-1, 3).mean(axis=0))
        return InpaintedImage(np.where(hole[..., None], colour, rgb).astype(np.uint8), 0.0)
    even = _even_part(shown, border, max(rgb.shape[:2]))
    evenness = float(even.sum() / border.sum())
    surface = _solve_membrane(shown.astype(np.float32), even if evenness >= MIN_EVENNESS else border)
    filled = rgb.copy()
    filled[window][inside] = np.clip(np.round(surface[inside]), 0, 255).astype(np.uint8)
    return InpaintedImage(filled, evenness)


def _window_around(hole: Bool, px: int) -> tuple[slice, slice]:
    """Return the part of an image that holds a hole and so many px around it; all of it where there is no hole."""
    sides = []
    for axis in (1, 0):
        places = np.flatnonzero(hole.any(axis=axis))
        sides.append(slice(max(0, places[0] - px), places[-1] + 1 + px) if len(places) else slice(None))
    return sides[0], sides[1]


def border_width_px(rgb: UInt8) -> int:
    """Return the width of the border of a hole, px."""
    return max(2, int(_BORDER * max(rgb.shape[:2]) + 0.5))


def dilate(mask: Bool, px: int) -> Bool:
    """Grow a mask by so many px along rows and columns."""
    size = 2 * px + 1
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((size, size), np.uint8)) > 0, np.bool_)


def _even_part(rgb: UInt8, border: Bool, long_side: int) -> Bool:
    """Return those pixels of a border that lie on one ramp of colour: the plane that holds most of them (RANSAC).

    `long_side` of the whole image, px, is the unit of places.
    """
    rows, columns = np.where(border)
    colours = rgb[rows, columns].astype(np.float64)
    place = np.stack([np.ones(len(rows)), columns / long_side, rows / long_side], axis=1)

    def inliers(plane: Float64) -> Bool:
        return np.asarray(np.abs(colours - place @ plane).max(axis=1) <= _EVEN, np.bool_)

    best = inliers(_most_common_plane(place, colours))
    for _ in range(_REFITS):
        refitted = inliers(np.asarray(np.linalg.lstsq(place[best], colours[best], rcond=None)[0], np.float64))
        if refitted.sum() <= best.sum():
            break
        best = refitted
    even = np.zeros_like(border)
    even[rows, columns] = best
    return even


def _most_common_plane(place: Float64, colours: Float64) -> Float64:
    """Return the plane (3, 3) that holds most pixels: their median colour, or one through pixels drawn by chance."""
    step = max(1, len(place) // _TESTED_PIXELS)
    tested, wanted = place[::step], colours[::step]
    flat = np.vstack([np.median(colours, axis=0), np.zeros((2, 3))])
    if (np.abs(wanted - flat[0]) <= _EVEN).all():
        return flat
    drawn = np.random.default_rng(0).integers(0, len(place), (_DRAWS, _AT_ONCE))
    planes = np.concatenate([flat[None], np.linalg.pinv(place[drawn]) @ colours[drawn]])
    # (planes, pixels) at a time by channel: three times the pixels would not stay in the processor's cache
    held = np.ones((len(planes), len(tested)), np.bool_)
    for channel in range(colours.shape[1]):
        held &= np.abs(planes[:, :, channel] @ tested.T - wanted[:, channel]) <= _EVEN
    plane: Float64 = planes[held.sum(axis=1).argmax()]
    return plane


def _solve_membrane(values: Float32, fixed: Bool) -> Float32:
    """Return the smoothest surface through the known values, (h, w, 3): solved at half the size, then relaxed."""
    height, width = fixed.shape
    if fixed.all():
        return values
    if min(height, width) <= _SMALLEST:
        return np.where(fixed[..., None], values, values[fixed].mean(axis=0)).astype(np.float32)
    size = (width + 1) // 2, (height + 1) // 2
    share = cv2.resize(fixed.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    total = cv2.resize(values * fixed[..., None], size, interpolation=cv2.INTER_AREA)
    means = np.asarray(total / np.maximum(share, 1e-6)[..., None], np.float32)
    coarse = _solve_membrane(means, np.asarray(share > 0, np.bool_))
    surface = np.where(fixed[..., None], values, cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR))
    mask = fixed.astype(np.uint8)
    for _ in range(_ROUNDS):
        surface = cv2.filter2D(surface, -1, _NEIGHBOURS, borderType=cv2.BORDER_REPLICATE)
        cv2.copyTo(values, mask, surface)
    return np.asarray(surface, np.float32)
