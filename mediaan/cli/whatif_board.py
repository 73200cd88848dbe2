"""The changes that an edit brings as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mediaan.types.change import Change, WhatIf

_COLUMNS = ("", "before", "after", "change", "90 % interval", "")
_SHOWN = {"attention": "attention, %", "percentage_seen": "seen by, %", "time_spent": "time spent, s"}


def whatif_as_text(result: WhatIf) -> str:
    """What was done, the picture's scores, the areas' scores over the whole exposure, and what to keep in mind."""
    heading = f"{result.path}: " + ", then ".join(str(edit) for edit, _ in result.edits)
    rows = [_COLUMNS, *_rows(result)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    lines = [_line(row, widths) for row in rows]
    notes = [f"note: {problem.message}" for problem in result.problems]
    return "\n".join([heading, "", *lines, "", *notes, _what_it_is(result.views)])


def _what_it_is(views: int) -> str:
    return (
        f"Intervals: repeatability of the change over {views} views of both pictures, not a promise about people.\n"
        "Scores may answer to traces of the edit itself: look at the picture (--out)."
    )


def _rows(result: WhatIf) -> Iterator[tuple[str, ...]]:
    for change in result.changes:
        if change.aoi_id is None:
            yield _cells(change.metric, change)
    for aoi in sorted(result.aois, key=lambda aoi: aoi.aoi_id not in result.touched):
        name = f"{aoi.type} {aoi.label[:30]!r}" if aoi.label else aoi.type
        yield (f"{name} (removed)" if result.removed(aoi.aoi_id) else name, *[""] * (len(_COLUMNS) - 1))
        found = result.of(aoi.aoi_id)
        for metric, shown in _SHOWN.items():
            yield _cells(f"  {shown}", found[metric, "total"])


def _cells(name: str, change: Change) -> tuple[str, ...]:
    decimals = 2 if change.unit in ("s", "ratio") else 1
    before, after = (_number(value, decimals) for value in (change.before, change.after))
    interval = ""
    if change.lo is not None and change.hi is not None:
        interval = f"{_signed(change.lo, decimals)} to {_signed(change.hi, decimals)}"
    return name, before, after, _signed(change.change, decimals), interval, change.verdict


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *numbers, last = (
        cell.ljust(width) if i in (0, len(row) - 1) else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join([first, *numbers, last]).rstrip()


def _number(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"


def _signed(value: float | None, decimals: int) -> str:
    if value is None:
        return "–"
    rounded = round(value, decimals) + 0.0  # no minus zero
    return f"{rounded:+.{decimals}f}" if rounded else f"{rounded:.{decimals}f}"
