"""Test-time augmentation: measure how much an image's scores move under changes that should not matter.

Mirroring, a slight crop, another size and a slight blur leave an image the same to its viewers. What a score does under
them is its repeatability for this very image: one half of its interval, the other being how far scores of this kind
are from people (Ayhan & Berens 2018, MIDL: test-time augmentation as an estimate of uncertainty)."""

from __future__ import annotations

from collections.abc import Sequence
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
    """A change of an image that should not matter to its scores.

    Attributes
    ----------
    name : str
    mirrored : bool
        Whether left and right change places.
    crop : four floats
        Shares of the sides that are cut away on the left, top, right and bottom.
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
        """Return the changed image, (H, W, 3) uint8; each side keeps at least one pixel."""
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
        """Map a density of the changed image back to the coordinates of the original.

        Parameters
        ----------
        density : (h, w) float32
            Of the changed image.
        shape : (int, int)
            Rows and columns of the returned density.

        Returns
        -------
        (shape) float32
            Sums to 1. What was cut away gets the density of the nearest place that was kept.
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
"""Augmentations behind intervals. A third one would make an analysis take more than twice as long."""

_COARSE_CELLS = 48
"""Cells on the long side: finer than the blur of fixations in eye-tracking densities."""


@dataclass(frozen=True, slots=True)
class AugmentedMeasurement:
    """Drivers and predicted densities of a changed image, in its own coordinates."""

    augmentation: Augmentation
    drivers: Drivers
    densities: Densities


def measure_augmented(
    rgb: UInt8,
    models: Models,
    augmentations: tuple[Augmentation, ...] = INTERVAL_AUGMENTATIONS,
    *,
    domain: str | None = None,
) -> tuple[AugmentedMeasurement, ...]:
    """Measure drivers of an image and predict its densities under each augmentation.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        In the view of the drivers.
    models : Models
        Attention is predicted by the cheaper model of video frames: how much a prediction moves shows there as well,
        and the values themselves are not used.
    augmentations : tuple of Augmentation
    domain : str, optional
        Of the image, where it was stated.
    """
    measured = []
    for augmentation in augmentations:
        changed, densities = predict_augmented(rgb, augmentation, models, domain)
        drivers = measure_drivers(changed, models.appearance.read(changed))
        measured.append(AugmentedMeasurement(augmentation, drivers, densities))
    return tuple(measured)


def predict_augmented(
    rgb: UInt8, augmentation: Augmentation, models: Models, domain: str | None
) -> tuple[UInt8, Densities]:
    """Return an image under an augmentation, and its densities in its own coordinates; see `measure_augmented`."""
    changed = augmentation.apply(rgb)
    size = view_size(changed.shape[1], changed.shape[0], models.frames.view)
    method = cv2.INTER_AREA if size[0] <= changed.shape[1] else cv2.INTER_LINEAR
    frame = np.asarray(cv2.resize(changed, size, interpolation=method), dtype=np.uint8)
    (densities,) = models.frames.predict(frame[None], domain=domain)
    return changed, densities


def coarse_densities(augmented: tuple[AugmentedMeasurement, ...], shape: tuple[int, ...]) -> Float16:
    """Map the total densities of augmented images to the original's coordinates, as they are stored.

    Parameters
    ----------
    augmented : tuple of AugmentedMeasurement
    shape : (int, int)
        Of the image's own density, whose aspect they get.

    Returns
    -------
    (K, r, c) float16
    """
    return restore_coarse([(one.augmentation, one.densities) for one in augmented], shape)


def restore_coarse(copies: Sequence[tuple[Augmentation, Densities]], shape: tuple[int, ...]) -> Float16:
    """Return `coarse_densities` of augmentations and the densities predicted under them."""
    factor = _COARSE_CELLS / max(shape)
    rows, columns = (max(1, round(side * factor)) for side in shape)
    totals = [augmentation.restore(densities["total"], (rows, columns)) for augmentation, densities in copies]
    return np.stack(totals).astype(np.float16)
