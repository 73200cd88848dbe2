"""Read the tables of a run a part at a time, and count over them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.judge.verdict import COUNT_NAMES, CheckCounts
from mediaan.metrics.novelty import NOVELTY_THRESHOLD
from mediaan.run.tables.schema import DERIVED, TABLES
from mediaan.types.aoi import AOI_TYPES, AoiType
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.checks import CHECK_STATUSES, RULE_STATUSES, RuleCounts, Severity, Verdict
from mediaan.types.densities import Window

ROWS_AT_ONCE = 65_536


def scan(run_dir: Path, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """Read columns of a run's table.

    `columns`: all that this version knows, if not given.
    Yields: at most `ROWS_AT_ONCE` rows each, in the order of the table; nothing where a table that follows from others
        is absent.
    Raises UsageError: the table is missing, cannot be read, or lacks a column.
    """
    with _table(run_dir, name) as file:
        yield from file.iter_batches(ROWS_AT_ONCE, columns=list(columns or TABLES[name].names)) if file else ()


def check_tables(run_dir: Path) -> None:
    """Check that the tables of a run have all columns that this version knows."""
    for name in TABLES:
        with _table(run_dir, name):
            pass


@contextmanager
def _table(run_dir: Path, name: str) -> Iterator[pq.ParquetFile | None]:
    """Open a table; None where one that follows from others is absent."""
    path = run_dir / "tables" / f"{name}.parquet"
    try:
        with pq.ParquetFile(path) as file:
            lacking = [column for column in TABLES[name].names if column not in file.schema_arrow.names]
            if lacking:
                raise UsageError(f"{path} lacks its column {lacking[0]}; run the analysis again with this version.")
            yield file
    except FileNotFoundError as error:
        if name not in DERIVED:
            raise UsageError(f"{path} is missing; run the analysis again with this version.") from error
        yield None
    except pa.ArrowInvalid as error:
        raise UsageError(f"{path} is not readable as Parquet ({error}); run the analysis again.") from error


def collect(batches: Iterable[pa.RecordBatch], name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Join batches of a run's table, keeping its columns where there are no rows."""
    filled = [batch for batch in batches if batch.num_rows]
    if filled:
        return pa.Table.from_batches(filled)
    schema = TABLES[name]
    return pa.schema([schema.field(column) for column in columns or schema.names]).empty_table()


def count_distinct(parts: Sequence[pa.Array]) -> int:
    """Count the different values of arrays together, without nulls."""
    return int(pc.count_distinct(pa.chunked_array(parts)).as_py()) if parts else 0


_COLUMNS = ("medium_id", "status", "duration_s", "novelty")


@dataclass(frozen=True, slots=True)
class Overview:
    """All media of a run; files with the same bytes are one."""

    files: int
    """Rows of the table media."""
    done: int
    failed: int
    """done, failed: A file that could not even be read is one that failed."""
    moving: int
    """Those of `done` that are more than a still image."""
    unlike: int
    """Those of `done` that are unlike what the models have learned from."""
    times: Mapping[str, Window]
    """By metric of the run the time of its score of the whole, or the one window that the metric is about."""
    moving_ids: pa.Array
    """Ids of those that are more than a still image."""

    @property
    def is_mixed(self) -> bool:
        """Whether there are still images and others."""
        return 0 < self.moving < self.done

    @property
    def media(self) -> int:
        """All of them."""
        return self.done + self.failed


def read_overview(run_dir: Path) -> Overview:
    """Count the media of a run and list its scores, in memory that grows by some 100 bytes a medium."""
    media = collect(scan(run_dir, "media", _COLUMNS), "media", _COLUMNS)
    is_done = pc.equal(media["status"], "done")
    done, failed = media.filter(is_done), media.filter(pc.invert(is_done))
    times: dict[str, Window] = {}
    for batch in scan(run_dir, "metrics", ("metric", "metric_time")):
        pairs = pa.table(batch).group_by(["metric", "metric_time"], use_threads=False).aggregate([]).to_pylist()
        for pair in pairs:
            metric, time = pair["metric"], pair["metric_time"]
            times[metric] = "total" if "total" in (time, times.get(metric)) else times.get(metric, time)
    is_novel = pc.fill_null(pc.greater(done["novelty"], NOVELTY_THRESHOLD), fill_value=False)
    moving_ids = pc.unique(done.filter(pc.is_valid(done["duration_s"]))["medium_id"])
    return Overview(
        files=media.num_rows,
        done=count_distinct(done["medium_id"].chunks),
        failed=count_distinct(failed["medium_id"].chunks) + failed["medium_id"].null_count,
        moving=len(moving_ids),
        unlike=count_distinct(done.filter(is_novel)["medium_id"].chunks),
        times=times,
        moving_ids=moving_ids,
    )


_COUNTED = ["rule", "name", "severity", "status"]


