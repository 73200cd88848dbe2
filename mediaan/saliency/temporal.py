"""Predict attention over time: a filter around an image model, in one pass, state in, state out.

Gaze does not jump with every frame. It stays a while where it was when the picture changes, returns to the middle after
a cut, follows what moves, and spreads over a picture that stands still. `mediaan.saliency.gaze_filter` holds the
constants; `docs/attention_over_time.md` the findings behind them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from mediaan.saliency.density import resize_density
from mediaan.saliency.frame_selection import SelectorState, select_frame
from mediaan.saliency.gaze_filter import GazeDynamics, GazeFilter, GazeFilterState
from mediaan.saliency.predictor import AttentionPredictor, PredictorWrapper, check_domain
from mediaan.saliency.viewer_calibration import adjust_density, check_calibration
from mediaan.types.arrays import Bool, Float32, Float64, Int32, UInt8
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.eye_tracking import Calibration

_MAX_CELLS_LONG_SIDE = 128  # cells at most: finer densities than the fovea cost time at every sample


@dataclass(frozen=True, slots=True, eq=False)
class GazeState:
    """All that the past of a medium says about its next sample; plain arrays and numbers, may be pickled."""

    selector: SelectorState | None = None
    filter_state: GazeFilterState | None = None
    domain: str | None = None
    """What the medium is, as it was stated; None: the image model tells by each frame."""
    last_domains: Mapping[str, float] | None = None
    """Probabilities of domains at the last prediction; None before it, and for a model that tells none apart."""
    domain_s: Mapping[str, float] = field(default_factory=dict)
    """The same summed over the seconds of the samples so far."""

    @property
    def domains(self) -> Mapping[str, float] | None:
        """Probability of each domain, the mean over the seconds so far; None for a model that tells none apart."""
        seconds = sum(self.domain_s.values())
        return {name: s / seconds for name, s in self.domain_s.items()} if seconds > 0 else self.last_domains


class TemporalAttention(PredictorWrapper):
    """Frames of a video in, the density of gaze over time out.

    `predictor`: the image model; `mediaan.saliency.load_frame_predictor` gives one that is cheap enough.
    `dynamics`: constants of gaze.

    >>> from mediaan.saliency.predictor import CentrePrior
    >>> model = TemporalAttention(CentrePrior())
    >>> frames, times = np.zeros((2, 64, 96, 3), np.uint8), np.array([0.0, 0.2])
    >>> shot, fresh = np.zeros(2, np.int32), np.array([True, False])
    >>> densities, state = model.advance(model.start(), frames, times, np.full(2, 0.2), shot, fresh)
    >>> [density.shape for density in densities]
    [(16, 24), (16, 24)]
    """

    def __init__(self, predictor: AttentionPredictor, dynamics: GazeDynamics | None = None) -> None:
        super().__init__(predictor)
        self._filter = GazeFilter(dynamics or GazeDynamics())

    def start(self, domain: str | None = None) -> GazeState:
        """Return the state before the first sample.

        `domain`: what the medium is, one of `domains`; None: the image model tells by each frame.
        Raises UsageError: a domain that is none of `domains`.
        """
        check_domain(domain, self.domains, self.name)
        return GazeState(domain=domain)

    def advance(
        self, state: GazeState, frames: UInt8, t: Float64, weight_s: Float64, shot: Int32, fresh: Bool
    ) -> tuple[list[Float32], GazeState]:
        """Predict gaze at the next samples of a medium.

        However a medium is cut into calls, the densities are the same.

        `state`: from `start`, or from the call before.
        `frames` (N, H, W, 3) uint8: sRGB, in the size of `view`; the same size in all calls for a medium.
        `t` (N,) float64: when each comes on display, s, not decreasing.
        `weight_s` (N,) float64: for how long each stands, s.
        `shot` (N,) int32: which shot each belongs to.
        `fresh` (N,) bool: False where the pixels are those of the sample before.
        Returns `densities` list of (h, w) float32: one per sample, each sums to 1: where viewers look on average during
            the seconds that it stands for.
        Raises AnalysisError: the frames are not of the size of those before.
        """
        decisions, selector = [], state.selector
        for i, frame in enumerate(frames):
            decision, selector = select_frame(
                selector, frame, float(t[i]), float(weight_s[i]), int(shot[i]), fresh=bool(fresh[i])
            )
            decisions.append(decision)
        chosen = [
            frame[:, ::-1] if decision.mirrored else frame
            for frame, decision in zip(frames, decisions, strict=True)
            if decision.predict
        ]
        # one batch on a GPU, one by one on a CPU, where batching gains nothing
        batches = [frame[None] for frame in chosen] if self.device == "cpu" or not chosen else [np.stack(chosen)]
        predictions = (
            prediction
            for batch in batches
            for prediction in self._predictor.predict(np.ascontiguousarray(batch), domain=state.domain)
        )
        filter_state, densities = state.filter_state, []
        last_domains, domain_s = state.last_domains, dict(state.domain_s)
        for decision in decisions:
            windows = None
            if decision.predict:
                prediction = next(predictions)
                windows, last_domains = stack_windows(prediction, mirrored=decision.mirrored), prediction.domains
            filter_state = self._filter.step(filter_state, decision, windows)
            densities.append(self._filter.density(filter_state, decision.t, decision.weight_s))
            for name, probability in (last_domains or {}).items():
                domain_s[name] = domain_s.get(name, 0.0) + probability * decision.weight_s
        return densities, GazeState(selector, filter_state, state.domain, last_domains, domain_s)


class CalibratedTemporalAttention(TemporalAttention):
    """A calibrated attention model over time.

    The state of the filter stays as it is; only its density of each sample is adjusted, as of a whole exposure: centre
    bias after cuts and the pace of gaze are the filter's.

    `predictor`: the image model, not calibrated.
    Raises UsageError: as of `mediaan.saliency.viewer_calibration.CalibratedPredictor`.
    """

    def __init__(self, predictor: AttentionPredictor, calibration: Calibration) -> None:
        check_calibration(predictor, calibration)
        super().__init__(predictor)
        self._calibration = calibration

    def advance(
        self, state: GazeState, frames: UInt8, t: Float64, weight_s: Float64, shot: Int32, fresh: Bool
    ) -> tuple[list[Float32], GazeState]:
        """Predict gaze at the next samples of a medium; see `TemporalAttention.advance`."""
        densities, after = super().advance(state, frames, t, weight_s, shot, fresh)
        return [adjust_density(density, self._calibration.total) for density in densities], after


def stack_windows(densities: Densities, *, mirrored: bool) -> Float32:
    """Stack start, end and total, (3, h, w) float32; the total stands for a window that the model does not know.

    `mirrored`: whether they are of a mirrored frame, and are turned back.
    """
    maps = [densities.maps.get(window, densities["total"]) for window in WINDOWS]
    rows, columns = maps[0].shape
    scale = min(1.0, _MAX_CELLS_LONG_SIDE / max(rows, columns))
    shape = (max(1, round(rows * scale)), max(1, round(columns * scale)))
    stack = np.stack([resize_density(window, shape) for window in maps])
    return np.ascontiguousarray(stack[:, :, ::-1]) if mirrored else stack
