"""Test-time augmentation: measure how much an image's scores move under changes that should not matter.

Mirroring, a slight crop, another size and a slight blur leave an image the same to its viewers. What a score does under
them is its repeatability for this very image: one half of its interval, the other being how far scores of this kind
are from people (Ayhan & Berens 2018, MIDL: test-time augmentation as an estimate of uncertainty)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from mediaan.analysis.models import Models
from mediaan.media import view_size
from mediaan.metrics import Drivers, measure_drivers
from mediaan.types.arrays import Float16, Float32, UInt8
from mediaan.types.densities import Densities


@dataclass(frozen=True, slots=True)
class Augmentation:
    """A change of a picture that should not matter.

    Attributes
    ----------
    name : str
    mirrored : bool
        Left and right change places.
    crop : four floats
        What is cut away on the left, top, right and bottom, as a share of the side.
    scale : float
        Of both sides, after the crop.
    blur : float
        Standard deviation of a Gaussian, as a share of the long side.
    """

    name: str
    mirrored: bool = False
    crop: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    scale: float = 1.0
    blur: float = 0.0

    def apply(self, rgb: UInt8) -> UInt8:
        """Change a picture, (H, W, 3) uint8; each side keeps at least one pixel."""
        x0, y0, x1, y1 = self._kept(rgb.shape)
        changed = rgb[y0:y1, x0:x1]
        if self.mirrored:
            changed = changed[:, ::-1]
        if self.scale != 1:
            size = [max(1, round(side * self.scale)) for side in (changed.shape[1], changed.shape[0])]
            method = cv2.INTER_AREA if self.scale < 1 else cv2.INTER_LINEAR
            changed = np.asarray(cv2.resize(np.ascontiguousarray(changed), size, interpolation=method), dtype=np.uint8)
        if self.blur:
            sigma = self.blur * max(changed.shape[:2])
            changed = np.asarray(cv2.GaussianBlur(np.ascontiguousarray(changed), (0, 0), sigma), dtype=np.uint8)
        return np.ascontiguousarray(changed)

    def restore(self, density: Float32, shape: tuple[int, int]) -> Float32:
        """Bring a density of the changed picture back to the coordinates of the picture as it was.

        Parameters
        ----------
        density : (h, w) float32
            Of the changed picture.
        shape : (int, int)
            Rows and columns that are wanted.

        Returns
        -------
        (shape) float32
            Sums to 1. What was cut away is given the density of the nearest place that was kept.
        """
        back = density[:, ::-1] if self.mirrored else density
        x0, y0, x1, y1 = self._kept(shape)
        inner = cv2.resize(np.ascontiguousarray(back), (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
        sides = (y0, shape[0] - y1, x0, shape[1] - x1)
        whole = cv2.copyMakeBorder(inner, *sides, cv2.BORDER_REPLICATE).astype(np.float64)
        return np.asarray(whole / whole.sum(), dtype=np.float32)

    def _kept(self, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
        height, width = shape[:2]
        left, top, right, bottom = self.crop
        x0, y0 = min(round(left * width), width - 1), min(round(top * height), height - 1)
        return x0, y0, max(x0 + 1, width - round(right * width)), max(y0 + 1, height - round(bottom * height))


AUGMENTATIONS: tuple[Augmentation, ...] = (
    Augmentation("mirrored and blurred", mirrored=True, blur=0.0006),
    Augmentation("cropped by 4 % on each side, at 90 % of the size", crop=(0.04, 0.04, 0.04, 0.04), scale=0.9),
    Augmentation("mirrored, cropped by 5 % on top and right", mirrored=True, crop=(0.0, 0.05, 0.05, 0.0)),
)


INTERVAL_AUGMENTATIONS = AUGMENTATIONS[:2]
"""Mirrored and blurred; cropped and smaller. A third look would make an analysis take more than twice as long."""

_COARSE_CELLS = 48
"""Cells on the long side: finer than the blur of fixations by which densities are measured."""


@dataclass(frozen=True, slots=True)
class AugmentedMeasurement:
    """What a changed picture measures and where people are predicted to look at it, in its own coordinates."""

    variant: Augmentation
    drivers: Drivers
    densities: Densities


def measure_augmented(
    rgb: UInt8,
    models: Models,
    variants: tuple[Augmentation, ...] = INTERVAL_AUGMENTATIONS,
    *,
    domain: str | None = None,
) -> tuple[AugmentedMeasurement, ...]:
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
    return tuple(_measure_one(rgb, variant, models, domain) for variant in variants)


def coarse_densities(repeats: tuple[AugmentedMeasurement, ...], shape: tuple[int, ...]) -> Float16:
    """Total densities of the changed pictures in the picture's coordinates, (K, r, c) float16, as they are kept.

    Parameters
    ----------
    repeats : tuple of Repeat
    shape : (int, int)
        Of the picture's own density, whose aspect they get.
    """
    factor = _COARSE_CELLS / max(shape)
    rows, columns = (max(1, round(side * factor)) for side in shape)
    totals = [one.variant.restore(one.densities["total"], (rows, columns)) for one in repeats]
    return np.stack(totals).astype(np.float16)


def _measure_one(rgb: UInt8, variant: Augmentation, models: Models, domain: str | None) -> AugmentedMeasurement:
    changed = variant.apply(rgb)
    size = view_size(changed.shape[1], changed.shape[0], models.frames.view)
    method = cv2.INTER_AREA if size[0] <= changed.shape[1] else cv2.INTER_LINEAR
    shown = np.asarray(cv2.resize(changed, size, interpolation=method), dtype=np.uint8)
    (densities,) = models.frames.predict(shown[None], domain=domain)
    return AugmentedMeasurement(variant, measure_drivers(changed, models.appearance.look(changed)), densities)
