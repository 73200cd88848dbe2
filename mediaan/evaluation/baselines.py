"""What can be had without looking at the picture: where people look in the other pictures of the set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mediaan.evaluation.gaze import GazedPicture
from mediaan.maps.density import Cells, Shape, fixation_cells, normalise, resize_density, uniform_density
from mediaan.types.arrays import Float32, Float64

# Pictures of any aspect are averaged on this grid in unit coordinates.
_UNIT_GRID = (320, 320)

UNIFORM_SHARE = 0.01
"""Share of a uniform density in the centre bias, so that no cell is impossible under it."""


@dataclass(frozen=True, slots=True)
class CentreBias:
    """Mean density of a set, from which any one picture can be left out.

    Attributes
    ----------
    total : (320, 320) float64
        Sum of the densities of two or more pictures, in unit coordinates.
    """

    total: Float64

    def without(self, own: Float32) -> Float32:
        """Mean density of the pictures other than the one with density `own` (h, w), on that one's grid."""
        rest = normalise(np.maximum(self.total - resize_density(own, _UNIT_GRID), 0))
        shape = (own.shape[0], own.shape[1])
        return normalise((1 - UNIFORM_SHARE) * resize_density(rest, shape) + UNIFORM_SHARE * uniform_density(shape))


@dataclass(slots=True)
class OtherFixations:
    """Fixations on all pictures of a set, to be had without one picture's own, in cells of that picture's grid."""

    x: Float64
    y: Float64
    picture: npt.NDArray[np.int64]
    _cells: dict[Shape, Cells] = field(default_factory=dict)

    def without(self, index: int, shape: Shape) -> Cells:
        """Fixated cells of the pictures other than number `index`, (m,) int64."""
        if shape not in self._cells:
            self._cells[shape] = fixation_cells(self.x, self.y, shape)
        others: Cells = self._cells[shape][self.picture != index]
        return others


def centre_bias(pictures: Sequence[GazedPicture]) -> CentreBias:
    """Sum the densities of a set; each picture counts the same, however many fixations it has."""
    total = np.zeros(_UNIT_GRID)
    for picture in pictures:
        total += resize_density(picture.truth(), _UNIT_GRID)
    return CentreBias(total)


def other_fixations(pictures: Sequence[GazedPicture]) -> OtherFixations:
    """Pool the fixations of a set; empty where only densities are known."""
    gazes = [(index, picture.gaze) for index, picture in enumerate(pictures) if picture.gaze is not None]
    if not gazes:
        return OtherFixations(np.empty(0), np.empty(0), np.empty(0, np.int64))
    return OtherFixations(
        np.concatenate([gaze.x for _, gaze in gazes]),
        np.concatenate([gaze.y for _, gaze in gazes]),
        np.concatenate([np.full(gaze.x.size, index) for index, gaze in gazes]),
    )
