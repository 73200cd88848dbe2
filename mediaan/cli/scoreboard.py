"""Evaluations as tables for people."""

from __future__ import annotations

from collections.abc import Sequence

from mediaan.evaluation.clip_evaluation import ClipEvaluation, ClipMetricSummary
from mediaan.evaluation.clip_score import ClipScores
from mediaan.evaluation.score import METRICS, Evaluation
from mediaan.evaluation.summary import MetricSummary

_COLUMNS = ("", "model [95 % interval]", "centre bias", "prior", "one vs others", "split half", "share explained")
_CLIP_COLUMNS = (*_COLUMNS[:2], "frame-wise", *_COLUMNS[2:])

# What is shown of each clip.
_PER_CLIP = ("nss", "cc", "auc_judd")
_PER_CLIP_COLUMNS = ("model", "frame-wise", "centre", "people")


def as_text(evaluation: Evaluation) -> str:
    """The summary of an evaluation on pictures."""
    rows = [_COLUMNS, *((METRICS[summary.metric], *_cells(summary)) for summary in evaluation.metrics)]
    return "\n".join([_heading(evaluation), "", *align(rows), "", *_footnotes(evaluation)])


def clips_as_text(evaluation: ClipEvaluation) -> str:
    """Each clip, then the summary of an evaluation on videos."""
    blocks = [[_clips_heading(evaluation)], _per_clip(evaluation), _summary_of_clips(evaluation)]
    if evaluation.lag_curve is not None:
        blocks.append(_lag(evaluation))
    blocks.append(_clips_footnotes(evaluation))
    return "\n\n".join("\n".join(block) for block in blocks)


def _heading(evaluation: Evaluation) -> str:
    return (
        f"{evaluation.predictor} on {evaluation.dataset}: {len(evaluation.pictures)} pictures, "
        f"window {evaluation.window}, {evaluation.device}"
    )


def _clips_heading(evaluation: ClipEvaluation) -> str:
    instants = sum(clip.n_instants for clip in evaluation.clips)
    return (
        f"{evaluation.predictor} over time on {evaluation.dataset}: {len(evaluation.clips)} clips, "
        f"{instants} instants with gaze at {evaluation.fps:g} per second, {evaluation.device}"
    )


def _cells(summary: MetricSummary) -> tuple[str, ...]:
    interval = "" if summary.lo is None else f" [{summary.lo:.3f}, {summary.hi:.3f}]"
    share = "–" if summary.share is None else f"{100 * summary.share:.0f} %"
    others = (summary.centre, summary.prior, summary.one_vs_others, summary.split_half)
    return (_number(summary.model) + interval, *(_number(value) for value in others), share)


def _summary_of_clips(evaluation: ClipEvaluation) -> list[str]:
    rows = [(METRICS[s.metric], *_with_frame_wise(s)) for s in evaluation.metrics]
    return align([_CLIP_COLUMNS, *rows])


def _with_frame_wise(summary: ClipMetricSummary) -> tuple[str, ...]:
    first, *rest = _cells(summary)
    return (first, _number(summary.frame_wise), *rest)


def _per_clip(evaluation: ClipEvaluation) -> list[str]:
    metrics, columns = ["", "", ""], ["clip", "viewers", "instants"]
    for metric in _PER_CLIP:
        metrics += [METRICS[metric], *[""] * (len(_PER_CLIP_COLUMNS) - 1)]
        columns += _PER_CLIP_COLUMNS
    return align([metrics, columns, *(_clip_cells(evaluation, clip) for clip in evaluation.clips)])


def _clip_cells(evaluation: ClipEvaluation, clip: ClipScores) -> list[str]:
    cells = [clip.name, str(clip.n_viewers), str(clip.n_instants)]
    for metric in _PER_CLIP:
        values = (clip.model[metric], clip.frame_wise[metric], clip.centre[metric], evaluation.people(metric, clip))
        cells += [_number(value) for value in values]
    return cells


def _lag(evaluation: ClipEvaluation) -> list[str]:
    curve = evaluation.lag_curve
    if curve is None:
        return []
    rows = [
        ["gaze later by, s", *(f"{lag:+.1f}" for lag in curve.lags_s)],
        ["NSS", *(_number(value) for value in curve.nss)],
    ]
    return [*align(rows), f"Peak at {curve.peak_s:+.1f} s ({curve.n} clips, instants with gaze at all lags)."]


def _footnotes(evaluation: Evaluation) -> list[str]:
    return [*_about_people(evaluation), *(f"Note: {note}." for note in evaluation.notes)]


def _clips_footnotes(evaluation: ClipEvaluation) -> list[str]:
    lines = ["A clip's score is the mean over its instants with gaze; the set's is the mean over clips."]
    nss = evaluation["nss"]
    if nss.gain is not None and nss.gain_lo is not None:
        lines.append(f"Over the frame-wise model: NSS {nss.gain:+.3f} [{nss.gain_lo:+.3f}, {nss.gain_hi:+.3f}].")
    lines += _about_people(evaluation)
    if any(summary.share is not None and summary.share > 1 for summary in evaluation.metrics):
        lines.append("Above 100 %: the others at one instant are few, and draw a rougher density than a model does.")
    return lines + [f"Note: {note}." for note in evaluation.notes]


def _about_people(evaluation: Evaluation | ClipEvaluation) -> list[str]:
    lines = ["More is better, but for KLD. Share explained = (model − centre bias) / (people − centre bias)."]
    ceiling, mixture = evaluation["cc"].ceiling, evaluation.centre_mixture
    if ceiling is not None:
        lines.append(f"For CC, people = {ceiling:.3f}, what a perfect model would reach against this many viewers:")
        lines.append("√(2r / (1 + r)), r of the split halves. SIM and KLD have no such ceiling.")
    if mixture is not None:
        lines.append(f"People's information gain: the density of the others with {mixture:.0%} centre bias in it.")
    return lines


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def align(rows: Sequence[Sequence[str]], names: int = 1) -> list[str]:
    """Return the lines of a table, its first `names` columns to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i < names else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
