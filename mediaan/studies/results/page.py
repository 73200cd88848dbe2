"""Say what goes with the results of ads: in sentences, on one HTML page that opens from disk, and in tables.

Nothing here says that one brings about the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from mediaan.config.attributes import escape_formula
from mediaan.judge.benchmark.norm_set import NormSet
from mediaan.judge.benchmark.ranges import format_rounded
from mediaan.judge.benchmark.targets import MeasuredTarget, target_key
from mediaan.judge.rules.rule import Expression
from mediaan.run import Run, read_run
from mediaan.run.files import make_folder, write_atomic
from mediaan.run.tables.writing import write_table
from mediaan.studies.page import PAGE, Filters, render_study
from mediaan.studies.results.measures import expressions
from mediaan.studies.results.statistics import FALSE_DISCOVERIES, Association, LeftOut, Results, ResultTarget
from mediaan.workflow.benchmark_build import NormSettings, norm_set_of_runs, write_norm_set
from mediaan.workflow.populations import METRIC_SPECS


def prediction_sentence(left_out: LeftOut) -> str:
    """Say whether all measures together predict results that were left out.

    >>> prediction_sentence(LeftOut(0.05, -0.1, 0.2, kpi="ctr", n=80, p=0.31, folds="ads at random, in 10 parts"))
    'No: all measures together do not predict the ctr of ads that were left out.'
    """
    if not left_out.predicts:
        return f"No: all measures together do not predict the {left_out.kpi} of ads that were left out."
    strength = "weakly" if left_out.value < 0.3 else "moderately" if left_out.value < 0.5 else "well"
    return f"Yes, {strength}: all measures together predict the {left_out.kpi} of ads that were left out."


def claims_sentence(results: Results, kpi: str) -> str:
    """Say how many measures go with a KPI."""
    tried = sum(each.kpi == kpi for each in results.associations)
    claims = sum(each.kpi == kpi for each in results.claims)
    if not claims:
        return f"None of {tried} measures clearly goes with it."
    return f"{claims} of {tried} measures clearly {'goes' if claims == 1 else 'go'} with it."


def claim_words(association: Association) -> str:
    """Say which way a measure goes with better results; of one that does not clearly, that.

    >>> of = {"kpi": "ctr", "measure": "focus", "title": "Focus", "unit": "score", "n": 80}
    >>> claim_words(Association(-0.4, -0.5, -0.2, p=0.001, q=0.01, **of))
    'less with better results'
    """
    if not association.claimed:
        return "not clear"
    return f"{'more' if association.value > 0 else 'less'} with better results"


def target_words(association: Association) -> str:
    """Write a target with its interval; empty where there is none."""
    target = association.target
    if target is None:
        return ""
    value, lo, hi = (format_rounded(end or 0.0, association.unit) for end in (target.value, target.lo, target.hi))
    unit = {"score": "", "count": "", "ratio": "", "": ""}.get(association.unit, f" {association.unit}")
    return f"{'at least' if target.minimum else 'at most'} {value}{unit} [{lo}, {hi}]"


def join_lines(results: Results, most: int | None = None) -> Iterator[str]:
    """Name what found no partner, `most` of each kind."""
    rows = [f"{name} ({reason})" for name, reason in results.rows_without_ad]
    for noun, without, names in (("row", "an ad", rows), ("ad", "a row", [*results.ads_without_row])):
        if names:
            shown = names[:most]
            more = f", and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
            count = f"{len(names)} {noun}{'' if len(names) == 1 else 's'}"
            yield f"{count} without {without}: {', '.join(shown)}{more}"


TABLE_FILE, CSV_FILE, TARGETS_FILE = "results.parquet", "results.csv", "targets.parquet"


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
    reasons: dict[str, list[str]] = {}
    for name, reason in results.untried:
        reasons.setdefault(reason, []).append(name)
    filters: Filters = {
        "p": lambda p: "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0"),
        "r": lambda r: f"{r:+.2f}".replace("0.", ".", 1).replace("-", "−"),
        "claim_words": claim_words,
        "target_words": target_words,
    }
    return render_study(
        "results",
        filters,
        styles=("studies/trend.css",),
        found=results,
        run=Path(results.run).resolve().name,
        table=Path(results.table).name,
        answers=[
            (
                left_out,
                prediction_sentence(left_out),
                claims_sentence(results, left_out.kpi),
                [each for each in results.associations if each.kpi == left_out.kpi],
            )
            for left_out in results.left_out
        ],
        join=list(join_lines(results)),
        reasons=reasons,
        rate=FALSE_DISCOVERIES,
    )


def write_folder(results: Results, folder: Path, command: str = "") -> Path | None:
    """Write ``index.html``, ``results.parquet`` and ``results.csv``, and ``targets.parquet`` where there are targets.

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


def norm_set_with_targets(run: Run, kpi: str, targets: dict[Expression, ResultTarget], command: str) -> NormSet:
    """Make a benchmark of the ads of a run that holds targets, for `mediaan analyze --benchmark`.

    `targets`: those of scores that benchmarks hold; others are left out.
    `command`: what made it.
    Raises UsageError: the run does not say what it was measured with, or has too few ads.
    """
    by_key = {}
    for expression, target in targets.items():
        if expression.metric in METRIC_SPECS:
            at_least = "at least" if target.minimum else "at most"
            ends = " to ".join(format_rounded(end, expression.spec.unit) for end in target.bounds or ())
            why = (
                f"Three quarters of the best fifth by {kpi} ({target.n} ads) have {at_least} this; with other ads in "
                f"their place it would be {ends}."
            )
            lower, upper = (target.value, None) if target.minimum else (None, target.value)
            by_key[target_key(expression.metric, expression.aoi_type)] = MeasuredTarget(lower, upper, why)
    settings = NormSettings(
        "own_results",
        title="Your own ads",
        population=f"The ads of {run.path.name}; targets are those of the best fifth by {kpi}.",
        command=command,
    )
    return replace(norm_set_of_runs([run], settings), targets=by_key)
