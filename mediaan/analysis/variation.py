"""Test-time variation: changes of a picture that should not matter, so that one can see how much its scores move.

Mirroring, a slight crop, another size and a slight blur leave a picture the same to its viewers. What a score does
under them is its repeatability for this very picture: one half of its interval, the other being how far scores of this
kind are from people (Ayhan & Berens 2018, MIDL: test-time augmentation as an estimate of uncertainty).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from mediaan.types.arrays import Float32, UInt8


@dataclass(frozen=True, slots=True)
class Variant:
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


VARIANTS: tuple[Variant, ...] = (
    Variant("mirrored and blurred", mirrored=True, blur=0.0006),
    Variant("cropped by 4 % on each side, at 90 % of the size", crop=(0.04, 0.04, 0.04, 0.04), scale=0.9),
    Variant("mirrored, cropped by 5 % on top and right", mirrored=True, crop=(0.0, 0.05, 0.05, 0.0)),
)
