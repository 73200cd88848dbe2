"""Segment the letters of text lines, and group lines into blocks: by rules, or by what a network says of each pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import cv2
import numpy as np

from mediaan.aoi.legibility import contrast_ratio, proportions
from mediaan.types.aoi import Box, Point, TextLine
from mediaan.types.arrays import Bool, Float32, Float64, UInt8

LineRole = Literal["headline_text", "body_text", "call_to_action", "branding", "offer", "platform", "none"]
LINE_ROLES: tuple[LineRole, ...] = get_args(LineRole)
"""`offer`: prices, discounts, dates, codes, badges. `platform`: what surrounds an ad where it is shown, such as the row
with the page's name in a feed, a status bar or a site's menu. `none`: lettering of packs and scenes; misreadings."""

MAX_GLYPH_SIZE = 0.45
"""Longest side of a glyph that stands alone, as a share of the square root of the frame's area. Poles and gaps read as
1 or I and rings as O; letters in ads that are larger than this are parts of words, or shapes."""

SAME_BLOCK = 0.85
"""Mean probability of the pairs of two groups of lines from which on they are one block; chosen on train and dev."""


@dataclass(frozen=True, slots=True)
class TextBlockSettings:
    """Sizes and tolerances by which letters are measured and lines grouped."""

    height: int = 48
    """Largest height of a crop, px."""
    max_width: int = 960
    """Largest width of a crop, px."""
    core: float = 0.15
    """Share of the letters, and of the ground, that is furthest from the other: edges are mixtures of both."""
    min_spread: float = 4.0
    """Standard deviation along the main axis of colour, 0-255, under which there is nothing to tell apart."""
    min_separation: float = 0.55
    """Share of the variance along that axis that two clusters must explain; a uniform ramp has .75, a Gaussian .64."""
    inked: float = 0.025
    """A row or column lies between the ends of the letters if it has this share of the letters of the fullest one."""
    margin: float = 0.27
    """Of the height of a line, added on every side: the ground is told by what lies there."""
    plausible: tuple[float, ...] = (0.69, 1.39)
    """Heights of letters, of the height of their line, outside of which something else was taken for them."""
    min_columns: float = 0.8
    """Width of the letters over that of their line, under which something else was taken for them."""
    max_size_ratio: float = 1.45
    """Of the type sizes of two lines of a block."""
    max_height_ratio: float = 1.8
    """Of their heights where lines were not read: it is not known whether they hold tall letters, and "sun" is .57
    as high as "Spring"."""
    max_gap: float = 1.15
    """Between the letters of two lines, in type sizes: double-spaced text leaves 1.1 to 1.3, single-spaced .3 to
    .6."""
    min_gap: float = -0.35
    """Between the letters of two lines, in type sizes, below which they overlap too far."""
    min_overlap: float = 0.4
    """Of the shorter line's length that must lie under the longer one."""
    aligned: float = 1.0
    """Left edges, middles or right edges that differ by less, in type sizes, are aligned."""
    within: float = 0.9
    """Of a line that is this far under a longer one it need not be asked how it is aligned."""
    same_size: float = 1.4
    """Ratio of type sizes up to which lines of different colours belong together."""
    close: float = 0.6
    """Gap between such lines, in type sizes."""
    one_row: float = 0.4
    """Lines of a block whose middles differ by less, in heights of the lower one, stand side by side."""
    min_cased: int = 6
    """Letters by which capitals are told."""
    capitals: float = 0.8
    """Share of capitals from which on a line is set in them."""
    max_turn_deg: float = 7.0
    """Between two lines of a block."""
    max_colour_step: float = 110.0
    """Between letters of two lines, Euclidean in sRGB: emphasis in another colour keeps within a block, white after
    black does not."""


SETTINGS = TextBlockSettings()


