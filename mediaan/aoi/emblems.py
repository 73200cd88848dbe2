"""Things that stand apart on a plain ground: the emblem beside a word, the plate around it, a mark in a corner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.types.aoi import Box
from mediaan.types.arrays import Bool, UInt8

_EDGE = 22.0
"""Step of colour from pixel to pixel, 0-255, above the noise of JPEG and the grain of plain grounds."""

# Of an emblem and its word; sizes in heights of the word's letters.
_REACH_ACROSS, _REACH_DOWN = 4.0, 5.0
_MAX_GAP = 0.75
_MIN_EMBLEM, _MAX_EMBLEM = 0.35, 5.0
_MAX_OFFSET = 0.3
_MAX_GROWTH = 6.0
"""Times the area of the word; more is no mark but a panel or a picture."""

_ROUNDS = 2

# Of a mark that stands alone; sizes as shares of the picture's sides.
_ALONE_SIDES_PX = (512, 256)
_MIN_SIDE, _MAX_SIDE = 0.02, 0.32
_MAX_ASPECT = 6.0
_CLEAR = 0.35
"""Width of the plain strip that must surround it, in its own shorter side."""

_MAX_BUSY = 0.04
_STRIP = 0.12
_FILL = 0.1, 0.97


class Pixels(NamedTuple):
    """A rectangle of pixels, half-open."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def width(self) -> int:
        """Px."""
        return self.x1 - self.x0

    @property
    def height(self) -> int:
        """Px."""
        return self.y1 - self.y0

    def around(self, other: Pixels) -> Pixels:
        """The smallest rectangle that holds both."""
        return Pixels(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    def holds(self, other: Pixels) -> bool:
        """Whether the other lies inside."""
        return self.x0 <= other.x0 and self.y0 <= other.y0 and self.x1 >= other.x1 and self.y1 >= other.y1


def with_emblem(rgb: UInt8, word: Box, letters: float, others: Sequence[Box]) -> Box:
    """The word with the emblem that stands beside, above or below it, or the plate that it stands on.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    word : Box
        Close around the letters.
    letters : float
        Their height, as a share of the picture's height.
    others : sequence of Box
        Other lines of text, which are no emblems.

    Returns
    -------
    Box
        That of the word where nothing belongs to it.
    """
    height, width = rgb.shape[:2]
    start = _pixels(word, width, height)
    size = max(4.0, letters * height)
    window = _window(start, size, width, height)
    things = _things(edges(rgb[window.y0 : window.y1, window.x0 : window.x1]), window, width, height, size)
    taken = [_pixels(other, width, height) for other in others]
    things = [thing for thing in things if not any(_mostly_in(thing, text) for text in taken)]
    grown = start
    for _ in range(_ROUNDS):
        for thing in things:
            if _belongs(thing, grown, size) and not any(_covers(grown.around(thing), text) for text in taken):
                grown = grown.around(thing)
    if grown.width * grown.height > _MAX_GROWTH * max(1, start.width * start.height):
        return word
    return word if grown == start else _box(grown, width, height)


def busy_around(changes: Bool, box: Box) -> tuple[float, float]:
    """Share of edges in a narrow strip around a box, and inside it, 0-1; `changes` is from `edges`."""
    height, width = changes.shape
    thing = _pixels(box, width, height)
    strip = max(2, round(_STRIP * min(thing.width, thing.height)))
    return _busy(changes, thing, strip)


def lone_marks(rgb: UInt8) -> list[Box]:
    """Compact things with plain ground all around them, as logos in corners have; texts are among them."""
    found: list[Box] = []
    for side in _ALONE_SIDES_PX:
        scale = min(1.0, side / max(rgb.shape[:2]))
        size = max(8, round(rgb.shape[1] * scale)), max(8, round(rgb.shape[0] * scale))
        small = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)
        changes = edges(small)
        joined = cv2.morphologyEx(changes.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        for thing in _components(np.asarray(joined, np.uint8)):
            box = _box(thing, *size)
            if _compact(box, thing) and _apart(changes, thing) and not any(box.iou(other) > 0.7 for other in found):
                found.append(box)
    return found


def edges(rgb: UInt8) -> Bool:
    """Pixels at which any colour changes, (H, W) bool."""
    smooth = cv2.GaussianBlur(rgb, (3, 3), 0)
    step = cv2.morphologyEx(smooth, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    return np.asarray(step.max(axis=2) > _EDGE, np.bool_)


def _components(mask: UInt8) -> list[Pixels]:
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    rows = (stats[i] for i in range(1, count))
    return [Pixels(int(x), int(y), int(x + w), int(y + h)) for x, y, w, h, _ in rows]


def _window(word: Pixels, size: float, width: int, height: int) -> Pixels:
    across, down = int(_REACH_ACROSS * size), int(_REACH_DOWN * size)
    return Pixels(
        max(0, word.x0 - across), max(0, word.y0 - down), min(width, word.x1 + across), min(height, word.y1 + down)
    )


def _things(changes: Bool, window: Pixels, width: int, height: int, size: float) -> list[Pixels]:
    """Connected edges that end inside the window, px of the picture; specks are left out."""
    found = []
    for thing in _components(changes.astype(np.uint8)):
        cut = (thing.x0 <= 0 < window.x0) or (thing.x1 >= window.width and window.x1 < width)
        cut = cut or (thing.y0 <= 0 < window.y0) or (thing.y1 >= window.height and window.y1 < height)
        if not cut and max(thing.width, thing.height) >= _MIN_EMBLEM * size:
            x, y = window.x0, window.y0
            # edges are found a pixel or two outside of what they bound
            found.append(Pixels(thing.x0 + x + 1, thing.y0 + y + 1, thing.x1 + x - 1, thing.y1 + y - 1))
    return found


def _belongs(thing: Pixels, mark: Pixels, size: float) -> bool:
    """Whether a thing is part of a mark: a plate around it, or close by and in line with its middle."""
    if thing.holds(mark):
        return True
    if max(thing.height, min(thing.width, thing.height)) > _MAX_EMBLEM * size:
        return False
    across = max(thing.x0 - mark.x1, mark.x0 - thing.x1)
    down = max(thing.y0 - mark.y1, mark.y0 - thing.y1)
    if max(across, down) > _MAX_GAP * size:
        return False
    middle_x = abs(thing.x0 + thing.x1 - mark.x0 - mark.x1) / 2
    middle_y = abs(thing.y0 + thing.y1 - mark.y0 - mark.y1) / 2
    inside = thing.x0 >= mark.x0 - size / 2 and thing.x1 <= mark.x1 + size / 2
    above = down > across and (middle_x < _MAX_OFFSET * mark.width or inside)
    beside = down <= across and middle_y < max(_MAX_OFFSET * mark.height, 0.5 * size)
    return above or beside


def _mostly_in(thing: Pixels, text: Pixels) -> bool:
    return _shared(thing, text) > 0.5 * thing.width * thing.height


def _covers(mark: Pixels, text: Pixels) -> bool:
    """Whether a mark would swallow another line."""
    return _shared(mark, text) > 0.5 * text.width * text.height


def _shared(a: Pixels, b: Pixels) -> int:
    return max(0, min(a.x1, b.x1) - max(a.x0, b.x0)) * max(0, min(a.y1, b.y1) - max(a.y0, b.y0))


def _compact(box: Box, thing: Pixels) -> bool:
    aspect = max(thing.width, thing.height) / max(1, min(thing.width, thing.height))
    small, large = min(box.width, box.height), max(box.width, box.height)
    return small >= _MIN_SIDE and large <= _MAX_SIDE and aspect <= _MAX_ASPECT and min(thing.width, thing.height) >= 8


def _apart(changes: Bool, thing: Pixels) -> bool:
    """Whether a plain strip surrounds a thing, up to the rim of the picture."""
    strip = max(2, round(_CLEAR * min(thing.width, thing.height)))
    around, inside = _busy(changes, thing, strip)
    return around <= _MAX_BUSY and _FILL[0] <= inside <= _FILL[1]


def _busy(changes: Bool, thing: Pixels, strip: int) -> tuple[float, float]:
    height, width = changes.shape
    y0, x0 = max(0, thing.y0 - strip), max(0, thing.x0 - strip)
    outer = changes[y0 : min(height, thing.y1 + strip), x0 : min(width, thing.x1 + strip)]
    inner = changes[thing.y0 : thing.y1, thing.x0 : thing.x1]
    around = (int(outer.sum()) - int(inner.sum())) / max(1, outer.size - inner.size)
    return around, int(inner.sum()) / max(1, inner.size)


def _pixels(box: Box, width: int, height: int) -> Pixels:
    return Pixels(round(box.x0 * width), round(box.y0 * height), round(box.x1 * width), round(box.y1 * height))


def _box(pixels: Pixels, width: int, height: int) -> Box:
    return Box(pixels.x0 / width, pixels.y0 / height, pixels.x1 / width, pixels.y1 / height).clipped()
