"""Find free space in an image: to grow without covering anything, and empty places where people look."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import cv2
import numpy as np

from mediaan.advice.elements import area_noun
from mediaan.aoi.region import attention_share, attention_shares_of_boxes
from mediaan.types.aoi import Aoi, Box
from mediaan.types.arrays import Float32, Float64, UInt8

_MARGIN = 0.02
"""Of each side of the image, that stays free."""

_GAP = 0.008
"""Between areas, that stays free; share of each side."""

_CONTENT = 24.0
"""Difference between neighbouring pixels from which on there is something, grey levels."""

_EMPTY, _FREE, _WHOLE = 0.01, 0.02, 0.12
"""Share of pixels with content: of a place that is empty, of one over which something may grow, and of the outline of
something that can be cut out whole; edges are soft, and images compressed."""

_EDGE_PX = 3

_STEPS = 24
"""Places that are tried along each side."""

_SAME_GROUND = 30.0
"""Grey levels by which the ground at a new place may differ, lest what is put there cannot be told from it."""

_LEAST_WAY = 0.2
"""Between an area and the place it is moved to, in unit coordinates; nearer is a nudge."""

_SPACE = 0.4
"""Around what is moved, that stays free; share of its height."""

_INSIDE = 0.8
_NEAR = 0.12


class FreeSpace:
    """The parts of an image into which something can be put.

    `rgb`: (H, W, 3) uint8.
    """

    def __init__(self, rgb: UInt8, aois: Sequence[Aoi]) -> None:
        self._rgb, self._shape = rgb, (rgb.shape[0], rgb.shape[1])
        self._aois = tuple(aois)

    @cached_property
    def _lightness(self) -> UInt8:
        return np.asarray(cv2.cvtColor(self._rgb, cv2.COLOR_RGB2GRAY), np.uint8)

    @cached_property
    def _grey(self) -> Float64:
        """Sums of grey levels above and to the left of each pixel, (H + 1, W + 1)."""
        return np.asarray(cv2.integral(self._lightness, sdepth=cv2.CV_64F), np.float64)

    @cached_property
    def _content(self) -> Float64:
        """Counts of pixels with content above and to the left of each pixel, (H + 1, W + 1)."""
        across, down = (
            cv2.Sobel(self._lightness, cv2.CV_32F, *order, ksize=3, scale=0.25) for order in ((1, 0), (0, 1))
        )
        content = across * across + down * down >= (_CONTENT / 2) ** 2
        return np.asarray(cv2.integral(content.view(np.uint8), sdepth=cv2.CV_64F), np.float64)

    def enlarged(self, aoi: Aoi, factor: float) -> Box | None:
        """Find where an area can be so many times as large: around its centre or, beside a neighbour, from a side.

        Returns: within the image with a margin, over nothing that it does not cover already; None: there is no room.
        """
        width, height = aoi.box.width * factor, aoi.box.height * factor
        shifts = (0.5, 0.0, 1.0, 0.25, 0.75)
        # the margin is kept, or as much of it as the area itself keeps
        low = min(_MARGIN, aoi.box.x0), min(_MARGIN, aoi.box.y0)
        high = max(1 - _MARGIN, aoi.box.x1), max(1 - _MARGIN, aoi.box.y1)
        for along_y in shifts:
            for along_x in shifts:
                x0 = aoi.box.x0 - (width - aoi.box.width) * along_x
                y0 = aoi.box.y0 - (height - aoi.box.height) * along_y
                box = Box(x0, y0, x0 + width, y0 + height)
                inside = box.x0 >= low[0] and box.y0 >= low[1] and box.x1 <= high[0] and box.y1 <= high[1]
                if not inside or self._covers(box, aoi):
                    continue
                # next to nothing lies in what the box takes up beside the area
                before = _wider(aoi.box)
                hull = Box.around((box, before))
                content = self._sum(self._content, hull) - self._sum(self._content, before)
                if content <= _FREE * max(self._pixels(hull) - self._pixels(before), 1.0):
                    return box
        return None

    def stands_alone(self, aoi: Aoi) -> bool:
        """Tell whether next to nothing crosses the outline of an area, so that it can be cut out whole."""
        inner = _grown(aoi.box, _EDGE_PX / self._shape[1], _EDGE_PX / self._shape[0])
        outer = _wider(inner)
        content = self._sum(self._content, outer) - self._sum(self._content, inner)
        return content <= _WHOLE * max(self._pixels(outer) - self._pixels(inner), 1.0)

    def better_place(self, aoi: Aoi, density: Float32, *, fits: Callable[[Box], bool]) -> Box | None:
        """Find an empty place of the size of an area, on a like ground, around which people look more.

        `density` (h, w) float32: density of fixations.
        `fits`: tells whether something of this kind may stand at a place.
        Returns: none: there is none where half as many again look.
        """
        here = attention_share(density, _around(aoi.box))
        ground = self._mean(self._grey, _around(aoi.box))
        places = [
            box for box in self._places(aoi.box) if math.dist(box.centre, aoi.box.centre) >= _LEAST_WAY and fits(box)
        ]
        shares = attention_shares_of_boxes(density, [_around(box) for box in places])
        most_first: list[int] = np.argsort(-shares, kind="stable").tolist()
        for i in most_first:
            if shares[i] <= 1.5 * here:
                break
            box = places[i]
            # with the space around it that something set there on purpose would have
            spaced = _grown(box, max(_GAP, _SPACE * min(box.width, box.height)), max(_GAP, _SPACE * box.height))
            if (
                self._mean(self._content, spaced) <= _EMPTY
                and abs(self._mean(self._grey, box) - ground) <= _SAME_GROUND
                and not self._covers(box, aoi)
            ):
                return box
        return None

    def _places(self, box: Box) -> Iterator[Box]:
        across = np.linspace(2 * _MARGIN, 1 - 2 * _MARGIN - box.width, _STEPS)
        down = np.linspace(2 * _MARGIN, 1 - 2 * _MARGIN - box.height, _STEPS)
        if box.width > 1 - 4 * _MARGIN or box.height > 1 - 4 * _MARGIN:
            return
        for y0 in down.tolist():
            for x0 in across.tolist():
                yield Box(x0, y0, x0 + box.width, y0 + box.height)

    def _covers(self, box: Box, aoi: Aoi) -> bool:
        """Tell whether a box would cover, or touch, an area that is neither part of the edited one nor around it."""
        now, before = _wider(box), _wider(aoi.box)
        for other in self._aois:
            shared = other.box.intersection(aoi.box)
            part = shared >= _INSIDE * other.box.area
            around = shared >= _INSIDE * aoi.box.area and other.type != "face"
            if other.aoi_id == aoi.aoi_id or part or around:
                continue
            if now.intersection(other.box) > before.intersection(other.box) + 1e-9:
                return True
        return False

    def _mean(self, table: Float64, box: Box) -> float:
        return self._sum(table, box) / max(self._pixels(box), 1.0)

    def _sum(self, table: Float64, box: Box) -> float:
        x0, y0, x1, y1 = self._corners(box)
        return float(table[y1, x1] - table[y0, x1] - table[y1, x0] + table[y0, x0])

    def _pixels(self, box: Box) -> float:
        x0, y0, x1, y1 = self._corners(box)
        return float((x1 - x0) * (y1 - y0))

    def _corners(self, box: Box) -> tuple[int, int, int, int]:
        height, width = self._shape
        inside = box.clipped()
        return (
            round(inside.x0 * width), round(inside.y0 * height), round(inside.x1 * width), round(inside.y1 * height)
        )  # fmt: skip


def _grown(box: Box, x: float, y: float) -> Box:
    return Box(box.x0 - x, box.y0 - y, box.x1 + x, box.y1 + y)


def _wider(box: Box) -> Box:
    return _grown(box, _GAP, _GAP)


def _around(box: Box) -> Box:
    """Return a box and half its size on each side."""
    return _grown(box, box.width / 2, box.height / 2)


def place_words(box: Box, others: Sequence[Aoi]) -> str:
    """Say where in an image a place is: beside what, or else in which part of it.

    `others`: areas that may be named.

    >>> place_words(Box(0.8, 0.8, 0.9, 0.9), []), place_words(Box(0.4, 0.45, 0.6, 0.55), [])
    ('at the bottom right', 'in the middle')
    """
    nearest, where = 1.0, ""
    for other in others:
        across = max(other.box.x0 - box.x1, box.x0 - other.box.x1)
        down = max(other.box.y0 - box.y1, box.y0 - other.box.y1)
        gap = max(0.0, across, down)
        if gap < nearest:
            if down >= across:
                side = "below" if box.y0 > other.box.y0 else "above"
            else:
                side = "to the right of" if box.x0 > other.box.x0 else "to the left of"
            nearest, where = gap, f"{side} the {area_noun(other)}"
    if where and 0 < nearest <= _NEAR:
        return where
    x, y = box.centre
    side = "left" if x < 1 / 3 else "right" if x > 2 / 3 else ""
    end = "top" if y < 1 / 3 else "bottom" if y > 2 / 3 else ""
    if end:
        return f"at the {end} {side}".strip()
    return f"on the {side}" if side else "in the middle"
