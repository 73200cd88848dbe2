"""Baselines that ignore the stimulus: the gaze on the other stimuli of the set."""

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

# Images of any aspect are averaged on this grid in unit coordinates; 2 cells are the blur of a human density.
_UNIT_GRID = (80, 80)

EXTRA_BLURS = (0.0, 0.025, 0.05, 0.1, 0.15)
"""Further blurs tried for the centre bias, as a share of the side: small sets need more, large ones none."""

UNIFORM_SHARE = 0.01
"""Share of a uniform density in the centre bias, so that no cell is impossible under it."""


class HasDensity(Protocol):
    """A stimulus with human data."""

    def truth(self) -> Float32:
        """Return the density of the gaze, (h, w) float32."""
        ...


@dataclass(frozen=True, slots=True)
class CentreBias:
    """Mean density of a set, from which any one stimulus can be left out."""

    total: Float64
    """(80, 80) float64. Sum of the densities of two or more stimuli, in unit coordinates."""
    extra_blur: float
    """The one of `EXTRA_BLURS` that maximizes the likelihood of left-out stimuli, so that the baseline is as strong as
    the set permits."""

    def without(self, density: Float32) -> Float32:
        """Return the mean density without the stimulus whose density (h, w) is given, on its grid."""
        rest = _smooth(self.total - resize_density(density, _UNIT_GRID), self.extra_blur)
        return resize_density(rest, (density.shape[0], density.shape[1]))


@dataclass(slots=True)
class OtherFixations:
    """Fixations on all stimuli of a set but one, in cells of that one's grid."""

    x: Float64
    y: Float64
    stimulus: npt.NDArray[np.int64]
    _cells: dict[GridShape, CellIndices] = field(default_factory=dict)

    def without(self, index: int, shape: GridShape) -> CellIndices:
        """Return the fixated cells of the stimuli other than number `index`, (m,) int64."""
        if shape not in self._cells:
            self._cells[shape] = fixation_cells(self.x, self.y, shape)
        others: CellIndices = self._cells[shape][self.stimulus != index]
        return others


def centre_bias(stimuli: Sequence[HasDensity]) -> CentreBias:
    """Fit the centre bias of two or more stimuli; each counts the same, however many fixations it has."""
    densities = [resize_density(stimulus.truth(), _UNIT_GRID) for stimulus in stimuli]
    total: Float64 = np.stack(densities).sum(axis=0, dtype=np.float64)
    likelihoods = [  # mean log-likelihood of each stimulus under the others, summed; nats
        sum(
            float((density * np.log(_smooth(total - density, blur_width))).sum(dtype=np.float64))
            for density in densities
        )
        for blur_width in EXTRA_BLURS
    ]
    return CentreBias(total, EXTRA_BLURS[int(np.argmax(likelihoods))])


def other_fixations(stimuli: Sequence[Stimulus]) -> OtherFixations:
    """Pool the fixations of a set; empty where only densities are known."""
    gazes = [(index, stimulus.gaze) for index, stimulus in enumerate(stimuli) if stimulus.gaze is not None]
    if not gazes:
        return OtherFixations(np.empty(0), np.empty(0), np.empty(0, np.int64))
    return OtherFixations(
        np.concatenate([gaze.x for _, gaze in gazes]),
        np.concatenate([gaze.y for _, gaze in gazes]),
        np.concatenate([np.full(gaze.x.size, index) for index, gaze in gazes]),
    )


def _smooth(rest: Float64, extra_blur: float) -> Float32:
    """Normalise, blur, and mix with 1 % of a uniform density."""
    density = normalise(np.maximum(rest, 0))
    if extra_blur > 0:
        density = blur(density, extra_blur)
    return normalise((1 - UNIFORM_SHARE) * density + UNIFORM_SHARE * uniform_density(_UNIT_GRID))
