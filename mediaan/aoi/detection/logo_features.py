"""Compute what logos are searched by: edge directions and keypoints of a frame, at several sizes."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.types.arrays import Float32, Float64, UInt8

HALF_STRENGTH = 8.0
"""Step of brightness from pixel to pixel, 0-255, that counts as half an edge; JPEG noise stays under a third of it."""

LONGEST_PX = 1024
"""Larger frames are made smaller: a logo of 5 % of the width has about 50 px then."""

_SMALLEST_PX = 36
_AKAZE_THRESHOLD, _MOST_POINTS = 0.0008, 2500


def edge_field(grey: UInt8) -> Float32:
    """Compute strength and direction of edges at every pixel.

    The direction is doubled, so that a step up and a step down are one and the same, and opposite directions (a
    horizontal and a vertical edge) cancel out: texture correlates with nothing.

    Parameters
    ----------
    grey : (H, W) uint8

    Returns
    -------
    (H, W, 2) float32
        Strength (0-1) times cosine and sine of the doubled angle.

    Examples
    --------
    >>> step = np.zeros((8, 8), np.uint8); step[:, 4:] = 200
    >>> bool(np.allclose(edge_field(step), edge_field(255 - step), atol=1e-6))
    True
    """
    smooth = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 0.7)
    dx, dy = cv2.Scharr(smooth, cv2.CV_32F, 1, 0, scale=1 / 32), cv2.Scharr(smooth, cv2.CV_32F, 0, 1, scale=1 / 32)
    squared = dx * dx + dy * dy
    strength = np.sqrt(squared)
    weight = 1.0 / np.maximum(squared + HALF_STRENGTH * strength, 1e-6)
    return np.stack([(dx * dx - dy * dy) * weight, 2 * dx * dy * weight], axis=-1)


def edge_strength(field: Float32) -> Float32:
    """Return the strength of edges, 0-1, (H, W) float32, of a field (H, W, 2)."""
    return np.asarray(np.sqrt(field[..., 0] ** 2 + field[..., 1] ** 2), np.float32)


class Keypoints(NamedTuple):
    """Corners and blobs, `points` (n, 2) float64 px, and their binary descriptors, (n, k) uint8."""

    points: Float64
    descriptors: UInt8


class PyramidLevel(NamedTuple):
    """A frame at one size."""

    grey: UInt8
    """(h, w) uint8."""
    scale: float
    """Its pixels per pixel of the largest level."""
    cosine: Float32
    sine: Float32
    """cosine, sine: (h, w) float32. The two planes of its `edge_field`."""
    energy: Float32
    """(h, w) float32. Squared strength of edges."""


class FeaturePyramid:
    """A frame in sizes that fall by half an octave.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    """

    def __init__(self, rgb: UInt8) -> None:
        grey = np.asarray(cv2.cvtColor(np.ascontiguousarray(rgb), cv2.COLOR_RGB2GRAY), np.uint8)
        self.grey = _shrunk(grey, min(1.0, LONGEST_PX / max(grey.shape)))
        self.scale = self.grey.shape[1] / rgb.shape[1]

    @property
    def longest_px(self) -> int:
        """Long side of the largest level."""
        return int(max(self.grey.shape))

    @cached_property
    def levels(self) -> tuple[PyramidLevel, ...]:
        """From the largest to about 36 px."""
        count = max(1, 1 + int(2 * np.log2(self.longest_px / _SMALLEST_PX)))
        levels = []
        for k in range(count):
            grey = _shrunk(self.grey, 2 ** (-k / 2))
            field = edge_field(grey)
            cosine, sine = np.ascontiguousarray(field[..., 0]), np.ascontiguousarray(field[..., 1])
            scale = grey.shape[1] / self.grey.shape[1]
            levels.append(PyramidLevel(grey, scale, cosine, sine, cosine * cosine + sine * sine))
        return tuple(levels)

    @cached_property
    def keypoints(self) -> Keypoints:
        """Of the largest level."""
        return detect_keypoints(self.grey)

    def nearest_level(self, scale: float) -> PyramidLevel:
        """Return the smallest level of at least about so many of its pixels per pixel of the largest."""
        k = int(np.floor(-2 * np.log2(scale) + 0.5))
        return self.levels[min(max(0, k), len(self.levels) - 1)]


def detect_keypoints(grey: UInt8) -> Keypoints:
    """Detect AKAZE keypoints of an image.

    References
    ----------
    Alcantarilla, Nuevo & Bartoli (2013). Fast explicit diffusion for accelerated features in nonlinear scale spaces.
    """
    if min(grey.shape) < _SMALLEST_PX:
        return Keypoints(np.zeros((0, 2)), np.zeros((0, 61), np.uint8))
    finder = cv2.AKAZE.create(threshold=_AKAZE_THRESHOLD, max_points=_MOST_POINTS)
    points, descriptors = finder.detectAndCompute(grey, None)
    if descriptors is None or not points:
        return Keypoints(np.zeros((0, 2)), np.zeros((0, 61), np.uint8))
    return Keypoints(np.array([point.pt for point in points], np.float64), np.asarray(descriptors, np.uint8))


def _shrunk(grey: UInt8, factor: float) -> UInt8:
    if factor >= 1:
        return grey
    size = max(1, round(grey.shape[1] * factor)), max(1, round(grey.shape[0] * factor))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
