"""Check the media of a run against what ads of their purpose need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from mediaan.judge.checks import evaluate_checks
from mediaan.judge.checks.evaluate import derived_expressions
from mediaan.judge.checks.specs import check_specs
from mediaan.judge.rules.derived import needed_tables
from mediaan.run import Run
from mediaan.run.results import read_results
from mediaan.run.tables.writing import replace_table
from mediaan.types.checks import CheckResult

_COLUMNS = tuple(field.name for field in fields(CheckResult))


def write_checks(run: Run) -> None:
    """Check the media of a run, and put the results in the place of those that its table holds.

    Parameters
    ----------
    run : Run
        With its benchmark ranges written.
    """
    replace_table(run.path, "checks", _rows(run))


def _rows(run: Run) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    tables, metrics = needed_tables(derived_expressions(check_specs()))
    metrics |= {"attention"}  # which makes an area the main one
    for result in read_results(run, [*tables, "benchmark_ranges"], metrics=metrics):
        medium_id = str(result.medium.medium_id)
        if medium_id in seen:
            continue
        seen.add(medium_id)
        for check in evaluate_checks(result):
            yield {"medium_id": medium_id, "sure": check.sure} | {name: getattr(check, name) for name in _COLUMNS}
