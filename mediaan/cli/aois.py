"""`mediaan aois`: areas of interest of a run that is there already."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from mediaan.cli import options

if TYPE_CHECKING:
    from mediaan.types.aoi import AoiLevel
    from mediaan.workflow.aois import AoiChanges


@click.group()
def aois() -> None:
    """Areas of interest (AOIs) of a finished run: find them, take them from a file, write them to one."""


@aois.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--aois",
    "level",
    type=click.Choice(["text", "objects", "all"]),
    default="all",
    show_default=True,
    help="What to look for.",
)
@click.option("--objectives", type=click.Path(path_type=Path), metavar="FILE", help="YAML file with brands.")
@options.detector
@click.option("--quiet", "-q", is_flag=True, help="No progress, no summary.")
def detect(run: Path, paths: tuple[Path, ...], level: str, objectives: Path | None, detector: str, quiet: bool) -> int:
    """Look for AOIs in the media of RUN, whose files lie under PATH, without predicting attention again.

    What was detected before is replaced; what was drawn stays.
    """
    from tqdm import tqdm

    from mediaan.workflow.aois import detect_aois

    with tqdm(unit=" media", disable=quiet or not sys.stderr.isatty(), file=sys.stderr) as bar:
        changes = detect_aois(
            run,
            paths,
            level=cast("AoiLevel", level),
            objectives=objectives,
            detector=detector,
            on_medium=lambda path: bar.update(),
        )
    return _tell(changes, run, "not found under the given paths, or changed since", quiet=quiet)


@aois.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--quiet", "-q", is_flag=True, help="No summary.")
def apply(run: Path, file: Path, quiet: bool) -> int:
    """Score the AOIs of FILE on the densities that RUN kept, in the place of its AOIs of the same media.

    FILE is what the report's editor saves, or JSON, CSV, COCO, Label Studio or LabelMe; see docs/aois.md.
    """
    from mediaan.workflow.aois import apply_aois

    return _tell(apply_aois(run, file), run, "no medium of the run is called so", quiet=quiet)


@aois.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write here instead of to stdout.")
@click.option(
    "--format",
    type=click.Choice(["json", "csv", "coco", "labelstudio"]),
    default="json",
    show_default=True,
    help="json loses nothing; the others leave tracks out.",
)
def export(run: Path, out: Path | None, format: str) -> int:
    """Write the AOIs of RUN to a file that `--aois` and `aois apply` take."""
    from mediaan.errors import UsageError
    from mediaan.workflow.aois import exported_aois

    text = exported_aois(run, format)
    if out is None:
        sys.stdout.write(text)
        return 0
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out {out}: cannot be written ({error.strerror})", code="bad_out") from error
    return 0


def _tell(changes: AoiChanges, run: Path, unused: str, *, quiet: bool) -> int:
    """Say what came of it; the exit code."""
    from mediaan.cli.main import EXIT_SOME_FAILED

    if not quiet:
        for path, problem in changes.problems:
            click.echo(f"{path}: {problem.message}", err=True)
        for name in changes.unused:
            click.echo(f"{name}: {unused}", err=True)
        click.echo(f"{changes.aois} AOIs of {changes.media} media\nreport: {run / 'report' / 'index.html'}")
    return EXIT_SOME_FAILED if changes.unused and not changes.media else 0
