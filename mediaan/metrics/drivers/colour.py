"""Measure how colourful, contrasted and warm an image is, in the colour spaces that drivers share."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.types.arrays import Float32, UInt8

# IEC 61966-2-1: 8-bit sRGB to linear light in [0, 1].
_CODE = np.arange(256, dtype=np.float64) / 255.0
_LINEAR = np.where(_CODE >= 0.04045, ((_CODE + 0.055) / 1.055) ** 2.4, _CODE / 12.92).astype(np.float32)

# sRGB primaries to CIE XYZ (D65), divided by the white point on its 0-100 scale: see `congestion_lab`.
_XYZ = np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]])
_XYZ_OVER_WHITE = (_XYZ / np.array([[95.047], [100.0], [108.833]])).astype(np.float32)

# Rec. ITU-R BT.709 luma.
_LUMA = np.array([[0.2126, 0.7152, 0.0722]], dtype=np.float32)


def luma(rgb: UInt8) -> Float32:
    """Return Rec. 709 luma of gamma-coded pixels, (H, W) float32 in [0, 255]."""
    return np.asarray(cv2.transform(rgb.astype(np.float32), _LUMA), dtype=np.float32)


def congestion_lab(rgb: UInt8) -> Float32:
    """Convert to the Lab-like space in which feature congestion is defined.

    `rgb` (H, W, 3) uint8: sRGB.
    Returns (H, W, 3) float32: L in [0, 9], a and b about [-3, 3].

    Notes
    -----
    The authors' program divides XYZ in [0, 1] by a white point in [0, 100]; L therefore ends at 8.99 and is nearly
    linear in luminance. Its visibility thresholds and weights were set in that space, so it is kept here as it is.

    References
    ----------
    Rosenholtz, Li & Nakano (2007). Measuring visual clutter. Journal of Vision 7(2):17.

    >>> white = np.full((1, 1, 3), 255, np.uint8)
    >>> [round(float(v), 2) for v in congestion_lab(white)[0, 0]]
    [8.99, -0.0, -0.01]
    """
    t = cv2.transform(_LINEAR[rgb], _XYZ_OVER_WHITE)
    f = np.where(t >= 0.008856, np.cbrt(t), np.float32(7.787) * t + np.float32(16 / 116))
    x, y, z = cv2.split(f)
    return np.asarray(cv2.merge((116 * y - 16, 500 * (x - y), 200 * (y - z))), dtype=np.float32)


def colourfulness(rgb: UInt8) -> float:
    """Measure how colourful an image looks.

    `rgb` (H, W, 3) uint8: sRGB.
    Returns: 0 for greys; 15 slightly, 33 moderately, 45 averagely, 59 quite, 82 highly, 109 extremely colourful in the
        authors' scaling with human judgements; unbounded by definition, 293.25 for half red, half green.

    References
    ----------
    Hasler & Süsstrunk (2003). Measuring colorfulness in natural images. SPIE 5007, 87-95, eq. 4.

    >>> blue = np.zeros((4, 4, 3), np.uint8); blue[..., 2] = 255
    >>> colourfulness(blue)
    76.5
    """
    opponent = cv2.transform(rgb.astype(np.float32), np.array([[1, -1, 0], [0.5, 0.5, -1]], dtype=np.float32))
    mean, sd = cv2.meanStdDev(opponent)
    return float(np.hypot(*sd.ravel()) + 0.3 * np.hypot(*mean.ravel()))


def luminance_sd(luma: Float32) -> float:
    """Return the standard deviation of luma, code values, 0-127.5: an image's global contrast.

    References
    ----------
    Miniukovich & De Angeli (2014). Quantification of interface visual complexity. AVI '14, 153-160.
    """
    return float(cv2.meanStdDev(luma)[1].item())


def vividness(rgb: UInt8) -> Float32:
    """Return saturation weighted by brightness, the HSV chroma, (H, W) float32 in [0, 1].

    Saturated and bright colours raise arousal most: Valdez & Mehrabian (1994), J. Exp. Psychol. Gen. 123, 394-409.
    """
    red, green, blue = cv2.split(rgb)
    high = cv2.max(cv2.max(red, green), blue)
    low = cv2.min(cv2.min(red, green), blue)
    return np.asarray(cv2.subtract(high, low), dtype=np.float32) / np.float32(255)


def warmth(rgb: UInt8) -> Float32:
    """Return how far a pixel leans to red, orange or yellow, (H, W) float32 in [0, 1].

    The positive part of (R - B), as a share of full scale; warm hues arouse more than cool ones at one chroma:
    Wilms & Oberfeld (2018), Psychological Research 82, 896-914.
    """
    red, _, blue = cv2.split(rgb)
    return np.asarray(cv2.subtract(red, blue), dtype=np.float32) / np.float32(255)


def colour_count(rgb: UInt8) -> int:
    """Count the distinct colours of an image, at least 1.

    In CIE Lab, in steps of 16 code values of OpenCV's 8-bit coding (6.3 of L*, 16 of a* and b*), after scaling to 128
    px on the long side: noise makes no colours there, gradients few. The number of colours goes with perceived
    complexity: Corchs et al. (2016), PLoS ONE 11(6):e0157986.

    >>> colour_count(np.zeros((8, 8, 3), np.uint8))
    1
    """
    factor = min(1.0, 128 / max(rgb.shape[:2]))
    size = (max(1, round(rgb.shape[1] * factor)), max(1, round(rgb.shape[0] * factor)))
    lab = cv2.cvtColor(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2LAB) // 16
    codes = lab.reshape(-1, 3).astype(np.int32) @ np.array([1, 16, 256], np.int32)
    return int(np.unique(codes).size)
