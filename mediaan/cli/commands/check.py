"""`mediaan check`: rules held against a run, as a gate."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import click

from mediaan.cli import complete, options
from mediaan.cli.paths import check_output_path
from mediaan.rules.sets import rule_set_names


def _list_sets(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from mediaan.cli.output.check_output import rule_set_as_text
        from mediaan.config.rule_sets import load_rule_set

        click.echo("\n\n".join(rule_set_as_text(name, load_rule_set(name)) for name in rule_set_names()))
        context.exit()


@click.command()
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
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
@click.option(
    "--junit", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the results as JUnit XML."
)
@options.json_lines
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the results as a table (.parquet or .csv).",
)
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
    from mediaan.cli.main import EXIT_NOT_MET, EXIT_SOME_FAILED
    from mediaan.cli.output.check_output import check_as_text
    from mediaan.config.attributes import escape_formula
    from mediaan.rules.junit import junit_xml
    from mediaan.run import read_run
    from mediaan.run.files import write_atomic
    from mediaan.run.tables.schema import RULE_RESULTS
    from mediaan.run.tables.writing import write_table
    from mediaan.workflow.rating.rules import check_run

    check_output_path("--junit", junit)
    check_output_path("--out", out, ".parquet", ".csv")
    found = check_run(run, rules, keep=keep)
    if pending := read_run(run).pending:
        click.echo(pending, err=True)
    if junit:
        write_atomic(junit, junit_xml(found, strict=strict).encode())
    if out:
        rows = found.to_dict(only_failed=only_failed)["results"]
        if out.suffix.lower() == ".parquet":
            write_table(out, "rule_results", rows)
        else:
            file = io.StringIO()
            writer = csv.DictWriter(file, RULE_RESULTS.names)
            writer.writeheader()
            for row in rows:
                writer.writerow({key: escape_formula(one) if isinstance(one, str) else one for key, one in row.items()})
            write_atomic(out, file.getvalue().encode())
    if as_json:
        click.echo(json.dumps(found.to_dict(strict=strict, only_failed=only_failed)))
    else:
        click.echo(check_as_text(found, strict=strict, only_failed=only_failed))
    if found.fails(strict=strict):
        return EXIT_NOT_MET
    return EXIT_SOME_FAILED if found.incomplete else 0
