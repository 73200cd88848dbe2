"""Score the predictions for one video, instant by instant, beside the frame-wise model, centre bias and other viewers.

At every sampled instant t the gaze of all viewers in [t - half a step, t + half a step) is compared with the densities
at t. The video's score is the mean over the instants at which somebody looks; each of them counts the same, however
many people look.

NSS against gaze shifted in time tells whether gaze and video run on one clock. At lag d a prediction for t is compared
with the gaze at t + d. The curve of a good model peaks near 0. A peak elsewhere says that the clocks differ, as
laboratories align them differently (first frame shown, trigger sent, monitor delay), or that the model runs ahead of
people (peak above 0) or behind them (below 0)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.stimulus import Stimulus
from mediaan.evaluation.datasets.video_set import VideoStimulus
from mediaan.evaluation.saliency.inter_observer import (
    ConsistencyFunction,
    ObserverConsistency,
    mean_consistency,
    observer_consistency,
)
from mediaan.evaluation.saliency.metrics import mean_defined, nss
from mediaan.evaluation.saliency.summary import METRICS, MetricValues, StimulusScores, score_densities
from mediaan.evaluation.saliency.video_prediction import Instant
from mediaan.saliency.density import CellIndices, GridShape, fixation_cells, resize_density
from mediaan.types.arrays import Float32, Float64

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
