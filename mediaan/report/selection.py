"""Choose the media that a page shows of a run that has too many for one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mediaan.metrics.novelty import NOVELTY_THRESHOLD
from mediaan.report.counts import collect, scan
from mediaan.run.tables.schema import TABLES
from mediaan.types.arrays import Bool, Float64
from mediaan.types.densities import Window
from mediaan.types.metrics import Z90, Direction, MetricSpec, repeatability_curves

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


PAGE_MEDIA = 1000
"""Media on one page at most. On two cores without a GPU a page of as many opens in 1.2 s, has all rows after 1.8 s, and
scrolls at 16.7 ms a frame, the slowest twentieth at 33, the longest of 600 at 50, of the gallery at 83; scripts hold
18 MB (`python -m bench.scrolling --media 1000`)."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Media that a page shows."""

    media: frozenset[str]
    """Their ids, and the paths of files that could not even be read, which have none."""
    each: int
    """Media chosen for each reason, such as an end of a score, as far as there are so many."""
    reasons: tuple[str, ...]
    """Why they are shown, in words."""


def select_media(
    run_dir: Path, specs: Sequence[MetricSpec], times: Mapping[str, Window], limit: int = PAGE_MEDIA
) -> Selection:
    """Choose the media that say most about a run: both ends of each score, and what asks for attention.

    `times`: by metric the time of the score that counts.
    `limit`: media to choose. Each reason gives one in turn until there are so many.
    """
    ends = []
    for spec in specs:
        ranking, ids = read_ranking(run_dir, spec, times[spec.name])
        ends += [
            ids.take(pa.array(indices, pa.int64())).to_pylist()
            for indices in (ranking.first(limit), ranking.last(limit))
        ]
    names = ["medium_id", "novelty"]
    batches = []
    for batch in scan(run_dir, "media", (*names, "status")):
        is_novel = pc.fill_null(pc.greater(batch["novelty"], NOVELTY_THRESHOLD), fill_value=False)
        batches.append(batch.filter(pc.and_(is_novel, pc.equal(batch["status"], "done"))).select(names))
    novel = collect(batches, "media", names)
    most_novel_first = np.argsort(-novel["novelty"].to_numpy(), kind="stable")[:limit]
    unlike = novel["medium_id"].take(pa.array(most_novel_first)).to_pylist()
    candidates: dict[str, list[list[str]]] = {
        "the best and worst of each score": ends,
        "those with the most extreme benchmark positions": _outermost(
            run_dir, {spec.name: times[spec.name] for spec in specs}, limit
        ),
        "those that fail a rule by most": _failing_rules(run_dir, limit),
        "those least like what the models have learned from": [unlike],
        "the first files that could not be analyzed": [_failed_files(run_dir, limit)],
    }
    candidates = {reason: lists for reason, lists in candidates.items() if any(lists)}
    rarest_first = [media for lists in reversed(candidates.values()) for media in lists]
    chosen: dict[str, None] = {}  # a set that keeps its order
    each = 0
    for turn in zip_longest(*rarest_first):
        chosen |= dict.fromkeys(key for key in turn if key is not None)
        if len(chosen) > limit:
            break
        each += 1
    return Selection(frozenset(list(chosen)[:limit]), each, tuple(candidates))


_RANGES = "benchmark_ranges"
_SIGN_OF = {"extreme_low": 1, "extreme_high": -1}
_PERCENTILES = ("medium_id", "percentile")


def _outermost(run_dir: Path, times: Mapping[str, Window], limit: int) -> list[list[str]]:
    """Return, score by score, media of the lowest category, the lowest first, then those of the highest."""
    outermost = {
        (metric, category): TABLES[_RANGES].empty_table().select(_PERCENTILES)
        for metric in times
        for category in _SIGN_OF
    }
    for batch in scan(run_dir, _RANGES, ("aoi_id", "metric", "metric_time", "category", *_PERCENTILES)):
        is_extreme = pc.is_in(batch["category"], value_set=pa.array(_SIGN_OF))
        rows = pa.table(batch).filter(pc.and_(is_extreme, pc.is_null(batch["aoi_id"])))
        for (metric, category), before in outermost.items():
            is_end = pc.and_(pc.equal(rows["metric"], metric), pc.equal(rows["category"], category))
            new = rows.filter(pc.and_(is_end, pc.equal(rows["metric_time"], times[metric]))).select(_PERCENTILES)
            candidates = pa.concat_tables([before, new.cast(before.schema)])
            order = np.argsort(_SIGN_OF[category] * candidates["percentile"].to_numpy(), kind="stable")[:limit]
            outermost[metric, category] = candidates.take(pa.array(order))
    return [table["medium_id"].to_pylist() for table in outermost.values()]


def _failing_rules(run_dir: Path, limit: int) -> list[list[str]]:
    """Return media that fail a rule, rule by rule, warnings last; the one that fails by most first."""
    names = ["medium_id", "path", "rule", "severity", "margin"]
    batches = (
        batch.filter(pc.equal(batch["status"], "failed")).select(names)
        for batch in scan(run_dir, "rule_results", (*names, "status"))
    )
    rows = collect(batches, "rule_results", names)
    rules = rows.group_by(["severity", "rule"], use_threads=False).aggregate([]).sort_by("severity").to_pylist()
    lists = []
    for rule in rules:
        is_of_rule = pc.and_(pc.equal(rows["rule"], rule["rule"]), pc.equal(rows["severity"], rule["severity"]))
        failures = rows.filter(is_of_rule)
        margins = np.nan_to_num(failures["margin"].to_numpy(), nan=-np.inf)  # nothing to score: it fails altogether
        lists.append(_keys(failures.take(pa.array(np.argsort(margins, kind="stable")[:limit]))))
    return lists


def _failed_files(run_dir: Path, limit: int) -> list[str]:
    keys: list[str] = []
    for batch in scan(run_dir, "media", ("medium_id", "path", "status")):
        keys += _keys(pa.table(batch.filter(pc.not_equal(batch["status"], "done")).slice(0, limit)))
        if len(keys) >= limit:
            break
    return keys[:limit]


def _keys(rows: pa.Table) -> list[str]:
    keys: list[str] = pc.coalesce(rows["medium_id"], rows["path"]).to_pylist()
    return keys
