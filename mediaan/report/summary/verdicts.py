"""Count checks and failed rules of all media of a run, and judge them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.judge.checks.verdict import COUNT_NAMES, CheckCounts
from mediaan.report.data.overview import Overview
from mediaan.report.data.scan import scan
from mediaan.types.checks import CHECK_STATUSES, Verdict


@dataclass(frozen=True)
class RunVerdicts:
    """Verdicts of all media of a run."""

    counts: Mapping[Verdict, int]
    """Mapping of Verdict to int."""
    sums: CheckCounts
    failing: int = 0
    """Media that fail a rule."""
    failed: Mapping[str, int] | None = None
    """Mapping of str to int. By check, media that fail it."""

    @property
    def known(self) -> int:
        """Media with a verdict."""
        return sum(n for verdict, n in self.counts.items() if verdict != "unknown")


def read_verdicts(run_dir: Path, overview: Overview) -> RunVerdicts:
    """Judge all media of a run, in memory that grows by some 100 bytes a medium.

    `overview`: of all media.
    """
    of_media, failed = _count_checks(run_dir)
    counts: Counter[Verdict] = Counter()
    equal = of_media.group_by(list(COUNT_NAMES), use_threads=False).aggregate([([], "count_all")])
    for row in equal.to_pylist():
        media = row.pop("count_all")
        counts[CheckCounts(**row).verdict] += media
    counts["unknown"] += max(overview.done - counts.total(), 0)
    sums = CheckCounts(**{name: pc.sum(of_media[name]).as_py() or 0 for name in COUNT_NAMES})
    failing = pc.sum(pc.greater(of_media["rules_failed"], 0)).as_py() or 0
    return RunVerdicts(counts, sums, failing, failed)


_SCHEMA = pa.schema([("medium_id", pa.string()), *((name, pa.int32()) for name in COUNT_NAMES)])


def _count_checks(run_dir: Path) -> tuple[pa.Table, Counter[str]]:
    """Return a row for each medium that was checked or fails a rule, and media by check that they fail."""
    parts = [_SCHEMA.empty_table()]
    failed: Counter[str] = Counter()
    for batch in scan(run_dir, "checks", ("medium_id", "name", "required", "status")):
        columns = {"medium_id": batch["medium_id"]}
        for name in COUNT_NAMES:
            required, status = name.startswith("required_"), name.removeprefix("required_")
            if status in CHECK_STATUSES:
                is_required = pc.equal(batch["required"], required)
                columns[name] = pc.and_(is_required, pc.equal(batch["status"], status)).cast(pa.int32())
            else:
                columns[name] = pa.array([0] * len(batch), pa.int32())
        parts.append(_sum_by_medium(pa.table(columns)))
        names = batch.filter(pc.equal(batch["status"], "failed"))["name"]
        failed.update({count["values"]: count["counts"] for count in pc.value_counts(names).to_pylist()})
    return _sum_by_medium(pa.concat_tables([*parts, _count_failed_rules(run_dir)])), failed


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
