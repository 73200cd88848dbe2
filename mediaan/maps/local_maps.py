"""Map where in an image a score comes from, each on an absolute scale on which 1 is very much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from mediaan.types.arrays import Float32
from mediaan.types.densities import Densities

if TYPE_CHECKING:
    from mediaan.metrics import Drivers

# Standard deviation of luma, code values, that counts as fully legible: black print on white has about 100.
_LEGIBLE = 64.0
# Feature congestion of a flat area, and above it what only the densest 5 % of places on web pages and ads reach.
_FLAT, _DENSE = 1.2482824, 8.0
# Attention this many times the image's mean, on a place of full arousal, is 1.
_GATHERED = 8.0


def cognitive_demand_map(drivers: Drivers, _: Densities) -> Float32:
    """Return local clutter, (h, w) float32 >= 0: feature congestion above that of a flat area, 1 = very dense."""
    above = np.maximum(drivers.congestion_map - np.float32(_FLAT), 0)
    return np.asarray(above / np.float32(_DENSE), dtype=np.float32)


def clarity_map(drivers: Drivers, densities: Densities) -> Float32:
    """Return local clarity, (h, w) float32 in [0, 1]: contrast of figure to ground, discounted by clutter.

    Full contrast in an uncluttered place is 1, in a very dense one 1/2; a place without contrast is 0.
    """
    contrast = np.minimum(drivers.contrast_map / np.float32(_LEGIBLE), 1)
    return np.asarray(contrast / (1 + cognitive_demand_map(drivers, densities)), dtype=np.float32)


def engagement_map(drivers: Drivers, densities: Densities) -> Float32:
    """Return attention times local arousal, (h, w) float32 >= 0, in the size of the drivers' maps.

    Attention is the total density relative to its mean; 1 is eight times the mean on fully vivid, warm and contrasted
    pixels.
    """
    height, width = drivers.arousal_map.shape
    density = densities["total"]
    attention = cv2.resize(density, (width, height), interpolation=cv2.INTER_LINEAR) * np.float32(
        density.size / _GATHERED
    )
    return np.asarray(attention * drivers.arousal_map, dtype=np.float32)
