"""All properties of a picture that scores are made of: measured from its pixels, and from where people look at it."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.focus import concentration
from mediaan.types.arrays import Float32
from mediaan.types.maps import Densities


def measures(drivers: Drivers, densities: Densities) -> dict[str, float | None]:
    """Values by the names of `DRIVER_SPECS`.

    Parameters
    ----------
    drivers : Drivers
    densities : Densities
        Total at least; what needs the window start is None without it.
    """
    start = densities.maps.get("start")
    return {
        **drivers.scalars(),
        "attended_contrast": attended(drivers.contrast_map, densities["total"]),
        "concentration": concentration(densities["total"], drivers.content),
        "early_concentration": None if start is None else concentration(start, drivers.content),
    }


def attended(plane: Float32, density: Float32) -> float:
    """Mean of a map over where people look: under the density, brought to its size."""
    height, width = plane.shape
    attention = cv2.resize(density, (width, height), interpolation=cv2.INTER_LINEAR)
    return float((attention * plane).sum(dtype=np.float64) / attention.sum(dtype=np.float64))
