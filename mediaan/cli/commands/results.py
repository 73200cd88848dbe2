"""`mediaan results`: which measures of ads go with their results."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import options
from mediaan.cli.options import FOLDER, PATH
from mediaan.cli.table import join_blocks, table_lines

if TYPE_CHECKING:
    from mediaan.studies.results.statistics import Results

_MOST_ROWS = 12
_FEW_NAMES = 3


@click.command()
@options.run
@click.argument("table", metavar="RESULTS.csv", type=PATH)
@click.option("--kpi", multiple=True, required=True, metavar="COLUMN", help="Results, such as ctr; can be repeated.")
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="COLUMN",
    help="A KPI of which less is better, such as cpa; can be repeated.",
)
@click.option("--weight", metavar="COLUMN", help="What each ad counts for, such as impressions.")
@click.option(
    "--group",
    metavar="COLUMN",
    help="Campaign, platform, or a folder (folder1): ads are compared only inside their group.",
)
@options.json_lines
@click.option(
    "--out",
    type=FOLDER,
    metavar="DIR",
    help="Write a page (index.html), the table (results.parquet, results.csv), and targets as a benchmark "
    "(targets.parquet) here.",
)
def results(run: Path, table: Path, as_json: bool, out: Path | None, **asked: Any) -> None:
    """Find which measures of the ads in RUN go with their results.

    RESULTS.csv has one row for each ad: a column that names it (file name, path or id) and columns of numbers. The
    page says whether all measures together predict results that were left out, and which single measures go with
    results; one in ten of these does so by chance. What the best ads reach becomes a benchmark for `mediaan analyze`.
    """

    from mediaan.run.files import check_own_folder
    from mediaan.studies.page import PAGE
    from mediaan.studies.results.page import TABLE_FILE, write_folder
    from mediaan.studies.results.workflow import results as find

    if out:
        check_own_folder(out, TABLE_FILE)
    studied = find(run, table, **asked)
    click.echo(json.dumps(studied.to_dict()) if as_json else results_as_text(studied))
    if out:
        targets = write_folder(studied, out, shlex.join(["mediaan", *sys.argv[1:]]))
        if not as_json:
            click.echo(f"\npage: {out / PAGE}")
            if targets:
                click.echo(f"targets: mediaan analyze ADS --benchmark {shlex.quote(str(targets))}")


def results_as_text(results: Results) -> str:
    """Write the summary: the prediction, the claims and what comes next, what was not joined, and notes."""
    from mediaan.studies.results.page import claim_words, claims_sentence, join_lines, prediction_sentence, target_words

    grouped = f" in {len(results.groups)} groups by {results.group}" if results.group else ""
    blocks = [[f"{results.n} ads of {results.run} with results{grouped}", *join_lines(results, _FEW_NAMES)]]
    for left_out in results.left_out:
        interval = f"{left_out.value:+.2f} [{left_out.lo:+.2f}, {left_out.hi:+.2f}], p {left_out.p:.3f}"
        rows = [each for each in results.associations if each.kpi == left_out.kpi]
        shown = max(_MOST_ROWS, sum(each.claimed for each in rows))
        lines = [
            (
                each.measure,
                str(each.n),
                f"{each.value:+.2f}",
                f"[{each.lo:+.2f}, {each.hi:+.2f}]",
                f"{each.q:.3f}",
                claim_words(each),
                target_words(each),
            )
            for each in rows[:shown]
        ]
        heading = ("", "ads", "r", "[90 %]", "q", "", "target [90 %]" if any(line[-1] for line in lines) else "")
        blocks += [
            [
                f"{left_out.kpi}. {prediction_sentence(left_out)} {claims_sentence(results, left_out.kpi)}",
                f"prediction and result: r {interval} ({left_out.n} ads; left out: {left_out.folds})",
            ],
            table_lines([heading, *lines], left=(0, 3, -2, -1)),
        ]
        if len(rows) > shown:
            blocks[-1].append(f"and {len(rows) - shown} more (--out DIR)")
    legend = [
        "r: Spearman's rank correlation, above 0 where more goes with better results. q: false discovery rate; up to "
        "0.10 a",
        "measure is said to go with the KPI. That does not mean that it is the cause.",
    ]
    return join_blocks((*blocks, [f"Note: {note}" for note in results.notes], legend))
