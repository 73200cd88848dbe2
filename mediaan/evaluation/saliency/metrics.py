"""Saliency metrics: agreement of a predicted density with the gaze of viewers, and baselines that ignore the stimulus.

Seven metrics of the MIT/Tübingen saliency benchmark (Bylinskii et al. 2019, "What do different evaluation metrics tell
us about saliency models?", IEEE TPAMI 41; Kümmerer, Wallis & Bethge 2018, "Saliency benchmarking made easy", ECCV).
The conventions, the same for every model:

- Fixations are cells of the grid (`mediaan.saliency.density.fixation_cells`); a cell fixated twice counts twice.
- A human density is the sum of Gaussians at the fixations, standard deviation 0.025 of the grid's long side
  (`mediaan.saliency.density.fixation_density`).
- AUC-Judd: negatives are all cells without a fixation. Shuffled AUC: negatives are the fixations on all other pictures
  of the set, at the same unit coordinates. Ties count one half.
- KLD is in nats, truth first, with ε = 2.2204e-16 as in the benchmark's code; information gain is in bits per
  fixation, with the same ε inside the logarithm.
- Standard deviations are those of the population. Sums are in float64.
- A constant prediction says nothing and is scored so: NSS 0, CC 0, AUC .5. What the human data leave undefined (no
  fixation, no negatives, a constant human density) is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mediaan.errors import UsageError
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

if TYPE_CHECKING:
    from mediaan.evaluation.datasets.video_set import VideoStimulus

EPSILON = 2.2204e-16

# Up to so many fixations, comparing each with all negatives is quicker than sorting these.
_FEW_POSITIVES = 24


def nss(prediction: Float32, cells: CellIndices) -> float | None:
    """Compute normalized scanpath saliency: the mean z-score of the prediction at the fixations.

    `prediction`: (h, w) float32.
    `cells` (n,) int64: fixated cells, see `mediaan.saliency.density.fixation_cells`.
    Returns: 0 for a constant prediction; None without fixations. Peters et al. 2005, Vision Research 45.

    >>> round(nss(np.array([[0.0, 0.0], [0.0, 1.0]], np.float32), np.array([3])), 4)
    1.7321
    """
    if not cells.size:
        return None
    values = _flat_float64(prediction)
    deviation = values.std()
    if _is_constant(prediction) or deviation == 0:
        return 0.0
    return float((values[cells].mean() - values.mean()) / deviation)


def cc(prediction: Float32, truth: Float32) -> float | None:
    """Compute Pearson's linear correlation of two densities over the cells.

    `prediction`, `truth`: (h, w) float32.
    Returns: in [-1, 1]; 0 for a constant prediction, None for a constant truth.
    """
    _check_shapes(prediction, truth)
    if _is_constant(truth):
        return None
    if _is_constant(prediction):
        return 0.0
    p, q = _flat_float64(prediction), _flat_float64(truth)
    p, q = p - p.mean(), q - q.mean()
    return float(np.clip(_dot(p, q) / np.sqrt(_dot(p, p) * _dot(q, q)), -1.0, 1.0))


def sim(prediction: Float32, truth: Float32) -> float:
    """Compute similarity: the mass that two densities share, Σ min(p, q).

    `prediction`, `truth` (h, w) float32: each sums to 1.
    Returns: in [0, 1]. Swain & Ballard 1991, "Color indexing", IJCV 7.

    >>> sim(np.array([[0.5, 0.5]], np.float32), np.array([[0.25, 0.75]], np.float32))
    0.75
    """
    _check_shapes(prediction, truth)
    return float(np.minimum(prediction, truth).sum(dtype=np.float64))


def kld(prediction: Float32, truth: Float32) -> float:
    """Compute the Kullback-Leibler divergence of the prediction from the truth, Σ q ln(ε + q / (p + ε)).

    `prediction`, `truth` (h, w) float32: each sums to 1.
    Returns: nats, 0 is best.

    >>> round(kld(np.array([[0.5, 0.5]], np.float32), np.array([[0.0, 1.0]], np.float32)), 4)
    0.6931
    """
    _check_shapes(prediction, truth)
    p, q = _flat_float64(prediction), _flat_float64(truth)
    return _dot(q, np.log(EPSILON + q / (p + EPSILON)))


def auc_judd(prediction: Float32, cells: CellIndices) -> float | None:
    """Compute the area under the ROC curve that separates fixations from cells without one.

    `prediction`: (h, w) float32.
    `cells` (n,) int64: fixated cells.
    Returns: in [0, 1], chance is .5; None without fixations or when every cell is fixated. Judd, Durand & Torralba
        2012; here as a rank statistic (Mann-Whitney), which equals the curve at every threshold.

    >>> auc_judd(np.array([[0.1, 0.2], [0.2, 0.5]], np.float32), np.array([1, 3]))
    0.875
    """
    flat = prediction.ravel()
    fixated = np.unique(cells)
    n_negative = flat.size - fixated.size
    if not cells.size or not n_negative:
        return None
    positives = flat[cells]
    beaten = _count_beaten(positives, flat) - _count_beaten(positives, flat[fixated])
    return float(beaten / (positives.size * n_negative))


def shuffled_auc(prediction: Float32, cells: CellIndices, other_cells: CellIndices) -> float | None:
    """Compute the area under the ROC curve that separates fixations from fixations on other images.

    A model of the centre bias alone scores about .5.

    `prediction`: (h, w) float32.
    `cells` (n,) int64: fixated cells.
    `other_cells` (m,) int64: cells of this grid that were fixated on other pictures of the set.
    Returns: in [0, 1]; None when either group is empty. Tatler, Baddeley & Gilchrist 2005, Vision Research 45.
    """
    if not cells.size or not other_cells.size:
        return None
    flat = prediction.ravel()
    return float(_count_beaten(flat[cells], flat[other_cells]) / (cells.size * other_cells.size))


def information_gain(prediction: Float32, baseline: Float32, cells: CellIndices) -> float | None:
    """Return the gain of a prediction over a baseline at the fixations: mean log2(ε + p) − log2(ε + b), bits.

    `prediction`, `baseline` (h, w) float32: each sums to 1.
    `cells` (n,) int64: fixated cells.
    Returns: bits per fixation; None without fixations. Kümmerer, Wallis & Bethge 2015, PNAS 112.

    >>> even, skewed = np.array([[0.5, 0.5]], np.float32), np.array([[0.25, 0.75]], np.float32)
    >>> round(information_gain(even, skewed, np.array([0])), 6)
    1.0
    """
    _check_shapes(prediction, baseline)
    if not cells.size:
        return None
    p, b = _flat_float64(prediction)[cells], _flat_float64(baseline)[cells]
    return float(np.mean(np.log2(EPSILON + p) - np.log2(EPSILON + b)))


def defined(values: Iterable[float | None]) -> list[float]:
    """Drop undefined values."""
    return [value for value in values if value is not None]


def mean_defined(values: Iterable[float | None]) -> float | None:
    """Average the defined values; None without any."""
    numbers = defined(values)
    return float(np.mean(numbers)) if numbers else None


def _count_beaten(positives: npt.NDArray[Any], negatives: npt.NDArray[Any]) -> float:
    """Count pairs in which the positive is larger, ties as one half."""
    if positives.size <= _FEW_POSITIVES:
        counts = (
            np.count_nonzero(negatives < positive) + np.count_nonzero(negatives <= positive) for positive in positives
        )
        return float(sum(counts)) / 2
    ordered = np.sort(negatives)
    below = np.searchsorted(ordered, positives, side="left").sum(dtype=np.int64)
    not_above = np.searchsorted(ordered, positives, side="right").sum(dtype=np.int64)
    return float(below + not_above) / 2


def _dot(first: Float64, second: Float64) -> float:
    """Return the inner product without BLAS, whose threads cost more than they bring at this size."""
    return float((first * second).sum())


def _is_constant(values: Float32) -> bool:
    return bool(values.min() == values.max())


def _flat_float64(values: Float32) -> Float64:
    return values.ravel().astype(np.float64)


def _check_shapes(first: Float32, second: Float32) -> None:
    if first.shape != second.shape:
        raise UsageError(
            f"two maps of different size cannot be compared: {first.shape} and {second.shape}; resize one first"
        )


# Images of any aspect are averaged on this grid in unit coordinates; 2 cells are the blur of a human density.
_UNIT_GRID = (80, 80)

EXTRA_BLURS = (0.0, 0.025, 0.05, 0.1, 0.15)
"""Further blurs tried for the centre bias, as a share of the side: small sets need more, large ones none."""

UNIFORM_SHARE = 0.01
"""Share of a uniform density in the centre bias, so that no cell is impossible under it."""


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


def centre_bias(stimuli: Sequence[Stimulus | VideoStimulus]) -> CentreBias:
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
