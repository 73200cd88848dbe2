"""Run `mediaan evaluate`; apart from its options, so that its help need not load it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tqdm import tqdm

from mediaan.cli.output.evaluation_output import (
    DEFAULT_METRICS,
    clips_as_text,
    evaluation_as_text,
    suite_as_markdown,
    suite_as_text,
)
from mediaan.cli.paths import check_output_path
from mediaan.config.gaze_columns import load_columns
from mediaan.errors import UsageError
from mediaan.evaluation.datasets.image_set import read_gaze_set, read_names
from mediaan.evaluation.datasets.video_set import holds_videos, read_video_gaze_set
from mediaan.evaluation.saliency.gallery import write_gallery
from mediaan.evaluation.saliency.image_evaluation import evaluate_predictor
from mediaan.evaluation.saliency.inter_observer import ConsistencyCache
from mediaan.evaluation.saliency.suite import Suite, SuiteModel, SuiteSet, evaluate_suite, read_suite
from mediaan.evaluation.saliency.summary import METRICS
from mediaan.evaluation.saliency.tables import images_table, videos_table, write_table
from mediaan.evaluation.saliency.video_evaluation import evaluate_videos
from mediaan.evaluation.saliency.video_prediction import CachedPredictor
from mediaan.evaluation.saliency.video_scores import LAGS_S
from mediaan.media import Sampling, open_medium
from mediaan.saliency import TemporalAttention, load_frame_predictor, load_predictor
from mediaan.types.densities import Window


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """Which model is scored, and on what part of a set; attributes are the options of the command."""

    model: str
    device: str
    names: Path | None
    window: Window
    fps: float | None
    lag: bool
    limit: int | None


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """What is asked of a list of sets, or of two models; attributes are the options of the command."""

    against: str | None
    data: Path | None
    sets: tuple[str, ...]
    metrics: str | None
    cache: Path | None
    out: Path | None
    gallery: Path | None
    gallery_maps_only: bool


def evaluate_sets(
    target: Path, wanted: EvaluateOptions, suite_wanted: SuiteOptions, *, as_json: bool, markdown: bool
) -> str:
    """Score a model, perhaps beside another one, on the sets of a suite or on one folder; return the text for stdout.

    Raises
    ------
    UsageError
        An option does not apply; a set, a list or a model cannot be read.
    """
    for option, given in (
        ("--out", suite_wanted.out),
        ("--gallery", suite_wanted.gallery),
        ("--gallery-maps-only", suite_wanted.gallery_maps_only),
        ("--lag", wanted.lag),
    ):
        if given:
            raise UsageError(f"{option} applies only to one model on one DIR; leave it out")
    if as_json and markdown:
        raise UsageError("--json and --markdown exclude each other; leave one out")
    if target.is_file():
        if wanted.names or wanted.window != "total":
            raise UsageError(f"{target} lists the images and windows of each set; leave out --pictures and --window")
        suite = read_suite(target, suite_wanted.data)
        suite = suite.only(suite_wanted.sets) if suite_wanted.sets else suite
    else:
        if suite_wanted.data or suite_wanted.sets:
            raise UsageError(f"--data and --set apply only to a list of sets (SUITE.toml), but {target} is a folder")
        name = target.resolve().name
        suite = Suite(name, (SuiteSet(name, "", target, wanted.names, windows=(wanted.window,)),))
    metrics = DEFAULT_METRICS if suite_wanted.metrics is None else tuple(suite_wanted.metrics.split(","))
    if unknown := [metric for metric in metrics if metric not in METRICS]:
        raise UsageError(f"--metrics: there is no metric {unknown[0]!r}; choose from {', '.join(METRICS)}")
    evaluation = evaluate_suite(
        suite,
        SuiteModel.load(wanted.model, wanted.device),
        None if suite_wanted.against is None else SuiteModel.load(suite_wanted.against, wanted.device),
        consistencies=ConsistencyCache(suite_wanted.cache),
        sampling=Sampling() if wanted.fps is None else Sampling(wanted.fps),
        limit=wanted.limit,
        columns=load_columns,
        progress_of=lambda name: partial(tqdm, desc=name, disable=not sys.stderr.isatty()),
    )
    if as_json:
        return json.dumps(evaluation.to_dict())
    return suite_as_markdown(evaluation, metrics) if markdown else suite_as_text(evaluation, metrics)


def evaluate_set(
    folder: Path, wanted: EvaluateOptions, *, out: Path | None, gallery: Path | None, maps_only: bool, as_json: bool
) -> str:
    """Score a model against the eye tracking of a folder, images or videos; return the text for stdout."""
    check_output_path("--out", out)
    check_output_path("--gallery", gallery)
    names, hidden = read_names(wanted.names) if wanted.names else None, not sys.stderr.isatty()
    if not holds_videos(folder):
        if wanted.fps is not None or wanted.lag:
            raise UsageError("--fps and --lag apply only to videos, but DIR holds images; leave them out")
        gaze_set = read_gaze_set(
            folder, window=wanted.window, names=names, limit=wanted.limit, columns=load_columns(folder)
        )
        predictor = load_predictor(wanted.model, wanted.device)
        evaluation = evaluate_predictor(predictor, gaze_set, progress=partial(tqdm, unit="picture", disable=hidden))
        if out:
            write_table(images_table(evaluation), out)
        if gallery:
            write_gallery(predictor, gaze_set, evaluation, gallery, maps_only=maps_only)
        return json.dumps(evaluation.to_dict()) if as_json else evaluation_as_text(evaluation)
    if wanted.window != "total":
        raise UsageError(
            f"--window {wanted.window} does not apply to videos, whose gaze has its own times; leave it out"
        )
    if gallery or maps_only:
        raise UsageError(
            "there is no gallery for videos; leave out --gallery, or use --out for the scores of each clip"
        )
    frame_model = CachedPredictor(load_frame_predictor(wanted.model, wanted.device))
    over_time = evaluate_videos(
        TemporalAttention(frame_model),
        frame_model,
        read_video_gaze_set(folder, names=names, limit=wanted.limit),
        opener=open_medium,
        sampling=Sampling() if wanted.fps is None else Sampling(wanted.fps),
        lags_s=LAGS_S if wanted.lag else (),
        progress=partial(tqdm, unit="clip", disable=hidden),
    )
    if out:
        write_table(videos_table(over_time), out)
    return json.dumps(over_time.to_dict()) if as_json else clips_as_text(over_time)
