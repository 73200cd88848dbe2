"""Find hotspots: the places at which attention gathers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mediaan.metrics.scores.concentration import resample_density
from mediaan.types.aoi import FULL_FRAME
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Densities
from mediaan.types.metrics import MetricSpec, Score

if TYPE_CHECKING:
    from mediaan.metrics.drivers.measure import Drivers
    from mediaan.metrics.scales import Scales

Cells = npt.NDArray[np.intp]

_ABSENT, _CLEAR = 0.2, 0.6
"""Prominences at which a hotspot begins to count and from which it counts in full. Two alike Gaussian spots are one
maximum until they lie 2 standard deviations apart, reach .2 at 2.7 and .6 at 3.7."""

_LISTED = 0.05
"""Share of attention below which a hotspot is not listed."""


HOTSPOT_COUNT = MetricSpec(
    name="hotspot_count",
    title="Hotspots",
    unit="count",
    low=1,
    high=20,
    direction="lower",
    basis="measured",
    caption="In how many places predicted attention gathers, each with at least 5 % of it. Up to three do not lower "
    "focus: a product, a line of text and a logo.",
    reference="Maxima of the fixation density by topological prominence: Edelsbrunner, Letscher & Zomorodian (2002), "
    "Discrete Comput. Geom. 28, 511-533.",
)


class Hotspot(NamedTuple):
    """A place at which attention gathers."""

    x: float
    y: float
    """x, y: Where it is highest, unit coordinates."""
    share: float
    """Share of attention around it, 0-1."""


def hotspots(density: Float32, content: tuple[float, float, float, float] = FULL_FRAME) -> tuple[Hotspot, ...]:
    """Find where attention gathers.

    `density` (h, w) float32: non-negative, sums to 1.
    `content` (float, float, float, float): the part of the image that counts, from `content_box`.
    Returns: those with at least 5 % of attention, largest share first; at least one.

    Notes
    -----
    Every local maximum has a basin: the cells from which the steepest way up leads to it. Its prominence is 1 less the
    height of the highest ridge to a higher maximum as a share of its own height (0-dimensional persistence, as a ratio:
    Edelsbrunner, Letscher & Zomorodian 2002, Discrete Comput. Geom. 28). With a prominence under .2 it belongs to that
    higher maximum, from .6 on it stands alone; in between its share goes over from one to the other by degrees, so that
    two spots that draw near become one without a jump. An even density has a single hotspot.

    >>> two = np.zeros((48, 96), np.float32); two[10, 20], two[30, 70] = 0.75, 0.25
    >>> [round(spot.share, 2) for spot in hotspots(two)]
    [0.75, 0.25]
    """
    cells = resample_density(density, content)
    return _hotspots_of(cells.tobytes(), (cells.shape[0], cells.shape[1]), content)


@lru_cache(maxsize=4)  # several metrics ask for those of the same density, one after the other
def _hotspots_of(
    values: bytes, shape: tuple[int, int], content: tuple[float, float, float, float]
) -> tuple[Hotspot, ...]:
    """Find the hotspots of a grid of cells, float64, that covers the content."""
    cells: Float64 = np.frombuffer(values).reshape(shape)
    labels, peaks = _climb(cells)
    # maxima, the highest first, with the attention in the basin of each
    order = np.argsort(-cells.ravel()[peaks], kind="stable")
    peaks, labels = peaks[order], np.argsort(order)[labels]
    shares = np.bincount(labels.ravel(), weights=cells.ravel(), minlength=peaks.size).astype(np.float64)
    parents, saddles = _ridges(cells, labels, peaks.size)
    # a maximum of height 0 is a plain where nobody looks
    prominence = 1 - saddles / np.maximum(cells.ravel()[peaks], np.finfo(np.float64).tiny)
    t = np.clip((prominence - _ABSENT) / (_CLEAR - _ABSENT), 0, 1)
    distinct = t * t * (3 - 2 * t)
    for i in range(shares.size - 1, 0, -1):
        merged = (1 - distinct[i]) * shares[i]
        shares[i] -= merged
        shares[parents[i]] += merged
    rows, columns = np.divmod(peaks, cells.shape[1])
    left, top, right, bottom = content
    across = left + (right - left) * (columns + 0.5) / cells.shape[1]
    down = top + (bottom - top) * (rows + 0.5) / cells.shape[0]
    order = np.argsort(-shares, kind="stable")
    listed = [i for n, i in enumerate(order) if n == 0 or shares[i] >= _LISTED]
    return tuple(Hotspot(float(across[i]), float(down[i]), float(shares[i])) for i in listed)


def hotspot_count(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Count the hotspots of the whole exposure."""
    return Score.of(HOTSPOT_COUNT, float(len(hotspots(densities["total"], drivers.content))))


def _climb(cells: Float64) -> tuple[Cells, Cells]:
    """Label cells, (h, w), with the maximum to which the steepest way up leads, and list flat indices of maxima."""
    height, width = cells.shape
    best, target = cells.copy(), np.arange(cells.size).reshape(cells.shape)
    index = target.copy()
    for here, there in _neighbours():
        # On a plateau the cell of the greater index is up, so that each plateau has one summit.
        up = (cells[there] > best[here]) | ((cells[there] == best[here]) & (index[there] > target[here]))
        np.copyto(best[here], cells[there], where=up)
        np.copyto(target[here], index[there], where=up)
    way = target.ravel()
    while not np.array_equal(further := way[way], way):
        way = further
    peaks = np.flatnonzero(way == index.ravel())
    numbers = np.zeros_like(way)
    numbers[peaks] = np.arange(peaks.size)
    return numbers[way].reshape(height, width), peaks


def _neighbours() -> list[tuple[tuple[slice, slice], tuple[slice, slice]]]:
    """List pairs of slices: cells, and their neighbours in each of eight directions."""
    ends = {-1: (slice(1, None), slice(None, -1)), 0: (slice(None), slice(None)), 1: (slice(None, -1), slice(1, None))}
    steps = [(dy, dx) for dy in ends for dx in ends if (dy, dx) != (0, 0)]
    return [((ends[dy][0], ends[dx][0]), (ends[dy][1], ends[dx][1])) for dy, dx in steps]


def _ridges(cells: Float64, labels: Cells, number: int) -> tuple[Cells, Float64]:
    """Find the higher maximum with which each is connected along the highest ridge, and the lowest height there."""
    pairs, heights = [], []
    for here, there in _neighbours()[4:]:
        apart = labels[here] != labels[there]
        basin, neighbour = labels[here][apart], labels[there][apart]
        pairs.append(np.minimum(basin, neighbour) * number + np.maximum(basin, neighbour))
        heights.append(np.minimum(cells[here], cells[there])[apart])
    # the highest pass of each pair of neighbouring basins, the highest of all first; those alike in the order of cells
    codes, first, pair = np.unique(np.concatenate(pairs), return_index=True, return_inverse=True)
    passes = np.zeros(codes.size)
    np.maximum.at(passes, pair, np.concatenate(heights))
    order = np.lexsort((first, -passes))
    parents, saddles = np.zeros(number, np.intp), np.zeros(number)
    group = list(range(number))
    for a, b, height in zip(*(codes[order] // number, codes[order] % number, passes[order]), strict=True):
        high, low = sorted((_find_root(group, int(a)), _find_root(group, int(b))))
        if high != low:
            group[low], parents[low], saddles[low] = high, high, height
    return parents, saddles


def _find_root(group: list[int], i: int) -> int:
    while group[i] != i:
        i = group[i]
    return i
