"""Scores and positions of areas over time: rounded, pooled and simplified, so that a page can hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from mediaan.aoi.scoring.film_scores import Span
from mediaan.metrics import metrics_of
from mediaan.types.aoi import Aoi, Box
from mediaan.types.arrays import Float64, Int32
from mediaan.types.metrics import Scene
from mediaan.types.result import Result

CURVES = tuple(metric.spec.name for metric in metrics_of("frame") if metric.colours)
"""Metrics that have a curve."""

MAX_POINTS = 1500  # more than a curve is wide on a screen, px
PAGE_POINTS = 400_000  # of all curves' moments together: about 12 MB of page
MIN_POINTS = 150


@dataclass(frozen=True, slots=True)
class ScoreTimeline:
    """Scores of one medium over time."""

    t_s: Float64
    """(N,) float64. Moment of each point, s from the first frame: that of the first of its samples."""
    series: Mapping[str, Float64]
    """Mapping of str to (N,) float64. By metric, 0-100; NaN where undefined."""
    pooled: int
    """Number of samples behind each point, which is their mean."""
    interval_s: float
    """Median time between two samples, s."""
    end_s: float
    """Where the last sample ends, s."""
    scenes: Sequence[Scene]
    """In order."""
    scenes_at_s: Sequence[float]
    """First sample of each scene; where it begins, when it has none."""

    def data(self) -> Mapping[str, Any]:
        """Return numbers for the page's script, ms and tenths of a score; None where undefined."""
        return {
            "t": self.t_s.round(3).tolist(),
            "series": {name: _tenths(values.tolist()) for name, values in self.series.items()},
            "pooled": self.pooled,
            "interval": round(self.interval_s, 4),
            "end": _ms(self.end_s),
            "scenes": {
                "start": [_ms(scene.start_s) for scene in self.scenes],
                "end": [_ms(scene.end_s) for scene in self.scenes],
                "at": [_ms(at) for at in self.scenes_at_s],
                "begins": [scene.cut_type for scene in self.scenes],
                "scores": {name: _tenths([scene.scores.get(name) for scene in self.scenes]) for name in CURVES},
            },
        }


