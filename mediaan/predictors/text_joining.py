"""Lines that the detector broke into words are put together again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from mediaan.predictors.text_detection import FoundLine
from mediaan.types.arrays import Float64

_MAX_GAP = 0.05
"""Between the boxes of words, in heights: these reach beyond their letters by about half a blank on either side.
Looked at on 198 advertisements: all pairs that belong together are closer, two of three further apart do not."""

_MAX_OVERLAP = 0.6
_MAX_SHIFT = 0.2
"""Of the middles across the line, in heights: capitals and small letters differ less."""

_MAX_HEIGHT_RATIO = 1.45
_MAX_TURN_DEG = 8.0


class _Frame(NamedTuple):
    """A line in its own measure: direction, middle, length along and height across, px."""

    along: Float64
    middle: Float64
    length: float
    height: float


def join_words(lines: Iterable[FoundLine]) -> list[FoundLine]:
    """Join what stands on one line, a blank apart, in letters of one size.

    Parameters
    ----------
    lines : iterable of FoundLine

    Returns
    -------
    list of FoundLine
        From top to bottom; the confidence of a joined line is the mean over its length.
    """
    waiting = sorted(lines, key=lambda line: (line.quad[:, 1].mean(), line.quad[:, 0].mean()))
    joined: list[FoundLine] = []
    while waiting:
        line = waiting.pop(0)
        partner = next((i for i, other in enumerate(waiting) if _belong_together(line, other)), None)
        if partner is None:
            joined.append(line)
        else:
            waiting.insert(0, _union(line, waiting.pop(partner)))
    return joined


def _belong_together(a: FoundLine, b: FoundLine) -> bool:
    first, second = _frame(a.quad), _frame(b.quad)
    if first.length < second.length:
        first, second = second, first
    height = max(first.height, second.height)
    if height > _MAX_HEIGHT_RATIO * min(first.height, second.height) or _turn_deg(first, second) > _MAX_TURN_DEG:
        return False
    step = second.middle - first.middle
    along = abs(float(step @ first.along))
    across = abs(float(step @ np.array([-first.along[1], first.along[0]])))
    gap = along - (first.length + second.length) / 2
    return across <= _MAX_SHIFT * height and -_MAX_OVERLAP * height <= gap <= _MAX_GAP * height


def _turn_deg(a: _Frame, b: _Frame) -> float:
    """Angle between two lines; a piece about as high as wide has none of its own."""
    if min(a.length / a.height, b.length / b.height) < 1.5:
        return 0.0
    return float(np.degrees(np.arccos(np.clip(a.along @ b.along, -1, 1))))


def _frame(quad: Float64) -> _Frame:
    top = quad[1] - quad[0]
    length = float(np.hypot(*top))
    return _Frame(top / max(length, 1e-6), quad.mean(axis=0), length, max(float(np.hypot(*(quad[3] - quad[0]))), 1e-6))


def _union(a: FoundLine, b: FoundLine) -> FoundLine:
    longer, shorter = (a, b) if _frame(a.quad).length >= _frame(b.quad).length else (b, a)
    quad = around([longer.quad, shorter.quad], longer.quad)
    lengths = _frame(a.quad).length, _frame(b.quad).length
    confidence = float(np.average([a.confidence, b.confidence], weights=lengths))
    return FoundLine(quad, confidence)


def around(quads: Sequence[Float64], like: Float64) -> Float64:
    """The smallest rectangle that holds all quadrilaterals and is turned as `like`, from the same corner on."""
    along = _frame(like).along
    axes = np.array([along, (-along[1], along[0])])
    points = np.concatenate(quads) @ axes.T
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    corners: Float64 = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]) @ axes
    return corners
