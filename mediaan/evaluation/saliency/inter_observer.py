"""Inter-observer consistency: how well other viewers predict a viewer, which no model needs to exceed.

One against the others: the density of all viewers but one is scored on that one's fixations, averaged over viewers
(NSS, AUC, shuffled AUC, information gain). Split halves: the densities of two random halves of the viewers are
compared, averaged over splits (CC, SIM). Information gain needs a density that rules nothing out, so the others' is
mixed with the set's centre bias; the share of it is the one of `MIXTURES` that is best for the whole set."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.stimulus import Stimulus
from mediaan.evaluation.saliency.metrics import EPSILON, auc_judd, cc, mean_defined, nss, shuffled_auc, sim
from mediaan.saliency.density import SIGMA, CellIndices, blur, normalise
from mediaan.types.arrays import Float32, Float64

MIXTURES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Shares of the centre bias tried for information gain."""

SPLITS = 10
"""Random halvings per stimulus."""


@dataclass(frozen=True, slots=True)
class ObserverConsistency:
    """Scores of viewers against other viewers on one stimulus; None where too few looked at it."""

    nss: float | None = None
    auc_judd: float | None = None
    shuffled_auc: float | None = None
    """nss, auc_judd, shuffled_auc: One viewer against the others."""
    gains: Float64 | None = None
    """(7,) float64 or None. Information gain in bits per fixation, one viewer against the others, for each of
    `MIXTURES`."""
    split_cc: float | None = None
    split_sim: float | None = None
    """split_cc, split_sim: Two halves of the viewers."""

    @property
    def attainable_cc(self) -> float | None:
        """CC of a perfect model with the density of all viewers: √(2r / (1 + r)), r the split-half CC.

        The halves are noisier than the whole, so their own CC understates it (Spearman-Brown).
        """
        if self.split_cc is None:
            return None
        r = max(self.split_cc, 0.0)
        return float(np.sqrt(2 * r / (1 + r)))


ConsistencyFunction: TypeAlias = Callable[[Stimulus, Float32, CellIndices], ObserverConsistency]
"""`observer_consistency`, or a `ConsistencyCache` of it."""


def observer_consistency(stimulus: Stimulus, centre: Float32, other_cells: CellIndices) -> ObserverConsistency:
    """Score viewers against other viewers on one stimulus.

    `centre` (h, w) float32: centre bias of the other stimuli, on the stimulus' grid.
    `other_cells` (m,) int64: fixated cells of the other stimuli.
    Returns: empty for fewer than two viewers; without split halves for fewer than four.
    """
    if stimulus.gaze is None or stimulus.gaze.n_viewers < 2:
        return ObserverConsistency()
    viewer, size = stimulus.gaze.viewer, stimulus.shape[0] * stimulus.shape[1]
    fixated = [stimulus.cells[viewer == person] for person in np.unique(viewer)]
    spread = np.stack([blur(np.bincount(cells, minlength=size).reshape(stimulus.shape)) for cells in fixated])
    total = spread.sum(axis=0, dtype=np.float64)  # float32 would drown the others' tails in one viewer's peak
    others = [
        (normalise(np.maximum(total - viewer_density, 0)), cells)
        for cells, viewer_density in zip(fixated, spread, strict=True)
    ]
    split_cc, split_sim = _split_halves(spread, stimulus.name) if len(fixated) >= 4 else (None, None)
    share, gains = np.array(MIXTURES)[:, None], []
    for density, cells in others:
        bias = centre.ravel()[cells]
        mixed = (1 - share) * density.ravel()[cells] + share * bias
        gains.append((np.log2(EPSILON + mixed) - np.log2(EPSILON + bias)).mean(axis=1))
    return ObserverConsistency(
        nss=mean_defined([nss(density, cells) for density, cells in others]),
        auc_judd=mean_defined([auc_judd(density, cells) for density, cells in others]),
        shuffled_auc=mean_defined([shuffled_auc(density, cells, other_cells) for density, cells in others]),
        gains=np.mean(gains, axis=0),
        split_cc=split_cc,
        split_sim=split_sim,
    )


