"""Predict attention over time: a filter around an image model, in one pass, state in, state out.

Gaze does not jump with every frame. It stays a while where it was when the picture changes, returns to the middle after
a cut, follows what moves, and spreads over a picture that stands still.

The density that gaze tends to is a product of experts, as in log-linear models of fixations: what the image model says,
to a power; a window around the middle; what moves. How certain the image model is decides the first two: where it names
one place, viewers agree on that place even more than it says; where it names many, they keep to the middle. A mixture
with those who have not followed yet, those who still look where they looked before a cut, and those of whom no model
knows gives the density of an instant.

A sample stands for an interval, so everything here is the mean over the seconds for which a frame is on display, and
depends little on how often a video is sampled. `docs/attention_over_time.md` holds the findings, their sources and what
was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp

import cv2
import numpy as np

from mediaan.errors import AnalysisError
from mediaan.saliency.density import PRIOR_CENTRE, GridShape, centre_prior, normalise, resize_density
from mediaan.saliency.frame_selection import FrameDecision, SelectorState, select_frame, warp_with_camera
from mediaan.saliency.predictor import (
    AttentionPredictor,
    PredictorWrapper,
    adjust_density,
    check_calibration,
    check_domain,
)
from mediaan.types.arrays import Bool, Float32, Float64, Int32, UInt8
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.eye_tracking import Calibration

_START_SD = 0.1  # share of each side: before a medium comes on, viewers look at the middle of where it will be
_MAX_CUT_LEAD_S = 0.1  # at most so long before its first sample a shot began: half the usual distance of samples
_TYPICAL_NATS = 2.0  # concentration of what the image model says of a frame: about 1 of a crowd, 3 of a face
_POWER_RANGE = (0.4, 2.5)  # a density is neither made even nor a spike
_MIN_STILL_POWER = 1.2  # power of a picture that stands still, on which viewers agree at first whatever it shows


@dataclass(frozen=True, slots=True)
class GazeDynamics:
    """Constants of the gaze of a group of viewers."""

    persistence_s: float = 0.05
    """Time constant with which gaze follows a change inside a shot, s: no more than the latency of a saccade, for
    viewers of natural scenes anticipate and pursue, and lag hardly at all on average (Vig et al. 2011)."""
    departs_s: tuple[float, float] = (0.16, 0.38)
    """Ages of a shot, s, at which the first and the last viewers leave the place where they looked before the cut."""
    recentring_sd: float = 0.16
    """Width of the window around the middle into which gaze first goes, at the age at which the first viewers leave;
    standard deviation, share of each side."""
    recentring_s: float = 0.15
    """Time constant with which the window opens, s: its inverse variance decays."""
    centring_sd: float = 0.23
    """Width of the window to which gaze keeps while a picture moves in which the image model names no place."""
    certain_nats: float = 2.24
    """Concentration of the image model's density, nats, from which on there is no such window."""
    synchrony: float = 1.5
    """Power of the image model's density in the first seconds of a picture and while it moves, where its concentration
    is 2 nats: viewers agree more then than the model, which learned from seconds of gaze at a time, can say."""
    agreement: float = 0.3
    """How much that power rises with each nat: viewers agree on faces, and on little in a crowd."""
    smoothing: float = 0.7
    """Share of the renewal of what the image model says that is lost in a picture that changes all over, 0-1: there a
    single prediction says little."""
    explores_s: tuple[float, float] = (0.5, 2.5)
    """Seconds of a still picture between which the gaze of its start gives way to that of later."""
    late_end: float = 0.5
    """Share of the window end in the gaze of later; the rest is total, which more people's gaze stands behind."""
    motion_gain: float = 0.9
    """Power of 1 + the contrast of motion: how much more likely a place becomes when it moves and all else is still."""
    prior_share: float = 0.05
    """Share of the viewers who look anywhere near the centre for reasons that no model sees."""

    def lag_share(self, seconds: float, *, mean: bool) -> float:
        """Return the share of the gaze that has not followed a change after some seconds, or on average during them.

        >>> round(GazeDynamics(persistence_s=0.25).lag_share(0.25, mean=False), 3)
        0.368
        """
        return _mean_decay(0.0, seconds, self.persistence_s) if mean else exp(-seconds / self.persistence_s)

    def staying_share(self, age: float, seconds: float) -> float:
        """Return the share of viewers who still look where they looked before the cut, over ages age to age + seconds.

        >>> dynamics = GazeDynamics(departs_s=(0.1, 0.3))
        >>> [round(dynamics.staying_share(age, 0), 3) for age in (0, 0.1, 0.2, 0.3, 5)]
        [1.0, 1.0, 0.5, 0.0, 0.0]
        >>> round(dynamics.staying_share(0, 0.4), 3)
        0.5
        """
        first, last = self.departs_s
        return 1.0 - _mean_ramp(age, seconds, first, last)

    def density_power(self, concentration: float, *, moving: bool = True) -> float:
        """Return the power of the image model's density by its concentration, nats, and whether the picture ever moved.

        >>> dynamics = GazeDynamics(synchrony=1.4, agreement=0.5)
        >>> [round(dynamics.density_power(nats), 3) for nats in (0, 1, 2, 3, 9)]
        [0.4, 0.9, 1.4, 1.9, 2.5]
        """
        power = self.synchrony + self.agreement * (concentration - _TYPICAL_NATS)
        least = _POWER_RANGE[0] if moving else min(self.synchrony, _MIN_STILL_POWER)
        return min(max(power, least), _POWER_RANGE[1])

    def centring_precision(self, concentration: float) -> float:
        """Return the inverse variance of the window around the middle in a moving picture, 1 / (share of a side)²."""
        return max(0.0, 1.0 - concentration / self.certain_nats) / self.centring_sd**2

    def renewal_share(self, novelty: float, global_change: float) -> float:
        """Return the share of what is known of a shot that the next prediction replaces, 0-1."""
        return (0.5 + 0.5 * novelty) * (1.0 - self.smoothing * global_change)

    def recentring_precision(self, age: float, seconds: float) -> float:
        """Return the inverse variance of the window after a cut, likewise on average, 1 / (share of a side)²."""
        late = max(0.0, age - self.departs_s[0])
        return _mean_decay(late, seconds, self.recentring_s) / self.recentring_sd**2

    def explored_share(self, still: float, seconds: float) -> float:
        """Return how far viewers have gone from what draws the first gaze to the rest, 0-1, on average.

        `still`: seconds since the picture last changed.
        `seconds`: for how long it then stays on display.
        """
        first, last = self.explores_s
        return _mean_ramp(still, seconds, first, last)


