"""`mediaan analyze`: files and folders to tables, maps and a report."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.analysis.options import Execution, Recipe
from mediaan.cli import complete, options
from mediaan.cli.commands.benchmark import benchmark_lines
from mediaan.cli.commands.check import rules_line
from mediaan.cli.commands.objectives import quoted_names
from mediaan.cli.commands.report import page_size
from mediaan.cli.main import EXIT_SOME_FAILED
from mediaan.cli.options import PATH, AdvancedOption, TwoPartCommand
from mediaan.cli.paths import PathOrUrl, shown_below
from mediaan.errors import UsageError, did_you_mean
from mediaan.types.glossary import media_count

if TYPE_CHECKING:
    from mediaan.analysis import Recipe, TaskResult
    from mediaan.media import MediaListing, SkippedFile
    from mediaan.run import Run
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
    help="Run directory, or the address of one, such as s3://bucket/run.",
)
@_recipe("objectives")
@options.brand_kit
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
@_recipe("maps", default="all")
@_recipe("advice")
@_recipe("fast")
@_execution("device")
@_execution("workers")
@_execution("force_new")
@_execution("retry_failed")
@options.json_lines
@options.quiet(help="No progress, no summary, no list of failures.")
@_advanced_recipe("model")
@_advanced_recipe("calibration", type=PATH)
@click.option(
    "--calibration-despite",
    cls=AdvancedOption,
    metavar="REASON",
    help="Use the calibration although it was fitted to another model; the run keeps the reason.",
)
@_advanced_recipe("detector")
@_advanced_recipe("viewport")
@_advanced_execution("click", multiple=True, type=str, metavar="TEXT|SELECTOR")
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

    PATH may be the address of a web page (https://shop.example), or @FILE, a text file with one address a line. Your
    browser takes a picture of the whole page on a desktop and on a phone; this needs pip install 'mediaan[web]'.

    \b
    DIR/report/index.html   the report; opens from disk
    DIR/tables/*.parquet    media, metrics, frames, scenes, aois and their scores, maps, problems
    DIR/maps/               heat, fog and other maps of each file, and overlay videos
    DIR/run.json            recipe, versions, model hashes
    """
    from mediaan.config.calibration import load_calibration

    level, drawn_aois = aoi_choice(aois)
    fitted = load_calibration(calibration, despite=calibration_despite or "") if calibration else None
    recipe, execution = options.read_models({**values, "aois": level, "drawn_aois": drawn_aois, "calibration": fitted})
    _tell_of_earlier(out, recipe, force_new=execution.force_new, yes=yes, quiet=quiet)
    run, changes, skipped = analyze_with_progress(paths, out, recipe, execution, as_json=as_json, quiet=quiet)
    if not quiet:
        print_unused(run.facts, recipe, skipped)
        for line in page_lines(run):
            click.echo(line, err=True)
    if not quiet and not as_json:
        print_run(run, changes, out)
    return EXIT_SOME_FAILED if run.facts["counts"]["failed"] or read_no_aois(run.facts) else 0


def analyze_with_progress(
    paths: Sequence[str | Path],
    out: str | Path,
    recipe: Recipe,
    execution: Execution,
    *,
    as_json: bool = False,
    quiet: bool = False,
) -> tuple[Run, FileChanges, list[SkippedFile]]:
    """Analyze with progress on stderr, and results as JSON on stdout where they are asked for."""
    from mediaan.types.result import Failed
    from mediaan.workflow.folder.analyze import analyze_folder
    from mediaan.workflow.folder.progress import ProgressBar
    from mediaan.workflow.medium import with_checks

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
    return run, changes[0], skipped


def _tell_of_earlier(out: str | Path, recipe: Recipe, *, force_new: bool, yes: bool, quiet: bool) -> None:
    """Say on stderr what the run keeps of what was said of its media; ask before anything of that is dropped."""
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


_MOST_MEDIA = 10_000
"""Of larger runs the report says what stands out: reading their tables again would take seconds."""


def closing_lines(run: Run, out: str | Path) -> Iterator[str]:
    """Write two or three facts, where there are any, and the next steps."""
    from mediaan.brand.campaign import proposal_sentences
    from mediaan.judge.checks import check_specs
    from mediaan.media.limits import HEIF_EXTRA

    media, small = run.facts["counts"], run.facts["counts"]["done"] <= _MOST_MEDIA
    yield ""
    counts = Counter(run.verdicts["verdict"]) if small else Counter()
    if told := counts.total() - counts["unknown"]:
        yield (
            f"{counts['works']:,} of {media_count(told)} {'works' if counts['works'] == 1 else 'work'}, "
            f"{counts['attention']:,} {'needs' if counts['attention'] == 1 else 'need'} attention, "
            f"{counts['open']:,} undecided"
        )
        failed = run.checks[run.checks["status"] == "failed"]["name"].value_counts()
        if len(failed):
            flaws = {spec.name: spec.flaw for spec in check_specs()}
            flaw = flaws.get(str(failed.index[0]), str(failed.index[0]))
            yield f"most common problem, in {failed.iloc[0]:,}: {flaw[0].lower()}{flaw[1:]}"
    if small and (strange := list(run.problems["code"]).count("unlike_training")):
        unlike = "is unlike" if strange == 1 else "are unlike"
        advice = "check the prediction with people"
        yield f"{media_count(strange)} {unlike} the images that the model learned from: {advice}"
    yield from proposal_sentences(run)
    page = Path(out) / "report" / "index.html"
    opened = page.is_file()  # it is not here that a store has it
    steps = [(f"open {shown_below(out, 'report', 'index.html')}", page_size(page) if opened else "the report")]
    if media["failed"]:
        code = run.media["error_code"].dropna().value_counts().index[0]
        steps.append((f"mediaan explain {code}", "why files failed, and what to do; the report lists them all"))
        if heic := int(run.media["error_message"].str.contains(HEIF_EXTRA, regex=False, na=False).sum()):
            adds = f"adds {heic:,} HEIC file{'s' * (heic != 1)}; then run the same command with --retry-failed"
            steps.append((f"pip install '{HEIF_EXTRA}'", adds))
    steps.append(("mediaan explain clarity", "what a score means, how it is computed, and which way is good"))
    if not run.facts.get("objectives"):
        steps.append(("mediaan init FOLDER", "say what your ads are for: targets depend on it"))
    elif opened and media["done"] > 1:
        compare = f"mediaan compare --runs {shlex.quote(str(out))} A B"
        steps.append((compare, "which of two ads is better, and how certain that is"))
    yield "next"
    for step, purpose in steps:
        yield f"  {step}\n      {purpose}"


