"""One side of a comparison as the page shows it: picture, heat, outlines of areas."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from mediaan.maps import heatmap
from mediaan.maps.difference import difference_map
from mediaan.types.aoi import Aoi
from mediaan.types.arrays import Float32, UInt8

_SAME_SHAPE = 0.05
"""Most relative difference of the aspect ratios of two pictures that are laid on each other."""

_GREY_SIDE = 900  # px


@dataclass(frozen=True, slots=True)
class Side:
    """What there is to show of a medium.

    Attributes
    ----------
    size : (int, int)
        Width and height as displayed, px.
    picture : (H, W, 3) uint8 or None
        sRGB; None where it is not at hand.
    density : (h, w) float32 or None
        Of the whole exposure; None where the run did not keep it.
    aois : tuple of Aoi
    moves : bool
        Whether the picture is one moment of a video.
    """

    size: tuple[int, int]
    picture: UInt8 | None
    density: Float32 | None
    aois: tuple[Aoi, ...] = ()
    moves: bool = False

    @property
    def ground(self) -> UInt8:
        """The picture, or plain grey of its shape."""
        if self.picture is not None:
            return self.picture
        scale = _GREY_SIDE / max(self.size)
        width, height = (max(1, round(side * scale)) for side in self.size)
        return np.full((height, width, 3), 128, np.uint8)

    @property
    def heat(self) -> UInt8 | None:
        """Attention on the scale that all pictures share."""
        return None if self.density is None else heatmap(self.ground, self.density, legend=False)


def difference(a: Side, b: Side) -> UInt8 | str:
    """Where A has more attention than B, drawn over A; or why that cannot be drawn."""
    if a.density is None or b.density is None:
        return "Not drawn: the run kept no densities."
    aspects = [side.size[0] / side.size[1] for side in (a, b)]
    if abs(aspects[0] / aspects[1] - 1) > _SAME_SHAPE:
        return "Not drawn: the pictures differ in shape, so that no place in one is the same place in the other."
    return difference_map(a.ground, on_cells(b.density, a.density.shape[:2]), a.density, legend=False)


def on_cells(density: Float32, shape: tuple[int, int]) -> Float32:
    """A density on another number of cells, (h, w) float32, which sums to 1."""
    if density.shape == shape:
        return density
    resized = cv2.resize(density, shape[::-1], interpolation=cv2.INTER_LINEAR).astype(np.float64)
    return np.asarray(resized / resized.sum(), np.float32)
