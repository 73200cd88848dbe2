"""Whether gaze and clips run on one clock: NSS against gaze that is shifted in time.

At lag d a prediction for t is compared with the gaze at t + d. The curve of a good model peaks near 0. A peak elsewhere
says that the clocks differ, as laboratories align them differently (first frame shown, trigger sent, monitor delay), or
that the model runs ahead of people (peak above 0) or behind them (below 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mediaan.evaluation.clips import GazedClip
from mediaan.maps.compare import nss
from mediaan.maps.density import fixation_cells
from mediaan.types.arrays import Float32, Float64

LAGS_S = (-0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
"""Lags that are tried, s; more above 0, as gaze follows what is shown."""


@dataclass(frozen=True, slots=True)
class LagCurve:
    """NSS by lag, mean over clips.

    Attributes
    ----------
    lags_s, nss : tuple of float
        Of one length.
    n : int
        Clips in the mean: those with an instant that has gaze at all lags.
    """

    lags_s: tuple[float, ...]
    nss: tuple[float, ...]
    n: int

    @property
    def peak_s(self) -> float:
        """The lag of the largest NSS, s."""
        return self.lags_s[int(np.argmax(self.nss))]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, ready for JSON."""
        return asdict(self) | {"peak_s": self.peak_s}


def nss_by_lag(density: Float32, clip: GazedClip, t_s: float, step_s: float, lags_s: Sequence[float]) -> Float64 | None:
    """NSS of a prediction for one instant against the gaze at each lag from it.

    Parameters
    ----------
    density : (h, w) float32
    clip : GazedClip
    t_s : float
        The instant, s from the first frame.
    step_s : float
        Seconds between instants; gaze within half of it on either side of t + lag counts.
    lags_s : sequence of float

    Returns
    -------
    (lags,) float64 or None
        None unless there is gaze at every lag, so that all lags are compared on the same instants.
    """
    values = []
    for lag in lags_s:
        gaze = clip.at(t_s + lag, step_s)
        value = (
            None if gaze is None else nss(density, fixation_cells(gaze.x, gaze.y, (density.shape[0], density.shape[1])))
        )
        if value is None:
            return None
        values.append(value)
    return np.array(values)


def lag_curve(clips: Sequence[Float64 | None], lags_s: Sequence[float]) -> LagCurve | None:
    """Mean over clips of what each has at the lags; None where none has any."""
    known = [values for values in clips if values is not None]
    if not known:
        return None
    return LagCurve(tuple(lags_s), tuple(np.mean(known, axis=0).tolist()), len(known))
