"""`mediaan place`: how placements show ads."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import complete, options
from mediaan.cli.main import EXIT_SOME_FAILED
from mediaan.cli.options import EXISTING_FILE, FOLDER, PATH
from mediaan.cli.table import table_lines
from mediaan.errors import MediumError, UsageError

if TYPE_CHECKING:
    from mediaan.analysis.options import Device
    from mediaan.types.placement import Placement
    from mediaan.workflow.placements import PlacedFile


@click.command()
@click.argument("ads", nargs=-1, metavar="[AD|RUN]...", type=PATH)
@click.option(
    "--as",
    "names",
    multiple=True,
    metavar="PLACEMENT",
    shell_complete=complete.placement,
    help="A placement, such as instagram_story; can be repeated.",
)
@click.option("--platform", metavar="NAME", help="The usual placement of this platform, such as tiktok.")
@click.option("--placements", "placements_file", type=EXISTING_FILE, help="Your own placements: a YAML or TOML file.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Write an image of each ad in its placements here.")
@click.option("--format", "form", type=click.Choice(["png", "webp"]), default="png", help="Format of these images.")
@click.option(
    "--exposure",
    type=click.FloatRange(0, 60, min_open=True),
    metavar="SECONDS",
    help="How long an image is looked at.  [default: as usual in each placement]",
)
@options.brand
@click.option("--list", "listed", is_flag=True, help="List all placements with size, crop and what is covered.")
@options.device
@options.json_lines
def place(
    ads: tuple[Path, ...],
    names: tuple[str, ...],
    platform: str | None,
    placements_file: Path | None,
    out: Path | None,
    form: str,
    exposure: float | None,
    brand: str | None,
    listed: bool,
    device: Device,
    as_json: bool,
) -> int:
    """Show how placements crop, cover and shrink each AD, or the ads of a RUN.

    \b
    mediaan place ad.png --as instagram_story --as leaderboard
    mediaan place ad.png --platform tiktok --out previews
    mediaan place mediaan-run            as its objectives say
    mediaan place --list

    Files are analyzed first; those of a run are not analyzed again.
    """
    from mediaan.run.directory import is_run
    from mediaan.workflow.placements import PlacedFile, analyzed, find_placements, placed_result, shown_picture

    if listed:
        from mediaan.workflow.placements import listed_placements

        available = listed_placements(placements_file)
        click.echo(json.dumps(listed_as_json(available)) if as_json else listed_as_text(available))
        return 0
    if not ads:
        raise UsageError("name an ad or a run, or list placements with --list", code="no_paths")
    placements, status = find_placements(names, platform, placements_file), 0
    show = partial(_show, out=out, form=form, as_json=as_json)
    for ad in ads:
        if is_run(ad):
            _show_run(ad, placements, show)
            continue
        if not placements:
            raise UsageError(
                "in what placement? Name one with --as or --platform; --list shows all", code="no_placement"
            )
        try:
            placed = placed_result(analyzed(ad, brand=brand, device=device), placements, exposure)
            at_s = next((medium.worst_s for medium in placed if medium.worst_s is not None), None)
            picture = shown_picture(ad, at_s) if out is not None else None
        except MediumError as error:
            click.echo(f"{ad}: {error.message.removeprefix(f'{ad.name}: ')}", err=True)
            status = EXIT_SOME_FAILED
            continue
        show(PlacedFile(str(ad), placed, picture, at_s))
    return status


def _show_run(folder: Path, placements: Sequence[Placement], show: Callable[[PlacedFile], None]) -> None:
    """Show each file of a run that has a placement."""
    from mediaan.run.reader import read_run
    from mediaan.workflow.placements import place_run

    run, count = read_run(folder), 0
    for file in place_run(run, placements):
        show(file)
        count += 1
    if not count and not run.facts["counts"]["done"]:
        raise UsageError(f"{folder}: no file of this run was analyzed", code="no_media")
    if not count:
        raise UsageError(
            f"{folder}: no file has a placement; name one with --as, or state placement in its objectives",
            code="no_placement",
        )


def _show(file: PlacedFile, out: Path | None, form: str, *, as_json: bool) -> None:
    """Print what was found in a file, and write its sheet."""
    from mediaan.maps.encode import encode_image
    from mediaan.run.files import make_folder, write_atomic
    from mediaan.workflow.placements import placement_sheet

    sheet: Path | None = None
    if out is not None and file.picture is not None:
        make_folder(out)
        sheet = out / f"{Path(file.path).stem}_placements.{form}"
        pixels = placement_sheet(file.path, file.placed, file.picture, file.at_s)
        write_atomic(sheet, encode_image(pixels, "webp" if form == "webp" else "png", 90))
    if as_json:
        facts: dict[str, Any] = {"path": file.path, "placements": [placed.to_dict() for placed in file.placed]}
        click.echo(json.dumps(facts | {"sheet": None if sheet is None else str(sheet)}))
        return
    click.echo(placed_as_text(file))
    if sheet is not None:
        click.echo(f"  preview: {sheet}")
    elif out is not None:
        click.echo("  no preview: the run kept no images (--maps none)", err=True)


def placed_as_text(file: PlacedFile) -> str:
    """Write what is wrong with a file in each of its placements."""
    from mediaan.placements.placed import findings_by_line

    lines = [file.path]
    for placed in file.placed:
        lines.append(f"  {placed.placement.title}")
        lines += [f"    {line}" for line in findings_by_line(placed)]
    return "\n".join(lines)


def listed_as_text(placements: Mapping[str, Placement]) -> str:
    """List placements with platform, size, fit, covered zones, and the source of these."""
    heading = ("name", "platform", "size", "distance", "fit", "covered by", "looked at", "date")
    rows = [heading]
    for name, placement in placements.items():
        css_px = placement.css_px
        tall = f"{placement.height_mm:.0f}" if css_px is None else f"{css_px[1]:.0f}"
        if placement.fit == "column" and placement.shapes[0] < 0.1:
            tall = "any"
        size = f"{placement.width_mm:.0f} x {tall} mm" if css_px is None else f"{css_px[0]:.0f} x {tall} px"
        zones = ", ".join(zone.title for zone in placement.zones) or "-"
        seconds = "-" if placement.exposure_s is None else f"{placement.exposure_s:g} s"
        rows.append(
            (
                name,
                placement.platform,
                size,
                f"{placement.distance_mm / 1000:g} m",
                placement.fit,
                zones,
                seconds,
                placement.date,
            )
        )
    note = "Sources: mediaan place --list --json. What they mean: docs/placements.md."
    return "\n".join([*table_lines(rows, left=range(len(heading))), "", note])


def listed_as_json(placements: Mapping[str, Placement]) -> list[dict[str, Any]]:
    """Return all facts of placements as plain values; zones as left, top, right, bottom of the slot, 0-1."""
    rows = []
    for placement in placements.values():
        facts = asdict(placement) | {"zones": {zone.name: list(zone.box) for zone in placement.zones}}
        facts["shapes"] = [None if math.isinf(side) else side for side in placement.shapes]
        facts["css_px"] = None if placement.css_px is None else list(placement.css_px)
        rows.append(facts)
    return rows
