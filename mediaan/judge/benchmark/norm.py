"""Describe one score in one population: its quantiles with bootstrap intervals, and where a value stands among them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mediaan.types.arrays import Float64
from mediaan.types.benchmark import EDGES, Segment
from mediaan.types.densities import Window

MediumType = Literal["image", "video", "mixed"]

PERCENTS: tuple[int, ...] = tuple(range(1, 100))
"""Percentiles that are kept."""

_DIGITS = 6  # significant ones, which float32 keeps through a file
_LARGEST = 300
_POWERS = np.array([float(f"1e{exponent}") for exponent in range(-_LARGEST, _LARGEST + 1)])
_SCALARS: list[float] = _POWERS.tolist()
_BELOW, _ABOVE = 0.5, 99.5


class ScoreKind(NamedTuple):
    """Key that values must share to be of one population; a score of media has no `aoi_type`."""

    type: MediumType
    metric: str
    metric_time: Window
    aoi_type: str | None
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """Distribution of one score in one part of a population."""

    type: MediumType
    """Of the media."""
    metric: str
    metric_time: Window
    aoi_type: str | None
    """Of the AOIs; None for a score of the media."""
    unit: str
    """Of the quantiles."""
    segment: Segment
    """Which part; empty for the whole."""
    n: int
    """Values: media, or AOIs."""
    n_media: int
    """Media that they are of."""
    quantiles: Float64
    """(99,) float64. At 1 to 99 %, non-decreasing, to 6 significant digits."""
    lo: Float64
    hi: Float64
    """lo, hi: (99,) float64. Their 90 % bootstrap intervals, media resampled."""
    _steps: tuple[float, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("quantiles", "lo", "hi"):
            array = round_significant(getattr(self, name))
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "_steps", tuple(self.quantiles.tolist()))

    @property
    def edges(self) -> tuple[float, ...]:
        """Values at 10, 30, 70 and 90 %, which begin the categories above the lowest."""
        return tuple(float(self.quantiles[i]) for i in _EDGE_PLACES)

    @property
    def edges_lo(self) -> tuple[float, ...]:
        """Lower ends of the edges' 90 % intervals."""
        return tuple(float(self.lo[i]) for i in _EDGE_PLACES)

    @property
    def edges_hi(self) -> tuple[float, ...]:
        """Upper ends of the edges' 90 % intervals."""
        return tuple(float(self.hi[i]) for i in _EDGE_PLACES)

    def percentile(self, value: float) -> float:
        """Return the share of the population with a lower value, ties counted by half.

        `value`: in the norm's unit.
        Returns: 0-100, never falling as the value rises. Between two quantiles it is interpolated; on a run of equal
            ones it is the middle of the run, so that a value that most of the population has stands in the middle (mid-
            distribution function: Parzen 2004, Statistical Science 19, 652-662). Below the first quantile 0.5 and above
            the last 99.5: how far out a value is there, a sample does not tell.
        Raises ValueError: the value is NaN.

        >>> steps = np.arange(1.0, 100.0)
        >>> norm = Norm("image", "focus", "total", None, "score", (), 500, 500, steps, steps, steps)
        >>> norm.percentile(25), norm.percentile(25.5), norm.percentile(-3)
        (25.0, 25.5, 0.5)
        """
        if math.isnan(value):
            raise ValueError("NaN has no place in a benchmark")
        value = _round_scalar(value)
        first, last = bisect_left(self._steps, value), bisect_right(self._steps, value)
        if last - first > 1:  # quantiles first+1 to last %; a run that reaches an end reaches beyond the last one kept
            return ((0 if first == 0 else first + 1) + (100 if last == len(PERCENTS) else last)) / 2
        if last - first == 1:
            return float(last)
        if first in (0, len(PERCENTS)):
            return _BELOW if first == 0 else _ABOVE
        below, above = self._steps[first - 1 : first + 1]
        return first + (value - below) / (above - below)

    def value_at(self, percent: float) -> float:
        """Interpolate the value at a percentile; that at 1 or 99 % beyond these.

        `percent`: 0-100.
        Raises ValueError: it is outside 0-100.
        """
        if not 0 <= percent <= 100:
            raise ValueError(f"a percentile is 0-100; found {percent}")
        return float(np.interp(percent, PERCENTS, self.quantiles))


_EDGE_PLACES = tuple(PERCENTS.index(int(edge)) for edge in EDGES)


def round_significant(values: npt.ArrayLike) -> Float64:
    """Round a copy to 6 significant digits, so that numbers are the same before and after a file holds them as float32.

    >>> round_significant([12.3456789, -0.00098765449, 0.0]).tolist()
    [12.3457, -0.000987654, 0.0]
    """
    array = np.array(values, np.float64)
    some = np.isfinite(array) & (array != 0)
    magnitude = np.log10(np.abs(array, where=some, out=np.ones_like(array)))
    exponents = np.minimum(_LARGEST, _DIGITS - 1 - np.floor(magnitude)).astype(np.int64)
    scale = _POWERS[_LARGEST + exponents]  # from a table: powers of a library may be off by a bit
    return np.where(some, np.rint(np.where(some, array, 0) * scale) / scale, array)


