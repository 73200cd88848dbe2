"""How far the densities of one model are from those of another, on the same media."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mediaan.evaluation.summary import mean_defined
from mediaan.maps.compare import cc, kld
from mediaan.maps.density import resize_density
from mediaan.types.arrays import Float32
from mediaan.types.maps import WINDOWS, Densities


@dataclass(frozen=True, slots=True)
class DensityDrift:
    """One window over the media of two runs.

    Attributes
    ----------
    window : str
    n : int
        Media whose densities both runs kept.
    cc : float or None
        Mean correlation; None where the old densities are constant.
    kld : float
        Mean divergence of the new density from the old one, nats.
    largest_kld : float
    largest_medium : str
        Whose.
    """

    window: str
    n: int
    cc: float | None
    kld: float
    largest_kld: float
    largest_medium: str


def density_drifts(pairs: Iterable[tuple[str, Densities, Densities]]) -> tuple[DensityDrift, ...]:
    """Compare densities window by window; where grids differ, on the old one.

    Parameters
    ----------
    pairs : iterable of (str, Densities, Densities)
        Medium, old and new, read one after the other.
    """
    found: dict[str, list[tuple[str, float | None, float]]] = {}
    for medium, old, new in pairs:
        for window in WINDOWS:
            if window in old.maps and window in new.maps:
                truth, prediction = old[window], _on_grid_of(old[window], new[window])
                found.setdefault(window, []).append((medium, cc(prediction, truth), _divergence(prediction, truth)))
    return tuple(_summary(window, found[window]) for window in WINDOWS if window in found)


def _on_grid_of(old: Float32, new: Float32) -> Float32:
    """As it is where it can be: what did not change shall compare as equal."""
    height, width = old.shape
    return new if new.shape == old.shape else resize_density(new, (height, width))


def _divergence(prediction: Float32, truth: Float32) -> float:
    """At least 0, from which the constants of the benchmark's formula stray by less than a millionth."""
    return max(0.0, kld(prediction, truth))


def _summary(window: str, rows: list[tuple[str, float | None, float]]) -> DensityDrift:
    medium, _, largest = max(rows, key=lambda row: row[2])
    return DensityDrift(
        window=window,
        n=len(rows),
        cc=mean_defined(row[1] for row in rows),
        kld=float(np.mean([row[2] for row in rows])),
        largest_kld=largest,
        largest_medium=medium,
    )
