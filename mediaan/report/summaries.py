"""How a score is spread over a run, and where each medium stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mediaan.types.arrays import Float64
from mediaan.types.metrics import Direction, MetricSpec, Score

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


def spread(values: Sequence[float], spec: MetricSpec) -> Spread | None:
    """Summarise values; None when there are none.

    >>> spec = MetricSpec("focus", "Focus", "score", 0, 100, "higher", "learned", "", "")
    >>> s = spread([10, 20, 30, 100], spec)
    >>> s.q1, s.median, s.q3, s.counts[2], s.counts[-1]
    (17.5, 25.0, 47.5, 1, 1)
    """
    if not values:
        return None
    data = np.asarray(values, dtype=np.float64)
    q1, median, q3 = (float(q) for q in np.quantile(data, (0.25, 0.5, 0.75)))
    counts, _ = np.histogram(data.clip(spec.low, spec.high), bins=BINS, range=(spec.low, spec.high))
    return Spread(len(values), q1, median, q3, tuple(int(count) for count in counts))


def standings(scores: Sequence[Score | None], direction: Direction) -> list[Standing | None]:
    """Rank scores against each other, ties sharing the better rank.

    Parameters
    ----------
    scores : sequence of Score or None
        None, or a score without a value, gets no standing.
    direction : {'higher', 'lower', 'middle'}
        'lower' ranks the smallest first; the others rank the largest first.

    Returns
    -------
    list of Standing or None
        In the order of `scores`.
    """
    sign = -1.0 if direction == "lower" else 1.0
    known = [score for score in scores if score is not None and score.value is not None]
    if not known:
        return [None] * len(scores)
    value, lo, hi = _bounds(known)
    if sign < 0:
        value, lo, hi = -value, -hi, -lo
    ahead = (value[None, :] > value[:, None]).sum(axis=1)
    surely_ahead = (lo[None, :] > hi[:, None]).sum(axis=1)
    surely_behind = (hi[None, :] < lo[:, None]).sum(axis=1)
    of = len(known)
    ranked = iter(
        Standing(int(a) + 1, int(f) + 1, of - int(b), of)
        for a, f, b in zip(ahead, surely_ahead, surely_behind, strict=True)
    )
    return [next(ranked) if score is not None and score.value is not None else None for score in scores]


def _bounds(scores: Sequence[Score]) -> tuple[Float64, Float64, Float64]:
    value = np.array([score.value for score in scores], dtype=np.float64)
    lo = np.array([score.value if score.lo is None else score.lo for score in scores], dtype=np.float64)
    hi = np.array([score.value if score.hi is None else score.hi for score in scores], dtype=np.float64)
    return value, lo, hi