def centre_window(shape: GridShape, precision: float) -> Float32:
    """Return a Gaussian window around the place at which gaze is centred, (h, w) float32, 1 there.

    `shape` (int, int): rows and columns.
    `precision`: inverse variance in unit coordinates; 0 leaves the window open.
    """
    across, down = (
        np.exp(-0.5 * precision * ((np.arange(cells) + 0.5) / cells - centre) ** 2)
        for cells, centre in zip(shape[::-1], PRIOR_CENTRE, strict=True)
    )
    return np.outer(down, across).astype(np.float32)


def _mean_decay(age: float, seconds: float, constant: float) -> float:
    """Return the mean of exp(-a / constant) for a from age to age + seconds."""
    if seconds <= 0:
        return exp(-age / constant)
    return exp(-age / constant) * (1 - exp(-seconds / constant)) * constant / seconds


def _mean_ramp(age: float, seconds: float, first: float, last: float) -> float:
    """Return the mean over age to age + seconds of a line from 0 at `first` to 1 at `last`."""

    def integral(age: float) -> float:
        inside = min(max(age - first, 0.0), last - first)
        return inside * inside / (2 * (last - first)) + max(age - last, 0.0)

    if seconds <= 0:
        return min(1.0, max(0.0, (age - first) / (last - first)))
    return (integral(age + seconds) - integral(age)) / seconds


@dataclass(frozen=True, slots=True, eq=False)
class GazeFilterState:
    """State of the filter at the instant of a sample."""

    shot_start_s: float
    """When the shot began, s."""
    changed_s: float | None
    """When its picture last changed, s; None as long as it has not."""
    at_cut: Float32
    """(h, w) float32. Density at the cut that began it."""
    evidence: Float32
    """(3, h, w) float32. What the image model says of the shot in the windows start, end and total, averaged over its
    last predictions."""
    target: Float32
    """(h, w) float32. Density that gaze tends to."""
    current: Float32
    """(h, w) float32. Density of those who have left the old shot, on their way to `target`."""


