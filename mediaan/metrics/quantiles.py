"""Quantiles of populations, ranks within them, and the spread of the truth around a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mediaan.types.arrays import Float64

# Residuals are kept by fifths of the score: a percentile moves less near its ends.
_CENTRES = np.array([10.0, 30.0, 50.0, 70.0, 90.0])


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the true score lies around a given one, 90 % of the time.

    Attributes
    ----------
    below, above : tuple of 5 float
        5 % and 95 % quantiles of the residual (at most and at least 0), score points, by fifths of the score.
    """

    below: tuple[float, ...]
    above: tuple[float, ...]

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Spread:
        """Read one from the content of a JSON file."""
        return cls(tuple(content["below"]), tuple(content["above"]))

    def bounds(self, score: float) -> tuple[float, float]:
        """Return the interval of a score, within 0-100 and around it.

        Examples
        --------
        >>> Spread((-10.0,) * 5, (5.0,) * 5).bounds(97.0)
        (87.0, 100.0)
        """
        low, high = self.around(score)
        return max(0.0, score + low), min(100.0, score + high)

    def around(self, score: float) -> tuple[float, float]:
        """Quantiles of the residual at a score: at most and at least 0, score points."""
        low, high = np.interp(score, _CENTRES, self.below), np.interp(score, _CENTRES, self.above)
        return min(0.0, float(low)), max(0.0, float(high))


def percentile(value: float, knots: tuple[float, ...]) -> float:
    """Return where a value lies among quantiles that are evenly spaced from 0 to 100 %; ties give their middle.

    Examples
    --------
    >>> percentile(2.5, (0.0, 1.0, 2.0, 3.0, 4.0))
    62.5
    >>> percentile(0.0, (0.0, 0.0, 0.0, 1.0, 2.0))
    25.0
    """
    at = np.asarray(knots, dtype=np.float64)
    first, last = int(np.searchsorted(at, value, "left")), int(np.searchsorted(at, value, "right"))
    if first != last:
        position = (first + last - 1) / 2
    elif first in (0, at.size):
        position = max(0, first - 1)
    else:
        position = first - 1 + (value - at[first - 1]) / (at[first] - at[first - 1])
    return float(100 * position / (at.size - 1))


def quantiles(values: Float64, number: int = 101) -> tuple[float, ...]:
    """Return evenly spaced quantiles, rounded to 6 significant digits."""
    return tuple(float(f"{q:.6g}") for q in np.quantile(values, np.linspace(0, 1, number)))


def fit_spread(scores: Float64, residuals: Float64) -> Spread:
    """Take 5 % and 95 % quantiles of residuals by fifths of the score.

    Parameters
    ----------
    scores, residuals : (n,) float64
        Score points; residual = truth less score. A fifth with under 20 values borrows the quantiles of all.
    """
    below, above = [], []
    for centre in _CENTRES:
        near = residuals[np.abs(scores - centre) <= 10]
        # Weibull's plotting positions: so that 90 % of what comes next, not of these few, lie between.
        low, high = np.quantile(near if near.size >= 20 else residuals, [0.05, 0.95], method="weibull")
        below.append(round(min(0.0, float(low)), 2))
        above.append(round(max(0.0, float(high)), 2))
    return Spread(tuple(below), tuple(above))
