"""Write an ad in a page as a table for people."""

from __future__ import annotations

from mediaan.cli.output.table import table_lines
from mediaan.report.formatting import format_number
from mediaan.studies.context.result import ContextPosition, ContextResult
from mediaan.studies.context.specs import SPECS

_METRICS = ("attention", "percentage_seen", "time_spent", "average_place", "ratio_to_average", "ratio_to_others")


def context_as_text(result: ContextResult) -> str:
    """Say how the ad does, by position, and what to keep in mind."""
    names = [name for name in _METRICS if any(name in position for position in result.positions)]
    specs = [SPECS[name] for name in names]
    heading = ["", *(spec.title.lower() + ("" if spec.unit == "ratio" else f", {spec.unit}") for spec in specs), ""]
    rows = [_cells(position, names) for position in result.positions]
    table = table_lines([heading, *rows], left=(0, -1))
    notes = [f"note: {problem.message}" for problem in result.problems]
    return "\n".join([result.summary, "", *table, "", *notes, *result.notes])


def _cells(position: ContextPosition, names: list[str]) -> list[str]:
    """Return the cells of a row: name, numbers with their intervals, verdict of the last ratio."""
    cells, verdict = [position.name], ""
    for metric in names:
        score = position.get(metric)
        text = "" if score is None else format_number(score.value, score.unit)
        if score is not None and score.lo is not None:
            text += f" ({format_number(score.lo, score.unit)}–{format_number(score.hi, score.unit)})"
            verdict = score.verdict or verdict
        cells.append(text)
    return [*cells, verdict]
