"""Write an ad in its context as a table for people."""

from __future__ import annotations

from mediaan.cli.output.table import table_lines
from mediaan.report.formatting import format_number
from mediaan.studies.context.result import ContextPosition, ContextResult
from mediaan.studies.context.specs import SPECS

_SHOWN = {
    "page": ("attention", "percentage_seen", "time_spent", "average_place", "ratio_to_average", "ratio_to_others"),
    "feed": ("attention", "percentage_seen", "time_spent", "others", "ratio_to_others"),
    "shelf": ("attention", "percentage_seen", "shelf_share", "ratio_to_equal_share", "ratio_to_others"),
}


def context_as_text(result: ContextResult) -> str:
    """Say how the ad does, by position, and what to keep in mind."""
    names = [name for name in _SHOWN[result.kind] if any(name in one for one in result.positions)]
    specs = [SPECS[name] for name in names]
    heading = ["", *(one.title.lower() + ("" if one.unit == "ratio" else f", {one.unit}") for one in specs), ""]
    rows = [_cells(one, result.path, names) for one in result.positions]
    table = table_lines([heading, *rows], left=(0, -1))
    notes = [f"note: {problem.message}" for problem in result.problems]
    return "\n".join([result.summary, "", *table, "", *notes, *result.notes])


def _cells(one: ContextPosition, ad: str, names: list[str]) -> list[str]:
    """Return the cells of a row: name, numbers with their intervals, verdict of the last ratio."""
    name = f"{one.view}, {one.name}" if one.view else one.name
    cells = [name if one.item == ad else f"{name}: {one.item}"]
    verdict = ""
    for metric in names:
        score = one.get(metric)
        text = "" if score is None else format_number(score.value, score.unit)
        if score is not None and score.lo is not None:
            text += f" ({format_number(score.lo, score.unit)}–{format_number(score.hi, score.unit)})"
            verdict = score.verdict or verdict
        cells.append(text)
    return [*cells, verdict]
