"""Render what goes with the results of ads as one HTML page that opens from disk, and write it with its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from mediaan import __version__
from mediaan.config.attributes import escape_formula
from mediaan.report.web.environment import page_environment, sources
from mediaan.run import read_run
from mediaan.run.files import make_folder, write_atomic
from mediaan.run.tables.writing import write_table
from mediaan.studies.results.measures import expressions
from mediaan.studies.results.result import FALSE_DISCOVERIES, Association, Results
from mediaan.studies.results.sentences import (
    claim_words,
    claims_sentence,
    join_lines,
    prediction_sentence,
    target_words,
)
from mediaan.studies.results.targets import norm_set_with_targets
from mediaan.workflow.benchmark_build import write_norm_set

TABLE_FILE, CSV_FILE, TARGETS_FILE, PAGE = "results.parquet", "results.csv", "targets.parquet", "index.html"
_STYLES = ("core/page.css", "studies/trend.css", "studies/results.css")


def association_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield one row per KPI and measure; see `mediaan.run.tables.schema`."""
    for each in results.associations:
        target = each.target
        yield {
            "kpi": each.kpi,
            "measure": each.measure,
            "title": each.title,
            "unit": each.unit,
            "n": each.n,
            "correlation": each.value,
            "lo": each.lo,
            "hi": each.hi,
            "p": each.p,
            "q": each.q,
            "claimed": each.claimed,
            "target": target and ("at least" if target.minimum else "at most"),
            "target_value": target and target.value,
            "target_lo": target and target.lo,
            "target_hi": target and target.hi,
            "target_n": target and target.n,
        }


def render_results(results: Results) -> str:
    """Render the page, which needs no network and no other file."""
    environment = page_environment()
    environment.filters["p"] = lambda p: "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
    environment.filters["r"] = lambda r: f"{r:+.2f}".replace("0.", ".", 1).replace("-", "−")
    environment.filters["claim_words"] = claim_words
    environment.filters["target_words"] = target_words
    reasons: dict[str, list[str]] = {}
    for name, reason in results.untried:
        reasons.setdefault(reason, []).append(name)
    return environment.get_template("studies/results.html.j2").render(
        found=results,
        run=Path(results.run).resolve().name,
        table=Path(results.table).name,
        answers=[
            (
                left_out,
                prediction_sentence(left_out),
                claims_sentence(results, left_out.kpi),
                _of(results, left_out.kpi),
            )
            for left_out in results.left_out
        ],
        join=list(join_lines(results)),
        reasons=reasons,
        rate=FALSE_DISCOVERIES,
        version=__version__,
        style=Markup(sources(environment, _STYLES)),
    )


def _of(results: Results, kpi: str) -> Sequence[Association]:
    return [each for each in results.associations if each.kpi == kpi]


def write_folder(results: Results, folder: Path, command: str = "") -> Path | None:
    """Write ``index.html``, ``results.parquet`` and ``results.csv``, and ``targets.parquet`` where there are targets.

    Returns: of the targets.
    Raises UsageError: the folder cannot be made, or the run cannot be made a benchmark of.
    Raises SetupError: it cannot be written to.
    """
    make_folder(folder)
    rows = list(association_rows(results))
    write_table(folder / TABLE_FILE, "results", rows)
    table = pd.DataFrame(rows).map(lambda cell: escape_formula(cell) if isinstance(cell, str) else cell)
    write_atomic(folder / CSV_FILE, table.to_csv(index=False).encode("utf-8-sig"))
    write_atomic(folder / PAGE, render_results(results).encode())
    by_name = {expression.subject: expression for expression in expressions()}
    targets = {by_name[each.measure]: each.target for each in results.associations if each.target}
    file = folder / TARGETS_FILE
    if not targets:
        for earlier in (file, file.with_suffix(".md")):
            earlier.unlink(missing_ok=True)
        return None
    write_norm_set(norm_set_with_targets(read_run(results.run), results.kpis[0], targets, command), file)
    return file
