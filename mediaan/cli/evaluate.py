"""`mediaan evaluate`: how well a model foretells eye tracking."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import click
from tqdm import tqdm

from mediaan.cli import options
from mediaan.cli.outputs import check_output
from mediaan.cli.scoreboard import as_text, clips_as_text
from mediaan.config.gaze_columns import load_columns
from mediaan.errors import UsageError
from mediaan.evaluation.clip_dataset import holds_clips, read_clip_set
from mediaan.evaluation.clip_evaluation import ClipEvaluation, evaluate_clips
from mediaan.evaluation.clip_table import write_clips
from mediaan.evaluation.clips import ClipSet, GazedClip
from mediaan.evaluation.dataset import read_gaze_set, read_names
from mediaan.evaluation.gallery import write_gallery
from mediaan.evaluation.gaze import GazedPicture
from mediaan.evaluation.lag import LAGS_S
from mediaan.evaluation.score import evaluate_predictor
from mediaan.evaluation.table import write_pictures
from mediaan.media import Sampling, open_medium
from mediaan.predictors import TemporalAttention, load_frame_predictor, load_predictor
from mediaan.types.maps import Window


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@options.model
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Score only the pictures or videos of this list (one name a line, or a JSON list); all form the centre bias.",
)
@click.option(
    "--window",
    type=click.Choice(["total", "start", "end"]),
    default="total",
    show_default=True,
    help="Part of the exposure: all, the first 2 s, or the last 2 s of 5 s. Videos: total only.",
)
@click.option(
    "--fps",
    type=click.FloatRange(min=0, min_open=True, max=60),
    help="Videos: instants per second at which gaze is compared.  [default: 5]",
)
@click.option("--lag", is_flag=True, help="Videos: NSS against gaze shifted in time, too; it should peak near 0.")
@click.option("--limit", type=click.IntRange(min=1), help="Score only the first so many pictures or videos.")
@options.json_lines
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write each one's scores (Parquet).")
@click.option("--gallery", type=click.Path(path_type=Path, dir_okay=False), help="Write worst and best cases (JPEG).")
@click.option("--gallery-maps-only", is_flag=True, help="Leave the pictures out of the gallery; maps only.")
@options.device
def evaluate(
    folder: Path,
    model: str,
    pictures: Path | None,
    window: Window,
    fps: float | None,
    lag: bool,
    limit: int | None,
    as_json: bool,
    out: Path | None,
    gallery: Path | None,
    gallery_maps_only: bool,
    device: str,
) -> None:
    """Score a model against the eye tracking in DIR.

    DIR holds images/NAME.* and fixations.parquet (image, viewer, x, y in unit coordinates, onset_s in seconds), or
    densities/NAME.png where fixations are unknown, or exports of Tobii Pro Lab (.tsv) or RealEye (.csv), or a table
    whose columns DIR/columns.yaml names; or videos/NAME.* and fixations.parquet (video, viewer, t_s in
    seconds from the first frame, x, y; perhaps duration_s). The model stands between the centre bias of the set and
    what other people reach; all metrics as in the MIT/Tübingen saliency benchmark.
    """
    check_output("--out", out)
    check_output("--gallery", gallery)
    names = read_names(pictures) if pictures else None
    if holds_clips(folder):
        _check_for_videos(window, gallery, gallery_maps_only)
        clip_set = read_clip_set(folder, names=names, limit=limit)
        over_time = _evaluate_videos(clip_set, model, device, Sampling() if fps is None else Sampling(fps), lag)
        if out:
            write_clips(over_time, out)
        click.echo(json.dumps(over_time.to_dict()) if as_json else clips_as_text(over_time))
        return
    _check_for_pictures(fps, lag)
    gaze_set = read_gaze_set(folder, window=window, names=names, limit=limit, columns=load_columns(folder))
    predictor = load_predictor(model, device)
    evaluation = evaluate_predictor(predictor, gaze_set, progress=_watch_pictures)
    if out:
        write_pictures(evaluation, out)
    if gallery:
        write_gallery(predictor, gaze_set, evaluation, gallery, maps_only=gallery_maps_only)
    click.echo(json.dumps(evaluation.to_dict()) if as_json else as_text(evaluation))


def _evaluate_videos(clip_set: ClipSet, model: str, device: str, sampling: Sampling, lag: bool) -> ClipEvaluation:
    frame_model = load_frame_predictor(model, device)
    return evaluate_clips(
        TemporalAttention(frame_model),
        frame_model,
        clip_set,
        opener=open_medium,
        sampling=sampling,
        lags_s=LAGS_S if lag else (),
        progress=_watch_clips,
    )


def _check_for_videos(window: Window, gallery: Path | None, gallery_maps_only: bool) -> None:
    if window != "total":
        raise UsageError(f"--window {window} does not apply to videos, whose gaze has a time of its own; leave it out")
    if gallery or gallery_maps_only:
        raise UsageError("there is no gallery of videos; leave out --gallery, or use --out for the scores of each clip")


def _check_for_pictures(fps: float | None, lag: bool) -> None:
    if fps is not None or lag:
        raise UsageError("--fps and --lag apply to sets of videos only, and DIR holds pictures; leave them out")


def _watch_pictures(pictures: list[GazedPicture]) -> Iterable[GazedPicture]:
    return tqdm(pictures, unit="picture", disable=not sys.stderr.isatty())


def _watch_clips(clips: list[GazedClip]) -> Iterable[GazedClip]:
    return tqdm(clips, unit="clip", disable=not sys.stderr.isatty())