def is_spurious_glyph(line: TextLine, aspect: float = 1.0) -> bool:
    """Tell whether a line is no text but a shape: a single letter, digit or sign that takes up much of the frame.

    `line`: as it was read; what was not read is not judged.
    `aspect`: width of the frame by its height.

    >>> frame = ((0.1, 0.0), (0.9, 0.0), (0.9, 1.0), (0.1, 1.0))
    >>> is_spurious_glyph(TextLine(frame, "1", 0.9)), is_spurious_glyph(TextLine(frame, "SALE", 0.9))
    (True, False)
    >>> is_spurious_glyph(TextLine(((0.1, 0.1), (0.2, 0.1), (0.2, 0.3), (0.1, 0.3)), "5", 0.9))
    False
    """
    if line.text is None or sum(letter.isalnum() for letter in line.text) > 1:
        return False
    box = line.box
    side = max(box.width * math.sqrt(aspect), box.height / math.sqrt(aspect))
    return side > MAX_GLYPH_SIZE


class LetterSegmentation(NamedTuple):
    """The letters of a line and their ground."""

    colour: Float64
    ground: Float64
    """colour, ground: (3,) float64. sRGB of letters and of what is behind them, 0-255."""
    rows: tuple[float, float]
    columns: tuple[float, float]
    """rows, columns: (float, float). From where to where letters reach: 0 is the top or the beginning of the line as it
    was found, 1 its bottom or end; they may reach beyond."""
    share: float
    """Of the quadrilateral that is letters, 0-1."""


def segment_letters(rgb: UInt8, line: TextLine) -> LetterSegmentation | None:
    """Segment letters from ground by splitting the colours of a line in two; None where there are no two.

    The ground is what meets the border of the line.

    Otsu (1979). A threshold selection method from gray-level histograms. IEEE SMC 9, 62-66; here along the main axis
    of colour, so that letters of the same luminance as their ground are found, too.
    """
    crop = line_crop(rgb, line)
    flags = cv2.COVAR_NORMAL | cv2.COVAR_ROWS | cv2.COVAR_SCALE
    covariance, _ = cv2.calcCovarMatrix(crop.reshape(-1, 3), None, flags)  # type: ignore[call-overload]
    variances, axes = np.linalg.eigh(covariance)
    if variances[-1] < SETTINGS.min_spread**2:
        return None
    axis = axes[:, -1] * (1 if axes[:, -1].sum() >= 0 else -1)  # along which colours vary most, towards white
    position = np.asarray(cv2.transform(crop.astype(np.float32), axis[None].astype(np.float32)), np.float32)
    levels = cv2.normalize(position, None, 0, 255, cv2.NORM_MINMAX, cv2.CV_8U)  # type: ignore[call-overload]
    threshold, _ = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    bright = np.asarray(levels > threshold, dtype=np.bool_)
    share = float(bright.mean())
    between = share * (1 - share) * (position[bright].mean() - position[~bright].mean()) ** 2
    if between < SETTINGS.min_separation * variances[-1]:
        return None
    along_sides = np.concatenate([bright[0], bright[-1]])  # where letters do not reach
    letters, away = (bright, position) if along_sides.mean() < 0.5 else (~bright, -position)
    # rows of the lines above and below are parted from those in the middle by a bare one
    by_row = letters.mean(axis=1)
    bare, fullest = np.flatnonzero(by_row < SETTINGS.inked * by_row.max()), int(by_row.argmax())
    first = max((row + 1 for row in bare if row < fullest), default=0)
    last = min((row for row in bare if row > fullest), default=len(by_row))
    by_line = np.zeros_like(by_row)
    by_line[first:last] = by_row[first:last]
    length, across = line_size(line, rgb.shape[1], rgb.shape[0])
    rows = _inked_extent(by_line, SETTINGS.margin)
    columns = _inked_extent(letters.mean(axis=0), SETTINGS.margin * across / max(length, 1e-6))
    return LetterSegmentation(
        _core_colour(crop, away, letters), _core_colour(crop, -away, ~letters), rows, columns, float(letters.mean())
    )


def line_size(line: TextLine, width: int, height: int) -> tuple[float, float]:
    """Return length along a line and height across it, px of an image of that size.

    >>> line_size(TextLine(((0, 0), (0.5, 0), (0.5, 0.1), (0, 0.1)), "a", 1.0), 200, 100)
    (100.0, 10.0)
    """
    (x0, y0), (x1, y1), _, (x3, y3) = line.corners
    length = np.hypot((x1 - x0) * width, (y1 - y0) * height)
    return float(length), float(np.hypot((x3 - x0) * width, (y3 - y0) * height))