def count_rules(run_dir: Path, rules: Any) -> list[RuleCounts]:
    """Count results by rule over all media of a run, the one that most media fail first.

    `rules`: as `run.json` keeps them, each a text or a mapping with more to say; or None.
    """
    why = {rule["rule"]: rule.get("why") for rule in rules or () if isinstance(rule, Mapping) and "rule" in rule}
    ids = collect(scan(run_dir, "media", ("medium_id",)), "media", ("medium_id",))["medium_id"]
    paths = pc.value_counts(ids.drop_null())
    copied = paths.filter(pc.greater(paths.field("counts"), 1)).field("values")
    by_rule: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    seen = set[tuple[str, ...]]()  # results of files that have copies
    for batch in scan(run_dir, "rule_results", ("medium_id", "message", *_COUNTED)):
        has_copies = pc.is_in(batch["medium_id"], value_set=copied)
        once = pa.table(batch.filter(pc.invert(has_copies))).group_by(_COUNTED, use_threads=False)
        for row in once.aggregate([([], "count_all")]).to_pylist():
            by_rule[row["rule"], row["name"], row["severity"]][row["status"]] += row["count_all"]
        for row in batch.filter(has_copies).to_pylist():
            result = tuple(row.values())
            by_rule[row["rule"], row["name"], row["severity"]][row["status"]] += result not in seen
            seen.add(result)
    counts = []
    for (rule, name, severity), statuses in by_rule.items():
        level: Severity = "warning" if severity == "warning" else "error"
        counts.append(RuleCounts(rule, name, level, why.get(rule), *(statuses[status] for status in RULE_STATUSES)))
    return sorted(counts, key=lambda rule: (rule.severity == "warning", -rule.failed, -rule.skipped, rule.name))


@dataclass(frozen=True, slots=True)
class AreaTypeCount:
    """Media of a run that have an AOI of a type, and such AOIs."""

    type: AoiType
    title: str
    media: int
    areas: int


def count_area_types(run_dir: Path) -> list[AreaTypeCount]:
    """Count the areas of a whole run by type, in the order of `AOI_TYPES`."""
    media: dict[str, list[pa.Array]] = defaultdict(list)
    areas: Counter[str] = Counter()
    for batch in scan(run_dir, "aois", ("medium_id", "type")):
        for name in pc.unique(batch["type"]).to_pylist():
            medium_ids = batch.filter(pc.equal(batch["type"], name))["medium_id"]
            media[name].append(pc.unique(medium_ids))
            areas[name] += len(medium_ids)
    return [
        AreaTypeCount(name, AREA_TYPES[name].title, count_distinct(media[name]), areas[name])
        for name in AOI_TYPES
        if name in media
    ]


@dataclass(frozen=True)
class RunVerdicts:
    """Verdicts of all media of a run."""

    counts: Mapping[Verdict, int]
    sums: CheckCounts
    """Of all media together."""

    @property
    def known(self) -> int:
        """Media with a verdict."""
        return sum(n for verdict, n in self.counts.items() if verdict != "unknown")


def read_verdicts(run_dir: Path, overview: Overview) -> RunVerdicts:
    """Judge all media of a run, in memory that grows by some 100 bytes a medium."""
    of_media = _count_checks(run_dir)
    counts: Counter[Verdict] = Counter()
    equal = of_media.group_by(list(COUNT_NAMES), use_threads=False).aggregate([([], "count_all")])
    for row in equal.to_pylist():
        media = row.pop("count_all")
        counts[CheckCounts(**row).verdict] += media
    counts["unknown"] += max(overview.done - counts.total(), 0)
    return RunVerdicts(counts, CheckCounts(**{name: pc.sum(of_media[name]).as_py() or 0 for name in COUNT_NAMES}))


_SCHEMA = pa.schema([("medium_id", pa.string()), *((name, pa.int32()) for name in COUNT_NAMES)])


def _count_checks(run_dir: Path) -> pa.Table:
    """Return a row for each medium that was checked or fails a rule."""
    parts = [_SCHEMA.empty_table()]
    for batch in scan(run_dir, "checks", ("medium_id", "required", "status")):
        columns = {"medium_id": batch["medium_id"]}
        for name in COUNT_NAMES:
            required, status = name.startswith("required_"), name.removeprefix("required_")
            if status in CHECK_STATUSES:
                is_required = pc.equal(batch["required"], required)
                columns[name] = pc.and_(is_required, pc.equal(batch["status"], status)).cast(pa.int32())
            else:
                columns[name] = pa.array([0] * len(batch), pa.int32())
        parts.append(_sum_by_medium(pa.table(columns)))
    return _sum_by_medium(pa.concat_tables([*parts, _count_failed_rules(run_dir)]))


def _sum_by_medium(rows: pa.Table) -> pa.Table:
    summed = rows.group_by("medium_id", use_threads=False).aggregate([(name, "sum") for name in COUNT_NAMES])
    columns = [summed["medium_id"], *(summed[f"{name}_sum"].cast(pa.int32()) for name in COUNT_NAMES)]
    return pa.table(columns, schema=_SCHEMA)


_RULES = ["medium_id", "rule", "name"]


def _count_failed_rules(run_dir: Path) -> pa.Table:
    """Count the rules that each medium fails, those that several copies of a file fail once."""
    schema = pa.schema([(name, pa.string()) for name in _RULES])
    parts = [schema.empty_table()]
    for batch in scan(run_dir, "rule_results", (*_RULES, "severity", "status")):
        is_error = pc.and_(pc.equal(batch["status"], "failed"), pc.equal(batch["severity"], "error"))
        errors = batch.filter(pc.and_(is_error, pc.is_valid(batch["medium_id"])))
        parts.append(pa.table(errors.select(_RULES)).cast(schema))
    failed = pa.concat_tables(parts).group_by(_RULES, use_threads=False).aggregate([])
    counts = failed.group_by("medium_id", use_threads=False).aggregate([([], "count_all")])
    zeros = pa.chunked_array([pa.array([0] * counts.num_rows, pa.int32())])
    columns = dict.fromkeys(COUNT_NAMES, zeros) | {"rules_failed": counts["count_all"].cast(pa.int32())}
    return pa.table({"medium_id": counts["medium_id"]} | columns, schema=_SCHEMA)
