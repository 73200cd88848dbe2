"""Filter gaze over time: from what an image model says of frames to where viewers look at each instant.

The density that gaze tends to is a product of experts, as in log-linear models of fixations: what the image model says,
to a power; a window around the middle; what moves. How certain the image model is decides the first two: where it names
one place, viewers agree on that place even more than it says; where it names many, they keep to the middle. A mixture
with those who have not followed yet, those who still look where they looked before a cut, and those of whom no model
knows gives the density of an instant.

A sample stands for an interval, so everything here is the mean over the seconds for which a frame is on display, and
depends little on how often a video is sampled. `docs/attention_over_time.md` holds the findings, their sources and what
was measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp

import cv2
import numpy as np

from mediaan.errors import AnalysisError
from mediaan.saliency.density import PRIOR_CENTRE, GridShape, centre_prior, normalise
from mediaan.saliency.frame_selection import FrameDecision
from mediaan.saliency.motion import warp_with_camera
from mediaan.types.arrays import Float32, Float64

_TYPICAL_NATS = 2.0  # concentration of what the image model says of a frame: about 1 of a crowd, 3 of a face
_POWER_RANGE = (0.4, 2.5)  # a density is neither made even nor a spike
_MIN_STILL_POWER = 1.2  # power of a picture that stands still, on which the first looks agree whatever it shows


@dataclass(frozen=True, slots=True)
class GazeDynamics:
    """Constants of the gaze of a group of viewers.

    Attributes
    ----------
    persistence_s : float
        Time constant with which gaze follows a change inside a shot, s: no more than the latency of a saccade, for
        viewers of natural scenes anticipate and pursue, and lag hardly at all on average (Vig et al. 2011).
    departs_s : (float, float)
        Ages of a shot, s, at which the first and the last viewers leave the place where they looked before the cut.
    recentring_sd : float
        Width of the window around the middle into which gaze first goes, at the age at which the first viewers leave;
        standard deviation, share of each side.
    recentring_s : float
        Time constant with which the window opens, s: its inverse variance decays.
    centring_sd : float
        Width of the window to which gaze keeps while a picture moves in which the image model names no place.
    certain_nats : float
        Concentration of the image model's density, nats, from which on there is no such window.
    synchrony : float
        Power of the image model's density in the first seconds of a picture and while it moves, where its concentration
        is 2 nats: viewers agree more then than the model, which learned from seconds of gaze at a time, can say.
    agreement : float
        How much that power rises with each nat: viewers agree on faces, and on little in a crowd.
    smoothing : float
        Share of the renewal of what the image model says that is lost in a picture that changes all over, 0-1: there
        a single look says little.
    explores_s : (float, float)
        Seconds of a still picture between which the gaze of its start gives way to that of later.
    late_end : float
        Share of the window end in the gaze of later; the rest is total, which more people's gaze stands behind.
    motion_gain : float
        Power of 1 + the contrast of motion: how much more likely a place becomes when it moves and all else is still.
    prior_share : float
        Share of the viewers who look anywhere near the centre for reasons that no model sees.
    """

    persistence_s: float = 0.05
    departs_s: tuple[float, float] = (0.16, 0.38)
    recentring_sd: float = 0.16
    recentring_s: float = 0.15
    centring_sd: float = 0.23
    certain_nats: float = 2.24
    synchrony: float = 1.5
    agreement: float = 0.3
    smoothing: float = 0.7
    explores_s: tuple[float, float] = (0.5, 2.5)
    late_end: float = 0.5
    motion_gain: float = 0.9
    prior_share: float = 0.05

    def lagging(self, seconds: float, *, mean: bool) -> float:
        """Share of the gaze that has not followed a change after some seconds, or on average during them.

        Examples
        --------
        >>> round(GazeDynamics(persistence_s=0.25).lagging(0.25, mean=False), 3)
        0.368
        """
        return _mean_decay(0.0, seconds, self.persistence_s) if mean else exp(-seconds / self.persistence_s)

    def staying(self, age: float, seconds: float) -> float:
        """Share of the viewers who look where they looked before the cut, on average over ages age to age + seconds.

        Examples
        --------
        >>> dynamics = GazeDynamics(departs_s=(0.1, 0.3))
        >>> [round(dynamics.staying(age, 0), 3) for age in (0, 0.1, 0.2, 0.3, 5)]
        [1.0, 1.0, 0.5, 0.0, 0.0]
        >>> round(dynamics.staying(0, 0.4), 3)
        0.5
        """
        first, last = self.departs_s
        return 1.0 - _mean_ramp(age, seconds, first, last)

    def power(self, concentration: float, *, moving: bool = True) -> float:
        """Power of the image model's density by its concentration in nats, and by whether the picture ever moved.

        Examples
        --------
        >>> dynamics = GazeDynamics(synchrony=1.4, agreement=0.5)
        >>> [round(dynamics.power(nats), 3) for nats in (0, 1, 2, 3, 9)]
        [0.4, 0.9, 1.4, 1.9, 2.5]
        """
        power = self.synchrony + self.agreement * (concentration - _TYPICAL_NATS)
        least = _POWER_RANGE[0] if moving else min(self.synchrony, _MIN_STILL_POWER)
        return min(max(power, least), _POWER_RANGE[1])

    def centring(self, concentration: float) -> float:
        """Inverse variance of the window around the middle while the picture moves, 1 / (share of a side)²."""
        return max(0.0, 1.0 - concentration / self.certain_nats) / self.centring_sd**2

    def renewal(self, novelty: float, unrest: float) -> float:
        """Share of what is known of a shot that the next look replaces, 0-1."""
        return (0.5 + 0.5 * novelty) * (1.0 - self.smoothing * unrest)

    def recentring(self, age: float, seconds: float) -> float:
        """Inverse variance of the window around the middle, shares of a side to the power of -2, over the same ages."""
        late = max(0.0, age - self.departs_s[0])
        return _mean_decay(late, seconds, self.recentring_s) / self.recentring_sd**2

    def exploring(self, still: float, seconds: float) -> float:
        """How far viewers have gone from what draws the first gaze to the rest, 0-1, on average.

        Parameters
        ----------
        still : float
            Seconds since the picture last changed.
        seconds : float
            For how long it then stays on display.
        """
        first, last = self.explores_s
        return _mean_ramp(still, seconds, first, last)


def centre_window(shape: GridShape, precision: float) -> Float32:
    """A Gaussian window around the place at which gaze is centred, (h, w) float32, 1 there.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns.
    precision : float
        Inverse variance in unit coordinates; 0 leaves the window open.
    """
    rows, columns = shape
    return np.outer(
        _gaussian_profile(rows, PRIOR_CENTRE[1], precision), _gaussian_profile(columns, PRIOR_CENTRE[0], precision)
    ).astype(np.float32)


def _gaussian_profile(cells: int, centre: float, precision: float) -> Float64:
    position = (np.arange(cells) + 0.5) / cells
    return np.asarray(np.exp(-0.5 * precision * (position - centre) ** 2), np.float64)


def _mean_decay(age: float, seconds: float, constant: float) -> float:
    """Mean of exp(-a / constant) for a from age to age + seconds."""
    if seconds <= 0:
        return exp(-age / constant)
    return exp(-age / constant) * (1 - exp(-seconds / constant)) * constant / seconds


def _mean_ramp(age: float, seconds: float, first: float, last: float) -> float:
    """Mean over age to age + seconds of a line from 0 at `first` to 1 at `last`."""
    if seconds <= 0:
        return min(1.0, max(0.0, (age - first) / (last - first)))
    return (_ramp_integral(age + seconds, first, last) - _ramp_integral(age, first, last)) / seconds


def _ramp_integral(age: float, first: float, last: float) -> float:
    inside = min(max(age - first, 0.0), last - first)
    return inside * inside / (2 * (last - first)) + max(age - last, 0.0)


_START_SD = 0.1  # share of each side: before a medium comes on, viewers look at the middle of where it will be
_MAX_CUT_LEAD_S = 0.1  # at most so long before its first sample a shot began: half the usual distance of samples


@dataclass(frozen=True, slots=True, eq=False)
class GazeFilterState:
    """Where viewers look, and why, at the instant of a sample.

    Attributes
    ----------
    began_s : float
        When the shot began, s.
    moved_s : float or None
        When its picture last changed, s; None as long as it has not.
    before : (h, w) float32
        Density at the cut that began it.
    evidence : (3, h, w) float32
        What the image model says of the shot in the windows start, end and total, averaged over its last looks.
    content : (h, w) float32
        Density that gaze tends to.
    follows : (h, w) float32
        Density of those who have left the old shot, on their way to `content`.
    """

    began_s: float
    moved_s: float | None
    before: Float32
    evidence: Float32
    content: Float32
    follows: Float32


class GazeFilter:
    """Predict gaze from sample to sample.

    Parameters
    ----------
    dynamics : GazeDynamics
        Constants of gaze.
    """

    def __init__(self, dynamics: GazeDynamics) -> None:
        self._dynamics = dynamics

    def step(self, gaze: GazeFilterState | None, sight: FrameDecision, look: Float32 | None) -> GazeFilterState:
        """Go from the instant of the last sample to that of this one.

        Parameters
        ----------
        gaze : Gaze or None
            At the last sample; None before the first.
        sight : Sight
            This sample, as far as it can be seen without the image model.
        look : (3, h, w) float32 or None
            What the image model says of it, in the windows start, end and total; None where it was not asked.

        Raises
        ------
        AnalysisError
            A shot begins without a look.
        """
        if gaze is not None:
            lagging = self._dynamics.lagging(sight.since, mean=False)
            gaze = replace(gaze, follows=gaze.content + np.float32(lagging) * (gaze.follows - gaze.content))
        if gaze is None or sight.cut:
            if look is None:
                raise AnalysisError("the first sample of a shot was not looked at")
            return self._cut(gaze, sight, look)
        dynamics, follows, evidence = self._dynamics, gaze.follows, gaze.evidence
        if sight.camera is not None:
            follows = warp_with_camera(follows, sight.camera)
            evidence = np.stack([warp_with_camera(window, sight.camera) for window in evidence])
        if look is not None:
            evidence = evidence + np.float32(dynamics.renewal(sight.novelty, sight.unrest)) * (look - evidence)
        moved_s = sight.t if sight.moving else gaze.moved_s
        gaze = replace(gaze, evidence=evidence, follows=follows, moved_s=moved_s)
        return replace(gaze, content=self._content(gaze, sight))

    def density(self, gaze: GazeFilterState, t: float, seconds: float) -> Float32:
        """Return where viewers look on average from `t` on for some seconds, (h, w) float32, sums to 1."""
        share, looks = self._dynamics.prior_share, self._looks(gaze, t, seconds)
        return normalise((1 - share) * looks + share * centre_prior((looks.shape[0], looks.shape[1])))

    def _cut(self, gaze: GazeFilterState | None, sight: FrameDecision, look: Float32) -> GazeFilterState:
        """A new shot: nothing of the old one counts but where viewers were looking."""
        shape = (look.shape[1], look.shape[2])
        before = normalise(centre_window(shape, 1 / _START_SD**2)) if gaze is None else self._looks(gaze, sight.t, 0.0)
        began_s = sight.t - min(sight.since / 2, _MAX_CUT_LEAD_S)
        fresh = GazeFilterState(began_s, None, before, look, look[0], look[0])
        content = self._content(fresh, sight)
        return replace(fresh, content=content, follows=content)

    def _content(self, gaze: GazeFilterState, sight: FrameDecision) -> Float32:
        """Density that the picture itself asks for: by how long it has stood still, where it moves, and the centre."""
        dynamics = self._dynamics
        start, end, total = gaze.evidence
        last_change = gaze.began_s if gaze.moved_s is None else gaze.moved_s
        explored = dynamics.exploring(sight.t - last_change, sight.weight_s)
        late = dynamics.late_end * end + (1 - dynamics.late_end) * total
        content = (1 - explored) * start + explored * late
        certainty = concentration(content)
        power = dynamics.power(certainty, moving=gaze.moved_s is not None)
        content = content ** (explored + (1 - explored) * power)
        if gaze.moved_s is not None:
            content = content * centre_window(start.shape, (1 - explored) * dynamics.centring(certainty))
        if sight.motion is not None:
            moves = cv2.resize(sight.motion, start.shape[::-1], interpolation=cv2.INTER_LINEAR)
            content = content * (1 + moves) ** dynamics.motion_gain
        return normalise(content)

    def _looks(self, gaze: GazeFilterState, t: float, seconds: float) -> Float32:
        """Of those whom the model knows: some are still where they looked before the cut, others on their way."""
        dynamics, age = self._dynamics, t - gaze.began_s
        staying, lagging = dynamics.staying(age, seconds), dynamics.lagging(seconds, mean=True)
        arrived = gaze.content + np.float32(lagging) * (gaze.follows - gaze.content)
        shape = (arrived.shape[0], arrived.shape[1])
        arrived = normalise(arrived * centre_window(shape, dynamics.recentring(age, seconds)))
        return np.asarray(staying * gaze.before + (1 - staying) * arrived, np.float32)


def concentration(density: Float32) -> float:
    """Return how much a density says, nats: its divergence from a uniform one, 0 where it names no place.

    Examples
    --------
    >>> concentration(np.full((4, 4), 1 / 16, np.float32))
    0.0
    """
    values = density.astype(np.float64)
    return max(0.0, float((values * np.log(np.maximum(values * values.size, 1e-12))).sum()))
