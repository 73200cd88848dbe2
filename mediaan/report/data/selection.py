"""Choose the media that a page shows of a run that has too many for one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mediaan.metrics.novelty import NOVELTY_THRESHOLD
from mediaan.report.data.rankings import read_ranking
from mediaan.report.data.scan import collect, scan
from mediaan.run.tables.schema import TABLES
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec

PAGE_MEDIA = 1000
"""Media on one page at most. On two cores without a GPU a page of as many opens in 1.2 s, has all rows after 1.8 s, and
scrolls at 16.7 ms a frame, the slowest twentieth at 33, the longest of 600 at 50, of the gallery at 83; scripts hold
18 MB (`python -m bench.scrolling --media 1000`)."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Media that a page shows."""

    ids: frozenset[str]
    """Of media."""
    paths: frozenset[str]
    """Of files that could not even be read, which have no id."""
    each: int
    """Media chosen for each reason, such as an end of a score, as far as there are so many."""
    reasons: tuple[str, ...]
    """Why they are shown, in words."""

    def filter(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Keep the rows of a table that are about them."""
        names = batch.schema.names
        chosen = pc.is_in(batch["medium_id"], value_set=pa.array(self.ids, pa.string()))
        if "path" in names and self.paths:
            unread = pc.is_null(batch["medium_id"])
            chosen = pc.or_(chosen, pc.and_(unread, pc.is_in(batch["path"], value_set=pa.array(self.paths))))
        return batch.filter(chosen)


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
            [_ID + medium_id for medium_id in ids.take(pa.array(indices, pa.int64())).to_pylist()]
            for indices in (ranking.first(limit), ranking.last(limit))
        ]
    names = ["medium_id", "novelty"]
    batches = []
    for batch in scan(run_dir, "media", (*names, "status")):
        is_novel = pc.fill_null(pc.greater(batch["novelty"], NOVELTY_THRESHOLD), fill_value=False)
        batches.append(batch.filter(pc.and_(is_novel, pc.equal(batch["status"], "done"))).select(names))
    novel = collect(batches, "media", names)
    most_novel_first = np.argsort(-novel["novelty"].to_numpy(), kind="stable")[:limit]
    unlike = [_ID + medium_id for medium_id in novel["medium_id"].take(pa.array(most_novel_first)).to_pylist()]
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
    keys = list(chosen)[:limit]
    media = frozenset(key.removeprefix(_ID) for key in keys if key.startswith(_ID))
    paths = frozenset(key.removeprefix(_PATH) for key in keys if key.startswith(_PATH))
    return Selection(media, paths, each, tuple(candidates))


_ID, _PATH = "id:", "path:"  # before keys: a file that could not be read has no id
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
    return [[_ID + medium_id for medium_id in table["medium_id"].to_pylist()] for table in outermost.values()]


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
    pairs = zip(rows["medium_id"].to_pylist(), rows["path"].to_pylist(), strict=True)
    return [_PATH + path if medium_id is None else _ID + medium_id for medium_id, path in pairs]
