"""Score a temporal model on a set of videos with gaze."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.datasets.stimulus import fit_grid
from mediaan.evaluation.datasets.video_set import VIDEO_GRID_LONG_SIDE, VideoGazeSet, VideoStimulus
from mediaan.evaluation.saliency.baselines import OtherFixations, centre_bias
from mediaan.evaluation.saliency.inter_observer import MIXTURES, ConsistencyFunction, observer_consistency
from mediaan.evaluation.saliency.metrics import mean_defined
from mediaan.evaluation.saliency.summary import (
    METRICS,
    MetricSummary,
    SaliencyEvaluation,
    best_mixture,
    one_vs_others,
    summarize,
)
from mediaan.evaluation.saliency.video_prediction import MediumOpener, VideoModel, open_video, predict_instants
from mediaan.evaluation.saliency.video_scores import LagCurve, VideoBaselines, VideoScores, lag_curve, score_video
from mediaan.media.source import Sampling
from mediaan.saliency.density import centre_prior, resize_density
from mediaan.saliency.predictor import AttentionPredictor

SHUFFLED_NEGATIVES = 5000
"""Rows of gaze that serve shuffled AUC as negatives, about as many from each video of the set."""

_SEED = 20240229


@dataclass(frozen=True, slots=True)
class VideoMetricSummary(MetricSummary):
    """One metric over all videos."""

    frame_wise: float | None
    """Mean of the image model on each frame alone."""
    gain: float | None
    gain_lo: float | None
    gain_hi: float | None
    """gain, gain_lo, gain_hi: Gain of the temporal model over that, and its 95 % bootstrap interval over videos."""


@dataclass(frozen=True, slots=True)
class VideoEvaluation(SaliencyEvaluation[VideoMetricSummary]):
    """Evaluation of a model on a set of videos."""

    fps: float
    """Instants per second."""
    clips: tuple[VideoScores, ...]
    lag_curve: LagCurve | None
    """NSS against gaze that is shifted in time; None where it was not asked for, or no video is long enough."""

    def people(self, metric: str, video: VideoScores) -> float | None:
        """Return the viewers' score on a video: one against the others, for CC √(2r / (1 + r)) of the split halves."""
        if metric == "cc":
            return video.consistency.attainable_cc
        mixture = None if self.centre_mixture is None else MIXTURES.index(self.centre_mixture)
        return one_vs_others(video.consistency, metric, mixture)

    def to_dict(self) -> dict[str, Any]:
        """Return means and videos, ready for JSON."""
        clips = [
            {
                "video": clip.name,
                "n_viewers": clip.n_viewers,
                "n_instants": clip.n_instants,
                "model": dict(clip.model),
                "frame_wise": dict(clip.frame_wise),
                "centre": dict(clip.centre),
                "prior": dict(clip.prior),
                "people": {metric: self.people(metric, clip) for metric in METRICS},
            }
            for clip in self.clips
        ]
        lag_curve = None if self.lag_curve is None else self.lag_curve.to_dict()
        return self.about() | {"fps": self.fps, "n_clips": len(clips), "clips": clips, "lag_curve": lag_curve}


def evaluate_videos(
    model: VideoModel,
    frame_model: AttentionPredictor,
    gaze_set: VideoGazeSet,
    *,
    opener: MediumOpener,
    sampling: Sampling,
    lags_s: Sequence[float] = (),
    consistency_of: ConsistencyFunction = observer_consistency,
    progress: Callable[[list[VideoStimulus]], Iterable[VideoStimulus]] = iter,
) -> VideoEvaluation:
    """Score a temporal model on the selected videos of a set, in one pass over each and in bounded memory.

    `model`: the scored model.
    `frame_model`: the image model under it, whose window total is scored on the same frames.
    `opener`: opens a medium, as `mediaan.media.open_medium` does.
    `sampling`: instants that are compared.
    `lags_s`: shifts of the gaze in time for which NSS is taken too, s; see `mediaan.evaluation.saliency.video_scores`.
    `consistency_of`: inter-observer consistency at an instant; a `ConsistencyCache` spares the time where it is known.
    `progress`: wraps the videos, to show progress.
    Raises UsageError: a video cannot be read or has no gaze while it plays, or the image model does not predict the
        window total.
    """
    bias = centre_bias(gaze_set.stimuli) if len(gaze_set.stimuli) > 1 else None
    others = _some_fixations(gaze_set.stimuli)
    index = {clip.name: i for i, clip in enumerate(gaze_set.stimuli)}
    step_s = 1 / sampling.fps
    scores = []
    for clip in progress([clip for clip in gaze_set.stimuli if clip.name in gaze_set.selected]):
        with open_video(clip.path, model.view, opener, sampling) as source:
            shape = fit_grid(source.medium.width, source.medium.height, VIDEO_GRID_LONG_SIDE)
            prior = centre_prior(shape)
            centre = prior if bias is None else resize_density(bias.without(clip.truth()), shape)
            baselines = VideoBaselines(centre, prior, others.without(index[clip.name], shape))
            instants = predict_instants(source, model, frame_model)
            scores.append(
                score_video(clip, instants, baselines, step_s=step_s, lags_s=lags_s, consistency_of=consistency_of)
            )
    notes = list(gaze_set.notes)
    if bias is None:
        notes.append("with one clip there is no centre bias of others: the fixed prior stands in for it")
    if late := [clip.name for clip in scores if clip.late > 0.5]:
        notes.append(
            f"most of the gaze on {len(late)} clips ({late[0]!r} ...) lies after their end and is left out; "
            "t_s is in seconds from the first frame"
        )
    mixture = best_mixture(scores)
    return VideoEvaluation(
        dataset=gaze_set.folder.resolve().name,
        predictor=frame_model.name,
        sha256=frame_model.sha256,
        device=frame_model.device,
        window="total",
        fps=sampling.fps,
        metrics=tuple(_summary(metric, scores, mixture) for metric in METRICS),
        clips=tuple(scores),
        centre_blur=None if bias is None else bias.extra_blur,
        centre_mixture=None if mixture is None else MIXTURES[mixture],
        lag_curve=lag_curve([clip.lagged for clip in scores], lags_s),
        notes=tuple(notes),
    )


def _some_fixations(clips: Sequence[VideoStimulus]) -> OtherFixations:
    """Draw some of the gaze of each video: all of it would take long to rank and tell hardly more."""
    rng, each = np.random.default_rng(_SEED), -(-SHUFFLED_NEGATIVES // len(clips))
    rows = [rng.permutation(clip.x.size)[:each] for clip in clips]
    return OtherFixations(
        np.concatenate([clip.x[picks] for clip, picks in zip(clips, rows, strict=True)]),
        np.concatenate([clip.y[picks] for clip, picks in zip(clips, rows, strict=True)]),
        np.repeat(np.arange(len(rows)), [picks.size for picks in rows]),
    )


def _summary(metric: str, scores: Sequence[VideoScores], mixture: int | None) -> VideoMetricSummary:
    pairs = [(clip.model[metric], clip.frame_wise[metric]) for clip in scores]
    gains = [ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None]
    lo, hi = bootstrap_interval(gains) or (None, None)
    return VideoMetricSummary(
        **asdict(summarize(metric, scores, mixture)),
        frame_wise=mean_defined(clip.frame_wise[metric] for clip in scores),
        gain=mean_defined(gains),
        gain_lo=lo,
        gain_hi=hi,
    )
