"""What can be had without looking at the picture: where people look in the other pictures of the set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mediaan.evaluation.datasets.stimulus import Stimulus
from mediaan.saliency.density import (
    CellIndices,
    GridShape,
    blur,
    fixation_cells,
    normalise,
    resize_density,
    uniform_density,
)
from mediaan.types.arrays import Float32, Float64

# Pictures of any aspect are averaged on this grid in unit coordinates; 2 cells are the blur of a human density.
_UNIT_GRID = (80, 80)

EXTRA_BLURS = (0.0, 0.025, 0.05, 0.1, 0.15)
"""Further blurs tried for the centre bias, as a share of the side: few pictures need more, many need none."""

UNIFORM_SHARE = 0.01
"""Share of a uniform density in the centre bias, so that no cell is impossible under it."""


class HasDensity(Protocol):
    """A picture or a clip with human data."""

    def truth(self) -> Float32:
        """Density of what people looked at, (h, w) float32."""
        ...


@dataclass(frozen=True, slots=True)
class CentreBias:
    """Mean density of a set, from which any one picture can be left out.

    Attributes
    ----------
    total : (80, 80) float64
        Sum of the densities of two or more pictures, in unit coordinates.
    extra_blur : float
        The one of `EXTRA_BLURS` under which the pictures that are left out are likeliest, so that the baseline is as
        strong as the set permits.
    """

    total: Float64
    extra_blur: float

    def without(self, own: Float32) -> Float32:
        """Mean density of the pictures other than the one with density `own` (h, w), on that one's grid."""
        rest = _smooth(self.total - resize_density(own, _UNIT_GRID), self.extra_blur)
        return resize_density(rest, (own.shape[0], own.shape[1]))


@dataclass(slots=True)
class OtherFixations:
    """Fixations on all pictures of a set, to be had without one picture's own, in cells of that picture's grid."""

    x: Float64
    y: Float64
    picture: npt.NDArray[np.int64]
    _cells: dict[GridShape, CellIndices] = field(default_factory=dict)

    def without(self, index: int, shape: GridShape) -> CellIndices:
        """Fixated cells of the pictures other than number `index`, (m,) int64."""
        if shape not in self._cells:
            self._cells[shape] = fixation_cells(self.x, self.y, shape)
        others: CellIndices = self._cells[shape][self.picture != index]
        return others


def centre_bias(pictures: Sequence[HasDensity]) -> CentreBias:
    """Sum the densities of two or more pictures or clips; each counts the same, however many fixations it has."""
    densities = [resize_density(picture.truth(), _UNIT_GRID) for picture in pictures]
    total: Float64 = np.stack(densities).sum(axis=0, dtype=np.float64)
    likelihoods = [sum(_log_likelihood(total, own, width) for own in densities) for width in EXTRA_BLURS]
    return CentreBias(total, EXTRA_BLURS[int(np.argmax(likelihoods))])


def other_fixations(pictures: Sequence[Stimulus]) -> OtherFixations:
    """Pool the fixations of a set; empty where only densities are known."""
    gazes = [(index, picture.gaze) for index, picture in enumerate(pictures) if picture.gaze is not None]
    if not gazes:
        return OtherFixations(np.empty(0), np.empty(0), np.empty(0, np.int64))
    return OtherFixations(
        np.concatenate([gaze.x for _, gaze in gazes]),
        np.concatenate([gaze.y for _, gaze in gazes]),
        np.concatenate([np.full(gaze.x.size, index) for index, gaze in gazes]),
    )


def _log_likelihood(total: Float64, own: Float32, extra_blur: float) -> float:
    """Mean log-likelihood of a picture's fixations under the smoothed rest, nats."""
    return float((own * np.log(_smooth(total - own, extra_blur))).sum(dtype=np.float64))


def _smooth(rest: Float64, extra_blur: float) -> Float32:
    """Normalise, blur, and mix with 1 % of a uniform density."""
    density = normalise(np.maximum(rest, 0))
    if extra_blur > 0:
        density = blur(density, extra_blur)
    return normalise((1 - UNIFORM_SHARE) * density + UNIFORM_SHARE * uniform_density(_UNIT_GRID))
