"""Turn maps into levels: fixed scales, one byte per pixel, colours by level.

A level is a byte, 0-255, on a scale that is the same for every image, so that everything after is a table look-up.
Interpolation runs on 16 bits, which saturate instead of wrapping when a cubic overshoots.

In a colour table equal steps of the value look like equal steps of colour, and brighter is always more. Each is a
smooth curve through a few colours given in OKLab's polar form, walked at constant speed. Lightness only ever rises, so
the order survives grey prints and every kind of colour blindness.

References
----------
.. [1] B. Ottosson, "A perceptual color space for image processing", 2020 (OKLab).
.. [2] P. Kovesi, "Good colour maps: how to design them", arXiv:1509.03700, 2015.
.. [3] G. Chaikin, "An algorithm for high-speed curve generation", CGIP 3, 1974.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

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


Palette = Literal["ember", "lagoon", "orchid", "copper"]

# (lightness 0-1, chroma, hue in degrees), dark to bright; every point lies inside sRGB.
_CURVES: dict[Palette, tuple[tuple[float, float, float], ...]] = {
    "ember": (
        (0.33, 0.165, 284),
        (0.43, 0.20, 299),
        (0.56, 0.225, 332),
        (0.68, 0.20, 12),
        (0.77, 0.145, 48),
        (0.86, 0.138, 82),
        (0.96, 0.145, 106),
    ),
    "lagoon": (
        (0.37, 0.13, 268),
        (0.47, 0.14, 255),
        (0.60, 0.102, 220),
        (0.74, 0.13, 180),
        (0.86, 0.17, 152),
        (0.96, 0.11, 120),
    ),
    "orchid": (
        (0.38, 0.15, 275),
        (0.46, 0.20, 295),
        (0.58, 0.26, 322),
        (0.70, 0.22, 345),
        (0.82, 0.105, 0),
        (0.945, 0.02, 30),
    ),
    "copper": (
        (0.37, 0.10, 350),
        (0.46, 0.15, 15),
        (0.58, 0.18, 35),
        (0.71, 0.16, 55),
        (0.83, 0.15, 80),
        (0.96, 0.07, 100),
    ),
}
PALETTES: tuple[Palette, ...] = tuple(_CURVES)

_LMS_FROM_LAB = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_RGB_FROM_LMS = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


@cache
def colour_table(palette: Palette) -> UInt8:
    """Return the colours of a palette from least to most.

    `palette`: ``ember`` violet to red to yellow, ``lagoon`` blue to green, ``orchid`` violet to pink, ``copper`` wine
        to cream.
    Returns (256, 3) uint8: sRGB; read-only, since it is shared.

    >>> colour_table("ember").shape
    (256, 3)
    """
    lightness, chroma, hue = np.array(_CURVES[palette]).T
    angle = np.deg2rad(hue)
    points = np.stack([lightness, chroma * np.cos(angle), chroma * np.sin(angle)], axis=1)
    # corners are cut until the polygon is a quadratic B-spline [3]; ends stay, and a rising lightness keeps rising
    for _ in range(6):
        near = 0.75 * points[:-1] + 0.25 * points[1:]
        far = 0.25 * points[:-1] + 0.75 * points[1:]
        inner = np.stack([near, far], axis=1).reshape(-1, 3)
        points = np.concatenate([points[:1], inner, points[-1:]])
    # constant speed: colours at equal distances along the curve
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = np.linspace(0.0, along[-1], 256)
    lab = np.stack([np.interp(at, along, axis) for axis in points.T], axis=1)
    # OKLab to gamma-encoded sRGB (IEC 61966-2-1)
    linear = np.clip((lab @ _LMS_FROM_LAB.T) ** 3 @ _RGB_FROM_LMS.T, 0.0, 1.0)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    table: UInt8 = np.round(255 * encoded).astype(np.uint8)
    table.setflags(write=False)
    return table
