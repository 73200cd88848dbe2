"""Evaluations on several sets as tables for people: aligned text, or Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from mediaan.cli.scoreboard import align
from mediaan.evaluation.score import METRICS
from mediaan.evaluation.suite_evaluation import SuiteEvaluation, SuiteRow

DEFAULT_METRICS = ("nss", "cc", "kld", "auc_judd", "shuffled_auc")
"""Metrics that are shown unless others are asked for."""


def suite_as_text(evaluation: SuiteEvaluation, metrics: Sequence[str] = DEFAULT_METRICS) -> str:
    """Tables by domain and set, with what is to be known of them."""
    name, sha256 = evaluation.model
    heading = f"{name}{_hash(sha256)} on {evaluation.suite}"
    if evaluation.against is not None:
        heading += f", against {evaluation.against[0]}{_hash(evaluation.against[1])}"
    return "\n".join([heading, "", *align(_rows(evaluation, metrics), names=3), "", *_footnotes(evaluation)])


def suite_as_markdown(evaluation: SuiteEvaluation, metrics: Sequence[str] = DEFAULT_METRICS) -> str:
    """The same table in Markdown, without the heading."""
    head, *rows = _rows(evaluation, metrics)
    rule = ["---"] * 3 + ["---:"] * (len(head) - 3)
    lines = ["| " + " | ".join(row) + " |" for row in (head, rule, *rows)]
    return "\n".join([*lines, "", *(f"- {line}" for line in _footnotes(evaluation))])


def _rows(evaluation: SuiteEvaluation, metrics: Sequence[str]) -> list[list[str]]:
    """Head and body; domain and set stand in the first of their rows only."""
    clips = any(row.frame_wise for row in evaluation.sets)
    head = ["domain", "set", "metric", "model [95 % interval]"]
    head += ["frame-wise"] if clips else []
    head += ["centre bias", "people", "share"]
    head += ["against", "difference [95 % interval]"] if evaluation.against else []
    rows, domain = [head], ""
    for row in evaluation.by_domain():
        for i, metric in enumerate(metrics):
            shown_domain = row.domain if row.domain != domain and i == 0 else ""
            rows.append([shown_domain, _set_title(row) if i == 0 else "", METRICS[metric], *_cells(row, metric, clips)])
            domain = row.domain
    return rows


def _set_title(row: SuiteRow) -> str:
    window = "" if row.window == "total" else f", {row.window}"
    return f"{row.name}{window} ({row.n})"


def _cells(row: SuiteRow, metric: str, clips: bool) -> list[str]:
    summary = row.metrics[metric]
    cells = [_with_interval(summary.model, summary.lo, summary.hi, "")]
    cells += [_number(row.frame_wise.get(metric))] if clips else []
    share = "–" if summary.share is None else f"{100 * summary.share:.0f} %"
    cells += [_number(summary.centre), _number(summary.ceiling), share]
    if row.against:
        difference = row.differences[metric]
        cells.append(_number(row.against[metric]))
        cells.append("–" if difference is None else _with_interval(difference.mean, difference.lo, difference.hi, "+"))
    return cells


def _footnotes(evaluation: SuiteEvaluation) -> list[str]:
    lines = [
        "More is better, but for KLD. People: one viewer against the others; CC: what a perfect model would reach "
        "against this many viewers.",
        "Share = (model − centre bias) / (people − centre bias).",
    ]
    if evaluation.domains:
        lines.append("mean: mean over the sets of a domain, each counting the same; pictures are resampled by set.")
    if any(row.frame_wise for row in evaluation.sets):
        lines.append("Clips: the model over time; frame-wise: the same network on each frame alone.")
    return lines + [f"{row.name}: {note}." for row in evaluation.sets if row.window == "total" for note in row.notes]


def _with_interval(value: float | None, lo: float | None, hi: float | None, sign: str) -> str:
    if value is None:
        return "–"
    return f"{value:{sign}.3f}" + ("" if lo is None or hi is None else f" [{lo:{sign}.3f}, {hi:{sign}.3f}]")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _hash(sha256: str | None) -> str:
    return "" if sha256 is None else f" ({sha256[:8]})"