def mean_consistency(scores: Sequence[ObserverConsistency]) -> ObserverConsistency:
    """Average over the instants of a video, each value over those in which it is defined."""
    gains = [score.gains for score in scores if score.gains is not None]
    return ObserverConsistency(
        nss=mean_defined([score.nss for score in scores]),
        auc_judd=mean_defined([score.auc_judd for score in scores]),
        shuffled_auc=mean_defined([score.shuffled_auc for score in scores]),
        gains=np.mean(gains, axis=0) if gains else None,
        split_cc=mean_defined([score.split_cc for score in scores]),
        split_sim=mean_defined([score.split_sim for score in scores]),
    )


def _split_halves(spread: Float32, name: str) -> tuple[float | None, float | None]:
    """Return mean CC and SIM over random halvings of the viewers (V, h, w), seeded by the stimulus' name."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    ccs, sims = [], []
    for _ in range(SPLITS):
        halves = np.array_split(rng.permutation(len(spread)), 2)
        first, second = (normalise(spread[half].sum(axis=0)) for half in halves)
        ccs.append(cc(first, second))
        sims.append(sim(first, second))
    return mean_defined(ccs), mean_defined(sims)


FILE = "people.json"
"""Name of the file in the folder of a cache."""

# Raise it when `observer_consistency` or a metric changes its numbers: the cache is then computed again.
_VERSION = 1


class ConsistencyCache:
    """Caches `observer_consistency`, which depends on no model and takes longer than a prediction.

    The key of a result hashes its inputs: fixations, viewers, grid, name of the stimulus, centre bias and the fixations
    elsewhere. So a set that changed is never scored against the viewers of another one.

    `folder`: where results are kept from run to run, in `FILE`; without one they end with this object.
    Raises UsageError: the folder does not exist, or the file in it cannot be read.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path = None if folder is None else folder / FILE
        self._known: dict[str, ObserverConsistency] = {}
        self._changed = False
        if self._path is None:
            return
        if not self._path.parent.is_dir():
            raise UsageError(f"the folder {self._path.parent} does not exist; make it, to keep what people reach there")
        if self._path.exists():
            self._known = _read(self._path)

    def __call__(self, stimulus: Stimulus, centre: Float32, other_cells: CellIndices) -> ObserverConsistency:
        """Return the consistency on a stimulus; see `observer_consistency`."""
        key = _key(stimulus, centre, other_cells)
        if key not in self._known:
            self._known[key] = observer_consistency(stimulus, centre, other_cells)
            self._changed = True
        return self._known[key]

    def save(self) -> None:
        """Write new results to the folder, if there is one; the file is there whole or not at all.

        Raises UsageError: it cannot be written.
        """
        if self._path is None or not self._changed:
            return
        consistencies = {key: asdict(consistency) for key, consistency in self._known.items()}
        partial = self._path.with_suffix(".part")
        try:
            partial.write_text(json.dumps({"version": _VERSION, "ceilings": consistencies}, default=np.ndarray.tolist))
            partial.replace(self._path)
        except OSError as error:
            raise UsageError(
                f"what people reach cannot be kept in {self._path}: {error}; use another folder"
            ) from error
        self._changed = False


def _key(stimulus: Stimulus, centre: Float32, other_cells: CellIndices) -> str:
    gaze = stimulus.gaze
    about = hashlib.blake2b(repr((stimulus.name, stimulus.shape, SIGMA, SPLITS, MIXTURES)).encode(), digest_size=16)
    arrays: list[npt.NDArray[Any]] = [] if gaze is None else [gaze.viewer, gaze.x, gaze.y]
    for values in [*arrays, centre, other_cells]:
        about.update(f"{values.shape} {values.dtype}".encode())
        about.update(values.tobytes())
    return about.hexdigest()


def _read(path: Path) -> dict[str, ObserverConsistency]:
    try:
        kept = json.loads(path.read_text())
        if kept["version"] != _VERSION:
            return {}
        consistencies = {}
        for key, values in kept["ceilings"].items():
            gains = values.pop("gains")
            numbers = {name: value for name, value in values.items() if isinstance(value, float)}
            consistencies[key] = ObserverConsistency(
                **numbers, gains=None if gains is None else np.array(gains, np.float64)
            )
        return consistencies
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} is damaged or no file of mediaan's ({error!r}); delete it") from error