def print_unused(facts: dict[str, Any], recipe: Recipe, skipped: Sequence[SkippedFile]) -> None:
    """Say on stderr what of the user's files was of no use, and what to do to have it."""
    from mediaan.run.metadata import distinct_objectives
    from mediaan.workflow.folder.listing import describe_left_out

    inputs = {Path(file).absolute() for file in (recipe.objectives, recipe.drawn_aois, recipe.rules) if file}
    for line in describe_left_out([entry for entry in skipped if entry.path.absolute() not in inputs]):
        click.echo(f"left out: {line}", err=True)
    briefing = facts["briefing"]
    for sentence in briefing.get("merged_brands", ()):
        click.echo(sentence, err=True)
    names = [source["file"] for source in (briefing["objectives"], briefing["aois"]) if source]
    for patterns in quoted_names(facts["unused_patterns"]):
        click.echo(f"{names[0]}: no file matches {patterns}", err=True)
    if briefing["aois"]:
        for sentence in briefing["aois"].get("unread", ()):
            click.echo(f"{briefing['aois']['file']}: {sentence}", err=True)
        if read_no_aois(facts):
            click.echo(f"{briefing['aois']['file']}: no area was read for any file of the run", err=True)
    if recipe.aois == "none" and any("brand" in objective for objective in distinct_objectives(facts)):
        why = "names a brand; to look for it, use --aois all, text or objects"
        click.echo(f"{(names or [briefing['brand_kit']])[0]}: {why}", err=True)


_PAGE_CODES = ("page_layer", "page_not_clicked", "page_cut", "page_redirected")
"""Of web pages: what a user may want to change before the numbers are read."""
_MOST_LINES = 10


def page_lines(run: Run) -> Iterator[str]:
    """Yield what should be known of the pictures of web pages, a line each."""
    notes = run.problems[run.problems["code"].isin(_PAGE_CODES)]
    for note in notes.head(_MOST_LINES).itertuples():
        yield f"{note.path}: {note.message}"
    if (more := len(notes) - _MOST_LINES) > 0:
        yield f"and {more:,} more of this kind, in the table problems and in the report"


def read_no_aois(facts: dict[str, Any]) -> bool:
    """Return whether a file of AOIs was given and held none for any file of the run."""
    aois = facts["briefing"]["aois"]
    return bool(aois) and aois.get("media") == 0


def _files(count: int) -> str:
    return f"{count:,} {'file' if count == 1 else 'files'}"


def print_run(run: Run, changes: FileChanges, out: str | Path) -> None:
    """Say what became of the files, where scores stand, and which rules hold."""
    counts, model = run.facts["counts"], run.facts["models"][0]["name"]
    failed = f", {counts['failed']} failed" if counts["failed"] else ""
    skipped = f", {counts['skipped']} left out" if counts["skipped"] else ""
    took = f"in {run.facts['seconds']:.1f} s with model {model} on {run.facts['device']}"
    if not changes.unchanged:
        click.echo(f"{_files(counts['done'])} analyzed{failed}{skipped} {took}")
    elif changes.analyzed:
        holds = f"the run now holds {_files(counts['done'])}{failed}{skipped}"
        click.echo(f"{_files(changes.analyzed)} analyzed {took}; {holds}")
    else:
        click.echo(f"nothing new to analyze: the run holds {_files(counts['done'])}{failed}{skipped}")
    files = {
        "unchanged": changes.unchanged,
        "scored for another exposure": changes.rescored,
        "new": changes.added,
        "changed": changes.changed,
        "gone": changes.removed,
        "copies": changes.copies,
    }
    if changes.unchanged or changes.removed or changes.copies:  # the run went on, or holds copies
        click.echo("files: " + ", ".join(f"{count:,} {name}" for name, count in files.items() if count))
    click.echo(f"report: {shown_below(out, 'report', 'index.html')}\ntables: {shown_below(out, 'tables')}")
    for line in benchmark_lines(run.facts["benchmark"]):
        click.echo(line)
    if run.facts["rules"]:
        click.echo(rules_line(run))
    if sys.stdout.isatty():  # what scripts read stays as it is
        click.echo("\n".join(closing_lines(run, out)))
