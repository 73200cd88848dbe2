"""Turn maps into levels: fixed scales, one byte per pixel, and images blended by level.

A level is a byte, 0-255, on a scale that is the same for every image, so that everything after is a table look-up.
Interpolation runs on 16 bits, which saturate instead of wrapping when a cubic overshoots."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from mediaan.errors import UsageError
from mediaan.types.arguments import check_density, check_image
from mediaan.types.arrays import Float32, Float64, UInt8


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of values that a map shows, fixed beforehand and never taken from the image.

    >>> scale = Scale(1.0, 16.0, ((1.0, "1x"), (16.0, "16x")), logarithmic=True)
    >>> scale.place(np.array([0.5, 1.0, 4.0, 99.0])).tolist()
    [0.0, 0.0, 0.5, 1.0]
    """

    low: float
    high: float
    """low, high: Values at the ends; what lies beyond is shown like the end itself."""
    ticks: tuple[tuple[float, str], ...]
    """Tuple of (float, str). Values that the legend marks, and how it writes them."""
    logarithmic: bool = False
    """Whether equal ratios, rather than equal differences, take equal room."""
    unit: str = ""
    """What a value of 1 is, in plain words; stands in the legend."""

    def __post_init__(self) -> None:
        if not self.low < self.high or (self.logarithmic and self.low <= 0):
            raise ValueError(f"a scale needs low < high, and low > 0 when logarithmic; got {self.low} to {self.high}")

    def place(self, values: Float32 | Float64) -> Float64:
        """Return the place of values on the scale: 0 at `low` and below, 1 at `high` and above; float64, shape kept."""
        inside = np.clip(np.asarray(values, dtype=np.float64), self.low, self.high)
        place: Float64 = (inside - self.low) / (self.high - self.low)
        if self.logarithmic:
            place = np.log2(inside / self.low) / np.log2(self.high / self.low)
        return place

    def value(self, place: Float64) -> Float64:
        """Return the values at given places, the inverse of `place` inside the range."""
        value: Float64 = self.low + place * (self.high - self.low)
        if self.logarithmic:
            value = self.low * np.exp2(place * np.log2(self.high / self.low))
        return value


ATTENTION = Scale(
    low=1.0,
    high=16.0,
    ticks=((1.0, "1x"), (2.0, "2x"), (4.0, "4x"), (8.0, "8x"), (16.0, "16x")),
    logarithmic=True,
    unit="times the attention of an average spot",
)
"""Density relative to a uniform one: 1x is what a spot gets when attention is spread evenly; 16x and more is full."""

STRENGTH = Scale(low=0.0, high=1.0, ticks=((0.0, "0"), (0.5, "0.5"), (1.0, "1")))
"""Local drivers of a metric, on the absolute scale that the metric defines: 1 is very much."""


def relative_density(density: Float32) -> Float64:
    """Return how many times denser than uniform each cell is.

    `density` (h, w) float32: non-negative with a positive sum; need not sum to exactly 1.
    Returns (h, w) float64: mean 1.
    Raises UsageError: if it is no such array.

    >>> relative_density(np.array([[0.75, 0.25]], np.float32)).tolist()
    [[1.5, 0.5]]
    """
    check_density(density)
    return density.astype(np.float64) * (density.size / float(density.sum(dtype=np.float64)))


LEVELS = 256
# Cells on the long side that a drawn map keeps: finer detail would read as noise, and costs time to smooth.
_MAX_CELLS_LONG_SIDE = 128
_UPSAMPLING = 4

ATTENTION_RANGE = Scale(low=2.0**-4, high=2.0**4, ticks=(), logarithmic=True)
"""Relative density over eight octaves: wider than what a heatmap shows, since fog needs what lies below 1x too."""


def attention_levels(density: Float32) -> Float64:
    """Return the level of each cell on `ATTENTION_RANGE`; (h, w) float64 in 0-255."""
    return ATTENTION_RANGE.place(relative_density(density)) * (LEVELS - 1)


