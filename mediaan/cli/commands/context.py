"""`mediaan context`: show an ad in a page, and measure the attention it gets there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import complete, options
from mediaan.cli.main import EXIT_SOME_FAILED
from mediaan.cli.options import EXISTING_FILE, EXISTING_PATH, FOLDER
from mediaan.cli.table import table_lines
from mediaan.errors import MediumError

if TYPE_CHECKING:
    from mediaan.studies.context.result import ContextPosition, ContextResult


@click.group()
def context() -> None:
    """Show an ad in a page, and the attention it gets there.

    \b
    mediaan context page ad.png --screenshot page.png --at 100,50,300,250

    All numbers are estimates.
    """


@context.command()
@click.argument("ad", metavar="AD", type=EXISTING_FILE)
@click.option(
    "--screenshot", required=True, type=EXISTING_FILE, metavar="IMAGE", help="Image of the page, one screen of it."
)
@click.option(
    "--at",
    "at",
    multiple=True,
    required=True,
    metavar="X,Y,WIDTH,HEIGHT",
    help="Place of the ad, in pixels of the screenshot or in %; can be repeated.",
)
@click.option(
    "--content", is_flag=True, help="The image is content of the page: do not lower its attention, as for display ads."
)
@click.option("--others", type=EXISTING_PATH, metavar="FOLDER|RUN", help="Other images to show in the same places.")
@click.option("--draws", type=click.IntRange(4, 100), default=12, help="Number of draws of other images.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Seed of the draws.")
@click.option(
    "--exposure",
    "exposure_s",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    metavar="SECONDS",
    help="How long people look.",
)
@click.option(
    "--domain",
    metavar="photo|ad|design|page",
    shell_complete=complete.domain,
    help="Type of image as which attention is predicted.  [default: page]",
)
@click.option("--out", type=FOLDER, metavar="DIR", help="Write images, a page, a table and JSON here.")
@options.model
@options.device
@options.json_lines
def page(
    ad: Path,
    screenshot: Path,
    at: tuple[str, ...],
    content: bool,
    others: Path | None,
    out: Path | None,
    as_json: bool,
    **more: Any,
) -> int:
    """Show AD in a screenshot of a page.

    \b
    mediaan context page ad.png --screenshot page.png --at 100,50,300,250
    mediaan context page ad.png --screenshot page.png --at 70%,10%,25%,40% --others ads --out page

    The ad is shown at each place in turn, as large as it fits, and compared with an average page and with the page
    before. Give one screen of a page, not all of a long one.
    """
    from mediaan.run.files import check_own_folder
    from mediaan.studies.context.page import FACTS_FILE, write_folder
    from mediaan.studies.context.workflow import in_page

    if out is not None:
        check_own_folder(out, FACTS_FILE)
    try:
        result = in_page(ad, screenshot, at, display_ad=not content, others=others, **more)
    except MediumError as error:
        click.echo(error.message, err=True)
        return EXIT_SOME_FAILED
    if out is not None:
        written = write_folder(result, out)
    click.echo(json.dumps(result.to_dict()) if as_json else context_as_text(result))
    if not as_json:
        click.echo(f"\npage: {written}" if out is not None else "\nFor a page with images: --out DIR")
    return 0


_METRICS = ("attention", "percentage_seen", "time_spent", "average_place", "ratio_to_average", "ratio_to_others")


def context_as_text(result: ContextResult) -> str:
    """Say how the ad does, by position, and what to keep in mind."""
    from mediaan.studies.context.result import SPECS

    names = [name for name in _METRICS if any(name in position for position in result.positions)]
    specs = [SPECS[name] for name in names]
    heading = ["", *(spec.title.lower() + ("" if spec.unit == "ratio" else f", {spec.unit}") for spec in specs), ""]
    rows = [_cells(position, names) for position in result.positions]
    table = table_lines([heading, *rows], left=(0, -1))
    notes = [f"note: {problem.message}" for problem in result.problems]
    return "\n".join([result.summary, "", *table, "", *notes, *result.notes])


def _cells(position: ContextPosition, names: list[str]) -> list[str]:
    """Return the cells of a row: name, numbers with their intervals, verdict of the last ratio."""
    from mediaan.report.formatting import format_number

    cells, verdict = [position.name], ""
    for metric in names:
        score = position.get(metric)
        text = "" if score is None else format_number(score.value, score.unit)
        if score is not None and score.lo is not None:
            text += f" ({format_number(score.lo, score.unit)}–{format_number(score.hi, score.unit)})"
            verdict = score.verdict or verdict
        cells.append(text)
    return [*cells, verdict]
