"""Lines of text, grouped into blocks as a reader takes them in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mediaan.aoi.legibility import contrast_ratio, proportions
from mediaan.aoi.letters import Letters, find_letters, line_size, trimmed
from mediaan.types.aoi import Box, Point, TextLine
from mediaan.types.arrays import Float64, UInt8

_MAX_SIZE_RATIO = 1.45
_MAX_HEIGHT_RATIO = 1.8
"""Where lines were not read it is not known whether they hold tall letters: "sun" is .57 as high as "Spring"."""

_MAX_GAP = 1.15
"""Between the letters of two lines, in type sizes: double-spaced text leaves 1.1 to 1.3, single-spaced .3 to .6."""

_MIN_GAP = -0.35
_MIN_OVERLAP = 0.4
"""Of the shorter line's length that must lie under the longer one."""

_ALIGNED = 1.0
"""Left edges, middles or right edges that differ by less, in type sizes, are aligned."""

_WITHIN = 0.9
"""Of a line that is this far under a longer one it need not be asked how it is aligned."""

_SAME_SIZE, _CLOSE = 1.4, 0.6
"""Lines of different colours belong together only if they are of one size, and set close."""

_MIN_CASED, _CAPITALS = 6, 0.8
_MAX_TURN_DEG = 7.0
_MAX_COLOUR_STEP = 110.0
"""Between letters of two lines, Euclidean in sRGB: emphasis in another colour keeps within a block, white after black
does not."""


class TypeLine(NamedTuple):
    """A line of text as it is set.

    Attributes
    ----------
    line : TextLine
        Trimmed to its letters.
    letters : Letters or None
        Colours; None where letters cannot be told from their ground.
    size_px : float
        Type size: as high as a capital and a descender need, and the usual blank above, px of the picture.
    corners : (4, 2) float64
        Of the trimmed line, px.
    """

    line: TextLine
    letters: Letters | None
    size_px: float
    corners: Float64

    @property
    def length(self) -> float:
        """From its first letter to its last, px."""
        return float(np.hypot(*(self.corners[1] - self.corners[0])))

    @property
    def height(self) -> float:
        """From the lowest point of its letters to the highest, px."""
        return max(float(np.hypot(*(self.corners[3] - self.corners[0]))), 1e-6)

    @property
    def contrast(self) -> float | None:
        """WCAG 2.2 contrast of letters and ground, 1-21."""
        return contrast_ratio(self.letters.colour, self.letters.ground) if self.letters else None

    @property
    def along(self) -> Float64:
        """Its direction of reading, a unit vector."""
        step = self.corners[1] - self.corners[0]
        direction: Float64 = step / max(float(np.hypot(*step)), 1e-6)
        return direction


class Block(NamedTuple):
    """Lines that belong together, in order of reading; at least one."""

    lines: tuple[TypeLine, ...]

    @property
    def box(self) -> Box:
        """Bounds of its letters, unit coordinates."""
        return Box.around(typed.line.box for typed in self.lines)

    @property
    def size_px(self) -> float:
        """Its largest type size, px."""
        return max(typed.size_px for typed in self.lines)

    @property
    def text(self) -> str | None:
        """What it says, a line each; None where nothing was read."""
        texts = [typed.line.text for typed in self.lines if typed.line.text]
        return "\n".join(texts) if texts else None

    @property
    def angle_deg(self) -> float:
        """Its slant, clockwise, of the longest line; -180 to 180."""
        along = max(self.lines, key=lambda typed: typed.length).along
        return math.degrees(math.atan2(along[1], along[0]))


def type_line(rgb: UInt8, line: TextLine) -> TypeLine:
    """Look at how a line is set; `rgb` is (H, W, 3) uint8."""
    height, width = rgb.shape[:2]
    letters = find_letters(rgb, line)
    tight = trimmed(line, letters)
    reach, _ = proportions(line.text)
    corners = np.array(tight.corners) * (width, height)
    return TypeLine(tight, letters, line_size(tight, width, height)[1] / reach, corners)


