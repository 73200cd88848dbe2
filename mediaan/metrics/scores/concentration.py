"""Find where attention gathers, and measure how concentrated it is there: the raw value of focus."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from mediaan.types.aoi import FULL_FRAME
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Densities
from mediaan.types.metrics import MetricSpec, Score

if TYPE_CHECKING:
    from mediaan.metrics.drivers import Drivers
    from mediaan.metrics.scales import Scales


Cells = npt.NDArray[np.intp]

_ABSENT, _CLEAR = 0.2, 0.6
"""Prominences at which a hotspot begins to count and from which it counts in full. Two alike Gaussian spots are one
maximum until they lie 2 standard deviations apart, reach .2 at 2.7 and .6 at 3.7."""

_LISTED = 0.05
"""Share of attention below which a hotspot is not listed."""


HOTSPOT_COUNT = MetricSpec(
    "hotspot_count", "Hotspots", "count", 1, 20, "lower", "measured",
    "In how many places predicted attention gathers, each with at least 5 % of it. Up to three do not lower "
    "focus: a product, a line of text and a logo.",
    "Maxima of the fixation density by topological prominence: Edelsbrunner, Letscher & Zomorodian (2002), "
    "Discrete Comput. Geom. 28, 511-533.",
)  # fmt: skip


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


GRID_SIZE = 96
"""Cells on the long side: one is about 0.4 degrees of visual angle in the usual set-ups."""

MAX_HOTSPOTS = 3
"""Attention gathered in so many places counts as gathered in one: product, text and logo of a good advertisement."""

_REACH = 0.15
"""How far a place extends, share of the long side; in full up to half of that, then less and less. Where a degree of
visual angle is .025 of it, as in `saliency.density`, that is 3 degrees in full, 6 in all: a few words, a face."""

_BLUR = 0.04
"""Standard deviation of the Gaussian under which the strongest place is found, share of the long side."""

_OWN_BLUR = 0.3
"""How far the spots of a density keep their size when the image becomes smaller in its frame, 0-1: 0 if they shrank
with it, 1 if their size came from the model and the eye alone. Bars of 10 to 30 % around images of 512 px give .32
to .42 (`models/training/focus_checks.py`); larger and crisper ones less."""


def resample_density(density: Float32, content: tuple[float, float, float, float] = FULL_FRAME) -> Float64:
    """Resample what a density says of a part of the image to 96 cells on its long side.

    `density` (h, w) float32: non-negative, not all zero.
    `content` (float, float, float, float): x0, y0, x1, y1 of that part, unit coordinates; its edges are rounded to
        those of cells. Where nothing of the density lies in it, the whole is taken.
    Returns (rows, columns) float64: sums to 1.

    >>> resample_density(np.eye(3, 4, dtype=np.float32)).shape
    (72, 96)
    >>> resample_density(np.eye(3, 4, dtype=np.float32), (0, 0, 0.5, 1)).shape
    (96, 64)
    """
    rows, columns = density.shape
    left, top, right, bottom = content
    y0, x0 = min(round(top * rows), rows - 1), min(round(left * columns), columns - 1)
    part = density[y0 : max(y0 + 1, round(bottom * rows)), x0 : max(x0 + 1, round(right * columns))]
    part = part if part.any() else density
    height, width = part.shape
    factor = GRID_SIZE / max(height, width)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    cells = cv2.resize(part, size, interpolation=method).astype(np.float64)
    return np.asarray(cells / cells.sum())


@dataclass(frozen=True, slots=True)
class HotspotConcentration:
    """Concentration of attention at the three strongest places."""

    share: float
    """Share of attention at the three strongest places, 0-1."""
    inside: float
    """Sum of squares of what lies there, all three places laid on each other."""
    outside: float
    """Sum of squares of the rest."""
    cells: int
    """Number of cells of the grid."""
    framed: float
    """Share of the frame that is not bars, 0-1."""

    @property
    def area(self) -> float:
        """Effective area of attention at the three strongest places laid on each other, share of the image."""
        return self.share**2 / (self.inside * self.cells)

    @property
    def concentration(self) -> float:
        """The raw value of focus, see `concentration`."""
        attended = 1 / (self.cells * (self.inside + self.outside)) * self.framed**_OWN_BLUR
        return min(1.0, max(0.0, float(-np.log(attended) / np.log(GRID_SIZE**2))))

    def with_share(self, share: float) -> HotspotConcentration:
        """Return the same, if the three strongest places held another share of attention."""
        rest = (1 - share) / (1 - self.share) if self.share < 1 else 0.0
        return replace(
            self, share=share, inside=self.inside * (share / self.share) ** 2, outside=self.outside * rest**2
        )

    def with_area(self, area: float) -> HotspotConcentration:
        """Return the same, if attention there were spread over another area."""
        return replace(self, inside=self.inside * self.area / area)


def hotspot_concentration(
    density: Float32, content: tuple[float, float, float, float] = FULL_FRAME
) -> HotspotConcentration:
    """Take the three strongest places out of a density and lay them on each other.

    `density` (h, w) float32: non-negative, sums to 1.
    `content` (float, float, float, float): the part of the image that counts, from `content_box`.
    """
    cells = resample_density(density, content)
    return _concentration_of(cells.tobytes(), (cells.shape[0], cells.shape[1]), content)


@lru_cache(maxsize=4)  # several metrics ask for that of the same density, one after the other
def _concentration_of(
    values: bytes, shape: tuple[int, int], content: tuple[float, float, float, float]
) -> HotspotConcentration:
    """Lay the three strongest places of a grid of cells, float64, that covers the content on each other."""
    window = _place_weights()
    reach = window.shape[0] // 2
    rest = np.zeros((shape[0] + 2 * reach, shape[1] + 2 * reach))
    rest[reach:-reach, reach:-reach] = np.frombuffer(values).reshape(shape)
    overlay = np.zeros_like(window)
    for _ in range(MAX_HOTSPOTS):
        blurred = cv2.GaussianBlur(rest, (0, 0), _BLUR * GRID_SIZE, borderType=cv2.BORDER_CONSTANT)
        inner = blurred[reach:-reach, reach:-reach]
        y, x = np.unravel_index(int(inner.argmax()), inner.shape)
        place = rest[y : y + 2 * reach + 1, x : x + 2 * reach + 1]
        overlay += window * place
        place *= 1 - window
    framed = (content[2] - content[0]) * (content[3] - content[1])
    outside = float((rest**2).sum())
    return HotspotConcentration(float(overlay.sum()), float((overlay**2).sum()), outside, shape[0] * shape[1], framed)


@cache
def _place_weights() -> Float64:
    """Weight cells by their distance from the middle of a place: 1 up to half its reach, then down to 0 as a cosine."""
    reach = int(np.ceil(_REACH * GRID_SIZE))
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    beyond = np.clip(2 * np.hypot(columns, rows) / (_REACH * GRID_SIZE) - 1, 0, 1)
    return np.asarray(0.5 + 0.5 * np.cos(np.pi * beyond))


def concentration(density: Float32, content: tuple[float, float, float, float] = FULL_FRAME) -> float:
    """Measure how concentrated a density is.

    `density` (h, w) float32: non-negative, sums to 1.
    `content` (float, float, float, float): the part of the image that counts, from `content_box`; attention on bars
        around it is left out.
    Returns: ln(1 / A) / ln(96²), where A = 1 / (N Σq²) is the effective share of the image that is attended: near 0 for
        an even density, 1 when all attention falls on 1/9216 of the image. q is the density with its three strongest
        places laid on each other.

    Notes
    -----
    The inverse participation ratio is that area over which an even density would have the same Σp². Attention that is
    divided between two places would count as half as concentrated; but a good advertisement has a product, a line of
    text and a logo. So up to three places count as one, whatever attention each gets, and further ones spread it.

    The density is first brought to a grid of 96 cells on the long side, and the logarithm's base is fixed, so that the
    value depends on the attended share alone and not on the resolution of the map. Within bars an image is smaller,
    but the spots on it are not by as much: A is multiplied by the content's share of the frame to the power of .3.

    >>> spots = np.zeros((96, 96), np.float32); spots[20, 20] = spots[20, 70] = spots[70, 50] = 1 / 3
    >>> concentration(spots)
    1.0
    >>> concentration(np.full((48, 64), 1 / 3072, np.float32)) < 0.03
    True
    """
    return hotspot_concentration(density, content).concentration
