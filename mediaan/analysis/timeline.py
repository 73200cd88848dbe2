"""Folding samples over time: frame scores, scenes, and the medium's own scores and densities, in one pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mediaan.metrics import BUILT_INS, FOCUS, FOCUS_FIRST_TWO, FOCUS_LAST_TWO, PACING, pacing
from mediaan.types.arrays import Float32, Float64
from mediaan.types.maps import WINDOWS, Densities, Window
from mediaan.types.media import Shot
from mediaan.types.metrics import MetricSpec, Score
from mediaan.types.timeline import FrameScores, Scene

WINDOW_S = 2.0
"""Length of the windows start and end. In a clip under 4 s they overlap, in one under 2 s both are all of it."""

_WINDOWED = {FOCUS_FIRST_TWO.name: "start", FOCUS_LAST_TWO.name: "end"}
FRAME_METRICS: tuple[MetricSpec, ...] = tuple(m.spec for m in BUILT_INS if m.spec.name not in _WINDOWED)
"""Metrics that have a value at every sample."""


class MeanDensity:
    """A weighted mean of densities, summed in float64."""

    def __init__(self) -> None:
        self._sum: Float64 | None = None

    def add(self, density: Float32, weight: float) -> None:
        """Take in a density; a weight of 0 leaves no trace."""
        if weight <= 0:
            return
        weighted = density.astype(np.float64) * weight
        self._sum = weighted if self._sum is None else self._sum + weighted

    @property
    def density(self) -> Float32 | None:
        """The mean, (h, w), sums to 1; None if nothing was taken in."""
        return None if self._sum is None else np.asarray(self._sum / self._sum.sum(), dtype=np.float32)


class Timeline:
    """Takes samples in order of time.

    Memory grows by a few hundred bytes a sample: the scores. Densities are folded as they come; only those of the last
    two seconds are kept, because the end is known when it is there.
    """

    def __init__(self) -> None:
        self._t: list[float] = []
        self._weights: list[float] = []
        self._shots: list[int] = []
        self._peaks: list[tuple[float, float]] = []
        self._scores: dict[str, list[Score]] = {spec.name: [] for spec in FRAME_METRICS}
        self._total, self._start = MeanDensity(), MeanDensity()
        self._recent: deque[tuple[float, float, Float32]] = deque()

    def add(self, t: float, weight: float, shot: int, density: Float32, scores: Mapping[str, Score]) -> None:
        """Take in a sample; `scores` holds those of `FRAME_METRICS`, or nothing."""
        self._t.append(t)
        self._weights.append(weight)
        self._shots.append(shot)
        self._peaks.append(_peak(density))
        for name in self._scores.keys() & scores.keys():
            self._scores[name].append(scores[name])
        self._total.add(density, weight)
        self._start.add(density, _overlap(t, weight, 0.0, WINDOW_S))
        self._recent.append((t, weight, density))
        while self._recent[0][0] + self._recent[0][1] <= t + weight - WINDOW_S:
            self._recent.popleft()

    @property
    def duration_s(self) -> float:
        """Where the last sample ends, s."""
        return self._t[-1] + self._weights[-1] if self._t else 0.0

    def densities(self) -> Densities:
        """Mean densities over the medium, its first and its last two seconds."""
        end = MeanDensity()
        for t, weight, density in self._recent:
            end.add(density, _overlap(t, weight, self.duration_s - WINDOW_S, self.duration_s))
        means = {"start": self._start.density, "end": end.density, "total": self._total.density}
        return Densities({window: mean for window in WINDOWS if (mean := means[window]) is not None})

    def frames(self) -> tuple[FrameScores, ...]:
        """One row per sample; none without scores."""
        values = {name: [score.value for score in scores] for name, scores in self._scores.items()}
        if not values[FOCUS.name]:
            return ()
        return tuple(
            FrameScores(
                t_s=t,
                weight_s=weight,
                scene_id=shot,
                focus=values["focus"][i],
                cognitive_demand=values["cognitive_demand"][i],
                clarity=values["clarity"][i],
                engagement_frt=values["engagement"][i],
                memory=values["memory"][i],
                x=x,
                y=y,
            )
            for i, (t, weight, shot, (x, y)) in enumerate(
                zip(self._t, self._weights, self._shots, self._peaks, strict=True)
            )
        )

    def scenes(self, shots: Sequence[Shot]) -> tuple[Scene, ...]:
        """One row per shot, with the means of its samples' scores."""
        ids, weights = np.array(self._shots), np.array(self._weights)
        return tuple(
            Scene(i, shot.start_s, shot.end_s, shot.begins, self._scene_scores(np.where(ids == i, weights, 0.0)))
            for i, shot in enumerate(shots)
        )

    def scores(self, shots: Sequence[Shot]) -> tuple[Score, ...]:
        """The medium's scores: means over time of the whole, the first and the last two seconds, and its pacing."""
        if not self._scores[FOCUS.name]:
            return ()
        weights = {window: self._window_weights(window) for window in WINDOWS}
        return (*self._means(weights), pacing(shots, self.duration_s))

    def _means(self, weights: Mapping[Window, Float64]) -> Iterator[Score]:
        for spec in (metric.spec for metric in BUILT_INS):
            if spec.name in _WINDOWED:
                window: Window = "start" if _WINDOWED[spec.name] == "start" else "end"
                yield mean_score(spec, window, self._scores[FOCUS.name], weights[window])
                continue
            yield mean_score(spec, "total", self._scores[spec.name], weights["total"])
            if spec.name != FOCUS.name:
                yield mean_score(spec, "start", self._scores[spec.name], weights["start"])
                yield mean_score(spec, "end", self._scores[spec.name], weights["end"])

    def _window_weights(self, window: Window) -> Float64:
        t, weights, end = np.array(self._t), np.array(self._weights), self.duration_s
        low, high = {"start": (0.0, WINDOW_S), "end": (end - WINDOW_S, end), "total": (0.0, end)}[window]
        return np.asarray(np.maximum(0.0, np.minimum(t + weights, high) - np.maximum(t, low)), np.float64)

    def _scene_scores(self, weights: Float64) -> dict[str, float | None]:
        return {
            spec.name: mean_score(spec, "total", self._scores[spec.name], weights).value
            for spec in FRAME_METRICS
            if self._scores[spec.name]
        }


