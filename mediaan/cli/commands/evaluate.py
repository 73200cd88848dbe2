"""`mediaan evaluate`: how well a model predicts eye tracking."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import complete, options
from mediaan.cli.options import EXISTING_FILE, EXISTING_FOLDER, EXISTING_PATH, FILE
from mediaan.cli.paths import check_output_path
from mediaan.cli.table import join_blocks, number_text, table_lines
from mediaan.errors import UsageError

if TYPE_CHECKING:
    from mediaan.evaluation.saliency.scores import ImageEvaluation, MetricSummary
    from mediaan.evaluation.saliency.suite import SuiteEvaluation
    from mediaan.evaluation.saliency.video_evaluation import VideoEvaluation
    from mediaan.types.densities import Window


@click.command()
@click.argument("target", metavar="DIR|SUITE.toml", type=EXISTING_PATH)
@options.model
@click.option(
    "--against",
    metavar="NAME",
    shell_complete=complete.model,
    help="Another model to compare with: both in one table, with the paired difference and its interval.",
)
@click.option(
    "--data",
    type=EXISTING_FOLDER,
    help="SUITE.toml: folder that the folders of its sets are relative to.  [default: that of the file]",
)
@click.option("--set", "sets", multiple=True, metavar="NAME", help="SUITE.toml: only this set; can be repeated.")
@click.option(
    "--metrics",
    metavar="NAMES",
    help="Tables of a suite: nss, cc, sim, kld, auc_judd, shuffled_auc, information_gain.  "
    "[default: nss,cc,kld,auc_judd,shuffled_auc]",
)
@click.option(
    "--cache",
    type=EXISTING_FOLDER,
    help="Keep the results for human viewers, which do not depend on the model, here; the next run is faster.",
)
@click.option(
    "--pictures",
    type=EXISTING_FILE,
    help="Score only the images or videos of this list (one name a line, or a JSON list); all still form the "
    "centre bias.",
)
@click.option(
    "--window",
    type=click.Choice(["total", "start", "end"]),
    default="total",
    help="Part of the exposure: all, the first 2 s, or the last 2 s of 5 s. Videos: total only.",
)
@click.option(
    "--fps",
    type=click.FloatRange(min=0, min_open=True, max=60),
    help="Videos: points in time per second at which gaze is compared.  [default: 5]",
)
@click.option("--lag", is_flag=True, help="Videos: also show NSS against gaze shifted in time; it should peak near 0.")
@click.option("--limit", type=click.IntRange(min=1), help="Score only the first so many images or videos.")
@options.json_lines
@click.option("--markdown", is_flag=True, help="Tables of a suite, or of two models, in Markdown.")
@click.option("--out", type=FILE, help="Write the scores of each image or video (Parquet).")
@click.option("--gallery", type=FILE, help="Write the worst and best cases (JPEG).")
@click.option("--gallery-maps-only", is_flag=True, help="Leave the images out of the gallery; show only maps.")
@options.device
def evaluate(target: Path, **given: Any) -> None:
    """Score a model against the eye tracking in DIR, or in the sets that SUITE.toml lists.

    DIR holds images/NAME.* and fixations.parquet (image, viewer, x, y in unit coordinates, onset_s in seconds), or
    densities/NAME.png if fixations are not available, or exports of Tobii Pro Lab (.tsv) or RealEye (.csv), or a table
    whose columns DIR/columns.yaml names; or videos/NAME.* and fixations.parquet (video, viewer, t_s in
    seconds from the first frame, x, y; optional duration_s). The table shows the model between the centre bias of the
    set and what other people reach. All metrics are those of the MIT/Tübingen saliency benchmark.

    SUITE.toml lists sets: [[set]] with folder and domain, optional: name, pictures, without and windows. The result is
    one table, by domain.
    """

    asked = EvaluateOptions(**given)
    if target.is_file() or asked.against is not None:
        click.echo(evaluate_sets(target, asked))
        return
    _refuse(asked, ("data", "sets", "metrics", "cache", "markdown"), "a list of sets (SUITE.toml) and to --against")
    click.echo(evaluate_set(target, asked))


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """What is scored, on what part of which sets, and what is written; attributes are the options of the command."""

    model: str
    device: str
    against: str | None
    data: Path | None
    sets: tuple[str, ...]
    metrics: str | None
    cache: Path | None
    pictures: Path | None
    window: Window
    fps: float | None
    lag: bool
    limit: int | None
    as_json: bool
    markdown: bool
    out: Path | None
    gallery: Path | None
    gallery_maps_only: bool


def _refuse(asked: EvaluateOptions, names: Sequence[str], alone: str) -> None:
    """Refuse options that were given although they apply to something else alone."""
    for name in names:
        if getattr(asked, name):
            flag = "--set" if name == "sets" else f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} applies only to {alone}; leave it out")


def evaluate_sets(target: Path, asked: EvaluateOptions) -> str:
    """Score a model, perhaps beside another one, on the sets of a suite or on a folder; return the text for stdout."""
    from tqdm import tqdm

    from mediaan.config.calibration import load_columns
    from mediaan.evaluation.saliency.inter_observer import ConsistencyCache
    from mediaan.evaluation.saliency.scores import METRICS
    from mediaan.evaluation.saliency.suite import Suite, SuiteModel, SuiteSet, evaluate_suite, read_suite
    from mediaan.media import Sampling

    _refuse(asked, ("out", "gallery", "gallery_maps_only", "lag"), "one model on one DIR")
    if asked.as_json and asked.markdown:
        raise UsageError("--json and --markdown exclude each other; leave one out")
    if target.is_file():
        if asked.pictures or asked.window != "total":
            raise UsageError(f"{target} lists the images and windows of each set; leave out --pictures and --window")
        suite = read_suite(target, asked.data)
        suite = suite.only(asked.sets) if asked.sets else suite
    else:
        if asked.data or asked.sets:
            raise UsageError(f"--data and --set apply only to a list of sets (SUITE.toml), but {target} is a folder")
        name = target.resolve().name
        suite = Suite(name, (SuiteSet(name, "", target, asked.pictures, windows=(asked.window,)),))
    metrics = DEFAULT_METRICS if asked.metrics is None else tuple(asked.metrics.split(","))
    if unknown := [metric for metric in metrics if metric not in METRICS]:
        raise UsageError(f"--metrics: there is no metric {unknown[0]!r}; choose from {', '.join(METRICS)}")
    evaluation = evaluate_suite(
        suite,
        SuiteModel.load(asked.model, asked.device),
        None if asked.against is None else SuiteModel.load(asked.against, asked.device),
        consistencies=ConsistencyCache(asked.cache),
        sampling=Sampling() if asked.fps is None else Sampling(asked.fps),
        limit=asked.limit,
        columns=load_columns,
        progress_of=lambda name: partial(tqdm, desc=name, disable=not sys.stderr.isatty()),
    )
    if asked.as_json:
        return json.dumps(evaluation.to_dict())
    return suite_as_markdown(evaluation, metrics) if asked.markdown else suite_as_text(evaluation, metrics)


def evaluate_set(folder: Path, asked: EvaluateOptions) -> str:
    """Score a model against the eye tracking of a folder, images or videos; return the text for stdout."""
    from tqdm import tqdm

    from mediaan.config.calibration import load_columns
    from mediaan.evaluation.datasets.image_set import read_gaze_set, read_names
    from mediaan.evaluation.datasets.video_set import holds_videos, read_video_gaze_set
    from mediaan.evaluation.saliency.gallery import write_gallery
    from mediaan.evaluation.saliency.scores import evaluate_predictor
    from mediaan.evaluation.saliency.tables import images_table, videos_table, write_table
    from mediaan.evaluation.saliency.video_evaluation import LAGS_S, CachedPredictor, evaluate_videos
    from mediaan.media import Sampling, open_medium
    from mediaan.saliency import TemporalAttention, load_frame_predictor, load_predictor

    check_output_path("--out", asked.out)
    check_output_path("--gallery", asked.gallery)
    names, hidden = read_names(asked.pictures) if asked.pictures else None, not sys.stderr.isatty()
    if not holds_videos(folder):
        if asked.fps is not None or asked.lag:
            raise UsageError("--fps and --lag apply only to videos, but DIR holds images; leave them out")
        gaze_set = read_gaze_set(
            folder, window=asked.window, names=names, limit=asked.limit, columns=load_columns(folder)
        )
        predictor = load_predictor(asked.model, asked.device)
        evaluation = evaluate_predictor(predictor, gaze_set, progress=partial(tqdm, unit="picture", disable=hidden))
        if asked.out:
            write_table(images_table(evaluation), asked.out)
        if asked.gallery:
            write_gallery(predictor, gaze_set, evaluation, asked.gallery, maps_only=asked.gallery_maps_only)
        return json.dumps(evaluation.to_dict()) if asked.as_json else evaluation_as_text(evaluation)
    if asked.window != "total":
        raise UsageError(
            f"--window {asked.window} does not apply to videos, whose gaze has its own times; leave it out"
        )
    if asked.gallery or asked.gallery_maps_only:
        raise UsageError(
            "there is no gallery for videos; leave out --gallery, or use --out for the scores of each clip"
        )
    frame_model = CachedPredictor(load_frame_predictor(asked.model, asked.device))
    over_time = evaluate_videos(
        TemporalAttention(frame_model),
        frame_model,
        read_video_gaze_set(folder, names=names, limit=asked.limit),
        opener=open_medium,
        sampling=Sampling() if asked.fps is None else Sampling(asked.fps),
        lags_s=LAGS_S if asked.lag else (),
        progress=partial(tqdm, unit="clip", disable=hidden),
    )
    if asked.out:
        write_table(videos_table(over_time), asked.out)
    return json.dumps(over_time.to_dict()) if asked.as_json else clips_as_text(over_time)


_number = partial(number_text, form=".3f")
_COLUMNS = ("", "model [95 % interval]", "centre bias", "prior", "one vs others", "split half", "share explained")
_CLIP_COLUMNS = (*_COLUMNS[:2], "frame-wise", *_COLUMNS[2:])

# What is shown of each clip.
_PER_CLIP = ("nss", "cc", "auc_judd")
_PER_CLIP_COLUMNS = ("model", "frame-wise", "centre", "people")


def evaluation_as_text(evaluation: ImageEvaluation) -> str:
    """Write the summary of an evaluation on images."""
    from mediaan.evaluation.saliency.scores import METRICS

    heading = (
        f"{evaluation.predictor} on {evaluation.dataset}: {len(evaluation.pictures)} images, "
        f"window {evaluation.window}, {evaluation.device}"
    )
    rows = [_COLUMNS, *((METRICS[summary.metric], *_cells(summary)) for summary in evaluation.metrics)]
    footnotes = [*_about_people(evaluation), *(f"Note: {note}." for note in evaluation.notes)]
    return "\n".join([heading, "", *table_lines(rows), "", *footnotes])


def clips_as_text(evaluation: VideoEvaluation) -> str:
    """Write each clip, then the summary of an evaluation on videos."""
    from mediaan.evaluation.saliency.scores import METRICS

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
    return join_blocks(blocks)


def _cells(summary: MetricSummary) -> tuple[str, ...]:
    share = "–" if summary.share is None else f"{100 * summary.share:.0f} %"
    others = (summary.centre, summary.prior, summary.one_vs_others, summary.split_half)
    return (
        _number(summary.model, summary.lo, summary.hi),
        *map(_number, others),
        share,
    )


def _about_people(evaluation: ImageEvaluation | VideoEvaluation) -> list[str]:
    lines = ["Higher is better, except for KLD. Share explained = (model − centre bias) / (people − centre bias)."]
    ceiling, mixture = evaluation["cc"].ceiling, evaluation.centre_mixture
    if ceiling is not None:
        lines.append(f"For CC, people = {ceiling:.3f}, what a perfect model would reach against this many viewers:")
        lines.append("√(2r / (1 + r)), r of the split halves. SIM and KLD have no such ceiling.")
    if mixture is not None:
        lines.append(f"People's information gain: the density of the others with {mixture:.0%} centre bias in it.")
    return lines


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
    from mediaan.evaluation.saliency.scores import METRICS

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
            cells = [shown_domain, title, METRICS[metric], _number(summary.model, summary.lo, summary.hi)]
            cells += [_number(row.frame_wise.get(metric))] if clips else []
            share = "–" if summary.share is None else f"{100 * summary.share:.0f} %"
            cells += [_number(summary.centre), _number(summary.ceiling), share]
            if row.against:
                cells.append(_number(row.against[metric]))
                gain = row.differences[metric]
                cells.append("–" if gain is None else number_text(gain.mean, gain.lo, gain.hi, form="+.3f"))
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


def _hash(sha256: str | None) -> str:
    return "" if sha256 is None else f" ({sha256[:8]})"
