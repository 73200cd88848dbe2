"""Measure feature congestion: local variability of colour, contrast and orientation."""

from __future__ import annotations

from typing import TypeVar

import cv2
import numpy as np

from mediaan.types.arrays import Float32, Float64

Plane = TypeVar("Plane", Float32, Float64)

LEVELS = 3
# Local clutter that equals one unit of each feature: Rosenholtz et al. 2007, from their visual search data.
_COLOUR_UNIT, _CONTRAST_UNIT, _ORIENTATION_UNIT = 0.2088, 0.0660, 0.0269
# Just visible differences of L, a and b, squared, and of orientation (same source): variance never falls below.
_L_FLOOR, _A_FLOOR, _B_FLOOR = 0.0007**2, 0.1**2, 0.05**2
_ORIENTATION_FLOOR = 0.001
_VISIBLE_ENERGY = 1.0
# px² a side for a step of 2 px; a little under 2 because the authors rotate kernels that are cut off at 6 px.
_DIAGONAL_STEP_SQUARED = 1.9


def feature_congestion_map(lab: Float32) -> Float32:
    """Measure local clutter: how hard it is to add an item there that draws attention.

    `lab` (H, W, 3) float32: from `congestion_lab`, both sides at least 4 px.
    Returns (H, W) float32: clutter in the authors' units: 1.248 in flat areas (the floors of visible difference), about
        3-8 on web pages, seldom over 20.

    Notes
    -----
    For each of three octaves: the volume of the local colour distribution, the spread of local contrast, and the
    spread of local orientation; the greatest over octaves, weighted and summed. As in the authors' program an octave's
    map is enlarged by zero insertion with a filter of unit sum, so octave k counts with weight 4**-k, and pyramid
    levels grow in amplitude by 2**k. Pooling over sigma 14 px is done on a grid of 4 px, which moves means by < 1 %.

    References
    ----------
    Rosenholtz, Li & Nakano (2007). Measuring visual clutter. Journal of Vision 7(2):17.

    >>> round(float(feature_congestion_map(np.full((32, 32, 3), 4.0, np.float32)).mean()), 4)
    1.2483
    """
    octaves = [lab]
    for _ in range(LEVELS - 1):
        # Burt & Adelson's binomial filter with gain sqrt(2) a side, as in the authors' pyramid library.
        smaller = cv2.pyrDown(octaves[-1], borderType=cv2.BORDER_REFLECT_101)
        octaves.append(np.asarray(2 * smaller, dtype=np.float32))
    colour = _greatest([_colour_spread(octave) for octave in octaves])
    contrast = _greatest([_contrast_spread(octave[..., 0]) for octave in octaves])
    orientation = _greatest([_orientation_spread(octave[..., 0]) for octave in octaves])
    total = colour / _COLOUR_UNIT + contrast / _CONTRAST_UNIT + orientation / _ORIENTATION_UNIT
    return np.asarray(total, dtype=np.float32)


def _greatest(levels: list[Float32]) -> Float32:
    height, width = levels[0].shape
    greatest = levels[0]
    for octave, level in enumerate(levels[1:], start=1):
        for _ in range(octave):
            level = np.asarray(cv2.pyrUp(level) / 4, dtype=np.float32)
        greatest = np.maximum(greatest, level[:height, :width])
    return greatest


def _gaussian(sigma: float, radius: int) -> Float64:
    t = np.arange(-radius, radius + 1)
    kernel = np.exp(-(t**2) / (2 * sigma**2))
    return np.asarray(kernel / kernel.sum())


def _cell_gaussian(sigma: float, radius: int, step: int) -> Float64:
    """Return the share of a Gaussian, cut off at `radius` px, on each cell of `step` px around its centre."""
    reach = radius // step
    t = np.arange(-reach, reach + 1)[:, None] * step + np.arange(step) - (step - 1) / 2
    kernel = np.where(np.abs(t) <= radius, np.exp(-(t**2) / (2 * sigma**2)), 0).sum(axis=1)
    return np.asarray(kernel / kernel.sum())


