"""How a score is spread over a run, and where each medium stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mediaan.types.arrays import Float64
from mediaan.types.metrics import MetricSpec

BINS = 25


@dataclass(frozen=True, slots=True)
class Spread:
    """Distribution of one score over the media of a run.

    Attributes
    ----------
    n : int
        Media with a value.
    q1, median, q3 : float
        Quartiles, linear interpolation.
    counts : tuple of int
        Media in each of `BINS` equal bins between the metric's low and high; what lies outside is in the outer ones.
    """

    n: int
    q1: float
    median: float
    q3: float
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Rank of a medium among `of` media; 1 is the best, or the highest where neither end is better.

    `first` and `last` bound the rank: media count as surely ahead or behind only where intervals do not overlap.
    """

    rank: int
    first: int
    last: int
    of: int


def spread(values: Sequence[float] | Float64, spec: MetricSpec) -> Spread | None:
    """Summarise values; None when there are none.

    >>> spec = MetricSpec("focus", "Focus", "score", 0, 100, "higher", "learned", "", "")
    >>> s = spread([10, 20, 30, 100], spec)
    >>> s.q1, s.median, s.q3, s.counts[2], s.counts[-1]
    (17.5, 25.0, 47.5, 1, 1)
    """
    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return None
    q1, median, q3 = (float(q) for q in np.quantile(data, (0.25, 0.5, 0.75)))
    counts, _ = np.histogram(data.clip(spec.low, spec.high), bins=BINS, range=(spec.low, spec.high))
    return Spread(len(data), q1, median, q3, tuple(int(count) for count in counts))
