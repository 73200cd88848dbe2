"""Make colour tables for maps: equal steps of the value look like equal steps of colour, and brighter is always more.

Each table is a smooth curve through a few colours given in OKLab's polar form, walked at constant speed. Lightness
only ever rises, so the order survives grey prints and every kind of colour blindness.

References
----------
.. [1] B. Ottosson, "A perceptual color space for image processing", 2020 (OKLab).
.. [2] P. Kovesi, "Good colour maps: how to design them", arXiv:1509.03700, 2015.
.. [3] G. Chaikin, "An algorithm for high-speed curve generation", CGIP 3, 1974.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np

from mediaan.types.arrays import UInt8

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
