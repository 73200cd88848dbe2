"""Rate the scores of a run against their populations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any
from uuid import UUID

from mediaan.judge.benchmark.ranges import rate_scores, recommended_ranges
from mediaan.judge.checks import check_specs, derived_expressions, evaluate_checks
from mediaan.judge.rules.derived import needed_tables
from mediaan.run import Run, read_run
from mediaan.run.tables.reading import ROWS_AT_ONCE, read_ranges
from mediaan.run.tables.rows import Columns
from mediaan.run.tables.writing import TableWriter, replace_ranges
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.checks import CheckResult
from mediaan.types.result import Result
from mediaan.workflow.rating.populations import AUTO, Populations, Standards, measured_scores
from mediaan.workflow.rating.run_populations import load_populations, rating_arguments


def rate_run(
    run_dir: str | Path, choice: str = AUTO, despite: str = "", attributes: str | Path | None = None
) -> Populations:
    """Rate the scores of a finished run against norm sets, in place of the earlier rating.

    The tables `benchmark_ranges` and `checks` are written again, and `run.json` says which norm sets were used and
    which were refused. The report is not.

    Parameters
    ----------
    run_dir : path
    choice, despite, attributes
        As `load_populations` takes them.

    Returns
    -------
    Populations

    Raises
    ------
    UsageError
        No run; no such norm set; one that was named does not fit (code norms_mismatch).
    """
    run = read_run(run_dir)
    populations = load_populations(run, choice, despite, attributes)
    standards = Standards(populations, run.metadata.targets)
    with TableWriter(run.path / "tables", "checks", ROWS_AT_ONCE) as checks:
        count = replace_ranges(run.path, _ranges_and_checks(run, standards, checks))
        run.metadata.updated(benchmark=populations.facts() | {"ranges": count}).write(run.path)
        checks.finish()
        checks.publish()
    return populations


def recommended_ranges_of(run_dir: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the recommended ranges of each medium of a run as the v2 service gives them, with its id and path."""
    media = read_run(run_dir).media.drop_duplicates("medium_id").set_index("medium_id")
    for medium_id, ranges in groupby(read_ranges(Path(run_dir)), attrgetter("medium_id")):
        yield {"media_id": medium_id, "path": media["path"][medium_id], **recommended_ranges(ranges)}


def rate_again(run_dir: str | Path) -> Populations:
    """Rate a run whose scores have changed, in the same way as before."""
    return rate_run(run_dir, **rating_arguments(read_run(run_dir)))


def check_rating(run: Run) -> None:
    """Refuse before the work what `rate_again` would refuse after it.

    Raises UsageError: a norm set or table that the run was rated with is not there any more.
    """
    load_populations(run, **rating_arguments(run))


def _ranges_and_checks(run: Run, standards: Standards, checks: TableWriter) -> Iterator[BenchmarkRange]:
    """Yield the ranges of each medium, its own and then those of its AOIs, and write its checks, which follow."""
    seen: set[UUID] = set()
    tables, _ = needed_tables(derived_expressions(check_specs()))
    for result in run.results(tables):
        if result.medium.medium_id in seen:
            continue
        seen.add(result.medium.medium_id)
        ranges = tuple(rate_scores(measured_scores(result), standards.of))
        checks.add(check_columns(replace(result, ranges=ranges)))
        yield from ranges


_COLUMNS = (*(field.name for field in fields(CheckResult)), "sure")


def check_columns(result: Result) -> Columns:
    """Check a medium, with its benchmark ranges, and return its part of the table ``checks``, column by column."""
    checks = evaluate_checks(result)
    columns = {name: [getattr(check, name) for check in checks] for name in _COLUMNS}
    return {"medium_id": [str(result.medium.medium_id)] * len(checks), **columns}
