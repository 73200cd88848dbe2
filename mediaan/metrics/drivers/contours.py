"""Measure contours: how many there are, how strong and how crowded."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.types.arrays import Bool, UInt8

# Canny thresholds as shares of full scale (MATLAB's 0.11 and 0.27) after a blur of sigma 2 px: the authors' setting.
_LOW, _HIGH = 0.11 * 255, 0.27 * 255
_STRENGTHS = np.arange(1, 8) / 10 * 255
# A contour lies between pixels that differ by more than this in any channel, code values.
_STEP = 50
# Contours this near crowd each other: 20 px on screens 1280 px wide.
_CROWDED_SHARE = 20 / 1280


def contour_density(grey: UInt8) -> float:
    """Return the share of pixels on a contour, 0-1.

    `grey` (H, W) uint8: Rec. 601 luma.

    References
    ----------
    Miniukovich & De Angeli (2015). Computation of interface aesthetics. CHI '15, 1163-1172.

    >>> contour_density(np.zeros((16, 16), np.uint8))
    0.0
    """
    edges = cv2.Canny(cv2.GaussianBlur(grey, (0, 0), 2), _LOW, _HIGH)
    return cv2.countNonZero(edges) / edges.size


def contour_weakness(grey: UInt8) -> float | None:
    """Return how weak the contours are: their mean strength's complement, 0-1; None without any.

    Published as 'figure-ground contrast'; but the weight of contours that are lost between two thresholds falls from
    1 for the weakest to 1/6 for the strongest, so that a high value means a low contrast. Hence the name here. 0 where
    every contour outlasts the highest threshold.

    `grey` (H, W) uint8: Rec. 601 luma.

    References
    ----------
    Miniukovich & De Angeli (2014). Quantification of interface visual complexity. AVI '14, 153-160.

    >>> contour_weakness(np.zeros((16, 16), np.uint8)) is None
    True
    """
    smooth = cv2.GaussianBlur(grey, (0, 0), 2)
    dx, dy = cv2.spatialGradient(smooth, borderType=cv2.BORDER_REPLICATE)
    counts = np.array([cv2.countNonZero(cv2.Canny(dx, dy, 0.4 * high, high)) for high in _STRENGTHS], dtype=np.float64)
    if counts[0] == 0:
        return None
    if counts[0] == counts[-1]:
        return 0.0
    lost = -np.diff(counts)
    weights = 1 - np.arange(6) / 6
    return float(lost @ weights / (counts[0] - counts[-1]))


def contours(rgb: UInt8) -> Bool:
    """Mark pixels that differ clearly from the next one to the right or below, (H, W) bool."""
    right = _largest_step(rgb[:, :-1], rgb[:, 1:]) > _STEP
    below = _largest_step(rgb[:-1], rgb[1:]) > _STEP
    marked = np.zeros(rgb.shape[:2], dtype=np.bool_)
    marked[:, :-1] = right
    marked[:-1] |= below
    return marked


def contour_congestion(contours: Bool, reach: int | None = None) -> float:
    """Return the share of contour pixels that have others near them on all four sides, 0-1; 0 without contours.

    `contours` (H, W) bool: from `contours`.
    `reach`: what counts as near, px; by default 1/64 of the width. The frame of the image counts as a contour.

    References
    ----------
    Miniukovich & De Angeli (2015). Computation of interface aesthetics. CHI '15, 1163-1172.

    >>> contour_congestion(np.ones((100, 100), np.bool_), reach=5)
    1.0
    """
    number = int(np.count_nonzero(contours))
    if number == 0:
        return 0.0
    reach = max(1, round(contours.shape[1] * _CROWDED_SHARE)) if reach is None else reach
    framed = np.pad(contours.view(np.uint8), reach, constant_values=1)
    crowded = contours & _beside(framed, reach, axis=0) & _beside(framed, reach, axis=1)
    return int(np.count_nonzero(crowded)) / number


def _beside(framed: UInt8, reach: int, axis: int) -> Bool:
    """Tell whether there is a mark within `reach` px on both sides along an axis."""
    size = (1, reach) if axis == 0 else (reach, 1)
    # The anchor at the window's end makes it cover a pixel and the reach - 1 before it.
    end = (0, reach - 1) if axis == 0 else (reach - 1, 0)
    before = cv2.dilate(framed, np.ones(size[::-1], np.uint8), anchor=end)
    after = cv2.dilate(framed, np.ones(size[::-1], np.uint8), anchor=(0, 0))
    height, width = framed.shape[0] - 2 * reach, framed.shape[1] - 2 * reach
    dy, dx = (1, 0) if axis == 0 else (0, 1)
    on_one_side = before[reach - dy :][:height, reach - dx :][:, :width]
    on_the_other = after[reach + dy :][:height, reach + dx :][:, :width]
    return np.asarray(cv2.bitwise_and(on_one_side, on_the_other), dtype=np.bool_)


def _largest_step(rgb: UInt8, shifted: UInt8) -> UInt8:
    """Return the greatest difference of any channel."""
    difference = cv2.absdiff(rgb, shifted)
    first, second, third = cv2.split(difference)
    return np.asarray(cv2.max(cv2.max(first, second), third), dtype=np.uint8)
