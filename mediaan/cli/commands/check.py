"""`mediaan check`: rules held against a run, as a gate."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path, PurePosixPath
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from mediaan.cli import complete, options
from mediaan.cli.main import EXIT_NOT_MET, EXIT_SOME_FAILED
from mediaan.cli.options import FILE
from mediaan.cli.paths import check_output_path
from mediaan.cli.table import join_blocks, table_lines
from mediaan.judge.rules import rule_set_names
from mediaan.types.glossary import media_count

if TYPE_CHECKING:
    from mediaan.judge.rules.check import Check
    from mediaan.run import Run
    from mediaan.types.checks import RuleResult


def _list_sets(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from mediaan.config.objectives import load_rule_set

        click.echo("\n\n".join(rule_set_as_text(name, load_rule_set(name)) for name in rule_set_names()))
        context.exit()


@click.command()
@options.run
@click.option(
    "--rules",
    metavar="FILE",
    shell_complete=complete.rule_set,
    help=f"YAML file with rules, or a built-in rule set: {', '.join(rule_set_names())}.  [default: the run's own]",
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_sets,
    help="List the built-in rule sets with their rules and sources.",
)
@click.option("--junit", type=FILE, help="Write the results as JUnit XML.")
@options.json_lines
@click.option("--out", type=FILE, help="Write the results as a table (.parquet or .csv).")
@click.option("--keep", is_flag=True, help="Store the results in the run: its tables, its report, run.json.")
@click.option("--strict", is_flag=True, help="Let what could not be checked fail too.")
@click.option("--only-failed", is_flag=True, help="Print and write only what failed; JUnit XML holds everything.")
def check(
    run: Path,
    rules: str | None,
    junit: Path | None,
    as_json: bool,
    out: Path | None,
    keep: bool,
    strict: bool,
    only_failed: bool,
) -> int:
    """Check the files of RUN against rules such as `branding.percentage_seen >= 40`.

    Prints what failed and by how much, worst first. Exit code 4 when a rule failed that is not a warning; otherwise 3
    when files of the run could not be analyzed or a rule could not be checked on any file; otherwise 0.
    """
    from mediaan.config.attributes import escape_formula
    from mediaan.judge.rules.check import junit_xml
    from mediaan.run import read_run
    from mediaan.run.files import write_atomic
    from mediaan.run.tables.schema import RULE_RESULTS
    from mediaan.run.tables.writing import write_table
    from mediaan.workflow.rules import check_run

    check_output_path("--junit", junit)
    check_output_path("--out", out, ".parquet", ".csv")
    checked = check_run(run, rules, keep=keep)
    if pending := read_run(run).pending:
        click.echo(pending, err=True)
    if junit:
        write_atomic(junit, junit_xml(checked, strict=strict).encode())
    if out:
        rows = checked.to_dict(only_failed=only_failed)["results"]
        if out.suffix.lower() == ".parquet":
            write_table(out, "rule_results", rows)
        else:
            file = io.StringIO()
            writer = csv.DictWriter(file, RULE_RESULTS.names)
            writer.writeheader()
            for row in rows:
                writer.writerow(
                    {key: escape_formula(value) if isinstance(value, str) else value for key, value in row.items()}
                )
            write_atomic(out, file.getvalue().encode())
    if as_json:
        click.echo(json.dumps(checked.to_dict(strict=strict, only_failed=only_failed)))
    else:
        click.echo(check_as_text(checked, strict=strict, only_failed=only_failed))
    if checked.fails(strict=strict):
        return EXIT_NOT_MET
    return EXIT_SOME_FAILED if checked.incomplete else 0


if TYPE_CHECKING:
    from mediaan.config.objectives import RuleSet

_MOST_MEDIA = 100
"""Media that are listed one by one; files hold them all."""

_MOST_REASONS = 10
_WIDTH = 120

_MARKS = {"error": "FAILED", "warning": "warning"}


def check_as_text(check: Check, *, strict: bool = False, only_failed: bool = False) -> str:
    """Say what failed, medium by medium; a table of the rules; the verdict in one line."""
    skipped = [] if only_failed else _skipped(check)
    unanalysed = [
        f"  {file.path}: {file.message.removeprefix(f'{PurePosixPath(file.path).name}: ')}" for file in check.unanalysed
    ]
    table = [("rule", "passed", "failed", "skipped")]
    for count in check.counts:
        name = count.name if len(count.name) <= 70 else count.name[:69] + "…"
        title = f"{name} (warning)" if count.severity == "warning" else name
        table.append((title, str(count.passed), str(count.failed), str(count.skipped)))
    notes = [f"Note: {name!r} applies to no file." for name in check.unused]
    notes += [f"Note: {name!r} could not be checked on any file." for name in check.never_checked]
    blocks = [
        _media(check),
        skipped,
        ["Not analyzed, so not checked:", *unanalysed] if unanalysed else [],
        table_lines(table),
        notes,
        [verdict_text(check, strict=strict)],
    ]
    # without what moves the cursor or begins a line: a file's name must not write a verdict
    printable = [["".join(c if c.isprintable() else "\ufffd" for c in line) for line in block] for block in blocks]
    return join_blocks(printable)


def verdict_text(check: Check, *, strict: bool = False) -> str:
    """Count results in one line, such as ``check FAILED: 3 passed, 1 failed (on 1 of 2 files)``."""
    errors, warnings, skipped = check.count("failed", "error"), check.count("failed", "warning"), check.count("skipped")
    parts = [f"{check.count('passed')} passed"]
    parts += [f"{errors} failed (on {check.failing_media} of {media_count(check.media)})"] if errors else []
    parts += [f"{warnings} warning{'s'[: warnings > 1]}"] if warnings else []
    parts += [f"{skipped} not checked"] if skipped else []
    parts += [f"{len(check.unanalysed)} not analyzed"] if check.unanalysed else []
    if check.fails(strict=strict):
        verdict = "FAILED"
    elif check.is_vacuous and not check.unanalysed:
        verdict = "NOTHING CHECKED"
    else:
        verdict = "INCOMPLETE" if check.incomplete else "passed"
    return f"check {verdict}: {', '.join(parts)}"


def rules_line(run: Run) -> str:
    """Say in one line what the rules of a run say of it, from its table."""
    results = run.rule_results
    errors = results[(results["status"] == "failed") & (results["severity"] == "error")]
    warnings = int((results["status"] == "failed").sum()) - len(errors)
    parts = [f"{int((results['status'] == 'passed').sum())} passed", f"{len(errors)} failed"]
    parts[-1] += (
        f" (on {errors['path'].nunique()} of {media_count(run.facts['counts']['done'])})" if len(errors) else ""
    )
    parts += [f"{warnings} warning{'s'[: warnings > 1]}"] if warnings else []
    skipped = int((results["status"] == "skipped").sum())
    parts += [f"{skipped} not checked"] if skipped else []
    return f"rules:  {', '.join(parts)}; for details: mediaan check {run.path}"


def rule_set_as_text(name: str, rules: RuleSet) -> str:
    """Say what a rule set that ships asks, of which media, how gravely, and after whom."""
    lines = [f"{name}: {rules.title}", *wrap(rules.about, _WIDTH, initial_indent="  ", subsequent_indent="  "), ""]
    for rule in rules.rules:
        meant = [word for _, words in rule.meant_for for word in words]
        marks = [*([rule.severity] if rule.severity == "warning" else []), *(f"for {word}" for word in meant)]
        remark = f" ({', '.join(marks)})" if marks else ""
        lines.append(f"  {rule.rule:44} {rule.name}{remark}")
    lines += ["", "  sources:", *(f"  - {source}" for source in rules.sources)]
    return "\n".join(lines)


def _media(check: Check) -> list[str]:
    """Say what failed, and why it is asked for; the media that fail worst come first."""
    why = {(rule.text, rule.name or rule.text): rule.why for rule in check.rules}
    lines: list[str] = []
    media = [(path, [r for r in results if r.status == "failed"]) for path, results in check.by_medium()]
    media = [(path, results) for path, results in media if results]
    for path, results in media[:_MOST_MEDIA]:
        lines.append(path)
        for result in results:
            lines.append(f"  {_MARKS[result.severity]:7}  {_named(result)}{result.message}")
            if reason := why.get((result.rule, result.name)):
                lines.append(f"{'':11}{reason}")
        lines.append("")
    more = len(media) - _MOST_MEDIA
    return [*lines, f"and {more} more files; --json, --junit and --out list them all"] if more > 0 else lines[:-1]


def _skipped(check: Check) -> list[str]:
    """Say why some could not be told, the most frequent reason first."""
    reasons = Counter(f"{_named(r)}{r.message}" for r in check.results if r.status == "skipped")
    lines = [f"  {n:4} {'file ' if n == 1 else 'files'}  {text}" for text, n in reasons.most_common(_MOST_REASONS)]
    more = len(reasons) - len(lines)
    lines += [f"  and {more} more reasons; --json, --junit and --out list them all"] if more > 0 else []
    return ["Not checked:", *lines] if lines else []


def _named(result: RuleResult) -> str:
    return "" if result.name == result.rule else f"{result.name}: "
