"""One score in one population: its quantiles, how sure they are, and where a value stands among them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from mediaan.types.arrays import Float64
from mediaan.types.benchmark import EDGES, Segment
from mediaan.types.metrics import Time

MediumType = Literal["image", "video", "mixed"]

PERCENTS: tuple[int, ...] = tuple(range(1, 100))
"""Percentiles that are kept."""

_DIGITS = 6  # significant ones, which float32 keeps through a file
_LARGEST = 300
_POWERS = np.array([float(f"1e{exponent}") for exponent in range(-_LARGEST, _LARGEST + 1)])
_BELOW, _ABOVE = 0.5, 99.5


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """How one score is distributed in one part of a population.

    Attributes
    ----------
    type : {'image', 'video', 'mixed'}
        Of the media.
    metric : str
    metric_time : {'total', 'start', 'end'}
    aoi_type : str or None
        Of the AOIs; None for a score of the media.
    unit : str
        Of the quantiles.
    segment : Segment
        Which part; empty for the whole.
    n : int
        Values: media, or AOIs.
    n_media : int
        Media that they are of.
    quantiles : (99,) float64
        At 1 to 99 %, non-decreasing, to 6 significant digits.
    lo, hi : (99,) float64
        Their 90 % bootstrap intervals, media resampled.
    """

    type: MediumType
    metric: str
    metric_time: Time
    aoi_type: str | None
    unit: str
    segment: Segment
    n: int
    n_media: int
    quantiles: Float64
    lo: Float64
    hi: Float64
    _steps: tuple[float, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("quantiles", "lo", "hi"):
            array = rounded(getattr(self, name))
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
        """Where a value stands: the share of the population with a lower one, ties counted by half.

        Parameters
        ----------
        value : float
            In the norm's unit.

        Returns
        -------
        float
            0-100, never falling as the value rises. Between two quantiles it is interpolated; on a run of equal ones it
            is the middle of the run, so that a value that most of the population has stands in the middle (mid-
            distribution function: Parzen 2004, Statistical Science 19, 652-662). Below the first quantile 0.5 and above
            the last 99.5: how far out a value is there, a sample does not tell.

        Raises
        ------
        ValueError
            The value is NaN.

        Examples
        --------
        >>> steps = np.arange(1.0, 100.0)
        >>> norm = Norm("image", "focus", "total", None, "score", (), 500, 500, steps, steps, steps)
        >>> norm.percentile(25), norm.percentile(25.5), norm.percentile(-3)
        (25.0, 25.5, 0.5)
        """
        if math.isnan(value):
            raise ValueError("NaN stands nowhere in a population")
        value = _rounded(value)
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
        """The value at a percentile, interpolated; that at 1 or 99 % beyond these.

        Parameters
        ----------
        percent : float
            0-100.

        Raises
        ------
        ValueError
            It is outside 0-100.
        """
        if not 0 <= percent <= 100:
            raise ValueError(f"a percentile is 0-100; found {percent}")
        return float(np.interp(percent, PERCENTS, self.quantiles))


_EDGE_PLACES = tuple(PERCENTS.index(int(edge)) for edge in EDGES)


def rounded(values: npt.ArrayLike) -> Float64:
    """A copy to 6 significant digits, so that numbers are the same before and after a file holds them as float32.

    Examples
    --------
    >>> rounded([12.3456789, -0.00098765449, 0.0]).tolist()
    [12.3457, -0.000987654, 0.0]
    """
    array = np.array(values, np.float64)
    some = np.isfinite(array) & (array != 0)
    scale = _scale(np.log10(np.abs(array, where=some, out=np.ones_like(array))))
    return np.where(some, np.rint(np.where(some, array, 0) * scale) / scale, array)


def _rounded(value: float) -> float:
    """The same of one number, to the last bit, in a tenth of the time."""
    if value == 0 or not math.isfinite(value):
        return value
    scale = float(_POWERS[_LARGEST + min(_LARGEST, _DIGITS - 1 - math.floor(math.log10(abs(value))))])
    return round(value * scale) / scale


def _scale(magnitude: Float64) -> Float64:
    """Powers of ten from a table: those of a library may be off by a bit."""
    exponents = np.minimum(_LARGEST, _DIGITS - 1 - np.floor(magnitude)).astype(np.int64)
    return np.asarray(_POWERS[_LARGEST + exponents], np.float64)