def trim_line(line: TextLine, letters: LetterSegmentation | None) -> TextLine:
    """Trim a line to its letters; as it was found where these are unknown or implausibly high or short."""
    if letters is None:
        return line
    (top, bottom), (left, right) = letters.rows, letters.columns
    if not SETTINGS.plausible[0] <= bottom - top <= SETTINGS.plausible[1] or right - left < SETTINGS.min_columns:
        return line
    origin, along, _, across = np.array(line.corners)
    along, across = along - origin, across - origin
    corners = [origin + x * along + y * across for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))]
    first, second, third, fourth = ((float(x), float(y)) for x, y in corners)
    return replace(line, corners=(first, second, third, fourth))


def line_crop(rgb: UInt8, line: TextLine) -> UInt8:
    """Crop a line with some margin, set straight, at most 48 px high."""
    height, width = rgb.shape[:2]
    length, across = line_size(line, width, height)
    margin = SETTINGS.margin * across
    corners = np.array(line.corners) * (width, height)
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    right_step = along * (margin / max(float(np.hypot(*along)), 1e-6))
    down_step = down * (margin / max(float(np.hypot(*down)), 1e-6))
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    corners = np.array([c + x * right_step + y * down_step for c, (x, y) in zip(corners, signs, strict=True)])
    length, across = length + 2 * margin, across * (1 + 2 * SETTINGS.margin)
    scale = min(1.0, SETTINGS.height / max(across, 1.0), SETTINGS.max_width / max(length, 1.0))
    size = max(2, round(length * scale)), max(2, round(across * scale))
    target = np.array([(0, 0), (size[0], 0), size, (0, size[1])], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.warpPerspective(rgb, matrix, size, flags=method, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _core_colour(crop: UInt8, away: Float32, mask: Bool) -> Float64:
    """Return the typical colour of those pixels of a cluster that are the least mixed with the other."""
    values = away[mask]
    rank = math.ceil((1 - SETTINGS.core) * (len(values) - 1))
    return median_colour(crop[mask & (away >= np.partition(values, rank)[rank])])


def median_colour(pixels: UInt8) -> Float64:
    """Return the median of each channel of some pixels, (n, 3) uint8; faster than NumPy's."""
    middle = [(len(pixels) - 1) // 2, len(pixels) // 2]
    first, second = np.partition(pixels, middle, axis=0)[middle].astype(np.float64)
    median: Float64 = (first + second) / 2
    return median


def _inked_extent(shares: Float64, margin: float) -> tuple[float, float]:
    """Return the first and last row or column with letters, in lengths of the line without its margins."""
    inked = np.flatnonzero(shares >= SETTINGS.inked * shares.max())
    ends = np.array([inked[0], inked[-1] + 1]) / len(shares) * (1 + 2 * margin) - margin
    return float(ends[0]), float(ends[1])


@dataclass(frozen=True, eq=False)
class TypesetLine:
    """A line of text as it is set."""

    line: TextLine
    """Trimmed to its letters."""
    letters: LetterSegmentation | None
    """Colours; None where letters cannot be told from their ground."""
    size_px: float
    """Type size: as high as a capital and a descender need, and the usual blank above, px of the image."""
    corners: Float64
    """(4, 2) float64. Of the trimmed line, px."""

    @cached_property
    def text(self) -> str:
        """What was read; empty where nothing was."""
        return self.line.text or ""

    @cached_property
    def box(self) -> Box:
        """Bounds of its letters, unit coordinates."""
        return self.line.box

    @cached_property
    def length(self) -> float:
        """From its first letter to its last, px."""
        return float(np.hypot(*(self.corners[1] - self.corners[0])))

    @cached_property
    def height(self) -> float:
        """From the lowest point of its letters to the highest, px."""
        return max(float(np.hypot(*(self.corners[3] - self.corners[0]))), 1e-6)

    @cached_property
    def contrast(self) -> float | None:
        """WCAG 2.2 contrast of letters and ground, 1-21."""
        return contrast_ratio(self.letters.colour, self.letters.ground) if self.letters else None

    @cached_property
    def along(self) -> Float64:
        """Its direction of reading, a unit vector."""
        step = self.corners[1] - self.corners[0]
        direction: Float64 = step / max(float(np.hypot(*step)), 1e-6)
        return direction

    @cached_property
    def in_capitals(self) -> bool | None:
        """True if it is set in capitals; None for too few letters, or ones that have no case."""
        letters = [letter for letter in self.text if letter.isupper() or letter.islower()]
        if len(letters) < SETTINGS.min_cased:
            return None
        return sum(letter.isupper() for letter in letters) > SETTINGS.capitals * len(letters)


class TextLayout(NamedTuple):
    """Roles and blocks of the lines of one image."""

    roles: Float64
    """(lines, roles) float64. Probabilities in the order of `LINE_ROLES`; rows sum to 1."""
    links: Float64
    """(lines, lines) float64. Log odds that two lines are of one block; symmetric."""

    def of(self, lines: Sequence[int]) -> TextLayout:
        """Return the layout of some of the lines."""
        return TextLayout(self.roles[list(lines)], self.links[np.ix_(lines, lines)])


class TextBlock(NamedTuple):
    """Lines that belong together, in order of reading; at least one."""

    lines: tuple[TypesetLine, ...]

    @property
    def box(self) -> Box:
        """Bounds of its letters, unit coordinates."""
        return Box.around(typed.box for typed in self.lines)

    @property
    def text(self) -> str | None:
        """Recognised text, a line each; None where nothing was read."""
        texts = [typed.line.text for typed in self.lines if typed.line.text]
        return "\n".join(texts) if texts else None

    @property
    def angle_deg(self) -> float:
        """Its slant, clockwise, of the longest line; -180 to 180."""
        along = max(self.lines, key=lambda typed: typed.length).along
        return math.degrees(math.atan2(along[1], along[0]))


def typeset_line(rgb: UInt8, line: TextLine) -> TypesetLine:
    """Measure how a line is set; `rgb` is (H, W, 3) uint8."""
    height, width = rgb.shape[:2]
    letters = segment_letters(rgb, line)
    tight = trim_line(line, letters)
    reach, _ = proportions(line.text)
    corners = np.array(tight.corners) * (width, height)
    return TypesetLine(tight, letters, line_size(tight, width, height)[1] / reach, corners)


def group_lines(lines: Sequence[TypesetLine], *, gap: float = SETTINGS.max_gap) -> list[TextBlock]:
    """Group lines into blocks: one below the other, aligned, alike in size, direction and colour.

    `gap`: greatest one between the letters of two lines, in type sizes.
    Returns: from top to bottom. Lines side by side are never joined, so columns stay apart.
    """
    groups = list(range(len(lines)))
    for i, first in enumerate(lines):
        for j in range(i + 1, len(lines)):
            if groups[i] != groups[j] and are_neighbours(first, lines[j], gap):
                groups = [groups[i] if group == groups[j] else group for group in groups]
    blocks = [
        block_of(line for line, group in zip(lines, groups, strict=True) if group == number)
        for number in dict.fromkeys(groups)
    ]
    return sorted(blocks, key=lambda block: (block.box.y0, block.box.x0))


def group_by_links(links: Float64, same_block: float = SAME_BLOCK) -> list[list[int]]:
    """Group lines into blocks by average linkage (Sokal & Michener 1958).

    `links` (lines, lines) float64: log odds that two lines are of one block.
    `same_block`: probability at which the mean log odds of the pairs of two groups make them one.
    Returns: lines of each block, by its first line.
    """
    limit = float(np.log(same_block / (1 - same_block)))
    groups = [[i] for i in range(len(links))]
    mean = np.clip(links, -8, 8).astype(np.float64)
    np.fill_diagonal(mean, -np.inf)
    while len(groups) > 1:
        i, j = sorted(divmod(int(mean.argmax()), len(groups)))
        if mean[i, j] < limit:
            break
        a, b = len(groups[i]), len(groups[j])
        merged = (a * mean[i] + b * mean[j]) / (a + b)
        mean[i], mean[:, i] = merged, merged
        mean[i, i] = -np.inf
        mean = np.delete(np.delete(mean, j, axis=0), j, axis=1)
        groups[i] += groups.pop(j)
    return sorted(sorted(group) for group in groups)


def block_of(lines: Iterable[TypesetLine]) -> TextBlock:
    """Put lines in order of reading: row by row, also where they are slanted; at least one."""
    members = list(lines)
    along = max(members, key=lambda typed: typed.length).along
    across = np.array([-along[1], along[0]])  # from the first line to the last

    def place(typed: TypesetLine, axis: Float64) -> float:
        return float(typed.corners.mean(axis=0) @ axis)

    members.sort(key=lambda typed: place(typed, across))
    rows = [[members[0]]]
    for typed in members[1:]:
        if place(typed, across) - place(rows[-1][0], across) < SETTINGS.one_row * min(typed.height, rows[-1][0].height):
            rows[-1].append(typed)
        else:
            rows.append([typed])
    return TextBlock(tuple(typed for row in rows for typed in sorted(row, key=lambda typed: place(typed, along))))


def are_neighbours(a: TypesetLine, b: TypesetLine, max_gap: float = SETTINGS.max_gap) -> bool:
    """Tell whether two lines are neighbours in one block, by rules; `max_gap` is in type sizes."""
    # by type size or by the height of the letters, whichever makes them more alike
    ratio = min(max(share, 1 / share) for share in (a.size_px / b.size_px, a.height / b.height))
    read = a.line.text is not None and b.line.text is not None
    if ratio > (SETTINGS.max_size_ratio if read else SETTINGS.max_height_ratio):
        return False
    # lines shorter than two type sizes have no direction of their own
    directed = min(a.length / a.size_px, b.length / b.size_px) >= 2
    if directed and float(a.along @ b.along) < math.cos(math.radians(SETTINGS.max_turn_deg)):
        return False
    # of a line of capitals beside one of small letters one leads, the other follows up
    cases = [a.in_capitals, b.in_capitals]
    if None not in cases and cases[0] != cases[1]:
        return False
    size = math.sqrt(a.size_px * b.size_px)
    longer, shorter = (a, b) if a.length >= b.length else (b, a)
    (x0, x1), (y0, y1) = _spans(longer, longer.along)
    (u0, u1), (v0, v1) = _spans(shorter, longer.along)
    gap = max(v0 - y1, y0 - v1) / size
    overlap = (min(x1, u1) - max(x0, u0)) / max(u1 - u0, 1e-6)
    offset = min(abs(x0 - u0), abs(x1 - u1), abs(x0 + x1 - u0 - u1) / 2)
    if not SETTINGS.min_gap <= gap <= max_gap or overlap < SETTINGS.min_overlap:
        return False
    if offset > SETTINGS.aligned * size and overlap < SETTINGS.within:
        return False
    if a.letters is None or b.letters is None or (ratio <= SETTINGS.same_size and gap <= SETTINGS.close):
        return True
    return float(np.linalg.norm(a.letters.colour - b.letters.colour)) <= SETTINGS.max_colour_step


def _spans(typed: TypesetLine, along: Float64) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return both ends of a line along a direction, and across it, px."""
    x = typed.corners @ along
    y = typed.corners @ np.array([-along[1], along[0]])
    return (float(x.min()), float(x.max())), (float(y.min()), float(y.max()))


def rotated_rectangle(lines: Sequence[TypesetLine], angle_deg: float, width: int, height: int) -> tuple[Point, ...]:
    """Return the smallest rectangle at that slant around lines, four corners in unit coordinates."""
    turn = math.radians(angle_deg)
    axes = np.array([(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))])
    points = np.concatenate([typed.corners for typed in lines]) @ axes.T
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]) @ axes / (width, height)
    return tuple((float(x), float(y)) for x, y in corners)