def mean_score(spec: MetricSpec, window: Window, scores: Sequence[Score], weights: Float64) -> Score:
    """The time-weighted mean of a metric.

    Parameters
    ----------
    spec : MetricSpec
        Of the mean.
    window : {'start', 'end', 'total'}
    scores : sequence of N Score
        By sample; undefined ones do not count.
    weights : (N,) float64
        Seconds of each sample that fall into the window.

    Returns
    -------
    Score
        Its interval is the mean of the samples' intervals: their errors are the model's and do not average out.
    """
    defined = [i for i, score in enumerate(scores) if score.value is not None and weights[i] > 0]
    if not defined:
        reason = next((score.reason for score in scores if score.reason), "No frame of this window has a value.")
        return Score(spec.name, window, None, None, None, spec.basis, spec.unit, reason)
    share = weights[defined] / weights[defined].sum()
    columns = [[getattr(scores[i], end) for i in defined] for end in ("value", "lo", "hi")]
    value, lo, hi = (None if None in column else float(share @ np.array(column)) for column in columns)
    return Score(spec.name, window, value, lo, hi, spec.basis, spec.unit)


def video_specs() -> tuple[MetricSpec, ...]:
    """Metrics that media that move have and still pictures have not."""
    return (PACING,)


def _overlap(t: float, weight: float, low: float, high: float) -> float:
    return max(0.0, min(t + weight, high) - max(t, low))


def _peak(density: Float32) -> tuple[float, float]:
    """Centre of the densest cell, unit coordinates."""
    row, column = np.unravel_index(int(density.argmax()), density.shape)
    return (float(column) + 0.5) / density.shape[1], (float(row) + 0.5) / density.shape[0]
