"""Score one clip, instant by instant, beside the frame-wise model, centre bias and other people.

At every sampled instant t the gaze of all viewers in [t - half a step, t + half a step) is compared with the densities
at t. The clip's score is the mean over the instants at which somebody looks; each of them counts the same, however many
people look.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mediaan.errors import UsageError
from mediaan.evaluation.ceiling import Ceiling, CeilingOf, human_ceiling, mean_ceiling
from mediaan.evaluation.clips import GazedClip
from mediaan.evaluation.gaze import GazedPicture
from mediaan.evaluation.instants import Instant
from mediaan.evaluation.lag import nss_by_lag
from mediaan.evaluation.score import METRICS, compare
from mediaan.evaluation.summary import Values, mean_defined
from mediaan.maps.density import Cells, Shape, resize_density
from mediaan.types.arrays import Float32, Float64


@dataclass(frozen=True, slots=True)
class Baselines:
    """What a clip's gaze is compared with beside the models.

    Attributes
    ----------
    centre, prior : (h, w) float32
        Centre bias of the other clips (for a lone clip the prior), and the fixed centre prior, on the clip's grid.
    other_cells : (m,) int64
        Cells looked at in other clips.
    """

    centre: Float32
    prior: Float32
    other_cells: Cells

    @property
    def shape(self) -> Shape:
        """The clip's grid."""
        return self.centre.shape[0], self.centre.shape[1]


@dataclass(frozen=True, slots=True)
class ClipScores:
    """Scores of one clip, means over its instants; what is undefined in all of them is None.

    Attributes
    ----------
    n_viewers : int
        People with gaze on the clip.
    n_instants : int
        Sampled instants at which somebody looks.
    late : float
        Share of the gaze that lies after the last instant.
    model, frame_wise, centre, prior : mapping of metric to float or None
        The temporal model, the image model on each frame alone, and `Baselines`.
    ceiling : Ceiling
        What people reach, at the same instants.
    lagged : (lags,) float64 or None
        NSS of the temporal model by lag, over the instants with gaze at all lags; None where there is none.
    """

    name: str
    n_viewers: int
    n_instants: int
    late: float
    model: Values
    frame_wise: Values
    centre: Values
    prior: Values
    ceiling: Ceiling
    lagged: Float64 | None


@dataclass(frozen=True, slots=True)
class _InstantScores:
    model: Values
    frame_wise: Values
    centre: Values
    prior: Values
    ceiling: Ceiling


def score_clip(
    clip: GazedClip,
    instants: Iterable[Instant],
    baselines: Baselines,
    *,
    step_s: float,
    lags_s: Sequence[float] = (),
    ceiling_of: CeilingOf = human_ceiling,
) -> ClipScores:
    """Score the predictions for a clip as they come; only numbers are kept.

    Parameters
    ----------
    clip : GazedClip
    instants : iterable of Instant
        In order.
    baselines : Baselines
    step_s : float
        Seconds between instants; gaze counts within half of it on either side.
    lags_s : sequence of float
        Shifts of the gaze in time for which NSS is taken too, s.
    ceiling_of : callable, optional
        What people reach at an instant; a `CeilingCache` spares the time where it is known.

    Raises
    ------
    UsageError
        Nobody looks at any of the instants.
    """
    scores: list[_InstantScores] = []
    lagged: list[Float64] = []
    t_s = 0.0
    for instant in instants:
        t_s, model = instant.t_s, resize_density(instant.model, baselines.shape)
        if gaze := clip.at(t_s, step_s):
            picture = GazedPicture(f"{clip.name} at {t_s:.3f} s", clip.path, baselines.shape, gaze)
            frame_wise = resize_density(instant.frame_wise, baselines.shape)
            scores.append(_score(picture, model, frame_wise, baselines, ceiling_of))
        if lags_s and (by_lag := nss_by_lag(model, clip, t_s, step_s, lags_s)) is not None:
            lagged.append(by_lag)
    if not scores:
        raise UsageError(_no_gaze(clip, t_s))
    return ClipScores(
        name=clip.name,
        n_viewers=clip.n_viewers,
        n_instants=len(scores),
        late=float(np.mean(clip.start_s > t_s + step_s / 2)),
        model=_mean([score.model for score in scores]),
        frame_wise=_mean([score.frame_wise for score in scores]),
        centre=_mean([score.centre for score in scores]),
        prior=_mean([score.prior for score in scores]),
        ceiling=mean_ceiling([score.ceiling for score in scores]),
        lagged=np.mean(lagged, axis=0) if lagged else None,
    )


def _score(
    picture: GazedPicture, model: Float32, frame_wise: Float32, baselines: Baselines, ceiling_of: CeilingOf
) -> _InstantScores:
    truth, cells, centre, elsewhere = picture.truth(), picture.cells, baselines.centre, baselines.other_cells
    densities = (model, frame_wise, centre, baselines.prior)
    ours, alone, by_centre, by_prior = (compare(density, truth, centre, cells, elsewhere) for density in densities)
    return _InstantScores(ours, alone, by_centre, by_prior, ceiling_of(picture, centre, elsewhere))


def _mean(values: Sequence[Values]) -> Values:
    """Mean over instants, each metric over those in which it is defined."""
    return {metric: mean_defined(value[metric] for value in values) for metric in METRICS}


def _no_gaze(clip: GazedClip, last_s: float) -> str:
    first, latest = clip.start_s[0], clip.end_s.max()
    return (
        f"{clip.path} has no gaze while it plays: its frames end at about {last_s:.1f} s, the gaze on it lies in "
        f"{first:.1f} to {latest:.1f} s; give t_s in seconds from the first frame, or leave the clip out by --pictures"
    )
