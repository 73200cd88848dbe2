"""`mediaan analyze`: files and folders to tables, maps and a report."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.analysis.execution import Execution
from mediaan.analysis.recipe import Recipe
from mediaan.cli import complete, options
from mediaan.cli.options import AdvancedOption, TwoPartCommand
from mediaan.cli.paths import PathOrUrl, shown_below

if TYPE_CHECKING:
    from mediaan.analysis import TaskResult
    from mediaan.media import MediaListing, SkippedFile
    from mediaan.workflow.folder.work_queue import FileChanges

_recipe = partial(options.option, Recipe)
_execution = partial(options.option, Execution)
_advanced_recipe = partial(options.option, Recipe, cls=AdvancedOption)
_advanced_execution = partial(options.option, Execution, cls=AdvancedOption)


@click.command(cls=TwoPartCommand)
@click.argument("paths", nargs=-1, required=True, type=PathOrUrl(), metavar="PATH...")
@click.option(
    "--out",
    type=PathOrUrl(),
    default=Path("mediaan-run"),
    show_default=True,
    help="Run directory, or the address of one, such as s3://bucket/run.",
)
@_recipe("objectives")
@_recipe("rules")
@_recipe("benchmark")
@_recipe("domain")
@click.option(
    "--aois",
    multiple=True,
    metavar="all|text|objects|none|FILE",
    shell_complete=complete.aois,
    help="Areas of interest to find (none is fastest), or a file of areas that people drew. Give it twice for "
    "both.  [default: all]",
)
@_recipe("maps", default="all", show_default=True)
@_recipe("intervals")
@_recipe("advice")
@_recipe("fast")
@_execution("device")
@_execution("workers")
@_execution("force_new")
@_execution("retry_failed")
@options.json_lines
@click.option("--quiet", "-q", is_flag=True, help="No progress, no summary, no list of failures.")
@_advanced_recipe("model")
@_advanced_recipe("calibration", type=click.Path(path_type=Path))
@click.option(
    "--calibration-despite",
    cls=AdvancedOption,
    metavar="REASON",
    help="Use the calibration although it was fitted to another model; the run keeps the reason.",
)
@_advanced_recipe("detector")
@_advanced_recipe("viewport")
@_advanced_recipe("fps")
@_advanced_recipe("densities", help="Do not keep the densities. You then cannot add AOIs to the run later.")
@_advanced_recipe("max_megapixels")
@_advanced_recipe("time_limit_s")
@_advanced_recipe("benchmark_despite")
@click.option(
    "--yes",
    is_flag=True,
    cls=AdvancedOption,
    help="Do not ask before --objectives, --rules or --domain none drop something.",
)
@_advanced_execution("limit")
@_advanced_execution("follow_links")
@_advanced_execution("memory_limit_mb")
@_advanced_execution("executor")
@_advanced_execution("ray_address")
@_advanced_execution("gpu_share")
def analyze(
    paths: tuple[str | Path, ...],
    out: str | Path,
    aois: tuple[str, ...],
    calibration: Path | None,
    calibration_despite: str | None,
    yes: bool,
    as_json: bool,
    quiet: bool,
    **values: Any,
) -> int:
    """Predict what people look at in images and videos, and write tables, maps and a report.

    Folders are searched recursively, on this machine or in an object store (s3://, gs://, abfs://). Files that cannot
    be analyzed become rows with a reason, and the run continues. The same command continues an existing run.

    \b
    DIR/report/index.html   the report; opens from disk
    DIR/tables/*.parquet    media, metrics, frames, scenes, aois and their scores, maps, problems
    DIR/maps/               heat, fog and other maps of each file, and overlay videos
    DIR/run.json            recipe, versions, model hashes
    """
    from mediaan.cli.main import EXIT_SOME_FAILED
    from mediaan.cli.output.analyze_output import print_run, print_unused, read_no_aois
    from mediaan.cli.progress import ProgressBar
    from mediaan.config.calibration import load_calibration
    from mediaan.types.result import Failed
    from mediaan.workflow import analyze_folder
    from mediaan.workflow.rating.medium import with_checks

    level, drawn_aois = aoi_choice(aois)
    fitted = load_calibration(calibration, despite=calibration_despite or "") if calibration else None
    recipe, execution = options.read_models({**values, "aois": level, "drawn_aois": drawn_aois, "calibration": fitted})
    _tell_of_earlier(out, recipe, force_new=execution.force_new, yes=yes, quiet=quiet)
    changes: list[FileChanges] = []
    skipped: list[SkippedFile] = []
    with ProgressBar(quiet=quiet) as bar:

        def on_start(listing: MediaListing) -> None:
            bar.start(listing.files)
            skipped.extend(listing.skipped)

        def on_report(report: TaskResult) -> None:
            bar.step(report)
            if as_json:
                outcome = report.outcome
                if not isinstance(outcome, Failed):
                    outcome = with_checks(outcome, recipe.benchmark, recipe.benchmark_despite)
                click.echo(json.dumps(outcome.to_dict()))

        run = analyze_folder(
            paths,
            out,
            recipe,
            execution,
            on_start=on_start,
            on_progress=bar.advance if bar.shows else None,
            on_report=on_report,
            on_known=bar.know,
            on_changes=changes.append,
        )
    if not quiet:
        print_unused(run.facts, recipe, skipped)
    if not quiet and not as_json:
        print_run(run, changes[0], out)
    return EXIT_SOME_FAILED if run.facts["counts"]["failed"] or read_no_aois(run.facts) else 0


def _tell_of_earlier(out: str | Path, recipe: Recipe, *, force_new: bool, yes: bool, quiet: bool) -> None:
    """Say on stderr what the run keeps of what was said of its media; ask before anything of that is dropped."""
    from mediaan.errors import UsageError
    from mediaan.workflow.folder.inputs import describe_dropped, describe_kept, earlier_inputs

    before = None if force_new else earlier_inputs(out, recipe)
    if before is None:
        return
    shown = shown_below(out)
    if gone := describe_dropped(before, recipe):
        if not yes and not sys.stdin.isatty():
            raise UsageError(
                f"{shown}: this would drop from the run: {gone}. Leave the option out to keep it, or add "
                "--yes to drop it",
                code="not_confirmed",
            )
        click.echo(f"{shown}: drops from the run: {gone}", err=True)
        if not yes and not click.confirm("Drop it?", err=True):
            raise UsageError("nothing was changed", code="not_confirmed")
    if not quiet and (still := describe_kept(before, recipe)):
        click.echo(f"{shown}: keeps from the earlier run: {still}", err=True)


def aoi_choice(values: tuple[str, ...]) -> tuple[str, Path | None]:
    """Split the values of ``--aois`` into the level of detection and the file of drawn areas.

    Without a value all is looked for; with a file alone, nothing.
    """
    from mediaan.errors import UsageError, did_you_mean
    from mediaan.types.aoi import AOI_LEVELS

    levels = [value for value in values if value in AOI_LEVELS]
    files = [Path(value) for value in values if value not in AOI_LEVELS]
    if len(levels) > 1 or len(files) > 1:
        raise UsageError(
            f"--aois {' --aois '.join(values)}: give one of {', '.join(AOI_LEVELS)}, one file, or one of each",
            code="bad_aois",
        )
    if files and not files[0].exists():
        near = did_you_mean(str(files[0]), AOI_LEVELS) or f"; give a file, or one of {', '.join(AOI_LEVELS)}"
        raise UsageError(f"--aois {files[0]}: this file does not exist{near}", code="bad_aois")
    return levels[0] if levels else "none" if files else "all", files[0] if files else None
