"""What `mediaan analyze` says at its end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from mediaan.cli.benchmark_apply import benchmark_lines
from mediaan.cli.check_board import rules_line
from mediaan.cli.closing import closing_lines
from mediaan.cli.location import shown_below
from mediaan.cli.objectives import told
from mediaan.run import Run
from mediaan.run.objectives import distinct_objectives
from mediaan.workflow import Settings
from mediaan.workflow.line import Changes


def print_unused(facts: dict[str, Any], settings: Settings) -> None:
    """Say on stderr what of the user's files was of no use."""
    said = facts["briefing"]
    names = [one["file"] for one in (said["objectives"], said["aois"]) if one]
    for patterns in told(facts["unused_patterns"]):
        click.echo(f"{names[0]}: no file fits {patterns}", err=True)
    if settings.recipe.aois == "none" and any("brand" in one for one in distinct_objectives(facts)):
        why = "names a brand, which is looked for with --aois all, text or objects"
        click.echo(f"{names[0]}: {why}", err=True)


def print_run(run: Run, changes: Changes, out: str | Path) -> None:
    """Say what became of the files, where scores stand, and which rules hold."""
    click.echo(_summary(run.facts, changes, out))
    for line in benchmark_lines(run.facts["benchmark"]):
        click.echo(line)
    if run.facts["rules"]:
        click.echo(rules_line(run))
    if sys.stdout.isatty():  # what scripts read stays as it is
        click.echo("\n".join(closing_lines(run, out)))


def _summary(facts: dict[str, Any], changes: Changes, out: str | Path) -> str:
    counts = facts["counts"]
    failed = f", {counts['failed']} failed" if counts["failed"] else ""
    skipped = f", {counts['skipped']} left out (no media)" if counts["skipped"] else ""
    model = facts["models"][0]["name"]
    return (
        f"{counts['done']} analysed{failed}{skipped} in {facts['seconds']:.1f} s with model {model} "
        f"on {facts['device']}\n"
        f"{_since(changes)}"
        f"report: {shown_below(out, 'report', 'index.html')}\n"
        f"tables: {shown_below(out, 'tables')}"
    )


def _since(changes: Changes) -> str:
    """A line for a run that was gone on with, or that holds copies."""
    if not (changes.known or changes.removed or changes.copies):
        return ""
    counts = {
        "as before": changes.known,
        "scored for another exposure": changes.rescored,
        "analysed now": changes.analysed,
        "new": changes.added,
        "changed": changes.changed,
        "gone": changes.removed,
        "copies": changes.copies,
    }
    return "files: " + ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) + "\n"
