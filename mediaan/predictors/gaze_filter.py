"""The filter of gaze over time: from what an image model says of frames to where viewers look at each instant.

The density that gaze tends to is a product of experts, as in log-linear models of fixations: what the image model says,
to a power; a window around the middle; what moves. How certain the image model is decides the first two: where it names
one place, viewers agree on that place even more than it says; where it names many, they keep to the middle. A mixture
with those who have not followed yet, those who still look where they looked before a cut, and those of whom no model
knows gives the density of an instant. `docs/attention_over_time.md` holds the findings and what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from mediaan.errors import AnalysisError
from mediaan.maps.density import centre_prior, normalise
from mediaan.predictors.dynamics import GazeDynamics, window
from mediaan.predictors.looking import Sight
from mediaan.predictors.motion import carry
from mediaan.types.arrays import Float32

_START_SD = 0.1  # share of each side: before a medium comes on, viewers look at the middle of where it will be
_CUT_BEFORE_S = 0.1  # at most so long before its first sample a shot began: half the usual distance of samples


@dataclass(frozen=True, slots=True, eq=False)
class Gaze:
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

    def step(self, gaze: Gaze | None, sight: Sight, look: Float32 | None) -> Gaze:
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
            follows = carry(follows, sight.camera)
            evidence = np.stack([carry(window, sight.camera) for window in evidence])
        if look is not None:
            evidence = evidence + np.float32(dynamics.renewal(sight.novelty, sight.unrest)) * (look - evidence)
        moved_s = sight.t if sight.moving else gaze.moved_s
        gaze = replace(gaze, evidence=evidence, follows=follows, moved_s=moved_s)
        return replace(gaze, content=self._content(gaze, sight))

    def density(self, gaze: Gaze, t: float, seconds: float) -> Float32:
        """Return where viewers look on average from `t` on for some seconds, (h, w) float32, sums to 1."""
        share, looks = self._dynamics.prior_share, self._looks(gaze, t, seconds)
        return normalise((1 - share) * looks + share * centre_prior((looks.shape[0], looks.shape[1])))

    def _cut(self, gaze: Gaze | None, sight: Sight, look: Float32) -> Gaze:
        """A new shot: nothing of the old one counts but where viewers were looking."""
        shape = (look.shape[1], look.shape[2])
        before = normalise(window(shape, 1 / _START_SD**2)) if gaze is None else self._looks(gaze, sight.t, 0.0)
        began_s = sight.t - min(sight.since / 2, _CUT_BEFORE_S)
        fresh = Gaze(began_s, None, before, look, look[0], look[0])
        content = self._content(fresh, sight)
        return replace(fresh, content=content, follows=content)

    def _content(self, gaze: Gaze, sight: Sight) -> Float32:
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
            content = content * window(start.shape, (1 - explored) * dynamics.centring(certainty))
        if sight.motion is not None:
            moves = cv2.resize(sight.motion, start.shape[::-1], interpolation=cv2.INTER_LINEAR)
            content = content * (1 + moves) ** dynamics.motion_gain
        return normalise(content)

    def _looks(self, gaze: Gaze, t: float, seconds: float) -> Float32:
        """Of those whom the model knows: some are still where they looked before the cut, others on their way."""
        dynamics, age = self._dynamics, t - gaze.began_s
        staying, lagging = dynamics.staying(age, seconds), dynamics.lagging(seconds, mean=True)
        arrived = gaze.content + np.float32(lagging) * (gaze.follows - gaze.content)
        shape = (arrived.shape[0], arrived.shape[1])
        arrived = normalise(arrived * window(shape, dynamics.recentring(age, seconds)))
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