def local_levels(values: Float32, scale: Scale) -> Float64:
    """Return the level of each cell of a local driver on its own scale; (h, w) float64 in 0-255.

    Raises UsageError: if `values` are not 2-D, not empty and finite.
    """
    if not isinstance(values, np.ndarray) or values.ndim != 2 or not values.size or values.dtype.kind not in "fiu":
        raise UsageError("values must be an array (h, w) of numbers, and not empty", code="bad_array")
    if not np.isfinite(values).all():
        raise UsageError("values must be finite", code="bad_array")
    return scale.place(values) * (LEVELS - 1)


def image_shape(rgb: UInt8) -> tuple[int, int]:
    """Return height and width of an RGB image, or raise UsageError if it is none."""
    check_image(rgb)
    return rgb.shape[0], rgb.shape[1]


def upsample_levels(levels: Float64, shape: tuple[int, int]) -> UInt8:
    """Interpolate levels to the size of an image.

    A blur by half a cell takes away the steps that cubic interpolation leaves on steep slanting edges.

    `levels` (h, w) float64: 0-255.
    `shape` (int, int): height and width in px.
    Returns (H, W) uint8.
    """
    height, width = shape
    finest = max(levels.shape) / _MAX_CELLS_LONG_SIDE
    if finest > 1:
        size = (max(1, round(levels.shape[1] / finest)), max(1, round(levels.shape[0] / finest)))
        levels = np.asarray(cv2.resize(levels, size, interpolation=cv2.INTER_AREA), dtype=np.float64)
    cells = np.round(levels * 256.0).clip(0, 65535).astype(np.uint16)
    dense = cv2.resize(cells, None, fx=_UPSAMPLING, fy=_UPSAMPLING, interpolation=cv2.INTER_CUBIC)
    smooth = cv2.GaussianBlur(dense, (0, 0), _UPSAMPLING / 2, borderType=cv2.BORDER_REPLICATE)
    shrinks = height < smooth.shape[0] and width < smooth.shape[1]
    resized = cv2.resize(smooth, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    return np.asarray(cv2.convertScaleAbs(resized, alpha=1.0 / 256.0), dtype=np.uint8)


def level_values(scale: Scale = ATTENTION_RANGE) -> Float64:
    """Return the value that each of the 256 levels of a scale stands for."""
    return scale.value(np.arange(LEVELS, dtype=np.float64) / (LEVELS - 1))


def blend_colours(rgb: UInt8, levels: UInt8, colours: UInt8, opacity: Float64) -> UInt8:
    """Lay each level's colour over an image with that level's opacity.

    `rgb`: (H, W, 3) uint8.
    `levels`: (H, W) uint8.
    `colours` (256, 3) uint8: colour of each level.
    `opacity` (256,) float64: 0 leaves the image as it is, 1 hides it.
    Returns (H, W, 3) uint8.
    """
    over = np.round(opacity[:, None] * colours).astype(np.uint8)
    return _add(_multiply_by_level(rgb, levels, 1.0 - opacity), cv2.applyColorMap(levels, over[:, None]))


def crossfade(top: UInt8, bottom: UInt8, levels: UInt8, opacity: Float64) -> UInt8:
    """Show one image where opacity is 1 and another where it is 0.

    `top`, `bottom`: (H, W, 3) uint8.
    `levels`: (H, W) uint8.
    `opacity` (256,) float64: share of `top` at each level.
    Returns (H, W, 3) uint8.
    """
    return _add(_multiply_by_level(top, levels, opacity), _multiply_by_level(bottom, levels, 1.0 - opacity))


def _multiply_by_level(rgb: UInt8, levels: UInt8, factor: Float64) -> UInt8:
    table = np.round(255.0 * factor).astype(np.uint8)
    weights = cv2.cvtColor(cv2.LUT(levels, table), cv2.COLOR_GRAY2BGR)  # a colour map of greys takes twice as long
    return np.asarray(cv2.multiply(rgb, weights, scale=1.0 / 255.0), dtype=np.uint8)


def _add(a: UInt8, b: cv2.typing.MatLike) -> UInt8:
    return np.asarray(cv2.add(a, b), dtype=np.uint8)


def smoothstep(x: Float64) -> Float64:
    """Rise from 0 at 0 to 1 at 1 without a kink: 3x² − 2x³ in between."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)
