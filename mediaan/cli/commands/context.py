"""`mediaan context`: show an ad in a page, in a feed or on a shelf, and measure the attention it gets there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import complete, options
from mediaan.cli.table import table_lines

if TYPE_CHECKING:
    from mediaan.studies.context.result import ContextPosition, ContextResult

_AD = click.argument("ad", metavar="AD", type=click.Path(path_type=Path, exists=True, dir_okay=False))
_PACK = click.argument("pack", metavar="PACK", type=click.Path(path_type=Path, exists=True, dir_okay=False))
_out = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write images, a page, a table and JSON here.",
)
_seed = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the draws.")
_exposure = click.option(
    "--exposure",
    "exposure_s",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="How long people look.",
)


def _draws(default: int) -> Callable[[Any], Any]:
    return click.option(
        "--draws",
        type=click.IntRange(4, 100),
        default=default,
        show_default=True,
        help="Number of draws of other images.",
    )


def _domain(default: str) -> Callable[[Any], Any]:
    return click.option(
        "--domain",
        metavar="photo|ad|design|page",
        shell_complete=complete.domain,
        help=f"Type of image as which attention is predicted.  [default: {default}]",
    )


@click.group()
def context() -> None:
    """Show an ad in a page, in a feed or on a shelf, and the attention it gets there.

    \b
    mediaan context page ad.png --screenshot page.png --at 100,50,300,250
    mediaan context feed ad.png --others ads
    mediaan context shelf pack.png --planogram packs

    All numbers are estimates: the model did not learn from feeds or shelves.
    """


@context.command()
@_AD
@click.option(
    "--screenshot",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="IMAGE",
    help="Image of the page, one screen of it.",
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
    "--content",
    is_flag=True,
    help="The image is content of the page: do not lower its attention, as for display ads.",
)
@click.option(
    "--others",
    type=click.Path(path_type=Path, exists=True),
    metavar="FOLDER|RUN",
    help="Other images to show in the same places.",
)
@_draws(12)
@_seed
@_exposure
@_domain("page")
@_out
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
    from mediaan.studies.context.workflow import in_page

    return _show(
        lambda: in_page(ad, screenshot, at, display_ad=not content, others=others, **more), out, as_json=as_json
    )


@context.command()
@_AD
@click.option(
    "--others",
    required=True,
    type=click.Path(path_type=Path, exists=True),
    metavar="FOLDER|RUN",
    help="Other images of the feed, at least four.",
)
@click.option(
    "--view",
    "views",
    multiple=True,
    type=click.Choice(["phone", "desktop"]),
    help="Screen to draw; can be repeated.  [default: both]",
)
@click.option(
    "--as",
    "placement",
    metavar="PLACEMENT",
    help="Placement that says width, crop and exposure, such as instagram_feed; shows a phone.",
)
@click.option(
    "--positions",
    type=click.IntRange(1, 9),
    default=3,
    show_default=True,
    help="Number of places from the top of the screen to its end.",
)
@click.option("--width", type=click.IntRange(min=1), metavar="PX", help="Width of the images.  [default: by screen]")
@_draws(12)
@_seed
@click.option(
    "--exposure",
    "exposure_s",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long people look.  [default: that of the placement, else 5]",
)
@_domain("page")
@_out
@options.model
@options.device
@options.json_lines
def feed(ad: Path, others: Path, views: tuple[str, ...], out: Path | None, as_json: bool, **more: Any) -> int:
    """Show AD in a neutral feed of other pictures.

    \b
    mediaan context feed ad.png --others ads
    mediaan context feed ad.png --others RUN --as instagram_feed --positions 5 --out feed

    The ad is shown from the top of the screen to its end, with other neighbours in every draw, and compared with other
    pictures that stand in its place.
    """
    from mediaan.studies.context.workflow import in_feed

    return _show(lambda: in_feed(ad, others, views=views or None, **more), out, as_json=as_json)


@context.command()
@_PACK
@click.option(
    "--planogram",
    required=True,
    type=click.Path(path_type=Path, exists=True),
    metavar="FOLDER|RUN|CSV",
    help="Other packs, with which shelves are filled by lot, or a planogram.",
)
@click.option("--rows", type=click.IntRange(1, 6), default=3, show_default=True, help="Shelves that are filled by lot.")
@click.option("--columns", type=click.IntRange(2, 12), default=5, show_default=True, help="Packs on each of them.")
@click.option("--trim-white", is_flag=True, help="Cut away white backgrounds of packs.")
@_draws(8)
@_seed
@_exposure
@_domain("photo")
@_out
@options.model
@options.device
@options.json_lines
def shelf(pack: Path, planogram: Path, out: Path | None, as_json: bool, **more: Any) -> int:
    """Show PACK on a shelf of packs.

    \b
    mediaan context shelf pack.png --planogram packs --rows 3 --columns 5
    mediaan context shelf pack.png --planogram planogram.csv --trim-white --out shelf

    A folder fills shelves by lot, with the pack at every place in turn. A CSV file has the columns file, row, column
    and, if wanted, facings and height_cm; it lists the pack too.
    """
    from mediaan.studies.context.workflow import on_shelf

    return _show(lambda: on_shelf(pack, planogram, **more), out, as_json=as_json)


def _show(study: Callable[[], ContextResult], out: Path | None, *, as_json: bool) -> int:
    """Run a study, print it, and write its folder."""
    from mediaan.cli.main import EXIT_SOME_FAILED
    from mediaan.errors import MediumError
    from mediaan.run.files import check_own_folder
    from mediaan.studies.context.page import FACTS_FILE, write_folder

    if out is not None:
        check_own_folder(out, FACTS_FILE)
    try:
        result = study()
    except MediumError as error:
        click.echo(error.message, err=True)
        return EXIT_SOME_FAILED
    if out is not None:
        written = write_folder(result, out)
    click.echo(json.dumps(result.to_dict()) if as_json else context_as_text(result))
    if not as_json:
        click.echo(f"\npage: {written}" if out is not None else "\nFor a page with images: --out DIR")
    return 0


_SHOWN = {
    "page": ("attention", "percentage_seen", "time_spent", "average_place", "ratio_to_average", "ratio_to_others"),
    "feed": ("attention", "percentage_seen", "time_spent", "others", "ratio_to_others"),
    "shelf": ("attention", "percentage_seen", "shelf_share", "ratio_to_equal_share", "ratio_to_others"),
}


def context_as_text(result: ContextResult) -> str:
    """Say how the ad does, by position, and what to keep in mind."""
    from mediaan.studies.context.specs import SPECS

    names = [name for name in _SHOWN[result.kind] if any(name in one for one in result.positions)]
    specs = [SPECS[name] for name in names]
    heading = ["", *(one.title.lower() + ("" if one.unit == "ratio" else f", {one.unit}") for one in specs), ""]
    rows = [_cells(one, result.path, names) for one in result.positions]
    table = table_lines([heading, *rows], left=(0, -1))
    notes = [f"note: {problem.message}" for problem in result.problems]
    return "\n".join([result.summary, "", *table, "", *notes, *result.notes])


def _cells(one: ContextPosition, ad: str, names: list[str]) -> list[str]:
    """Return the cells of a row: name, numbers with their intervals, verdict of the last ratio."""
    from mediaan.report.formatting import format_number

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
