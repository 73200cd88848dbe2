"""Find the bars around an image that was put into a frame of another shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.types.aoi import FULL_FRAME, Box
from mediaan.types.arrays import Bool, Float64, UInt8

# Code values, the largest of three channels: what compression leaves of one colour, and what is certainly another.
_SAME, _OTHER = 10, 16
# Share of a row or column of a bar that must have its colour, and of an edge where the colour must end.
_PLAIN, _STRAIGHT = 0.98, 0.85
# As shares of the side: bars under the one matter to nothing, content under the other is rather a small product.
_THINNEST, _LEAST_CONTENT = 0.015, 0.2
# Content with bars on all four sides is at least so much of the area.
_LEAST_AREA = 0.3
# Opposite bars may differ by so many px, or by such a share.
_UNLIKE_PX, _UNLIKE = 3, 0.1
# An edge lies within so many px of its first trace, for compression smears it over a block; it is so many px wide.
_BLOCK, _GAP = 17, 4


class _Inside(NamedTuple):
    """Rows and columns, half-open, px."""

    top: int
    bottom: int
    left: int
    right: int


def content_box(rgb: UInt8, earlier: tuple[float, float, float, float] = FULL_FRAME) -> Box:
    """Find the part of an image that is not bars of one colour (letter-box, pillar-box, or both).

    Bars are told from a plain ground, such as the white around a product, by their edges: all corners have one colour,
    which fills whole rows above and below, or whole columns on both sides, or both; opposite bars are alike in width;
    and along their edges, straight from end to end, that colour ends at once. What a person put on a bar, such as a
    caption, makes it part of the image.

    `rgb` (H, W, 3) uint8: sRGB.
    `earlier` (float, float, float, float): content of an earlier frame of the same medium: as long as all around it is
        of one colour it stays, for in the dark an edge cannot be seen.
    Returns: unit coordinates; all of the image, (0, 0, 1, 1), where there are no bars.

    >>> film = np.zeros((90, 160, 3), np.uint8); film[12:78] = 200
    >>> content_box(film)
    Box(x0=0.0, y0=0.13333333333333333, x1=1.0, y1=0.8666666666666667)
    >>> product = np.full((90, 160, 3), 255, np.uint8); product[30:60, 70:90] = 40
    >>> content_box(product)
    Box(x0=0.0, y0=0.0, x1=1.0, y1=1.0)
    """
    height, width = rgb.shape[:2]
    side = max(1, min(4, height // 2, width // 2))
    first, last = slice(side), slice(-side, None)
    corners = np.stack([np.median(rgb[y, x], axis=(0, 1)) for y in (first, last) for x in (first, last)])
    if np.ptp(corners, axis=0).max() > _SAME:
        return FULL_FRAME
    difference = _distance(rgb, np.asarray(np.median(corners, axis=0), dtype=np.uint8))
    if tuple(earlier) != tuple(FULL_FRAME):
        left, top, right, bottom = earlier
        outside = np.ones((height, width), dtype=np.bool_)
        outside[round(top * height) : round(bottom * height), round(left * width) : round(right * width)] = False
        if (difference[outside] <= _SAME).mean() >= _PLAIN:
            return Box(*earlier)
    for inside in _candidates(difference <= _SAME):
        edges = _edges(difference, inside)
        if edges is not None:
            return Box(edges.left / width, edges.top / height, edges.right / width, edges.bottom / height)
    return FULL_FRAME


def _distance(rgb: UInt8, colour: UInt8) -> UInt8:
    """Return the distance of each pixel from a colour, the largest of three channels, (H, W)."""
    levels = np.arange(256)
    red, green, blue = (
        cv2.LUT(plane, np.abs(levels - int(level)).astype(np.uint8))
        for plane, level in zip(cv2.split(rgb), colour, strict=True)
    )
    return np.asarray(cv2.max(cv2.max(red, green), blue), dtype=np.uint8)


def _candidates(same: Bool) -> Iterator[_Inside]:
    """Yield what bars on four sides, above and below, or on the left and right would leave."""
    height, width = same.shape
    rows, columns = _bars(same.mean(axis=1)), _bars(same.mean(axis=0))
    if rows and columns and (rows[1] - rows[0]) * (columns[1] - columns[0]) >= _LEAST_AREA * same.size:
        yield _Inside(*rows, *columns)
    if rows:
        yield _Inside(*rows, 0, width)
    if columns:
        yield _Inside(0, height, *columns)


def _bars(plain: Float64) -> tuple[int, int] | None:
    """Return where content may begin and end between bars at both ends of a side; `plain` is by row or column, 0-1."""
    ends = np.flatnonzero(plain < _PLAIN)
    if not ends.size:
        return None
    before, after = int(ends[0]), plain.size - 1 - int(ends[-1])
    thick = min(before, after) >= _THINNEST * plain.size
    content = plain.size - before - after
    return (before, plain.size - after) if thick and content >= _LEAST_CONTENT * plain.size else None


def _edges(away: UInt8, inside: _Inside) -> _Inside | None:
    """Return where, on each side with a bar, its colour ends at once along the content; None where it does not."""
    height, width = away.shape
    top, bottom, left, right = inside
    down, across = away[:, left:right], away[top:bottom].T
    edges = (
        _edge(down, top),
        _edge(down[::-1], height - bottom),
        _edge(across, left),
        _edge(across[::-1], width - right),
    )
    if any(edge is None for edge in edges):
        return None
    top, below, left, beyond = (edge or 0 for edge in edges)
    if not (_are_alike(top, below) and _are_alike(left, beyond)):
        return None
    return _Inside(top, height - below, left, width - beyond)


def _are_alike(width: int, opposite: int) -> bool:
    return abs(width - opposite) <= max(_UNLIKE_PX, _UNLIKE * max(width, opposite))


def _edge(away: UInt8, start: int) -> int | None:
    """Return the row at which content begins whose first rows may begin at `start`; 0 for a side without a bar."""
    if not start:
        return 0
    # In small images content may be thinner than a block, and a bar may be one row.
    for row in range(max(2, start), min(start + _BLOCK, len(away))):
        behind, ahead = away[max(0, row - 2 * _GAP) : row - 1].max(axis=0), away[row : row + _GAP].max(axis=0)
        jump = float(np.median(ahead)) - float(np.median(behind))
        if (ahead > _OTHER).mean() >= _STRAIGHT and (behind > _OTHER).mean() <= 1 - _STRAIGHT and jump >= _OTHER:
            return row
    return None
