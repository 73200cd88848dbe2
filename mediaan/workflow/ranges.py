"""Rate a finished run against other norm sets, with all that follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mediaan.report.write import refresh_report
from mediaan.run import read_run
from mediaan.run.changes import end_change, open_for_change
from mediaan.workflow.rating.populations import AUTO, NONE
from mediaan.workflow.rating.ranges import rate_run
from mediaan.workflow.rating.rules import refresh_rule_results
from mediaan.workflow.rating.run_populations import rating_arguments


def write_ranges(
    run_dir: str | Path, choice: str | None = AUTO, despite: str = "", attributes: str | Path | None = None
) -> dict[str, Any]:
    """Rate a finished run again, with all that follows from it: results of its rules, and the report.

    Parameters and errors are those of `rate_run`; where `choice` is None the run is rated as it was before, and
    automatically if it was compared with nothing.

    Returns: what `run.json` says of it.
    """
    arguments: dict[str, Any] = {"choice": choice, "despite": despite, "attributes": attributes}
    with open_for_change(run_dir) as run:
        if choice is None:
            before = rating_arguments(run)
            kept = before if before.get("choice") != NONE else {}
            arguments = {"choice": AUTO, **kept, **{key: value for key, value in arguments.items() if value}}
        populations = rate_run(run_dir, **arguments)
        refresh_rule_results(read_run(run_dir))
        refresh_report(read_run(run.path))
        end_change(run.path)
    return populations.facts()
