"""A frame in falling sizes with its edges and key points: made once, searched for any number of logos."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.aoi.edges import edge_field
from mediaan.types.arrays import Float32, Float64, UInt8

LONGEST_PX = 1024
"""Larger frames are made smaller: a logo of 5 % of the width has about 50 px then."""

_SMALLEST_PX = 36
_AKAZE_THRESHOLD, _MOST_POINTS = 0.0008, 2500


class KeyPoints(NamedTuple):
    """Corners and blobs, (n, 2) float64 px, and their binary descriptors, (n, k) uint8."""

    places: Float64
    descriptors: UInt8


class Level(NamedTuple):
    """A frame at one size.

    Attributes
    ----------
    grey : (h, w) uint8
    scale : float
        Its pixels per pixel of the largest level.
    cosine, sine : (h, w) float32
        The two planes of its `edge_field`.
    energy : (h, w) float32
        Squared strength of edges.
    """

    grey: UInt8
    scale: float
    cosine: Float32
    sine: Float32
    energy: Float32


class Pyramid:
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
    def levels(self) -> tuple[Level, ...]:
        """From the largest to about 36 px."""
        count = max(1, 1 + int(2 * np.log2(self.longest_px / _SMALLEST_PX)))
        return tuple(_level(_shrunk(self.grey, 2 ** (-k / 2)), self.grey.shape[1]) for k in range(count))

    @cached_property
    def key_points(self) -> KeyPoints:
        """Of the largest level."""
        return key_points(self.grey)

    def nearest_level(self, scale: float) -> Level:
        """The smallest level of at least about so many of its pixels per pixel of the largest."""
        k = int(np.floor(-2 * np.log2(scale) + 0.5))
        return self.levels[min(max(0, k), len(self.levels) - 1)]


def key_points(grey: UInt8) -> KeyPoints:
    """AKAZE key points of a picture.

    References
    ----------
    Alcantarilla, Nuevo & Bartoli (2013). Fast explicit diffusion for accelerated features in nonlinear scale spaces.
    """
    if min(grey.shape) < _SMALLEST_PX:
        return KeyPoints(np.zeros((0, 2)), np.zeros((0, 61), np.uint8))
    finder = cv2.AKAZE.create(threshold=_AKAZE_THRESHOLD, max_points=_MOST_POINTS)
    points, descriptors = finder.detectAndCompute(grey, None)
    if descriptors is None or not points:
        return KeyPoints(np.zeros((0, 2)), np.zeros((0, 61), np.uint8))
    return KeyPoints(np.array([point.pt for point in points], np.float64), np.asarray(descriptors, np.uint8))


def _shrunk(grey: UInt8, factor: float) -> UInt8:
    if factor >= 1:
        return grey
    size = max(1, round(grey.shape[1] * factor)), max(1, round(grey.shape[0] * factor))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)


def _level(grey: UInt8, largest_width: int) -> Level:
    field = edge_field(grey)
    cosine, sine = np.ascontiguousarray(field[..., 0]), np.ascontiguousarray(field[..., 1])
    return Level(grey, grey.shape[1] / largest_width, cosine, sine, cosine * cosine + sine * sine)
