"""Score a temporal model on a set of videos with gaze, instant by instant, in one pass over each.

At every sampled instant t the gaze of all viewers in [t - half a step, t + half a step) is compared with the densities
at t. The video's score is the mean over the instants at which somebody looks; each of them counts the same, however
many people look.

NSS against gaze shifted in time tells whether gaze and video run on one clock. At lag d a prediction for t is compared
with the gaze at t + d. The curve of a good model peaks near 0. A peak elsewhere says that the clocks differ, as
laboratories align them differently (first frame shown, trigger sent, monitor delay), or that the model runs ahead of
people (peak above 0) or behind them (below 0)."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from mediaan.errors import MediumError, UsageError
from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.evaluation.datasets.stimulus import GazeSet, Stimulus, fit_grid
from mediaan.evaluation.datasets.video_set import VIDEO_GRID_LONG_SIDE, VideoStimulus
from mediaan.evaluation.saliency.inter_observer import (
    MIXTURES,
    ConsistencyFunction,
    ObserverConsistency,
    mean_consistency,
    observer_consistency,
)
from mediaan.evaluation.saliency.metrics import CentreBias, OtherFixations, centre_bias, mean_defined, nss
from mediaan.evaluation.saliency.scores import (
    METRICS,
    MetricSummary,
    MetricValues,
    SaliencyEvaluation,
    StimulusScores,
    best_mixture,
    one_vs_others,
    predict_window,
    score_densities,
    summarize,
)
from mediaan.media.limits import MediaLimits
from mediaan.media.source import Sampling, Source
from mediaan.saliency.density import CellIndices, GridShape, centre_prior, fixation_cells, resize_density
from mediaan.saliency.predictor import AttentionPredictor, PredictorWrapper
from mediaan.types.arrays import Bool, Float32, Float64, Int32, UInt8
from mediaan.types.densities import Densities
from mediaan.types.media import ViewSpec

# Predictions of one chunk of a video and some more; older ones are not asked for again.
_MAX_CACHED = 128


class CachedPredictor(PredictorWrapper):
    """A predictor that caches its last predictions by the pixels of a frame.

    A video is scored over time and frame by frame: both need the same prediction of most frames.
    """

    def __init__(self, predictor: AttentionPredictor) -> None:
        super().__init__(predictor)
        self._kept: OrderedDict[bytes, Densities] = OrderedDict()

    def predict(self, frames: UInt8, **options: Any) -> list[Densities]:
        """Predict the densities of each frame; further arguments are those of the predictor."""
        request = repr((frames.shape[1:], sorted(options.items()))).encode()
        keys = [hashlib.blake2b(frame.tobytes(), digest_size=16).digest() + request for frame in frames]
        missing = [i for i, key in enumerate(keys) if key not in self._kept]
        kept = {key: self._kept[key] for key in keys if key in self._kept}
        if missing:
            fresh = self._predictor.predict(np.ascontiguousarray(frames[missing]), **options)
            kept |= {keys[i]: densities for i, densities in zip(missing, fresh, strict=True)}
        self._kept.update(kept)
        while len(self._kept) > _MAX_CACHED:
            self._kept.popitem(last=False)
        return [kept[key] for key in keys]


_LIMITS = MediaLimits(time_limit_s=86_400.0)
"""For a user's own videos, each of which is scored at hundreds of instants: a day."""


class VideoModel(Protocol):
    """Frames in order in, densities out, with a state between the chunks; as `mediaan.saliency.TemporalAttention`."""

    @property
    def view(self) -> ViewSpec:
        """View in which it takes frames."""
        ...

    def start(self) -> Any:
        """Return the state before the first frame."""
        ...

    def advance(
        self, state: Any, frames: UInt8, t: Float64, weight_s: Float64, shot: Int32, fresh: Bool, /
    ) -> tuple[list[Float32], Any]:
        """Return densities (h, w) of the frames of a chunk, and the state after it; see `Chunk` for the arguments."""
        ...


MediumOpener: TypeAlias = Callable[[Path, Sequence[ViewSpec], MediaLimits, Sampling], Source]
"""Opens a medium, as `mediaan.media.open_medium`."""


@dataclass(frozen=True, slots=True)
class Instant:
    """Predictions at one sampled instant."""

    t_s: float
    """From the first frame."""
    model: Float32
    frame_wise: Float32
    """model, frame_wise: (h, w) float32. Density of the temporal model, and of the image model on this frame alone;
    each on its own grid."""


