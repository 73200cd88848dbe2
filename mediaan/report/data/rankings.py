"""Rank the media of a run by one score, and describe how it is distributed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.data.scan import collect, scan
from mediaan.types.arrays import Bool, Float64
from mediaan.types.densities import Window
from mediaan.types.metrics import Z90, Direction, MetricSpec
from mediaan.types.repeatability import repeatability_curves

BINS = 25


@dataclass(frozen=True, slots=True)
class ScoreDistribution:
    """Distribution of one score over the media of a run."""

    n: int
    """Media with a value."""
    q1: float
    median: float
    q3: float
    """q1, median, q3: Quartiles, linear interpolation."""
    counts: tuple[int, ...]
    """Media in each of `BINS` equal bins between the metric's low and high; what lies outside is in the outer ones."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Rank of a medium among `of` media; 1 is the best, or the highest where neither end is better.

    `first` and `last` bound the rank: media count as ahead or behind only where they differ by more than both move.
    """

    rank: int
    first: int
    last: int
    of: int


def distribution(values: Sequence[float] | Float64, spec: MetricSpec) -> ScoreDistribution | None:
    """Summarize values; None when there are none.

    >>> spec = MetricSpec("focus", "Focus", "score", 0, 100, "higher", "learned", "", "")
    >>> s = distribution([10, 20, 30, 100], spec)
    >>> s.q1, s.median, s.q3, s.counts[2], s.counts[-1]
    (17.5, 25.0, 47.5, 1, 1)
    """
    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return None
    q1, median, q3 = (float(q) for q in np.quantile(data, (0.25, 0.5, 0.75)))
    counts, _ = np.histogram(data.clip(spec.low, spec.high), bins=BINS, range=(spec.low, spec.high))
    return ScoreDistribution(len(data), q1, median, q3, tuple(int(count) for count in counts))


_COLUMNS = ("medium_id", "value")


@dataclass(frozen=True)
class ScoreRanking:
    """One score of all media that have a value."""

    values: Float64
    moves: Float64
    """values, moves: (N,) float64. Values, and how far each moves (`Result.repeatability`); 0 where that is unknown."""
    direction: Direction
    """'lower' ranks the smallest first; the others rank the largest first."""

    def standing(self, value: float | None, moves: float = 0.0) -> Standing | None:
        """Return the rank of a value, the better one of ties; None without one."""
        if value is None:
            return None
        lo, hi = value - moves, value + moves
        if self.direction == "lower":
            ahead, surely_ahead = _below(self._sorted_values, value), _below(self._sorted_hi, lo)
            surely_behind = _above(self._sorted_lo, hi)
        else:
            ahead, surely_ahead = _above(self._sorted_values, value), _above(self._sorted_lo, hi)
            surely_behind = _below(self._sorted_hi, lo)
        of = len(self.values)
        return Standing(ahead + 1, surely_ahead + 1, of - surely_behind, of)

    def part(self, is_part: Bool) -> ScoreRanking:
        """Return the ranking of some of the media, given as a mask, (N,) bool."""
        return ScoreRanking(self.values[is_part], self.moves[is_part], self.direction)

    @property
    def level_with_best(self) -> int:
        """Number of other media that the best one is ahead of by less than both move; -1 with fewer than two media."""
        if len(self.values) < 2:
            return -1
        lo, hi = self._sorted_lo, self._sorted_hi
        reach = lo <= hi[0] if self.direction == "lower" else hi >= lo[-1]
        return int(np.count_nonzero(reach)) - 1

    def first(self, n: int) -> list[int]:
        """Return indices of the first `n` media, the best one first; of those level, the earlier in the table."""
        return self._ordered(-1 if self.direction != "lower" else 1)[:n]

    def last(self, n: int) -> list[int]:
        """Return indices of the last `n` media, the worst one first."""
        return self._ordered(1 if self.direction != "lower" else -1)[:n]

    def _ordered(self, sign: int) -> list[int]:
        indices: list[int] = np.argsort(sign * self.values, kind="stable").tolist()
        return indices

    @cached_property
    def _sorted_values(self) -> Float64:
        return np.sort(self.values)

    @cached_property
    def _sorted_lo(self) -> Float64:
        return np.sort(self.values - self.moves)

    @cached_property
    def _sorted_hi(self) -> Float64:
        return np.sort(self.values + self.moves)


def read_ranking(
    run_dir: Path, spec: MetricSpec, time: Window, moving_ids: pa.Array | None = None
) -> tuple[ScoreRanking, pa.ChunkedArray]:
    """Read a score of all media of a run, and their ids, in the order of the table.

    How far scores move is known of still images alone: of those whose ids are not among `moving_ids`, if given.
    """
    batches = []
    for batch in scan(run_dir, "metrics", (*_COLUMNS, "metric", "metric_time")):
        is_score = pc.and_(pc.equal(batch["metric"], spec.name), pc.equal(batch["metric_time"], time))
        batches.append(batch.filter(pc.and_(is_score, pc.is_valid(batch["value"]))).select(list(_COLUMNS)))
    rows = collect(batches, "metrics", _COLUMNS)
    values, moves = rows["value"].to_numpy(), np.zeros(len(rows))
    curve = repeatability_curves().get(spec.name)
    if moving_ids is not None and curve is not None:
        stills = ~pc.is_in(rows["medium_id"], value_set=moving_ids).to_numpy()
        moves[stills] = Z90 * np.interp(values[stills], curve["value"], curve["sd"])
    return ScoreRanking(values, moves, spec.direction), rows["medium_id"]


def _below(ordered: Float64, value: float) -> int:
    return int(np.searchsorted(ordered, value, side="left"))


def _above(ordered: Float64, value: float) -> int:
    return len(ordered) - int(np.searchsorted(ordered, value, side="right"))