def _pool(planes: Plane, kernel: Float64) -> Plane:
    """Return the weighted mean over the part of the window that lies inside the image."""
    inside = np.outer(_coverage(planes.shape[0], kernel), _coverage(planes.shape[1], kernel))
    total = cv2.sepFilter2D(planes, -1, kernel, kernel, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(total / inside.reshape(*inside.shape, *[1] * (planes.ndim - 2)), dtype=planes.dtype)


def _coverage(length: int, kernel: Float64) -> Float64:
    return np.convolve(np.ones(length), kernel)[len(kernel) // 2 :][:length]


def _colour_spread(lab: Float32) -> Float32:
    """Measure the volume of local colour, pooled with sigma 3 px, on a grid of 2 px where there is room."""
    step = 2 if min(lab.shape[:2]) >= 16 else 1
    height, width = lab.shape[:2]
    grid = (-(-width // step), -(-height // step))
    window = _cell_gaussian(3, 6, step)

    def pool(plane: Plane) -> Plane:
        return _pool(np.asarray(cv2.resize(plane, grid, interpolation=cv2.INTER_AREA), dtype=plane.dtype), window)

    lightness, a, b = (np.asarray(plane, dtype=np.float32) for plane in cv2.split(lab))
    # L's floor is 5e-7 beside L² up to 81: single precision would drown it.
    wide = lightness.astype(np.float64)
    exact_mean = pool(wide)
    var_l = np.maximum(pool(wide * wide) - exact_mean * exact_mean, 0).astype(np.float32) + np.float32(_L_FLOOR)
    ml, ma, mb = exact_mean.astype(np.float32), pool(a), pool(b)
    var_a, var_b = pool(a * a) - ma * ma + np.float32(_A_FLOOR), pool(b * b) - mb * mb + np.float32(_B_FLOOR)
    cov_la, cov_lb, cov_ab = pool(lightness * a) - ml * ma, pool(lightness * b) - ml * mb, pool(a * b) - ma * mb
    volume = (
        var_l * (var_a * var_b - cov_ab * cov_ab)
        - cov_la * (cov_la * var_b - cov_ab * cov_lb)
        + cov_lb * (cov_la * cov_ab - var_a * cov_lb)
    )
    spread = np.cbrt(np.sqrt(np.maximum(volume, 0)))
    return np.asarray(cv2.resize(spread, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def _contrast_spread(lightness: Float32) -> Float32:
    centre, surround = _gaussian(0.71, 3), _gaussian(1.14, 3)
    lightness = np.ascontiguousarray(lightness)
    contrast = cv2.sepFilter2D(lightness, -1, centre, centre) - cv2.sepFilter2D(lightness, -1, surround, surround)
    contrast = np.abs(contrast)
    window = _gaussian(3, 6)
    mean = _pool(contrast, window)
    return np.asarray(np.sqrt(np.abs(_pool(contrast * contrast, window) - mean * mean)), dtype=np.float32)


def _orientation_spread(lightness: Float32) -> Float32:
    cos2, sin2 = _orientation(np.ascontiguousarray(lightness))
    step = 4 if min(lightness.shape) >= 16 else 1
    height, width = lightness.shape
    moments = cv2.merge((cos2, sin2, cos2 * cos2, sin2 * sin2)), cos2 * sin2
    grid = (-(-width // step), -(-height // step))
    window = _cell_gaussian(14, 28, step)
    small = (np.asarray(cv2.resize(m, grid, interpolation=cv2.INTER_AREA), dtype=np.float32) for m in moments)
    four, cross = (_pool(moment, window) for moment in small)
    mc, ms, mcc, mss = cv2.split(four)
    volume = (mcc - mc * mc + _ORIENTATION_FLOOR) * (mss - ms * ms + _ORIENTATION_FLOOR) - (cross - mc * ms) ** 2
    spread = np.sqrt(np.sqrt(np.maximum(volume, 0)))
    return np.asarray(cv2.resize(spread, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def _orientation(lightness: Float32) -> tuple[Float32, Float32]:
    """Return opponent energy of four oriented second differences: cos 2θ and sin 2θ, each (H, W) in [-1, 1]."""
    across = _gaussian(2, 6)
    # Twice a Gaussian of sigma 2 px less the same 2 px to either side, all cut off at 6 px as the authors do.
    aside = np.exp(-((np.arange(-6, 7) - 2) ** 2) / 8)
    aside = aside / aside.sum()
    along = np.asarray(2 * across - aside - aside[::-1])
    horizontal = cv2.sepFilter2D(lightness, -1, across, along)
    vertical = cv2.sepFilter2D(lightness, -1, along, across)
    down, up = _diagonals(np.asarray(cv2.sepFilter2D(lightness, -1, across, across), dtype=np.float32))
    horizontal, vertical, down, up = horizontal**2, vertical**2, down**2, up**2
    energies = cv2.merge((horizontal - vertical, down - up, horizontal + vertical + down + up))
    # The authors pool on a grid of half pixels with sigma 1.75, twice.
    half = _gaussian(1.75, 4)
    pool = np.convolve(half, half)[0::2]
    pool = np.asarray(pool / pool.sum())
    opponent_hv, opponent_diagonal, total = cv2.split(cv2.sepFilter2D(energies, -1, pool, pool))
    total = total + np.float32(_VISIBLE_ENERGY)
    return opponent_hv / total, opponent_diagonal / total


def _diagonals(smooth: Float32) -> tuple[Float32, Float32]:
    """Return second differences of a blurred image along both diagonals, by even interpolation between whole steps."""
    height, width = smooth.shape
    padded = cv2.copyMakeBorder(smooth, 2, 2, 2, 2, cv2.BORDER_REFLECT_101)

    def pair(dy: int, dx: int) -> Float32:
        ahead = padded[2 + dy : 2 + dy + height, 2 + dx : 2 + dx + width]
        behind = padded[2 - dy : 2 - dy + height, 2 - dx : 2 - dx + width]
        return ahead + behind

    # Lagrange in the squared step, through 0, 1 and 2 px a side.
    q = _DIAGONAL_STEP_SQUARED
    at_0, at_1, at_2 = (q - 1) * (q - 4) / 4, q * (q - 4) / -3, q * (q - 1) / 12
    centre = 2 * (1 - at_0) * smooth
    down, up = (centre - at_1 * pair(1, s) - at_2 * pair(2, 2 * s) for s in (1, -1))
    return down, up
