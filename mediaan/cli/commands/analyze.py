"""`mediaan analyze`: files and folders to tables, maps and a report."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import complete, options
from mediaan.cli.options import SectionedCommand
from mediaan.cli.paths import PathOrUrl, shown_below

if TYPE_CHECKING:
    from mediaan.analysis import TaskResult
    from mediaan.media import MediaListing, SkippedFile
    from mediaan.workflow import Settings
    from mediaan.workflow.folder.work_queue import FileChanges

_SECTIONS = {
    "Results": ("out", "maps", "aois", "intervals", "advice", "no_densities", "report"),
    "Objectives and benchmark": ("objectives", "domain", "viewport", "benchmark", "benchmark_despite", "rules"),
    "Models and viewers": ("model", "calibration", "calibration_despite", "detector"),
    "Which files": ("limit", "max_megapixels", "max_side", "mixed", "time_limit_s", "follow_links"),
    "Videos": ("fps", "fast"),
    "Existing runs": ("yes", "force_new", "retry_failed"),
    "Performance": ("device", "workers", "memory_limit_mb", "executor", "ray_address", "gpu_share"),
    "Output": ("as_json", "quiet"),
}


@click.command(cls=SectionedCommand, sections=_SECTIONS)
@click.argument("paths", nargs=-1, required=True, type=PathOrUrl(), metavar="PATH...")
@click.option(
    "--out",
    type=PathOrUrl(),
    default=Path("mediaan-run"),
    show_default=True,
    help="Run directory, or the address of one, such as s3://bucket/run.",
)
@click.option(
    "--objectives",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="YAML file or table (CSV): what each file is for; none drops those of the run.  [default: those of the run]",
)
@click.option(
    "--rules",
    metavar="FILE",
    shell_complete=complete.rule_set,
    help="YAML file, or the name of a built-in rule set: what files must reach, in addition to the rules of "
    "the objectives; none: no rules.  [default: those of the run]",
)
@click.option(
    "--maps",
    default="all",
    show_default=True,
    metavar="NAMES",
    shell_complete=complete.maps,
    help="all, none, or names such as heat,fog,heat_video.",
)
@click.option(
    "--aois",
    multiple=True,
    metavar="all|text|objects|none|FILE",
    shell_complete=complete.aois,
    help="Areas of interest to find (none is fastest), or a file of areas that people drew. Give it twice for "
    "both.  [default: all]",
)
@click.option(
    "--intervals",
    type=click.Choice(["full", "none"]),
    default="full",
    show_default=True,
    help="full: put 90 % intervals around scores; each image is analyzed several times. none is faster.",
)
@click.option(
    "--advice",
    type=click.Choice(["tried", "none"]),
    default="tried",
    show_default=True,
    help="tried: try edits of each image, and list those that are predicted to help. none is faster.",
)
@click.option(
    "--no-densities",
    is_flag=True,
    help="Do not keep the densities. You then cannot add AOIs to the run later.",
)
@click.option(
    "--report",
    type=click.Choice(["auto", "file", "folder"]),
    default="auto",
    show_default=True,
    help="file: images are inside the report; folder: they stay in maps; auto: inside if the report is small "
    "enough to mail.",
)
@options.domain
@click.option(
    "--viewport",
    default="auto",
    show_default=True,
    metavar="auto|whole|WIDTHxHEIGHT",
    help="Screen on which tall pages are judged fold by fold, such as 1440x900; auto: the usual one for a page's "
    "width; whole: look at pages as one image.",
)
@options.benchmark
@options.benchmark_despite
@options.model
@click.option(
    "--calibration",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Predict the attention of your own viewers, with a file from mediaan calibrate.",
)
@click.option(
    "--calibration-despite",
    metavar="REASON",
    help="Use the calibration although it was fitted to another model; the run keeps the reason.",
)
@options.detector
@options.device
@options.workers
@click.option(
    "--memory-limit",
    "memory_limit_mb",
    type=click.IntRange(min=1),
    metavar="MB",
    help="Memory of each process; a file that needs more fails.  [default: a fair share of the machine's memory]",
)
@click.option(
    "--executor",
    type=click.Choice(["auto", "serial", "processes", "ray"]),
    default="auto",
    show_default=True,
    help="Where the analysis runs: in this process, in processes of this machine, or on a Ray cluster. auto: "
    "processes if there are enough files.",
)
@click.option(
    "--ray-address",
    metavar="HOST:PORT",
    help="Address of the Ray cluster; run the command on one of its machines.  [default: RAY_ADDRESS, else a "
    "cluster of this machine only]",
)
@click.option(
    "--gpu-share",
    type=click.FloatRange(min=0),
    help="Share of a GPU for each worker on a Ray cluster.  [default: 1 with --device cuda, else 0]",
)
@click.option("--force-new", is_flag=True, help="Remove the run in --out, whatever its settings, and start over.")
@click.option("--yes", is_flag=True, help="Do not ask before --objectives, --rules or --domain none drop something.")
@click.option("--retry-failed", is_flag=True, help="Analyze files again that failed before.")
@click.option("--limit", type=click.IntRange(min=1), help="Analyze only the first so many files.")
@click.option(
    "--max-megapixels",
    type=click.FloatRange(min=0, min_open=True),
    default=100,
    show_default=True,
    help="Larger images fail, before their pixels are decoded.",
)
@click.option(
    "--fps",
    type=click.FloatRange(min=0, max=60, min_open=True),
    default=5,
    show_default=True,
    help="Samples per second of a video.",
)
@click.option("--fast", is_flag=True, help="Analyze only the key frames of videos: several times as fast.")
@click.option(
    "--mixed", is_flag=True, help="Accept only the mixed media of the v2 service: MP4, WebM, MOV, MKV, AVI and GIF."
)
@click.option(
    "--max-side",
    type=click.IntRange(min=1),
    help="Files with a longer side, in px, fail.  [default: 3000 with --mixed, else none]",
)
@click.option(
    "--time-limit",
    "time_limit_s",
    type=click.FloatRange(min=0, min_open=True),
    default=900,
    show_default=True,
    help="Seconds after which a single file fails; a long video gets this time for each ten minutes.",
)
@click.option("--follow-links", is_flag=True, help="Follow symbolic links that lead out of the given folders.")
@options.json_lines
@click.option("--quiet", "-q", is_flag=True, help="No progress, no summary, no list of failures.")
def analyze(
    paths: tuple[str | Path, ...],
    out: str | Path,
    objectives: Path | None,
    maps: str,
    aois: tuple[str, ...],
    no_densities: bool,
    benchmark_despite: str | None,
    calibration: Path | None,
    calibration_despite: str | None,
    yes: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
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
    from mediaan.analysis.recipe import Recipe
    from mediaan.cli.main import EXIT_SOME_FAILED
    from mediaan.cli.output.analyze_output import print_run, print_unused, read_no_aois
    from mediaan.cli.progress import ProgressBar
    from mediaan.config.calibration import load_calibration
    from mediaan.types.result import Failed
    from mediaan.workflow import Settings, analyze_folder, make_recipe
    from mediaan.workflow.rating.medium import with_checks

    level, drawn = aoi_choice(aois)
    recipe = make_recipe(
        maps=maps,
        densities=not no_densities,
        aois=level,
        calibration=load_calibration(calibration, despite=calibration_despite or "") if calibration else None,
        **{name: given.pop(name) for name in Recipe.model_fields if name in given},
    )
    settings = Settings(recipe, objectives, drawn, benchmark_despite=benchmark_despite or "", **given)
    _tell_of_earlier(out, settings, yes=yes, quiet=quiet)
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
                    outcome = with_checks(outcome, settings.benchmark, settings.benchmark_despite)
                click.echo(json.dumps(outcome.to_dict()))

        run = analyze_folder(
            paths,
            out,
            settings=settings,
            on_start=on_start,
            on_progress=bar.advance if bar.shows else None,
            on_report=on_report,
            on_known=bar.know,
            on_changes=changes.append,
        )
    if not quiet:
        print_unused(run.facts, settings, skipped)
    if not quiet and not as_json:
        print_run(run, changes[0], out)
    return EXIT_SOME_FAILED if run.facts["counts"]["failed"] or read_no_aois(run.facts) else 0


def _tell_of_earlier(out: str | Path, settings: Settings, *, yes: bool, quiet: bool) -> None:
    """Say on stderr what the run keeps of what was said of its media; ask before anything of that is dropped."""
    from mediaan.errors import UsageError
    from mediaan.workflow.folder.inputs import describe_dropped, describe_kept, earlier_inputs

    before = None if settings.force_new else earlier_inputs(out, settings)
    if before is None:
        return
    shown = shown_below(out)
    if gone := describe_dropped(before, settings):
        if not yes and not sys.stdin.isatty():
            raise UsageError(
                f"{shown}: this would drop from the run: {gone}. Leave the option out to keep it, or add "
                "--yes to drop it",
                code="not_confirmed",
            )
        click.echo(f"{shown}: drops from the run: {gone}", err=True)
        if not yes and not click.confirm("Drop it?", err=True):
            raise UsageError("nothing was changed", code="not_confirmed")
    if not quiet and (still := describe_kept(before, settings)):
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
