"""`mediaan drift`: what changed between two runs of the same files."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mediaan.cli import options
from mediaan.cli.paths import check_output_path


@click.command()
@click.argument("old", metavar="RUN_A", type=click.Path(path_type=Path))
@click.argument("new", metavar="RUN_B", type=click.Path(path_type=Path))
@options.json_lines
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page (.html), or every value of both runs side by side (.parquet).",
)
@click.option(
    "--max-shift",
    type=click.FloatRange(min=0),
    metavar="POINTS",
    help="Exit code 4 when a score of 0-100 of any file moved by more, or is lost.",
)
def drift(old: Path, new: Path, as_json: bool, out: Path | None, max_shift: float | None) -> int:
    """Compare two runs of the same files: other settings, another model, or another version of the program.

    First come the settings that differ, each with both values; then how far scores moved, B minus A. Files are matched
    by their content, whatever their names.
    """
    import json

    from tqdm import tqdm

    from mediaan.cli.main import EXIT_NOT_MET
    from mediaan.cli.output.drift_output import drift_as_text
    from mediaan.studies.drift.page import write_drift_page
    from mediaan.studies.drift.result import write_drift
    from mediaan.studies.drift.workflow import compare_runs

    check_output_path("--out", out, ".html", ".parquet")

    def watch(media: list[str]) -> tqdm[str]:
        return tqdm(media, unit="medium", disable=as_json or not sys.stderr.isatty(), file=sys.stderr)

    found = compare_runs(old, new, watch=watch)
    if out and out.suffix.lower() == ".html":
        write_drift_page(found, out)
    elif out:
        write_drift(found, out)
    click.echo(json.dumps(found.to_dict()) if as_json else drift_as_text(found))
    if max_shift is None or found.largest_shift <= max_shift:
        return 0
    if found.largest_shift == float("inf"):
        click.echo(f"--max-shift {max_shift:g}: a score or a file of the old run is missing in the new one", err=True)
    else:
        click.echo(f"--max-shift {max_shift:g}: a score moved by {found.largest_shift:.2f} points", err=True)
    return EXIT_NOT_MET
