"""Fold samples over time into frame scores, scenes, and the video's own scores and densities."""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np

from mediaan.metrics import METRICS, metrics_of
from mediaan.metrics.contributions import MeanContributions
from mediaan.metrics.scales import video_scales
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import WINDOWS, Densities, Window
from mediaan.types.media import Shot
from mediaan.types.metrics import FrameScores, MetricSpec, Scene, Score

WINDOW_S = 2.0
"""Length of the windows start and end. In a video under 4 s they overlap, in one under 2 s both are all of it."""


class MeanDensity:
    """A weighted mean of densities, summed in float64."""

    def __init__(self) -> None:
        self._sum: Float64 | None = None

    def add(self, density: Float32, weight: float) -> None:
        """Add a density; one of weight 0 leaves no trace."""
        if weight <= 0:
            return
        weighted = density.astype(np.float64) * weight
        self._sum = weighted if self._sum is None else self._sum + weighted

    @property
    def density(self) -> Float32 | None:
        """Mean density, (h, w), sums to 1; None without densities."""
        return None if self._sum is None else np.asarray(self._sum / self._sum.sum(), dtype=np.float32)


class ScoreSeries:
    """One metric over the samples: value, lo and hi as float64, NaN where undefined."""

    def __init__(self) -> None:
        self._columns = (array("d"), array("d"), array("d"))
        self._reason: str | None = None
        self._contributions = MeanContributions()

    def __len__(self) -> int:
        return len(self._columns[0])

    def add(self, score: Score, weight_s: float) -> None:
        """Add the score of the next sample, which stands for `weight_s` seconds."""
        self._contributions.add(score.drivers, weight_s)
        for column, number in zip(self._columns, (score.value, score.lo, score.hi), strict=True):
            column.append(math.nan if number is None else number)
        self._reason = self._reason or score.reason

    def values(self) -> list[float | None]:
        """Return the values, None where undefined."""
        return [None if math.isnan(value) else value for value in self._columns[0]]

    def mean(self, spec: MetricSpec, window: Window, weights: Float64) -> Score:
        """Return the time-weighted mean.

        `spec`: of the mean.
        `weights` (N,) float64: seconds of each sample that fall into the window; undefined samples do not count.
        Returns: with the mean of the samples' intervals: their errors are the model's and do not average out.
        """
        defined = (weights > 0) & ~np.isnan(self._columns[0])
        if not defined.any():
            reason = self._reason or "No frame of this window has a value."
            return Score.of(spec, None, time=window, reason=reason)
        share = weights[defined] / weights[defined].sum()
        means = (float(share @ np.asarray(column)[defined]) for column in self._columns)
        value, lo, hi = (None if math.isnan(mean) else mean for mean in means)
        drivers = self._contributions.means(video_scales()) if window == "total" else ()
        return Score.of(spec, value, (lo, hi), time=window, drivers=drivers)


class TimelineAccumulator:
    """Folds samples in order of time into the scores and mean densities of a video.

    Memory grows by some two hundred bytes a sample: the scores. Densities are folded as they come; only those of the
    last two seconds are kept, because the window end is known only at the end.
    """

    def __init__(self) -> None:
        self._t, self._weights, self._shots = array("d"), array("d"), array("i")
        self._x, self._y = array("d"), array("d")
        self._series = {metric.spec.name: ScoreSeries() for metric in metrics_of("frame")}
        self._total, self._start = MeanDensity(), MeanDensity()
        self._recent: deque[tuple[float, float, Float32]] = deque()

    def add(self, t: float, weight: float, shot: int, density: Float32, scores: Mapping[str, Score]) -> None:
        """Add a sample; `scores` holds those that frames have, or nothing."""
        self._t.append(t)
        self._weights.append(weight)
        self._shots.append(shot)
        row, column = np.unravel_index(int(density.argmax()), density.shape)
        self._x.append((float(column) + 0.5) / density.shape[1])
        self._y.append((float(row) + 0.5) / density.shape[0])
        for name in self._series.keys() & scores.keys():
            self._series[name].add(scores[name], weight)
        self._total.add(density, weight)
        self._start.add(density, _overlap(t, weight, 0.0, WINDOW_S))
        self._recent.append((t, weight, density))
        while self._recent[0][0] + self._recent[0][1] <= t + weight - WINDOW_S:
            self._recent.popleft()

    @property
    def duration_s(self) -> float:
        """End of the last sample, s."""
        return self._t[-1] + self._weights[-1] if self._t else 0.0

    @property
    def _scored(self) -> bool:
        return any(len(series) > 0 for series in self._series.values())

    def densities(self) -> Densities:
        """Return mean densities over the video, its first and its last two seconds."""
        end = MeanDensity()
        for t, weight, density in self._recent:
            end.add(density, _overlap(t, weight, self.duration_s - WINDOW_S, self.duration_s))
        means = {"start": self._start.density, "end": end.density, "total": self._total.density}
        return Densities({window: mean for window in WINDOWS if (mean := means[window]) is not None})

    def frames(self) -> tuple[FrameScores, ...]:
        """Return one row per sample; none without scores."""
        if not self._scored:
            return ()
        values = {name: series.values() for name, series in self._series.items()}
        return tuple(
            FrameScores(
                t_s=self._t[i],
                weight_s=self._weights[i],
                scene_id=self._shots[i],
                x=self._x[i],
                y=self._y[i],
                scores={name: series[i] for name, series in values.items()},
            )
            for i in range(len(self._t))
        )

    def scenes(self, shots: Sequence[Shot]) -> tuple[Scene, ...]:
        """Return one row per shot, with the means of its samples' scores."""
        ids, weights = np.array(self._shots), np.array(self._weights)
        scenes = []
        for i, shot in enumerate(shots):
            in_scene = np.where(ids == i, weights, 0.0)
            series = self._series if self._scored else {}
            specs = [metric.spec for metric in metrics_of("scene") if series]
            values = {spec.name: series[spec.name].mean(spec, "total", in_scene).value for spec in specs}
            scenes.append(Scene(i, shot.start_s, shot.end_s, shot.begins, values))
        return tuple(scenes)

    def scores(self, shots: Sequence[Shot]) -> tuple[Score, ...]:
        """Return the video's scores: means over the whole, the first and last two seconds, and those of its shots."""
        if not self._scored:
            return ()
        t, seconds, end = np.array(self._t), np.array(self._weights), self.duration_s
        spans: dict[Window, tuple[float, float]] = {
            "start": (0.0, WINDOW_S), "end": (end - WINDOW_S, end), "total": (0.0, end)
        }  # fmt: skip
        weights = {
            window: np.asarray(np.maximum(0.0, np.minimum(t + seconds, high) - np.maximum(t, low)), np.float64)
            for window, (low, high) in spans.items()
        }
        parts = {(metric.part_of, metric.window) for metric in METRICS.values()}
        scores = []
        for metric in metrics_of("video"):
            spec = metric.spec
            if metric.of_shots is not None:
                scores.append(metric.of_shots(shots, self.duration_s))
            elif metric.part_of is not None:
                scores.append(self._series[metric.part_of].mean(spec, metric.window, weights[metric.window]))
            else:
                windows: tuple[Window, ...] = ("total", "start", "end")
                remaining = [window for window in windows if (spec.name, window) not in parts]
                scores += [self._series[spec.name].mean(spec, window, weights[window]) for window in remaining]
        return tuple(scores)


def _overlap(t: float, weight: float, low: float, high: float) -> float:
    return max(0.0, min(t + weight, high) - max(t, low))