def most_points(media: int) -> int:
    """Return the most points of a timeline on a page with so many media that move."""
    return max(MIN_POINTS, min(MAX_POINTS, PAGE_POINTS // max(media, 1)))


def score_timeline(result: Result, limit: int = MAX_POINTS) -> ScoreTimeline | None:
    """Return the timeline of a medium that moves, with at most `limit` points; None of a still image."""
    frames = result.frames
    if not frames:
        return None
    t_s = np.array([frame.t_s for frame in frames])
    weight_s = np.array([frame.weight_s for frame in frames])
    series = {name: np.array([frame.scores.get(name) for frame in frames], np.float64) for name in CURVES}
    first_sample_s = {frame.scene_id: frame.t_s for frame in reversed(frames)}
    pooled = -(-len(frames) // limit)
    return ScoreTimeline(
        t_s=t_s[::pooled],
        series={name: pool(values, weight_s, pooled) for name, values in series.items()},
        pooled=pooled,
        interval_s=float(np.median(np.diff(t_s))) if len(t_s) > 1 else float(weight_s[0]),
        end_s=float(max(t_s[-1] + weight_s[-1], *(scene.end_s for scene in result.scenes), 1e-3)),
        scenes=result.scenes,
        scenes_at_s=[first_sample_s.get(scene.scene_id, scene.start_s) for scene in result.scenes],
    )


def pool(values: Float64, weight_s: Float64, size: int) -> Float64:
    """Take the weighted mean of each `size` values that follow each other; undefined ones do not count.

    `values` (N,) float64: NaN where undefined.
    `weight_s` (N,) float64: seconds that each stands for.
    `size`: at least 1; the last group may be smaller.
    Returns (ceil(N / size),) float64: NaN where none of a group is defined.

    >>> pool(np.array([10.0, 40.0, np.nan, np.nan, 7.0]), np.array([2.0, 1.0, 1.0, 1.0, 1.0]), 2).tolist()
    [20.0, nan, 7.0]
    """
    if size == 1:
        return values
    starts = np.arange(0, len(values), size)
    weight = np.where(np.isnan(values), 0.0, weight_s)
    total = np.add.reduceat(weight, starts)
    summed = np.add.reduceat(np.nan_to_num(values) * weight, starts)
    mean: Float64 = np.divide(summed, total, out=np.full(len(starts), np.nan), where=total > 0)
    return mean


def _tenths(values: Sequence[float | None]) -> list[float | None]:
    return [None if value is None or np.isnan(value) else tenth(value) for value in values]


def tenth(value: float) -> float:
    """Round to a tenth that rounds to the same whole number as the value does, since that is what readers see.

    >>> tenth(33.41), tenth(33.47), tenth(33.5)
    (33.4, 33.4, 33.5)
    """
    near = round(value, 1)
    return round(near - 0.1, 1) if near % 1 == 0.5 and value < near else near


def _ms(value: float) -> float:
    return round(float(value), 3)


TOLERANCE = 0.004
"""How far the page's boxes may be from those of the table, in shares of a side of the image: 3 px of 800."""
GRID = 10_000
"""Boxes on the page are whole numbers of this part of a side."""
TICKS = 10_000
"""Times on the page are whole numbers of this part of a second, and agree with the table's to 0.1 ms."""

_SAME_INSTANT_S = 1e-3


@dataclass(frozen=True, slots=True)
class AreaTrack:
    """Positions of an area over time."""

    t_s: Float64
    """(N,) float64. Moments of its sightings, s from the first frame."""
    spans: Sequence[Span]
    """When it is on screen, s."""
    kept: Int32
    """(K,) int32. Indices of the sightings that the page keeps; the others lie between them to within `TOLERANCE`."""
    boxes: Float64
    """(K, 4) float64. x0, y0, x1, y1 of those, unit coordinates."""

    @classmethod
    def of(cls, aoi: Aoi, spans: Sequence[Span]) -> AreaTrack:
        """Return the track of an area that has sightings."""
        t_s = np.array([sighting.t_s for sighting in aoi.track])
        boxes = np.array([sighting.box for sighting in aoi.track])
        places = np.searchsorted([end for _, end in spans], t_s + _SAME_INSTANT_S)  # span of each sighting
        edges = [0, *(np.flatnonzero(np.diff(places)) + 1).tolist(), len(t_s)]
        kept = [
            first + simplify_track(t_s[first:after], boxes[first:after], TOLERANCE) for first, after in pairwise(edges)
        ]
        indices = np.concatenate(kept).astype(np.int32)
        return cls(t_s, spans, indices, boxes[indices])

    def box_at(self, t_s: float) -> Box:
        """Return the box at a moment."""
        return Box(*(float(np.interp(t_s, self.t_s[self.kept], side)) for side in self.boxes.T))

    def data(self) -> Mapping[str, Any]:
        """Return numbers for the page's script; keys are read in `views/areas/tracks.js`."""
        boxes = np.rint(self.boxes * GRID).astype(int)
        return {
            "t": _run_lengths(np.rint(self.t_s * TICKS).astype(int).tolist()),
            "spans": [[round(begin, 3), round(end, 3)] for begin, end in self.spans],
            "keys": np.column_stack([self.kept, boxes]).ravel().tolist(),
        }


def simplify_track(t_s: Float64, boxes: Float64, tolerance: float) -> Int32:
    """Choose boxes so that lines between them miss no other by more than `tolerance`.

    `t_s` (N,) float64: rising.
    `boxes`: (N, 4) float64.
    `tolerance`: largest distance of a side, in the unit of the boxes.
    Returns (K,) int32: rising indices, with the first and the last. Douglas and Peucker (1973), with time as the
        abscissa.

    >>> t_s = np.arange(5.0)
    >>> boxes = np.array([[0.0], [1.0], [2.0], [2.0], [2.0]]) * np.ones(4)
    >>> simplify_track(t_s, boxes, 0.1).tolist()
    [0, 2, 4]
    """
    keep = np.zeros(len(t_s), bool)
    keep[[0, -1]] = True
    stretches = [(0, len(t_s) - 1)]
    while stretches:
        first, last = stretches.pop()
        if last - first < 2:
            continue
        share = (t_s[first : last + 1] - t_s[first]) / (t_s[last] - t_s[first])
        line = boxes[first] + share[:, None] * (boxes[last] - boxes[first])
        miss = np.abs(boxes[first : last + 1] - line).max(axis=1)
        worst = int(miss.argmax())
        if miss[worst] > tolerance:
            keep[first + worst] = True
            stretches += [(first, first + worst), (first + worst, last)]
    return np.flatnonzero(keep).astype(np.int32)


def _run_lengths(times: list[int]) -> list[int]:
    """Return the first time, then each step and how often it is taken.

    >>> _run_lengths([5, 7, 9, 12])
    [5, 2, 2, 3, 1]
    """
    packed = times[:1]
    for before, time in pairwise(times):
        if len(packed) > 1 and packed[-2] == time - before:
            packed[-1] += 1
        else:
            packed += [time - before, 1]
    return packed
