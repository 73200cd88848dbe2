"""Write what `mediaan analyze` says at its end: what stands out, and what to do next."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from mediaan.analysis import Recipe
from mediaan.checks.specs import check_specs
from mediaan.cli.output.benchmark_output import benchmark_lines
from mediaan.cli.output.check_output import rules_line
from mediaan.cli.output.objectives_output import quoted_names
from mediaan.cli.output.report_output import page_size
from mediaan.cli.paths import shown_below
from mediaan.media import SkippedFile
from mediaan.media.limits import HEIF_EXTRA
from mediaan.run import Run
from mediaan.run.objectives import distinct_objectives
from mediaan.types.glossary import media_count
from mediaan.workflow.folder.listing import describe_left_out
from mediaan.workflow.folder.work_queue import FileChanges

_MOST_MEDIA = 10_000
"""Of larger runs the report says what stands out: reading their tables again would take seconds."""


def closing_lines(run: Run, out: str | Path) -> Iterator[str]:
    """Write two or three facts, where there are any, and the next steps."""
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
    inputs = {Path(file).absolute() for file in (recipe.objectives, recipe.drawn_aois, recipe.rules) if file}
    for line in describe_left_out([entry for entry in skipped if entry.path.absolute() not in inputs]):
        click.echo(f"left out: {line}", err=True)
    said = facts["briefing"]
    names = [one["file"] for one in (said["objectives"], said["aois"]) if one]
    for patterns in quoted_names(facts["unused_patterns"]):
        click.echo(f"{names[0]}: no file matches {patterns}", err=True)
    if said["aois"]:
        for sentence in said["aois"].get("unread", ()):
            click.echo(f"{said['aois']['file']}: {sentence}", err=True)
        if read_no_aois(facts):
            click.echo(f"{said['aois']['file']}: no area was read for any file of the run", err=True)
    if recipe.aois == "none" and any("brand" in one for one in distinct_objectives(facts)):
        why = "names a brand; to look for it, use --aois all, text or objects"
        click.echo(f"{names[0]}: {why}", err=True)


def read_no_aois(facts: dict[str, Any]) -> bool:
    """Return whether a file of AOIs was given and held none for any file of the run."""
    aois = facts["briefing"]["aois"]
    return bool(aois) and aois.get("media") == 0


def print_run(run: Run, changes: FileChanges, out: str | Path) -> None:
    """Say what became of the files, where scores stand, and which rules hold."""
    counts, model = run.facts["counts"], run.facts["models"][0]["name"]
    failed = f", {counts['failed']} failed" if counts["failed"] else ""
    skipped = f", {counts['skipped']} left out" if counts["skipped"] else ""
    took = f"in {run.facts['seconds']:.1f} s with model {model} on {run.facts['device']}"
    click.echo(f"{counts['done']} analyzed{failed}{skipped} {took}")
    if changes.known or changes.removed or changes.copies:  # it was gone on with, or holds copies
        files = {
            "left as they were": changes.known,
            "scored for another exposure": changes.rescored,
            "analyzed now": changes.analyzed,
            "new": changes.added,
            "changed": changes.changed,
            "gone": changes.removed,
            "copies": changes.copies,
        }
        click.echo("files: " + ", ".join(f"{count:,} {name}" for name, count in files.items() if count))
    click.echo(f"report: {shown_below(out, 'report', 'index.html')}\ntables: {shown_below(out, 'tables')}")
    for line in benchmark_lines(run.facts["benchmark"]):
        click.echo(line)
    if run.facts["rules"]:
        click.echo(rules_line(run))
    if sys.stdout.isatty():  # what scripts read stays as it is
        click.echo("\n".join(closing_lines(run, out)))
