"""Describe what an object looks like: a patch for matching from frame to frame, a vector for re-identification."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.types.aoi import Box
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