@contextmanager
def open_video(path: Path, view: ViewSpec, opener: MediumOpener, sampling: Sampling) -> Iterator[Source]:
    """Open a video for as long as the ``with`` statement lasts.

    Raises UsageError: it cannot be opened or read to its end: a set with a hole would be scored on other videos than
        were asked for.
    """
    try:
        with opener(path, [view], _LIMITS, sampling) as source:
            yield source
    except MediumError as error:
        raise UsageError(f"{error.message}; mend the video or leave it out by --pictures", code=error.code) from error


def predict_instants(source: Source, model: VideoModel, frame_model: AttentionPredictor) -> Iterator[Instant]:
    """Yield the predictions for an open video.

    Raises UsageError: the image model does not predict the window total.
    """
    state, frame_wise = model.start(), None
    for chunk in source.chunks():
        frames = chunk.views[model.view.name]
        densities, state = model.advance(state, frames, chunk.t, chunk.weight_s, chunk.shot, chunk.fresh)
        for index, (t, density) in enumerate(zip(chunk.t, densities, strict=True)):
            if frame_wise is None or chunk.fresh[index]:
                frame_wise = predict_window(frame_model, frames[index : index + 1], "total")
            yield Instant(float(t), density, frame_wise)


LAGS_S = (-0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
"""Lags that are tried, s; more above 0, as gaze follows what is shown."""


@dataclass(frozen=True, slots=True)
class LagCurve:
    """NSS by lag, mean over videos."""

    lags_s: tuple[float, ...]
    nss: tuple[float, ...]
    """lags_s, nss: Of one length."""
    n: int
    """Videos in the mean: those with an instant that has gaze at all lags."""

    @property
    def peak_s(self) -> float:
        """Lag of the largest NSS, s."""
        return self.lags_s[int(np.argmax(self.nss))]

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, ready for JSON."""
        return asdict(self) | {"peak_s": self.peak_s}


def nss_by_lag(
    density: Float32, video: VideoStimulus, t_s: float, step_s: float, lags_s: Sequence[float]
) -> Float64 | None:
    """Score a prediction for one instant against the gaze at each lag from it.

    `density`: (h, w) float32.
    `t_s`: time of the instant, s from the first frame.
    `step_s`: seconds between instants; gaze within half of it on either side of t + lag counts.
    Returns (lags,) float64 or None: None unless there is gaze at every lag, so that all lags are compared on the same
        instants.
    """
    values = []
    for lag in lags_s:
        gaze = video.at(t_s + lag, step_s)
        value = (
            None if gaze is None else nss(density, fixation_cells(gaze.x, gaze.y, (density.shape[0], density.shape[1])))
        )
        if value is None:
            return None
        values.append(value)
    return np.array(values)


def lag_curve(videos: Sequence[Float64 | None], lags_s: Sequence[float]) -> LagCurve | None:
    """Average NSS by lag over videos; None where none has any."""
    curves = [values for values in videos if values is not None]
    if not curves:
        return None
    return LagCurve(tuple(lags_s), tuple(np.mean(curves, axis=0).tolist()), len(curves))


@dataclass(frozen=True, slots=True)
class VideoBaselines:
    """Baselines of one video."""

    centre: Float32
    prior: Float32
    """centre, prior: (h, w) float32. Centre bias of the other videos (for a lone video the prior), and the fixed centre
    prior, on the video's grid."""
    other_cells: CellIndices
    """(m,) int64. Cells looked at in other videos."""

    @property
    def shape(self) -> GridShape:
        """Rows and columns of the grid."""
        return self.centre.shape[0], self.centre.shape[1]


@dataclass(frozen=True, slots=True)
class VideoScores(StimulusScores):
    """Scores of one video, means over its instants; what is undefined in all of them is None."""

    n_instants: int
    """Sampled instants at which somebody looks."""
    late: float
    """Share of the gaze that lies after the last instant."""
    frame_wise: MetricValues
    """Mapping of metric to float or None. Of the image model on each frame alone."""
    lagged: Float64 | None
    """(lags,) float64 or None. NSS of the temporal model by lag, over the instants with gaze at all lags; None where
    there is none."""


def score_video(
    video: VideoStimulus,
    instants: Iterable[Instant],
    baselines: VideoBaselines,
    *,
    step_s: float,
    lags_s: Sequence[float] = (),
    consistency_of: ConsistencyFunction = observer_consistency,
) -> VideoScores:
    """Score the predictions for a video as they come; only numbers are kept.

    `instants`: in order.
    `step_s`: seconds between instants; gaze counts within half of it on either side.
    `lags_s`: shifts of the gaze in time for which NSS is taken too, s.
    `consistency_of`: inter-observer consistency at an instant; a `ConsistencyCache` spares the time where it is known.
    Raises UsageError: nobody looks at any of the instants.
    """
    scores: list[dict[str, MetricValues]] = []
    consistencies: list[ObserverConsistency] = []
    lagged: list[Float64] = []
    t_s = 0.0
    for instant in instants:
        t_s, model = instant.t_s, resize_density(instant.model, baselines.shape)
        if gaze := video.at(t_s, step_s):
            stimulus = Stimulus(f"{video.name} at {t_s:.3f} s", video.path, baselines.shape, gaze)
            densities = {
                "model": model,
                "frame_wise": resize_density(instant.frame_wise, baselines.shape),
                "centre": baselines.centre,
                "prior": baselines.prior,
            }
            scores.append(score_densities(stimulus, densities, baselines.centre, baselines.other_cells))
            consistencies.append(consistency_of(stimulus, baselines.centre, baselines.other_cells))
        if lags_s and (by_lag := nss_by_lag(model, video, t_s, step_s, lags_s)) is not None:
            lagged.append(by_lag)
    if not scores:
        raise UsageError(
            f"{video.path} has no gaze while it plays: its frames end at about {t_s:.1f} s, the gaze on it lies in "
            f"{video.start_s[0]:.1f} to {video.end_s.max():.1f} s; give t_s in seconds from the first frame, or leave "
            "the clip out by --pictures"
        )
    means = {
        source: {metric: mean_defined(score[source][metric] for score in scores) for metric in METRICS}
        for source in scores[0]
    }
    return VideoScores(
        name=video.name,
        n_viewers=video.n_viewers,
        n_instants=len(scores),
        late=float(np.mean(video.start_s > t_s + step_s / 2)),
        consistency=mean_consistency(consistencies),
        lagged=np.mean(lagged, axis=0) if lagged else None,
        **means,
    )


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
    gaze_set: GazeSet[VideoStimulus],
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
    `lags_s`: shifts of the gaze in time for which NSS is taken too, s.
    `consistency_of`: inter-observer consistency at an instant; a `ConsistencyCache` spares the time where it is known.
    `progress`: wraps the videos, to show progress.
    Raises UsageError: a video cannot be read or has no gaze while it plays, or the image model does not predict the
        window total.
    """
    bias = centre_bias(gaze_set.stimuli) if len(gaze_set.stimuli) > 1 else None
    others = _some_fixations(gaze_set.stimuli)
    index = {clip.name: i for i, clip in enumerate(gaze_set.stimuli)}
    scores = []
    for clip in progress([clip for clip in gaze_set.stimuli if clip.name in gaze_set.selected]):
        with open_video(clip.path, model.view, opener, sampling) as source:
            shape = fit_grid(source.medium.width, source.medium.height, VIDEO_GRID_LONG_SIDE)
            prior = centre_prior(shape)
            centre = prior if bias is None else resize_density(bias.without(clip.truth()), shape)
            baselines = VideoBaselines(centre, prior, others.without(index[clip.name], shape))
            instants = predict_instants(source, model, frame_model)
            scores.append(
                score_video(
                    clip, instants, baselines, step_s=1 / sampling.fps, lags_s=lags_s, consistency_of=consistency_of
                )
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
        notes=tuple(_notes(gaze_set, bias, scores)),
    )


def _notes(gaze_set: GazeSet[VideoStimulus], bias: CentreBias | None, scores: Sequence[VideoScores]) -> list[str]:
    notes = list(gaze_set.notes)
    if bias is None:
        notes.append("with one clip there is no centre bias of others: the fixed prior stands in for it")
    if late := [clip.name for clip in scores if clip.late > 0.5]:
        notes.append(
            f"most of the gaze on {len(late)} clips ({late[0]!r} ...) lies after their end and is left out; "
            "t_s is in seconds from the first frame"
        )
    return notes


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
