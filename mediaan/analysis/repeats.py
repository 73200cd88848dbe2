"""A picture looked at again under changes that should not matter."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from mediaan.analysis.models import Models
from mediaan.analysis.variation import VARIANTS, Variant
from mediaan.media import view_size
from mediaan.metrics import Drivers, measure_drivers
from mediaan.types.arrays import Float16, UInt8
from mediaan.types.maps import Densities

REPEATS = VARIANTS[:2]
"""Mirrored and blurred; cropped and smaller. A third look would make an analysis take more than twice as long."""

_COARSE = 48
"""Cells on the long side: finer than the blur of fixations by which densities are measured."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """What a changed picture measures and where people are predicted to look at it, in its own coordinates."""

    variant: Variant
    drivers: Drivers
    densities: Densities


def look_again(
    rgb: UInt8, models: Models, variants: tuple[Variant, ...] = REPEATS, *, domain: str | None = None
) -> tuple[Repeat, ...]:
    """Measure a picture and predict its densities under each change.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        In the view of the drivers.
    models : Models
        Attention is predicted by the cheaper look that the frames of videos get: how much a prediction moves shows in
        one look as well as in two, and the values themselves are not used.
    variants : tuple of Variant
    domain : str, optional
        What the picture is, where that was stated.
    """
    return tuple(_look(rgb, variant, models, domain) for variant in variants)


def coarse_densities(repeats: tuple[Repeat, ...], shape: tuple[int, ...]) -> Float16:
    """Total densities of the changed pictures in the picture's coordinates, (K, r, c) float16, as they are kept.

    Parameters
    ----------
    repeats : tuple of Repeat
    shape : (int, int)
        Of the picture's own density, whose aspect they get.
    """
    factor = _COARSE / max(shape)
    rows, columns = (max(1, round(side * factor)) for side in shape)
    totals = [one.variant.restore(one.densities["total"], (rows, columns)) for one in repeats]
    return np.stack(totals).astype(np.float16)


def _look(rgb: UInt8, variant: Variant, models: Models, domain: str | None) -> Repeat:
    changed = variant.apply(rgb)
    size = view_size(changed.shape[1], changed.shape[0], models.frames.view)
    method = cv2.INTER_AREA if size[0] <= changed.shape[1] else cv2.INTER_LINEAR
    shown = np.asarray(cv2.resize(changed, size, interpolation=method), dtype=np.uint8)
    (densities,) = models.frames.predict(shown[None], domain=domain)
    return Repeat(variant, measure_drivers(changed, models.appearance.look(changed)), densities)