def _round_scalar(value: float) -> float:
    """Round one number as `round_significant` does, to the last bit, in a tenth of the time."""
    if value == 0 or not math.isfinite(value):
        return value
    scale = _SCALARS[_LARGEST + min(_LARGEST, _DIGITS - 1 - math.floor(math.log10(abs(value))))]
    return round(value * scale) / scale


LEVEL = 0.90
RESAMPLES = 1000
SEED = 20240229
_CELLS = 2_000_000  # weights held at once, 16 MB

Int64 = npt.NDArray[np.int64]


def norm_of_sample(kind: ScoreKind, segment: Segment, values: Float64, media: Int64) -> Norm:
    """Make the norm of a sample.

    `values`: (n,) float64.
    `media` (n,) int64: which medium each is of.
    """
    lo, hi = quantile_intervals(values, media, PERCENTS)
    return Norm(*kind, segment, values.size, np.unique(media).size, quantiles_of(values, PERCENTS), lo, hi)


def quantiles_of(values: npt.ArrayLike, percents: npt.ArrayLike) -> Float64:
    """Compute quantiles by Weibull's positions: the k-th of n values stands at k / (n + 1).

    Of all definitions this is the one with which a new member of the population lies below the quantile at p with
    probability p, whatever the distribution, since k / (n + 1) is the expected share of the population below the k-th
    value (Hyndman & Fan 1996, The American Statistician 50, 361-365: definition 6). NumPy's default, definition 7, puts
    outer quantiles too far in: of 30 values it takes as P10 what 12.6 % lie below. Beyond 1 / (n + 1) from the ends it
    is the lowest or highest value.

    `values`: (n,) array_like.
    `percents` (q,) array_like: 0-100.
    Returns (q,) float64.

    >>> quantiles_of([10, 20, 30, 40], [1, 20, 50, 70]).tolist()
    [10.0, 10.0, 25.0, 35.0]
    """
    shares = np.asarray(percents, np.float64) / 100
    return np.asarray(np.quantile(np.asarray(values, np.float64), shares, method="weibull"), np.float64)


def quantile_intervals(
    values: npt.ArrayLike, groups: npt.ArrayLike, percents: npt.ArrayLike, *, resamples: int = RESAMPLES
) -> tuple[Float64, Float64]:
    """Bootstrap percentile intervals of quantiles, whole groups resampled.

    Groups are media: AOIs of one medium resemble each other, so that as many AOIs of fewer media say less (cluster
    bootstrap: Davison & Hinkley 1997, Bootstrap Methods and their Application, 3.8).

    `values`: (n,) array_like.
    `groups` (n,) array_like: which medium each value is of.
    `percents` (q,) array_like: 0-100, quantiles as of `quantiles_of`.
    `resamples`: with a fixed seed: the same values have the same intervals.
    Returns `lo, hi` (q,) float64: 90 % intervals, around the quantiles.
    """
    array, shares = np.asarray(values, np.float64), np.asarray(percents, np.float64) / 100
    members, index = np.unique(np.asarray(groups), return_inverse=True)
    order = np.argsort(array, kind="stable")
    ranked, member = array[order], index[order]
    rng = np.random.default_rng(SEED)
    quantiles = np.empty((resamples, shares.size))
    block = max(1, _CELLS // array.size)
    for start in range(0, resamples, block):
        count = min(block, resamples - start)
        times = rng.multinomial(members.size, np.full(members.size, 1 / members.size), size=count)
        quantiles[start : start + count] = _weighted_quantiles(ranked, times[:, member], shares)
    tail = (1 - LEVEL) / 2
    lo, hi = np.quantile(quantiles, [tail, 1 - tail], axis=0)
    exact = quantiles_of(array, percents)
    return np.minimum(lo, exact), np.maximum(hi, exact)


def _weighted_quantiles(ranked: Float64, times: Int64, shares: Float64) -> Float64:
    """Compute quantiles (rows, q) of ascending values (n,), each of which counts a whole number of times (rows, n)."""
    upto = np.cumsum(times, axis=1)
    total = upto[:, -1:]
    position = np.clip(shares * (total + 1), 1, total)
    lower = np.floor(position).astype(np.int64)
    upper = np.minimum(lower + 1, total)
    below, above = ranked[_rank_positions(upto, lower)], ranked[_rank_positions(upto, upper)]
    return below + (position - lower) * (above - below)


def _rank_positions(upto: Int64, ranks: Int64) -> Int64:
    """Find for every row the index of the first value by which so many have been counted; one search for all rows."""
    rows, width = upto.shape
    lift = np.arange(rows)[:, None] * (int(upto[:, -1].max()) + 1)
    places = np.searchsorted((upto + lift).ravel(), (ranks + lift).ravel()).reshape(ranks.shape)
    return np.asarray(places - np.arange(rows)[:, None] * width, np.int64)
