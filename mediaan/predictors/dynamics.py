"""How gaze goes with time: the constants, the finding behind each, and what follows from them in closed form.

`docs/attention_over_time.md` gives the findings with their sources. A sample stands for an interval, so everything here
is the mean over the seconds for which a frame is on display, and depends little on how often a video is sampled.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np

from mediaan.maps.density import PRIOR_CENTRE, Shape
from mediaan.types.arrays import Float32, Float64

_TYPICAL_NATS = 2.0  # concentration of what the image model says of a frame: about 1 of a crowd, 3 of a face
_POWERS = (0.4, 2.5)  # a density is neither made even nor a spike
_LEAST_STILL = 1.2  # power of a picture that stands still, on which the first looks agree whatever it shows


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
        return _decay(0.0, seconds, self.persistence_s) if mean else exp(-seconds / self.persistence_s)

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
        return 1.0 - _ramp(age, seconds, first, last)

    def power(self, concentration: float, *, moving: bool = True) -> float:
        """Power of the image model's density by its concentration in nats, and by whether the picture ever moved.

        Examples
        --------
        >>> dynamics = GazeDynamics(synchrony=1.4, agreement=0.5)
        >>> [round(dynamics.power(nats), 3) for nats in (0, 1, 2, 3, 9)]
        [0.4, 0.9, 1.4, 1.9, 2.5]
        """
        power = self.synchrony + self.agreement * (concentration - _TYPICAL_NATS)
        least = _POWERS[0] if moving else min(self.synchrony, _LEAST_STILL)
        return min(max(power, least), _POWERS[1])

    def centring(self, concentration: float) -> float:
        """Inverse variance of the window around the middle while the picture moves, 1 / (share of a side)²."""
        return max(0.0, 1.0 - concentration / self.certain_nats) / self.centring_sd**2

    def renewal(self, novelty: float, unrest: float) -> float:
        """Share of what is known of a shot that the next look replaces, 0-1."""
        return (0.5 + 0.5 * novelty) * (1.0 - self.smoothing * unrest)

    def recentring(self, age: float, seconds: float) -> float:
        """Inverse variance of the window around the middle, shares of a side to the power of -2, over the same ages."""
        late = max(0.0, age - self.departs_s[0])
        return _decay(late, seconds, self.recentring_s) / self.recentring_sd**2

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
        return _ramp(still, seconds, first, last)


def window(shape: Shape, precision: float) -> Float32:
    """A Gaussian window around the place at which gaze is centred, (h, w) float32, 1 there.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns.
    precision : float
        Inverse variance in unit coordinates; 0 leaves the window open.
    """
    rows, columns = shape
    return np.outer(_bell(rows, PRIOR_CENTRE[1], precision), _bell(columns, PRIOR_CENTRE[0], precision)).astype(
        np.float32
    )


def _bell(cells: int, centre: float, precision: float) -> Float64:
    position = (np.arange(cells) + 0.5) / cells
    return np.asarray(np.exp(-0.5 * precision * (position - centre) ** 2), np.float64)


def _decay(age: float, seconds: float, constant: float) -> float:
    """Mean of exp(-a / constant) for a from age to age + seconds."""
    if seconds <= 0:
        return exp(-age / constant)
    return exp(-age / constant) * (1 - exp(-seconds / constant)) * constant / seconds


def _ramp(age: float, seconds: float, first: float, last: float) -> float:
    """Mean over age to age + seconds of a line from 0 at `first` to 1 at `last`."""
    if seconds <= 0:
        return min(1.0, max(0.0, (age - first) / (last - first)))
    return (_ramp_area(age + seconds, first, last) - _ramp_area(age, first, last)) / seconds


def _ramp_area(age: float, first: float, last: float) -> float:
    inside = min(max(age - first, 0.0), last - first)
    return inside * inside / (2 * (last - first)) + max(age - last, 0.0)
