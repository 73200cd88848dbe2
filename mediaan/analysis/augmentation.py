"""Change an image in ways that should not matter, to see how well the difference between two versions repeats.

Mirroring, a slight crop, another size and a slight blur leave an image the same to its viewers (Ayhan & Berens 2018,
MIDL: test-time augmentation as an estimate of uncertainty)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from mediaan.types.arrays import Float32, UInt8


@dataclass(frozen=True, slots=True)
class Augmentation:
    """A change of an image that should not matter to its scores."""

    name: str
    mirrored: bool = False
    """Whether left and right change places."""
    crop: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Four floats. Shares of the sides that are cut away on the left, top, right and bottom."""
    scale: float = 1.0
    """Of both sides, after the crop."""
    blur: float = 0.0
    """Standard deviation of a Gaussian, as a share of the long side."""

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

        `density` (h, w) float32: of the changed image.
        `shape` (int, int): rows and columns of the returned density.
        Returns (shape) float32: sums to 1. What was cut away gets the density of the nearest place that was kept.
        """
        back = density[:, ::-1] if self.mirrored else density
        x0, y0, x1, y1 = self._kept(shape)
        inner = cv2.resize(np.ascontiguousarray(back), (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
        sides = (y0, shape[0] - y1, x0, shape[1] - x1)
        bordered = cv2.copyMakeBorder(inner, *sides, cv2.BORDER_REPLICATE).astype(np.float64)
        return np.asarray(bordered / bordered.sum(), dtype=np.float32)

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
