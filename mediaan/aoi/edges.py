"""Edges as directions: a field that is the same for dark on light and light on dark."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.types.arrays import Float32, UInt8

HALF_STRENGTH = 8.0
"""Step of brightness from pixel to pixel, 0-255, that counts as half an edge; JPEG noise stays under a third of it."""


def edge_field(grey: UInt8) -> Float32:
    """Strength and direction of edges at every pixel.

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
    """Strength of edges, 0-1, (H, W) float32, of a field (H, W, 2)."""
    return np.asarray(np.sqrt(field[..., 0] ** 2 + field[..., 1] ** 2), np.float32)
