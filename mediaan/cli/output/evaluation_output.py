"""Write evaluations of attention models as tables for people: aligned text, or Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from mediaan.cli.output.table import table_lines
from mediaan.evaluation.saliency.image_evaluation import ImageEvaluation
from mediaan.evaluation.saliency.suite import SuiteEvaluation
from mediaan.evaluation.saliency.summary import METRICS, MetricSummary
from mediaan.evaluation.saliency.video_evaluation import VideoEvaluation

_COLUMNS = ("", "model [95 % interval]", "centre bias", "prior", "one vs others", "split half", "share explained")
_CLIP_COLUMNS = (*_COLUMNS[:2], "frame-wise", *_COLUMNS[2:])

# What is shown of each clip.
_PER_CLIP = ("nss", "cc", "auc_judd")
_PER_CLIP_COLUMNS = ("model", "frame-wise", "centre", "people")


def evaluation_as_text(evaluation: ImageEvaluation) -> str:
    """Write the summary of an evaluation on images."""
    heading = (
        f"{evaluation.predictor} on {evaluation.dataset}: {len(evaluation.pictures)} images, "
        f"window {evaluation.window}, {evaluation.device}"
    )
    rows = [_COLUMNS, *((METRICS[summary.metric], *_cells(summary)) for summary in evaluation.metrics)]
    footnotes = [*_about_people(evaluation), *(f"Note: {note}." for note in evaluation.notes)]
    return "\n".join([heading, "", *table_lines(rows), "", *footnotes])


def clips_as_text(evaluation: VideoEvaluation) -> str:
    """Write each clip, then the summary of an evaluation on videos."""
    instants = sum(clip.n_instants for clip in evaluation.clips)
    heading = (
        f"{evaluation.predictor} over time on {evaluation.dataset}: {len(evaluation.clips)} clips, "
        f"{instants} moments with gaze at {evaluation.fps:g} per second, {evaluation.device}"
    )
    metrics, columns = ["", "", ""], ["clip", "viewers", "moments"]
    for metric in _PER_CLIP:
        metrics += [METRICS[metric], *[""] * (len(_PER_CLIP_COLUMNS) - 1)]
        columns += _PER_CLIP_COLUMNS
    clips = [metrics, columns]
    for clip in evaluation.clips:
        cells = [clip.name, str(clip.n_viewers), str(clip.n_instants)]
        for metric in _PER_CLIP:
            values = (clip.model[metric], clip.frame_wise[metric], clip.centre[metric], evaluation.people(metric, clip))
            cells += [_number(value) for value in values]
        clips.append(cells)
    rows: list[tuple[str, ...]] = [_CLIP_COLUMNS]
    for summary in evaluation.metrics:
        first, *rest = _cells(summary)
        rows.append((METRICS[summary.metric], first, _number(summary.frame_wise), *rest))
    blocks = [[heading], table_lines(clips), table_lines(rows)]
    if (curve := evaluation.lag_curve) is not None:
        lags = ["gaze later by, s", *(f"{lag:+.1f}" for lag in curve.lags_s)]
        peak = f"Peak at {curve.peak_s:+.1f} s ({curve.n} clips, moments with gaze at all lags)."
        blocks.append([*table_lines([lags, ["NSS", *map(_number, curve.nss)]]), peak])
    footnotes = ["The score of a clip is the mean over its moments with gaze; that of the set is the mean over clips."]
    nss = evaluation["nss"]
    if nss.gain is not None and nss.gain_lo is not None:
        footnotes.append(f"Over the frame-wise model: NSS {nss.gain:+.3f} [{nss.gain_lo:+.3f}, {nss.gain_hi:+.3f}].")
    footnotes += _about_people(evaluation)
    if any(summary.share is not None and summary.share > 1 for summary in evaluation.metrics):
        footnotes.append(
            "Above 100 %: few people look at one moment, so their density is rougher than that of a model."
        )
    blocks.append(footnotes + [f"Note: {note}." for note in evaluation.notes])
    return "\n\n".join("\n".join(block) for block in blocks)


def _cells(summary: MetricSummary) -> tuple[str, ...]:
    share = "–" if summary.share is None else f"{100 * summary.share:.0f} %"
    others = (summary.centre, summary.prior, summary.one_vs_others, summary.split_half)
    return (_with_interval(summary.model, summary.lo, summary.hi), *map(_number, others), share)


def _about_people(evaluation: ImageEvaluation | VideoEvaluation) -> list[str]:
    lines = ["Higher is better, except for KLD. Share explained = (model − centre bias) / (people − centre bias)."]
    ceiling, mixture = evaluation["cc"].ceiling, evaluation.centre_mixture
    if ceiling is not None:
        lines.append(f"For CC, people = {ceiling:.3f}, what a perfect model would reach against this many viewers:")
        lines.append("√(2r / (1 + r)), r of the split halves. SIM and KLD have no such ceiling.")
    if mixture is not None:
        lines.append(f"People's information gain: the density of the others with {mixture:.0%} centre bias in it.")
    return lines


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


DEFAULT_METRICS = ("nss", "cc", "kld", "auc_judd", "shuffled_auc")
"""Metrics that are shown unless others are asked for."""


def suite_as_text(evaluation: SuiteEvaluation, metrics: Sequence[str] = DEFAULT_METRICS) -> str:
    """Write tables by domain and set, with what is to be known of them."""
    name, sha256 = evaluation.model
    heading = f"{name}{_hash(sha256)} on {evaluation.suite}"
    if evaluation.against is not None:
        heading += f", against {evaluation.against[0]}{_hash(evaluation.against[1])}"
    return "\n".join(
        [heading, "", *table_lines(_suite_rows(evaluation, metrics), left=range(3)), "", *_suite_footnotes(evaluation)]
    )


def suite_as_markdown(evaluation: SuiteEvaluation, metrics: Sequence[str] = DEFAULT_METRICS) -> str:
    """Write the same table in Markdown, without the heading."""
    head, *rows = _suite_rows(evaluation, metrics)
    rule = ["---"] * 3 + ["---:"] * (len(head) - 3)
    lines = ["| " + " | ".join(row) + " |" for row in (head, rule, *rows)]
    return "\n".join([*lines, "", *(f"- {line}" for line in _suite_footnotes(evaluation))])


def _suite_rows(evaluation: SuiteEvaluation, metrics: Sequence[str]) -> list[list[str]]:
    """Make head and body; domain and set stand in the first of their rows only."""
    clips = any(row.frame_wise for row in evaluation.sets)
    head = ["domain", "set", "metric", "model [95 % interval]"]
    head += ["frame-wise"] if clips else []
    head += ["centre bias", "people", "share"]
    head += ["against", "difference [95 % interval]"] if evaluation.against else []
    rows, domain = [head], ""
    for row in evaluation.by_domain():
        window = "" if row.window == "total" else f", {row.window}"
        shown_domain, title = row.domain if row.domain != domain else "", f"{row.name}{window} ({row.n})"
        domain = row.domain
        for metric in metrics:
            summary = row.metrics[metric]
            cells = [shown_domain, title, METRICS[metric], _with_interval(summary.model, summary.lo, summary.hi)]
            cells += [_number(row.frame_wise.get(metric))] if clips else []
            share = "–" if summary.share is None else f"{100 * summary.share:.0f} %"
            cells += [_number(summary.centre), _number(summary.ceiling), share]
            if row.against:
                cells.append(_number(row.against[metric]))
                gain = row.differences[metric]
                cells.append("–" if gain is None else _with_interval(gain.mean, gain.lo, gain.hi, "+"))
            rows.append(cells)
            shown_domain = title = ""
    return rows


def _suite_footnotes(evaluation: SuiteEvaluation) -> list[str]:
    lines = [
        "Higher is better, except for KLD. People: one viewer against the others; CC: what a perfect model would reach "
        "against this many viewers.",
        "Share = (model − centre bias) / (people − centre bias).",
    ]
    if evaluation.domains:
        lines.append("mean: mean over the sets of a domain, each with the same weight; images are resampled by set.")
    if any(row.frame_wise for row in evaluation.sets):
        lines.append("Clips: the model over time; frame-wise: the same network on each frame alone.")
    return lines + [f"{row.name}: {note}." for row in evaluation.sets if row.window == "total" for note in row.notes]


def _with_interval(value: float | None, lo: float | None, hi: float | None, sign: str = "") -> str:
    if value is None:
        return "–"
    return f"{value:{sign}.3f}" + ("" if lo is None or hi is None else f" [{lo:{sign}.3f}, {hi:{sign}.3f}]")


def _hash(sha256: str | None) -> str:
    return "" if sha256 is None else f" ({sha256[:8]})"
