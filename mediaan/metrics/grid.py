"""The grid on which attention is measured, whatever grid a density comes in."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.types.aoi import Box
from mediaan.types.arrays import Float32, Float64

GRID_SIZE = 96
"""Cells on the long side: one is about 0.4 degrees of visual angle in the usual set-ups."""

FULL_FRAME = Box(0.0, 0.0, 1.0, 1.0)


def resample_density(density: Float32, content: tuple[float, float, float, float] = FULL_FRAME) -> Float64:
    """Bring what a density says of a part of the picture to 96 cells on its long side.

    Parameters
    ----------
    density : (h, w) float32
        Non-negative, not all zero.
    content : (float, float, float, float)
        x0, y0, x1, y1 of that part, unit coordinates; its edges are rounded to those of cells. Where nothing of the
        density lies in it, the whole is taken.

    Returns
    -------
    (rows, columns) float64
        Sums to 1.

    Examples
    --------
    >>> resample_density(np.eye(3, 4, dtype=np.float32)).shape
    (72, 96)
    >>> resample_density(np.eye(3, 4, dtype=np.float32), (0, 0, 0.5, 1)).shape
    (96, 64)
    """
    part = _part(density, content)
    height, width = part.shape
    factor = GRID_SIZE / max(height, width)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    cells = cv2.resize(part, size, interpolation=method).astype(np.float64)
    return np.asarray(cells / cells.sum())


def _part(density: Float32, content: tuple[float, float, float, float]) -> Float32:
    rows, columns = density.shape
    left, top, right, bottom = content
    y0, x0 = min(round(top * rows), rows - 1), min(round(left * columns), columns - 1)
    part = density[y0 : max(y0 + 1, round(bottom * rows)), x0 : max(x0 + 1, round(right * columns))]
    return part if part.any() else density
