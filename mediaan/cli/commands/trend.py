"""`mediaan trend`: scores of runs over time."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from mediaan.cli import complete, options


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--date",
    required=True,
    metavar="COLUMN|path|run",
    help="Where dates come from: a column of --attributes, names of folders and files, or when each run was made.",
)
@click.option(
    "--attributes",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="CSV with a column that names files, and others such as dates or campaigns.",
)
@click.option("--by", metavar="KEY", help="One line for each value of a column, a setting of objectives, or a folder.")
@click.option(
    "--period",
    type=click.Choice(["auto", "day", "week", "month", "quarter", "year"]),
    default="auto",
    show_default=True,
    help="Length of a period; auto: the one that gives about twelve periods.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    shell_complete=complete.metric,
    help="Only this score; can be repeated.",
)
@click.option(
    "--time",
    type=click.Choice(["total", "start", "end"]),
    default="total",
    show_default=True,
    help="Part of the exposure: all of it, its first or its last two seconds.",
)
@click.option(
    "--aoi",
    default="branding",
    show_default=True,
    metavar="TYPE",
    help="Type of AOI to follow, or none.",
)
@click.option("--type", "type_", type=click.Choice(["image", "video", "mixed"]), help="Only files of this type.")
@click.option(
    "--split",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Compare the time before this day with the time from this day on, instead of fitting lines.",
)
@click.option(
    "--despite", metavar="REASON", help="Combine runs that were measured differently; the notes keep the reason."
)
@options.json_lines
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write a page with charts (index.html) and every mean (trend.parquet) here.",
)
def trend(
    type_: Any, split: datetime | None, despite: str | None, as_json: bool, out: Path | None, **options: Any
) -> None:
    """Follow scores and the attention to brands over time, in one or more runs.

    A straight line through the means shows whether a score rises or falls by more than chance, corrected for the number
    of scores.
    """
    import json

    from mediaan.cli.output.trend_output import trends_as_text
    from mediaan.run.files import check_own_folder
    from mediaan.studies.trend.page import TABLE_FILE, write_folder
    from mediaan.studies.trend.workflow import trend as follow

    if out:
        check_own_folder(out, TABLE_FILE)
    found = follow(type=type_, split=split.date() if split else None, despite=despite or "", **options)
    if out:
        write_folder(found, out)
    click.echo(json.dumps(found.to_dict()) if as_json else trends_as_text(found))
