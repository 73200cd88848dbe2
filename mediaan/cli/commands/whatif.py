"""`mediaan whatif`: edit an image, and see how its scores change."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import options
from mediaan.cli.main import EXIT_SOME_FAILED
from mediaan.cli.options import EXISTING_FILE, FOLDER
from mediaan.cli.table import table_lines
from mediaan.errors import MediumError, UsageError

if TYPE_CHECKING:
    from mediaan.types.edits import Change, Edit, WhatIf
    from mediaan.types.media import Purpose

_EDITS = ("remove", "scale", "move", "grey", "blur", "contrast")
_ORDER = "mediaan.whatif.order"


class _InOrder(click.Command):
    """Remembers in which order options were given, also across different options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        ctx.meta[_ORDER] = [param.name for param in order if param.name in _EDITS]
        return super().parse_args(ctx, args)


@click.command(cls=_InOrder)
@click.argument("picture", metavar="IMAGE", type=EXISTING_FILE)
@click.option("--remove", multiple=True, metavar="AOI", help="Remove an area and fill the gap with its background.")
@click.option(
    "--scale", multiple=True, nargs=2, metavar="AOI FACTOR", help="Resize an area; 1.5 makes it half as large again."
)
@click.option(
    "--move",
    multiple=True,
    nargs=2,
    metavar="AOI X,Y",
    help="Move an area's centre to X,Y: 0,0 is the top left, 1,1 the bottom right.",
)
@click.option("--grey", multiple=True, metavar="AOI", help="Remove the colour of an area.")
@click.option("--blur", multiple=True, metavar="AOI", help="Blur an area until nobody can read or recognize it.")
@click.option(
    "--contrast",
    multiple=True,
    nargs=2,
    metavar="AOI FACTOR",
    help="Multiply the contrast between an area and its background.",
)
@click.option(
    "--aois",
    default="all",
    metavar="all|text|objects|none|FILE|RUN",
    help="Areas to find, a file of areas that you drew, or a run that holds the image.",
)
@options.brand
@click.option("--out", type=FOLDER, metavar="DIR", help="Write images, a page and JSON here.")
@click.option(
    "--purpose",
    type=click.Choice(["brand_building", "conversion"]),
    help="What the image is for: warns when an edit removes what that needs.  [default: as in the run]",
)
@click.option("--all", "everything", is_flag=True, help="Also show scores without a clear change.")
@options.domain
@options.model
@options.detector
@options.device
@options.json_lines
def whatif(
    picture: Path,
    aois: str,
    brand: str | None,
    out: Path | None,
    purpose: Purpose | None,
    everything: bool,
    as_json: bool,
    **values: Any,
) -> int:
    """Edit IMAGE, and show which of its scores, and those of its areas, change.

    \b
    mediaan whatif ad.png                               list its areas
    mediaan whatif ad.png --scale branding 1.5          enlarge the logo
    mediaan whatif ad.png --remove product:2 --out edit

    AOI is a type (branding; product:2 for the second product by attention), a label, an id or its first characters, or
    a box x0,y0,x1,y1 with values from 0 to 1. Options can be repeated, and apply in the order you give them. Names
    refer to the areas before the first edit.
    """
    from mediaan.run.files import check_own_folder
    from mediaan.studies.whatif import FACTS_FILE, apply_edits, open_editable, write_folder

    edits = in_order(click.get_current_context().meta[_ORDER], {name: values.pop(name) for name in _EDITS})
    if out is not None:
        check_own_folder(out, FACTS_FILE)
    try:
        canvas = open_editable(picture, *options.read_models(values), aois=aois, brand=brand, purpose=purpose)
    except MediumError as error:
        click.echo(f"{picture}: {error.message.removeprefix(f'{picture.name}: ')}", err=True)
        return EXIT_SOME_FAILED
    if not edits:
        click.echo(json.dumps(canvas.to_dict()) if as_json else canvas.list_of_aois())
        return 0
    result = apply_edits(canvas, edits)
    if out is not None:
        page = write_folder(result, out)
    click.echo(json.dumps(result.to_dict()) if as_json else whatif_as_text(result, everything=everything))
    if out is not None and not as_json:
        click.echo(f"\npage: {page}")
    return 0


def in_order(order: Sequence[str], given: dict[str, tuple[Any, ...]]) -> list[Edit]:
    """Return the edits of the options, one of each name in `order`."""
    from mediaan.types.edits import Edit

    values = {name: iter(listed) for name, listed in given.items()}
    edits = []
    for action in order:
        match action, next(values[action]):
            case ("scale" | "contrast") as resized, (str(aoi), str(factor)):
                edits.append(Edit(resized, aoi, factor=_numbers(f"--{resized} {aoi} {factor}", factor, 1)[0]))
            case "move", (str(aoi), str(place)):
                x, y = _numbers(f"--move {aoi} {place}", place, 2)
                edits.append(Edit("move", aoi, to=(x, y)))
            case ("remove" | "grey" | "blur") as plain, str(aoi):
                edits.append(Edit(plain, aoi))
            case _:
                raise UsageError(f"--{action}: cannot be understood", code="bad_edit")
    return edits


def _numbers(shown: str, text: str, count: int) -> list[float]:

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        wanted = "a number such as 1.3" if count == 1 else "X,Y such as 0.8,0.25"
        raise UsageError(f"{shown}: {text!r} is not {wanted}", code="bad_edit")
    return numbers


_COLUMNS = ("", "before", "after", "change", "90 % interval", "")
_SHOWN = {
    "attention": "attention, %",
    "percentage_seen": "seen by, % of viewers",
    "time_spent": "time spent, s",
    "lift": "lift, times",
}

_Row = tuple[str, ...]


def whatif_as_text(result: WhatIf, *, everything: bool = False) -> str:
    """Say what was done and what is lost by it, the scores that change, and what to keep in mind.

    `everything`: whether to show scores without a clear change too: all of the image, and four of each area.
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
    of_medium = [(change.metric, change) for change in result.changes if change.aoi_id is None]
    for name, changes in (("", of_medium), *_of_areas(result)):
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
    for aoi, values in sorted(areas, key=lambda area: area[0].aoi_id not in result.touched):
        removed = " (removed)" if result.removed(aoi.aoi_id) else ""
        yield (
            f"{names[aoi.aoi_id]}{removed}",
            [(f"  {shown}", values[metric, "total"]) for metric, shown in _SHOWN.items()],
        )


def _cells(name: str, change: Change) -> _Row:
    from mediaan.report.formatting import format_number

    before, after = (format_number(value, change.unit) for value in (change.before, change.after))
    difference, lo, hi = (
        format_number(value, change.unit, signed=True) for value in (change.change, change.lo, change.hi)
    )
    return name, before, after, difference, f"{lo} to {hi}" if change.bounds else "", change.verdict
