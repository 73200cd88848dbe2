"""Check media against what ads of their purpose need."""

from __future__ import annotations

from dataclasses import fields

from mediaan.judge.checks import evaluate_checks
from mediaan.run.tables.rows import Columns
from mediaan.types.checks import CheckResult
from mediaan.types.result import Result

_COLUMNS = (*(field.name for field in fields(CheckResult)), "sure")


def check_columns(result: Result) -> Columns:
    """Check a medium, with its benchmark ranges, and return its part of the table ``checks``, column by column."""
    checks = evaluate_checks(result)
    columns = {name: [getattr(check, name) for check in checks] for name in _COLUMNS}
    return {"medium_id": [str(result.medium.medium_id)] * len(checks), **columns}
