"""Write the changes that an edit brings as a table for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mediaan.cli.output.table import table_lines
from mediaan.types.edits import Change, WhatIf

_COLUMNS = ("", "before", "after", "change", "90 % interval", "")
_SHOWN = {"attention": "attention, %", "percentage_seen": "seen by, % of viewers", "time_spent": "time spent, s"}

_Row = tuple[str, ...]


def whatif_as_text(result: WhatIf, *, everything: bool = False) -> str:
    """Say what was done and what is lost by it, the scores that change, and what to keep in mind.

    Parameters
    ----------
    result : WhatIf
    everything : bool
        Whether to show scores without a clear change too: all of the image, and three of each area.
    """
    heading = f"{result.path}: " + ", then ".join(str(edit) for edit, _ in result.edits)
    rows, quiet = _rows(result, everything=everything)
    lines = [heading, *result.lost, ""]
    if rows:
        lines += [*table_lines([_COLUMNS, *rows], left=(0, -1)), ""]
    if quiet:
        lines.append(f"{quiet} {'other numbers' if rows else 'numbers'}: no clear change (--all shows them)")
    notes = [f"note: {problem.message}" for problem in result.problems]
    legend = (
        f"90 % interval: how far the change varies over {result.views} versions of both images, not between people.",
        "The edit itself can leave traces that change scores: look at the image (--out DIR).",
    )
    return "\n".join([*lines, *notes, *legend])


def _rows(result: WhatIf, *, everything: bool) -> tuple[list[_Row], int]:
    """Return rows to show, and how many are left out."""
    shown, quiet = list[_Row](), 0
    own = [(change.metric, change) for change in result.changes if change.aoi_id is None]
    for name, changes in (("", own), *_of_areas(result)):
        told = [_cells(metric, change) for metric, change in changes if everything or change.is_told]
        quiet += len(changes) - len(told)
        if name and told:
            shown.append((name, *[""] * (len(_COLUMNS) - 1)))
        shown += told
    return shown, quiet


def _of_areas(result: WhatIf) -> Iterator[tuple[str, list[tuple[str, Change]]]]:
    """Yield names of areas, as edits name them, with their changes over the whole exposure; edited ones come first."""
    areas = [(aoi, result.of(aoi.aoi_id)) for aoi in result.aois]
    areas.sort(key=lambda area: -(area[1]["attention", "total"].before or 0.0))
    counts = Counter[str]()
    names = {}
    for aoi, _ in areas:
        counts[aoi.type] += 1
        label = f" {aoi.label[:30]!r}" if aoi.label and aoi.label != aoi.type else ""
        names[aoi.aoi_id] = f"{aoi.type}:{counts[aoi.type]}{label}"
    for aoi, found in sorted(areas, key=lambda area: area[0].aoi_id not in result.touched):
        removed = " (removed)" if result.removed(aoi.aoi_id) else ""
        yield (
            f"{names[aoi.aoi_id]}{removed}",
            [(f"  {shown}", found[metric, "total"]) for metric, shown in _SHOWN.items()],
        )


def _cells(name: str, change: Change) -> _Row:
    decimals = 2 if change.unit in ("s", "ratio") else 1
    before, after = (_number(value, decimals) for value in (change.before, change.after))
    interval = ""
    if change.lo is not None and change.hi is not None:
        interval = f"{_signed(change.lo, decimals)} to {_signed(change.hi, decimals)}"
    return name, before, after, _signed(change.change, decimals), interval, change.verdict


def _number(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"


def _signed(value: float | None, decimals: int) -> str:
    if value is None:
        return "–"
    rounded = round(value, decimals) + 0.0  # no minus zero
    return f"{rounded:+.{decimals}f}" if rounded else f"{rounded:.{decimals}f}"