def group_lines(lines: Sequence[TypeLine], *, gap: float = _MAX_GAP) -> list[Block]:
    """Group lines into blocks: one below the other, aligned, alike in size, direction and colour.

    Parameters
    ----------
    lines : sequence of TypeLine
    gap : float
        Greatest one between the letters of two lines, in type sizes.

    Returns
    -------
    list of Block
        From top to bottom. Lines side by side are never joined, so columns stay apart.
    """
    groups = list(range(len(lines)))
    for i, first in enumerate(lines):
        for j in range(i + 1, len(lines)):
            if groups[i] != groups[j] and _follow(first, lines[j], gap):
                groups = [groups[i] if group == groups[j] else group for group in groups]
    members = [[line for line, group in zip(lines, groups, strict=True) if group == g] for g in dict.fromkeys(groups)]
    blocks = [Block(_in_order(group)) for group in members]
    return sorted(blocks, key=lambda block: (block.box.y0, block.box.x0))


def _in_order(group: Sequence[TypeLine]) -> tuple[TypeLine, ...]:
    """Lines from the first to the last, also where they are slanted."""
    along = max(group, key=lambda typed: typed.length).along
    across = np.array([-along[1], along[0]])
    return tuple(sorted(group, key=lambda typed: float(typed.corners.mean(axis=0) @ across)))


def _follow(a: TypeLine, b: TypeLine, most: float) -> bool:
    """Whether two lines are neighbours in one block."""
    ratio = _size_ratio(a, b)
    read = a.line.text is not None and b.line.text is not None
    if ratio > (_MAX_SIZE_RATIO if read else _MAX_HEIGHT_RATIO) or not _parallel(a, b) or not _same_case(a, b):
        return False
    size = math.sqrt(a.size_px * b.size_px)
    longer, shorter = (a, b) if a.length >= b.length else (b, a)
    (x0, x1), (y0, y1) = _spans(longer, longer.along)
    (u0, u1), (v0, v1) = _spans(shorter, longer.along)
    gap = max(v0 - y1, y0 - v1) / size
    overlap = (min(x1, u1) - max(x0, u0)) / max(u1 - u0, 1e-6)
    offset = min(abs(x0 - u0), abs(x1 - u1), abs(x0 + x1 - u0 - u1) / 2)
    if not _MIN_GAP <= gap <= most or overlap < _MIN_OVERLAP:
        return False
    aligned = offset <= _ALIGNED * size or overlap >= _WITHIN
    return aligned and (_coloured_alike(a, b) or (ratio <= _SAME_SIZE and gap <= _CLOSE))


def _size_ratio(a: TypeLine, b: TypeLine) -> float:
    """Of the larger to the smaller, by type size or by the height of the letters, whichever makes them more alike."""
    sizes = a.size_px / b.size_px, a.height / b.height
    return min(max(ratio, 1 / ratio) for ratio in sizes)


def _parallel(a: TypeLine, b: TypeLine) -> bool:
    """Lines shorter than two type sizes have no direction of their own."""
    if min(a.length / a.size_px, b.length / b.size_px) < 2:
        return True
    return float(a.along @ b.along) >= math.cos(math.radians(_MAX_TURN_DEG))


def _same_case(a: TypeLine, b: TypeLine) -> bool:
    """False for a line of capitals beside one of small letters: one leads, the other follows up."""
    cases = [_case(typed.line.text or "") for typed in (a, b)]
    return None in cases or cases[0] == cases[1]


def _case(text: str) -> bool | None:
    """Whether a line is set in capitals; None for too few letters, or ones that have no case."""
    letters = [letter for letter in text if letter.isupper() or letter.islower()]
    if len(letters) < _MIN_CASED:
        return None
    return sum(letter.isupper() for letter in letters) > _CAPITALS * len(letters)


def _coloured_alike(a: TypeLine, b: TypeLine) -> bool:
    if a.letters is None or b.letters is None:
        return True
    return float(np.linalg.norm(a.letters.colour - b.letters.colour)) <= _MAX_COLOUR_STEP


def _spans(typed: TypeLine, along: Float64) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where a line reaches along a direction, and across it, px."""
    x = typed.corners @ along
    y = typed.corners @ np.array([-along[1], along[0]])
    return (float(x.min()), float(x.max())), (float(y.min()), float(y.max()))


def turned_rectangle(lines: Sequence[TypeLine], angle_deg: float, width: int, height: int) -> tuple[Point, ...]:
    """The smallest rectangle at that slant around lines, four corners in unit coordinates."""
    turn = math.radians(angle_deg)
    axes = np.array([(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))])
    points = np.concatenate([typed.corners for typed in lines]) @ axes.T
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]) @ axes / (width, height)
    return tuple((float(x), float(y)) for x, y in corners)
