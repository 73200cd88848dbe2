"""How well people foretell people: no model needs to do better.

One against the others: the density of all viewers but one is scored on that one's fixations, averaged over viewers
(NSS, AUC, shuffled AUC, information gain). Split halves: the densities of two random halves of the viewers are
compared, averaged over splits (CC, SIM). Information gain needs a density that rules nothing out, so the others' is
mixed with the set's centre bias; the share of it is the one of `MIXTURES` that is best for the whole set.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from mediaan.evaluation.gaze import GazedPicture
from mediaan.maps.compare import EPSILON, auc_judd, cc, nss, shuffled_auc, sim
from mediaan.maps.density import Cells, blur, normalise
from mediaan.types.arrays import Float32, Float64

MIXTURES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Shares of the centre bias tried for information gain."""

SPLITS = 10
"""Random halvings per picture."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What other people reach on one picture; None where too few looked at it.

    Attributes
    ----------
    nss, auc_judd, shuffled_auc : float or None
        One viewer against the others.
    gains : (7,) float64 or None
        Information gain in bits per fixation, one viewer against the others, for each of `MIXTURES`.
    split_cc, split_sim : float or None
        Two halves of the viewers.
    """

    nss: float | None = None
    auc_judd: float | None = None
    shuffled_auc: float | None = None
    gains: Float64 | None = None
    split_cc: float | None = None
    split_sim: float | None = None

    @property
    def attainable_cc(self) -> float | None:
        """CC with the density of ALL viewers that a perfect model would have: √(2r / (1 + r)), r the split-half CC.

        The halves are noisier than the whole, so their own CC understates what can be reached (Spearman-Brown).
        """
        if self.split_cc is None:
            return None
        r = max(self.split_cc, 0.0)
        return float(np.sqrt(2 * r / (1 + r)))


CeilingOf: TypeAlias = Callable[[GazedPicture, Float32, Cells], Ceiling]
"""`human_ceiling`, or what remembers its results (`mediaan.evaluation.ceiling_cache`)."""


def human_ceiling(picture: GazedPicture, centre: Float32, other_cells: Cells) -> Ceiling:
    """Score people against people on one picture.

    Parameters
    ----------
    picture : GazedPicture
    centre : (h, w) float32
        Centre bias of the other pictures, on the picture's grid.
    other_cells : (m,) int64
        Fixated cells of the other pictures.

    Returns
    -------
    Ceiling
        Empty for fewer than two viewers; without split halves for fewer than four.
    """
    viewers = list(_by_viewer(picture))
    if len(viewers) < 2:
        return Ceiling()
    spread = np.stack([blurred for _, blurred in viewers])
    total = spread.sum(axis=0, dtype=np.float64)  # float32 would drown the others' tails in one viewer's peak
    others = [(normalise(np.maximum(total - own, 0)), cells) for cells, own in viewers]
    split_cc, split_sim = _split_halves(spread, picture.name) if len(viewers) >= 4 else (None, None)
    return Ceiling(
        nss=_mean([nss(density, cells) for density, cells in others]),
        auc_judd=_mean([auc_judd(density, cells) for density, cells in others]),
        shuffled_auc=_mean([shuffled_auc(density, cells, other_cells) for density, cells in others]),
        gains=np.mean([_gains(density.ravel()[cells], centre.ravel()[cells]) for density, cells in others], axis=0),
        split_cc=split_cc,
        split_sim=split_sim,
    )


def mean_ceiling(ceilings: Sequence[Ceiling]) -> Ceiling:
    """What people reach on a clip: means over its instants, each value over those in which it is defined."""
    gains = [ceiling.gains for ceiling in ceilings if ceiling.gains is not None]
    return Ceiling(
        nss=_mean([ceiling.nss for ceiling in ceilings]),
        auc_judd=_mean([ceiling.auc_judd for ceiling in ceilings]),
        shuffled_auc=_mean([ceiling.shuffled_auc for ceiling in ceilings]),
        gains=np.mean(gains, axis=0) if gains else None,
        split_cc=_mean([ceiling.split_cc for ceiling in ceilings]),
        split_sim=_mean([ceiling.split_sim for ceiling in ceilings]),
    )


def _by_viewer(picture: GazedPicture) -> Iterator[tuple[Cells, Float32]]:
    """Fixated cells of each viewer, and the same blurred, of sum n."""
    if picture.gaze is None:
        return
    cells, size = picture.cells, picture.shape[0] * picture.shape[1]
    for viewer in np.unique(picture.gaze.viewer):
        own = cells[picture.gaze.viewer == viewer]
        yield own, blur(np.bincount(own, minlength=size).reshape(picture.shape))


def _gains(others: Float32, centre: Float32) -> Float64:
    """Information gain for each mixture: mean log2((1 - m) others + m centre) - log2(centre)."""
    share = np.array(MIXTURES)[:, None]
    mixed = (1 - share) * others + share * centre
    return np.asarray((np.log2(EPSILON + mixed) - np.log2(EPSILON + centre)).mean(axis=1), np.float64)


def _split_halves(spread: Float32, name: str) -> tuple[float | None, float | None]:
    """Mean CC and SIM over random halvings of the viewers (V, h, w); the picture's name is the seed."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    ccs, sims = [], []
    for _ in range(SPLITS):
        halves = np.array_split(rng.permutation(len(spread)), 2)
        first, second = (normalise(spread[half].sum(axis=0)) for half in halves)
        ccs.append(cc(first, second))
        sims.append(sim(first, second))
    return _mean(ccs), _mean(sims)


def _mean(values: Sequence[float | None]) -> float | None:
    """Mean of what is defined."""
    defined = [value for value in values if value is not None]
    return float(np.mean(defined)) if defined else None
