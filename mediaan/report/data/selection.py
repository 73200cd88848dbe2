"""Choose the media that a page shows of a run that has too many for one page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from mediaan.types.metrics import MetricSpec, Time

PAGE_MEDIA = 1000
"""Media on one page at most. On two cores without a GPU a page of as many opens in 1.2 s, has all rows after 1.8 s, and
scrolls at 16.7 ms a frame, the slowest twentieth at 33, the longest of 600 at 50, of the gallery at 83; scripts hold
18 MB (`python -m bench.scrolling --media 1000`)."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Media that a page shows.

    Attributes
    ----------
    ids : frozenset of str
        Of media.
    paths : frozenset of str
        Of files that could not even be read, which have no id.
    each : int
        How many there are of each end of each score, and of each other reason to be shown, where there are so many.
    reasons : tuple of str
        What they are shown for, in words.
    """

    ids: frozenset[str]
    paths: frozenset[str]
    each: int
    reasons: tuple[str, ...]

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Rows of a table that are about them."""
        names = batch.schema.names
        chosen = pc.is_in(batch["medium_id"], value_set=pa.array(self.ids, pa.string()))
        if "path" in names and self.paths:
            unread = pc.is_null(batch["medium_id"])
            chosen = pc.or_(chosen, pc.and_(unread, pc.is_in(batch["path"], value_set=pa.array(self.paths))))
        return batch.filter(chosen)


class _Candidates(dict[str, list[list[str]]]):
    """By reason, in words, lists of media that would be shown for it, the first ones first."""

    def add(self, reason: str, *candidates: list[str]) -> None:
        if any(candidates):
            self.setdefault(reason, []).extend(candidates)


def select_media(
    run_dir: Path, specs: Sequence[MetricSpec], times: Mapping[str, Time], limit: int = PAGE_MEDIA
) -> Selection:
    """Choose the media that say most about a run: both ends of each score, and what asks for attention.

    Parameters
    ----------
    run_dir : Path
    specs : sequence of MetricSpec
    times : mapping of str to {'total', 'start', 'end'}
        By metric the time of the score that counts.
    limit : int
        Media to choose. Each reason gives one in turn until there are so many.
    """
    found = _Candidates()
    for spec in specs:
        found.add("the best and worst of each score", *_ends(run_dir, spec, times[spec.name], limit))
    outermost = _outermost(run_dir, {spec.name: times[spec.name] for spec in specs}, limit)
    found.add("those that lie outermost in their population", *outermost)
    found.add("those that fail a rule by most", *_failing(run_dir, limit))
    found.add("those least like what the models have learned from", _unlike(run_dir, limit))
    found.add("the first files that could not be analysed", _unread(run_dir, limit))
    return _in_turn(found, limit)


def _in_turn(candidates: _Candidates, limit: int) -> Selection:
    chosen: dict[str, None] = {}
    each = 0
    rarest_first = [one for lists in reversed(candidates.values()) for one in lists]
    for turn in zip_longest(*rarest_first):
        chosen |= dict.fromkeys(key for key in turn if key is not None)
        if len(chosen) > limit:
            break
        each += 1
    keys = list(chosen)[:limit]
    ids = frozenset(key.removeprefix(_ID) for key in keys if key.startswith(_ID))
    paths = frozenset(key.removeprefix(_PATH) for key in keys if key.startswith(_PATH))
    return Selection(ids, paths, each, tuple(candidates))


_ID, _PATH = "id:", "path:"
_RANGES = "benchmark_ranges"


def _taken(ids: pa.ChunkedArray, places: Sequence[int]) -> list[str]:
    return [_ID + one for one in ids.take(pa.array(places, pa.int64())).to_pylist()]


def _ends(run_dir: Path, spec: MetricSpec, time: Time, limit: int) -> Iterator[list[str]]:
    ranking, ids = read_ranking(run_dir, spec, time)
    yield _taken(ids, ranking.first(limit))
    yield _taken(ids, ranking.last(limit))


_SIGN_OF = {"extreme_low": 1, "extreme_high": -1}
_STANDING = ("medium_id", "percentile")


def _outermost(run_dir: Path, times: Mapping[str, Time], limit: int) -> list[list[str]]:
    """Score by score media of the lowest category, the lowest first, then those of the highest."""
    kept = {
        (metric, category): TABLES[_RANGES].empty_table().select(_STANDING) for metric in times for category in _SIGN_OF
    }
    for batch in scan(run_dir, _RANGES, ("aoi_id", "metric", "metric_time", "category", *_STANDING)):
        extreme = pc.is_in(batch["category"], value_set=pa.array(_SIGN_OF))
        rows = pa.table(batch).filter(pc.and_(extreme, pc.is_null(batch["aoi_id"])))
        for (metric, category), before in kept.items():
            own = pc.and_(pc.equal(rows["metric"], metric), pc.equal(rows["category"], category))
            new = rows.filter(pc.and_(own, pc.equal(rows["metric_time"], times[metric]))).select(_STANDING)
            both = pa.concat_tables([before, new.cast(before.schema)])
            order = np.argsort(_SIGN_OF[category] * both["percentile"].to_numpy(), kind="stable")[:limit]
            kept[metric, category] = both.take(pa.array(order))
    return [[_ID + one for one in table["medium_id"].to_pylist()] for table in kept.values()]


def _failing(run_dir: Path, limit: int) -> Iterator[list[str]]:
    """Media that fail a rule, rule by rule, those that are no warnings first; the one that fails by most first."""
    names = ("medium_id", "path", "rule", "severity", "margin")
    rows = collect(_failures(run_dir, names), "rule_results", names)
    rules = rows.group_by(["severity", "rule"], use_threads=False).aggregate([]).sort_by("severity").to_pylist()
    for rule in rules:
        own = rows.filter(pc.and_(pc.equal(rows["rule"], rule["rule"]), pc.equal(rows["severity"], rule["severity"])))
        margins = np.nan_to_num(own["margin"].to_numpy(), nan=-np.inf)  # nothing to score: it fails altogether
        worst = own.select(["medium_id", "path"]).take(pa.array(np.argsort(margins, kind="stable")[:limit]))
        yield _keys(worst)


def _failures(run_dir: Path, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for batch in scan(run_dir, "rule_results", (*names, "status")):
        yield batch.filter(pc.equal(batch["status"], "failed")).select(list(names))


def _unlike(run_dir: Path, limit: int) -> list[str]:
    names = ("medium_id", "novelty")
    rows = collect(_novel(run_dir, names), "media", names)
    order = np.argsort(-rows["novelty"].to_numpy(), kind="stable")[:limit]
    return _taken(rows["medium_id"], order.tolist())


def _novel(run_dir: Path, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for batch in scan(run_dir, "media", (*names, "status")):
        known = pc.fill_null(pc.greater(batch["novelty"], NOVELTY_THRESHOLD), fill_value=False)
        yield batch.filter(pc.and_(known, pc.equal(batch["status"], "done"))).select(list(names))


def _unread(run_dir: Path, limit: int) -> list[str]:
    found: list[str] = []
    for batch in scan(run_dir, "media", ("medium_id", "path", "status")):
        failed = batch.filter(pc.not_equal(batch["status"], "done")).slice(0, limit)
        found += _keys(pa.table(failed.select(["medium_id", "path"])))
        if len(found) >= limit:
            break
    return found[:limit]


def _keys(rows: pa.Table) -> list[str]:
    pairs = zip(rows["medium_id"].to_pylist(), rows["path"].to_pylist(), strict=True)
    return [_PATH + path if medium_id is None else _ID + medium_id for medium_id, path in pairs]
