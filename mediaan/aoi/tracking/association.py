"""Associate detections with tracks: what an object looks like, affinity of two candidates, and greedy matching."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from rapidfuzz import fuzz

from mediaan.types.aoi import TEXT_TYPES, AoiType, Box, Candidate
from mediaan.types.arrays import Float32, UInt8

DESCRIPTOR_LENGTH = 288
"""Numbers in a descriptor: 128 of shape, 64 of layout, 96 of colour."""

_CELLS = 1600  # of a patch: 40 x 40 of a square; a line of text keeps its letters
_FEWEST_ROWS, _MOST_ROWS = 8, 80
_MOST_HALVED = 4  # 32 px of 512
_FLAT = 2.0  # standard deviation, grey levels: under it a patch is noise
_CROP = 32  # px of the square that a descriptor is made of
_GRID, _ORIENTATIONS = 4, 8
_TONES, _HUES = (2, 4, 4), 3  # bins of L, a and b in each of so many rows
_SHAPE, _LAYOUT, _COLOUR = 0.4, 0.35, 0.25  # what each part counts for


class GreyPyramid:
    """One frame in grey at full size, a half, a quarter and so on.

    `rgb`: (H, W, 3) uint8.
    `long_side`: px; larger frames are scaled down to it.
    """

    def __init__(self, rgb: UInt8, long_side: int) -> None:
        scale = min(1.0, long_side / max(rgb.shape[:2]))
        if scale < 1:
            size = (max(1, round(rgb.shape[1] * scale)), max(1, round(rgb.shape[0] * scale)))
            rgb = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)
        self._levels: list[UInt8] = [np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), np.uint8)]

    @property
    def full(self) -> UInt8:
        """(h, w) uint8."""
        return self._levels[0]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.full.shape[1], self.full.shape[0]

    def level(self, number: int) -> UInt8:
        """Return the frame halved so many times, (h, w) uint8."""
        while len(self._levels) <= number:
            self._levels.append(np.asarray(cv2.pyrDown(self._levels[-1]), np.uint8))
        return self._levels[number]

    def sample(self, box: Box, rows: int, columns: int) -> Float32:
        """Sample a box on a grid of cells, (rows, columns) float32, grey levels; the edge is repeated outside."""
        width, height = self.size
        step = min(box.width * width / columns, box.height * height / rows)
        halved = min(_MOST_HALVED, int(np.log2(max(step, 1.0))))
        level = self.level(halved)
        # the first px of each level lies on the first of the full frame: halving keeps every other
        step_x, step_y = box.width * width / columns, box.height * height / rows
        left, top = box.x0 * width + step_x / 2 - 0.5, box.y0 * height + step_y / 2 - 0.5
        matrix = np.array([[step_x, 0, left], [0, step_y, top]], np.float64) / 2**halved
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        cells = cv2.warpAffine(level, matrix, (columns, rows), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cells, np.float32)


def patch_shape(box: Box, size: tuple[int, int]) -> tuple[int, int]:
    """Return rows and columns of about square cells for a box in a frame of (width, height) px.

    >>> patch_shape(Box(0, 0, 0.5, 0.5), (512, 512))
    (40, 40)
    >>> patch_shape(Box(0, 0, 0.8, 0.1), (512, 256))
    (10, 160)
    """
    aspect = max(box.width * size[0], 1.0) / max(box.height * size[1], 1.0)
    rows = int(np.clip(round(np.sqrt(_CELLS / aspect)), _FEWEST_ROWS, _MOST_ROWS))
    return rows, _CELLS // rows


def high_pass(patch: Float32) -> Float32:
    """Return the fine detail of a patch, its letters rather than the ground that they stand on.

    >>> bool(np.allclose(high_pass(np.full((8, 40), 7.0, np.float32)), 0))
    True
    """
    side = patch.shape[0] // 2 | 1
    return np.asarray(patch - cv2.blur(patch, (side, side), borderType=cv2.BORDER_REFLECT), np.float32)


def correlation(patch: Float32, other: Float32) -> float:
    """Return Pearson's correlation of two patches of the same shape, -1 to 1; 0 where one of them is flat.

    >>> ramp = np.arange(64, dtype=np.float32).reshape(8, 8)
    >>> round(correlation(ramp, 2 * ramp + 5), 6), round(correlation(ramp, -ramp), 6)
    (1.0, -1.0)
    """
    a, b = patch - patch.mean(), other - other.mean()
    spread = float(np.sqrt(np.vdot(a, a) * np.vdot(b, b)))
    return float(np.vdot(a, b)) / spread if spread > _FLAT**2 * patch.size else 0.0


def appearance_descriptor(rgb: UInt8, box: Box) -> Float32:
    """Describe the content of a box by shape, layout and colour.

    `rgb`: (H, W, 3) uint8.
    `box`: with at least one pixel of the frame in it.
    Returns (DESCRIPTOR_LENGTH,) float32: of length 1: the scalar product of two is their `descriptor_similarity`. Shape
        is a histogram of oriented gradients (Dalal & Triggs 2005), layout the grey values at 8 x 8 places, colour a
        histogram in CIELAB by third of the height (compared as by Bhattacharyya).
    """
    height, width = rgb.shape[:2]
    x0, y0 = min(width - 1, max(0, int(box.x0 * width))), min(height - 1, max(0, int(box.y0 * height)))
    x1, y1 = min(width, round(box.x1 * width)), min(height, round(box.y1 * height))
    inside = rgb[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
    crop = np.asarray(cv2.resize(inside, (_CROP, _CROP), interpolation=cv2.INTER_AREA), np.uint8)
    lab = cv2.cvtColor(crop, cv2.COLOR_RGB2LAB)
    grey = np.asarray(lab[..., 0], np.float32)
    # shape: orientations in 4 x 4 cells, weighted by the strength of gradients, (128,)
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
    turn = np.mod(np.arctan2(down, across), np.pi) * (_ORIENTATIONS / np.pi)
    low = turn.astype(np.int32)
    places = np.arange(_CROP) * _GRID // _CROP
    cells = (places[:, None] * _GRID + places)[..., None] * _ORIENTATIONS
    bins = cells + np.stack([low, low + 1], axis=-1) % _ORIENTATIONS
    weights = np.hypot(across, down)[..., None] * np.stack([1 - (turn - low), turn - low], axis=-1)
    counts = np.bincount(bins.ravel(), weights.ravel(), minlength=_GRID * _GRID * _ORIENTATIONS)
    shape = np.minimum(_unit(counts.astype(np.float32)), np.float32(0.2))
    layout = np.asarray(cv2.resize(grey, (8, 8), interpolation=cv2.INTER_AREA), np.float32).ravel()
    # colour: L, a and b by third of the height, (96,); a and b of most objects lie within 40 of neutral
    tones, greens, blues = _TONES
    levels = lab.astype(np.int32)
    light = levels[..., 0] * tones // 256
    green, blue = (np.clip((levels[..., c] - 88) // (80 // n), 0, n - 1) for c, n in ((1, greens), (2, blues)))
    rows = (np.arange(_CROP) * _HUES // _CROP)[:, None]
    bins = ((rows * tones + light) * greens + green) * blues + blue
    colour = np.bincount(bins.ravel(), minlength=_HUES * tones * greens * blues).astype(np.float32)
    parts = ((_SHAPE, shape), (_LAYOUT, layout - layout.mean()), (_COLOUR, np.sqrt(colour)))
    return np.concatenate([np.float32(np.sqrt(share)) * _unit(values) for share, values in parts])


def descriptor_similarity(descriptor: Float32, other: Float32) -> float:
    """Return how alike two objects look by their descriptors, -0.35 to 1."""
    return float(np.dot(descriptor, other))


def _unit(values: Float32) -> Float32:
    length = float(np.sqrt(np.vdot(values, values)))
    return np.asarray(values / length if length > 1e-6 else values, np.float32)


def search_patch(frame: GreyPyramid, box: Box, patch: Float32, *, fine: bool) -> tuple[float, Box]:
    """Search a patch around a place, at its size.

    `box`: its expected place; it is searched up to its own size off on each side.
    `patch`: (h, w) float32.
    `fine`: the patch is a `high_pass`.
    Returns: the highest correlation, -1 to 1, and its box.
    """
    rows, columns = patch.shape
    wide, high = box.width, box.height
    around = Box(box.x0 - wide, box.y0 - high, box.x1 + wide, box.y1 + high)
    window = frame.sample(around, 3 * rows, 3 * columns)
    if fine:
        window = np.asarray(window - cv2.blur(window, (rows // 2 | 1,) * 2), np.float32)
    scores = np.asarray(cv2.matchTemplate(window, patch, cv2.TM_CCOEFF_NORMED), np.float32)
    _, score, _, (column, row) = cv2.minMaxLoc(scores)
    x0 = around.x0 + (column + _peak(scores[row, :], column)) * wide / columns
    y0 = around.y0 + (row + _peak(scores[:, column], row)) * high / rows
    return float(score), Box(x0, y0, x0 + wide, y0 + high)


def _peak(scores: Float32, at: int) -> float:
    """Return where a parabola through the highest score and its neighbours peaks, -0.5 to 0.5 beside it."""
    if not 0 < at < len(scores) - 1:
        return 0.0
    left, middle, right = (float(scores[at + step]) for step in (-1, 0, 1))
    bend = left - 2 * middle + right
    return 0.5 * (left - right) / bend if bend < -1e-9 else 0.0


READ_METHODS = frozenset({"text", "wording", "brand_name", "word_mark"})
"""Methods that need text recognition."""

LETTERED_METHODS = frozenset({"word_mark", "brand_name"})
"""Methods that find marks made of letters."""

MIN_AFFINITY = 0.35
"""Affinity from which on two findings may be the same object."""

_OBJECT_TYPES: frozenset[AoiType] = frozenset({"product", "branding", "other"})


@dataclass(frozen=True, slots=True)
class AssociationSettings:
    """Thresholds by which a detection is taken for an area that is tracked."""

    compatible: float = 0.8
    """Compatibility of two types of text."""
    weakly_compatible: float = 0.5
    """The same of two types of objects, or of branding and text."""
    shortest: int = 3
    """Letters that two texts must have to be compared."""
    different_text: float = 0.6
    """Similarity under which two texts say different things: readings of one text have more."""
    same_text: float = 0.85
    """Similarity from which on two texts say the same."""
    most_growth: float = 2.5
    """Ratio of sides between two detections."""
    overlap: float = 0.2
    """IoU of the boxes of one object, where its place is no surer than usual."""
    reach: float = 0.7
    """By which an object may be off its place, in its own size."""


SETTINGS = AssociationSettings()


def is_text(candidate: Candidate) -> bool:
    """Tell whether a candidate is text (a headline, an offer, the platform's interface) rather than a mark."""
    return candidate.type in TEXT_TYPES or candidate.text is not None


def is_lettering(candidate: Candidate) -> bool:
    """Tell whether a candidate is made of letters: text or a word mark."""
    return is_text(candidate) or candidate.method in LETTERED_METHODS


def was_read(candidate: Candidate) -> bool:
    """Tell whether a candidate can only be found by text recognition.

    >>> shape = Candidate("branding", "", Box(0, 0, 0.1, 0.1), 0.6, "detector")
    >>> was_read(shape), was_read(Candidate("branding", "Acme", shape.box, 0.8, "detector"))
    (False, True)
    """
    return is_text(candidate) or candidate.method in READ_METHODS or bool(normalized_text(candidate))


def class_compatibility(first: AoiType, second: AoiType) -> float:
    """Return how well two types go together, 0-1: a headline may be body text, a face nothing else.

    >>> class_compatibility("headline_text", "body_text"), class_compatibility("face", "person")
    (0.8, 0.0)
    """
    if first == second:
        return 1.0
    types = {first, second}
    if types <= set(TEXT_TYPES):
        return SETTINGS.compatible
    if types <= _OBJECT_TYPES or types <= {"branding", *TEXT_TYPES}:
        return SETTINGS.weakly_compatible
    return 0.0


def candidate_compatibility(tracked: Candidate, aoi_type: AoiType, candidate: Candidate) -> float:
    """Return how well a finding goes with an object that is known, of a type on the whole, 0-1.

    All text is of one type, whatever its role: a headline now may be an offer at the next detection.
    """
    compatible = max(class_compatibility(aoi_type, candidate.type), class_compatibility(tracked.type, candidate.type))
    return max(compatible, SETTINGS.compatible) if is_text(tracked) and is_text(candidate) else compatible


def normalized_text(candidate: Candidate) -> str:
    """Return the text of a candidate as one line of lower case; empty where nothing was read."""
    words = candidate.text.transcription if candidate.text is not None else None
    if candidate.type == "branding" and candidate.text is None and candidate.method != "logo_picture":
        words = candidate.label
    return " ".join((words or "").lower().split())


def text_similarity(first: str, second: str) -> float | None:
    """Return how alike two readings are, 0-1, where one may be a part of the other; None where one is too short.

    >>> text_similarity("summer sale", "sumner sale") > 0.9, text_similarity("", "sale")
    (True, None)
    """
    if min(len(first), len(second)) < SETTINGS.shortest:
        return None
    ratio = fuzz.ratio(first, second)
    # a title that is typed letter by letter, or of which a line was missed
    part = (
        0.95 * fuzz.partial_ratio(first, second)
        if 3 * min(len(first), len(second)) >= max(len(first), len(second))
        else 0.0
    )
    return max(ratio, part) / 100


def affinity(
    tracked: Candidate, aoi_type: AoiType, at: Box, candidate: Candidate, similarity: float | None, slack: float
) -> float:
    """Return how likely a finding is an object that is known, 0-1; 0 where it cannot be.

    `tracked`: its last finding.
    `aoi_type`: its type on the whole.
    `at`: its expected place.
    `similarity`: similarity of appearance of the two; None where it is not known.
    `slack`: uncertainty of its place: 1 where it was propagated until now, more where it was not.
    """
    compatible = candidate_compatibility(tracked, aoi_type, candidate)
    if not compatible:
        return 0.0
    words_alike = text_similarity(normalized_text(tracked), normalized_text(candidate))
    # what is read on a drawn logo differs from detection to detection
    if (
        words_alike is not None
        and words_alike < SETTINGS.different_text
        and is_lettering(tracked)
        and is_lettering(candidate)
    ):
        return 0.0
    (x, y), (found_x, found_y) = at.centre, candidate.box.centre
    wide, high = (at.width + candidate.box.width) / 2, (at.height + candidate.box.height) / 2
    off = math.hypot((x - found_x) / max(wide, 1e-4), (y - found_y) / max(high, 1e-4))
    overlap = at.iou(candidate.box)
    near = max(overlap if overlap >= SETTINGS.overlap / slack else 0.0, 0.8 * (1 - off / (SETTINGS.reach * slack)), 0.0)
    sides = ((at.width, candidate.box.width), (at.height, candidate.box.height))
    if any(max(pair) > SETTINGS.most_growth * max(min(pair), 1e-4) for pair in sides):
        near = 0.0
    if words_alike is not None and words_alike >= SETTINGS.same_text:
        near = max(near, 0.3)  # the same words elsewhere: they have jumped
    if not near:
        return 0.0
    evidence = [value for value in (words_alike, similarity) if value is not None]
    rest = sum(evidence) / len(evidence) if evidence else 0.5
    return 0.6 * near + 0.15 * compatible + 0.25 * max(0.0, rest)


def match_greedily(scores: Iterable[tuple[float, int, int]], least: float = MIN_AFFINITY) -> list[tuple[int, int]]:
    """Pair two sides one to one, best score first.

    >>> match_greedily([(0.9, 0, 0), (0.8, 0, 1), (0.7, 1, 0), (0.5, 1, 1)])
    [(0, 0), (1, 1)]
    """
    left: set[int] = set()
    right: set[int] = set()
    pairs = []
    for score, i, j in sorted(scores, key=lambda row: (-row[0], row[1], row[2])):
        if score >= least and i not in left and j not in right:
            left.add(i)
            right.add(j)
            pairs.append((i, j))
    return pairs