class GazeFilter:
    """Predict gaze from sample to sample.

    `dynamics`: constants of gaze.
    """

    def __init__(self, dynamics: GazeDynamics) -> None:
        self._dynamics = dynamics

    def step(
        self, state: GazeFilterState | None, decision: FrameDecision, prediction: Float32 | None
    ) -> GazeFilterState:
        """Go from the instant of the last sample to that of this one.

        `state`: at the last sample; None before the first.
        `decision`: what is known of this sample without the image model.
        `prediction` (3, h, w) float32 or None: what the image model says of it, in the windows start, end and total;
            None where it was not asked.
        Raises AnalysisError: a shot begins without a prediction.
        """
        dynamics = self._dynamics
        if state is not None:
            lag = dynamics.lag_share(decision.since, mean=False)
            state = replace(state, current=state.target + np.float32(lag) * (state.current - state.target))
        if state is None or decision.cut:
            # a shot begins, for which nothing of the old one counts but where viewers were looking
            if prediction is None:
                raise AnalysisError("the first sample of a shot was not looked at")
            if state is None:
                at_cut = normalise(centre_window((prediction.shape[1], prediction.shape[2]), 1 / _START_SD**2))
            else:
                at_cut = self._predictable_gaze(state, decision.t, 0.0)
            shot_start_s = decision.t - min(decision.since / 2, _MAX_CUT_LEAD_S)
            state = GazeFilterState(shot_start_s, None, at_cut, prediction, prediction[0], prediction[0])
            target = self._target(state, decision)
            return replace(state, target=target, current=target)
        current, evidence = state.current, state.evidence
        if decision.camera is not None:
            current = warp_with_camera(current, decision.camera)
            evidence = np.stack([warp_with_camera(window, decision.camera) for window in evidence])
        if prediction is not None:
            renewal = np.float32(dynamics.renewal_share(decision.novelty, decision.global_change))
            evidence = evidence + renewal * (prediction - evidence)
        changed_s = decision.t if decision.moving else state.changed_s
        state = replace(state, evidence=evidence, current=current, changed_s=changed_s)
        return replace(state, target=self._target(state, decision))

    def density(self, state: GazeFilterState, t: float, seconds: float) -> Float32:
        """Return where viewers look on average from `t` on for some seconds, (h, w) float32, sums to 1."""
        share, predictable = self._dynamics.prior_share, self._predictable_gaze(state, t, seconds)
        prior = centre_prior((predictable.shape[0], predictable.shape[1]))
        return normalise((1 - share) * predictable + share * prior)

    def _target(self, state: GazeFilterState, decision: FrameDecision) -> Float32:
        """Return the density that the picture asks for: by how long it has stood still, where it moves, the centre."""
        dynamics = self._dynamics
        start, end, total = state.evidence
        last_change_s = state.shot_start_s if state.changed_s is None else state.changed_s
        explored = dynamics.explored_share(decision.t - last_change_s, decision.weight_s)
        late = dynamics.late_end * end + (1 - dynamics.late_end) * total
        target = (1 - explored) * start + explored * late
        certainty = concentration(target)
        power = dynamics.density_power(certainty, moving=state.changed_s is not None)
        target = target ** (explored + (1 - explored) * power)
        if state.changed_s is not None:
            target = target * centre_window(start.shape, (1 - explored) * dynamics.centring_precision(certainty))
        if decision.motion is not None:
            motion = cv2.resize(decision.motion, start.shape[::-1], interpolation=cv2.INTER_LINEAR)
            target = target * (1 + motion) ** dynamics.motion_gain
        return normalise(target)

    def _predictable_gaze(self, state: GazeFilterState, t: float, seconds: float) -> Float32:
        """Return the gaze of those whom the model knows: still where they looked before the cut, or on their way."""
        dynamics, age = self._dynamics, t - state.shot_start_s
        staying, lag = dynamics.staying_share(age, seconds), dynamics.lag_share(seconds, mean=True)
        arrived = state.target + np.float32(lag) * (state.current - state.target)
        shape = (arrived.shape[0], arrived.shape[1])
        arrived = normalise(arrived * centre_window(shape, dynamics.recentring_precision(age, seconds)))
        return np.asarray(staying * state.at_cut + (1 - staying) * arrived, np.float32)


def concentration(density: Float32) -> float:
    """Return how much a density says, nats: its divergence from a uniform one, 0 where it names no place.

    >>> concentration(np.full((4, 4), 1 / 16, np.float32))
    0.0
    """
    values = density.astype(np.float64)
    return max(0.0, float((values * np.log(np.maximum(values * values.size, 1e-12))).sum()))


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
    `calibration`: adjusts the density of each sample, as of a whole exposure; centre bias after cuts and the pace of
        gaze are the filter's, whose state stays as it is.
    Raises UsageError: as of `CalibratedPredictor`.

    >>> from mediaan.saliency.predictor import CentrePrior
    >>> model = TemporalAttention(CentrePrior())
    >>> frames, times = np.zeros((2, 64, 96, 3), np.uint8), np.array([0.0, 0.2])
    >>> shot, fresh = np.zeros(2, np.int32), np.array([True, False])
    >>> densities, state = model.advance(model.start(), frames, times, np.full(2, 0.2), shot, fresh)
    >>> [density.shape for density in densities]
    [(16, 24), (16, 24)]
    """

    def __init__(
        self,
        predictor: AttentionPredictor,
        dynamics: GazeDynamics | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        if calibration is not None:
            check_calibration(predictor, calibration)
        super().__init__(predictor)
        self._filter, self._calibration = GazeFilter(dynamics or GazeDynamics()), calibration

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
            density = self._filter.density(filter_state, decision.t, decision.weight_s)
            densities.append(density if self._calibration is None else adjust_density(density, self._calibration.total))
            for name, probability in (last_domains or {}).items():
                domain_s[name] = domain_s.get(name, 0.0) + probability * decision.weight_s
        return densities, GazeState(selector, filter_state, state.domain, last_domains, domain_s)


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
