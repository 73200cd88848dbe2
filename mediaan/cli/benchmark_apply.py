"""`mediaan benchmark apply`: a finished run rated anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from mediaan.cli import complete, options
from mediaan.types.counts import media_count


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--benchmark",
    metavar="NAME",
    shell_complete=complete.benchmark,
    help="What scores are compared with: auto, none, or a norm set: a name from `mediaan benchmark list`, or its file."
    "  [default: as before]",
)
@options.benchmark_despite
@click.option(
    "--attributes",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV that says more of each file: what norm sets are divided by.",
)
@click.option("--json", "as_json", is_flag=True, help="Print recommended ranges as the v2 service does, by medium.")
@click.option("--quiet", "-q", is_flag=True, help="No summary.")
def apply(
    run: Path, benchmark: str | None, benchmark_despite: str | None, attributes: Path | None, as_json: bool, quiet: bool
) -> None:
    """Say where the scores of RUN stand, in the place of what was said before, and write its report again.

    No medium is looked at again. Rules of the run are held against it again.
    """
    import json

    from mediaan.workflow.ranges import recommended_ranges_of, write_ranges

    facts = write_ranges(run, benchmark, benchmark_despite or "", attributes)
    if as_json:
        for row in recommended_ranges_of(run):
            click.echo(json.dumps(row, ensure_ascii=False))
    elif not quiet:
        for line in benchmark_lines(facts):
            click.echo(line)
        click.echo(f"report: {run / 'report' / 'index.html'}")


def benchmark_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """What a run was compared with, and what could not be, from what `run.json` says of it.

    Examples
    --------
    >>> used = {"name": "ads", "title": "Print ads", "n": 198, "media": 12}
    >>> list(benchmark_lines({"norm_sets": [used], "refused": []}))
    ['12 media compared with 198 of ads (Print ads)']
    """
    for one in facts["norm_sets"]:
        yield f"{media_count(one['media'])} compared with {one['n']} of {one['name']} ({one['title']})"
    for one in facts.get("rescored", ()):
        seen = f"as seen in {one['exposure_s']:g} s"
        yield f"areas of {media_count(one['media'])} compared with those of {one['norm_set']} {seen}"
    for one in facts["refused"]:
        what = "areas of " if one["what"] == "aois" else ""
        yield f"{what}{media_count(one['media'])} not compared with {one['norm_set']}: {one['reason']}"
