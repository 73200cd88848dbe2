"""Scores over time: rounded, and pooled where a curve cannot show every sample."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from mediaan.metrics import metrics_of
from mediaan.report.data.contents import Row
from mediaan.run.tables.schema import FRAME_COLUMNS
from mediaan.types.arrays import Float64, Int32

SERIES: Mapping[str, str] = {
    metric.spec.name: FRAME_COLUMNS[metric.spec.name] for metric in metrics_of("frame") if metric.colours
}
"""Column of the table of frames behind each metric that has a curve."""

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
    """Samples that each point is the mean of."""
    interval_s: float
    """Between two samples, s, in the middle of all such intervals."""
    end_s: float
    """Where the last sample ends, s."""
    scenes: Sequence[Row]
    """Of the table of scenes, in order."""
    scenes_at_s: Sequence[float]
    """First sample of each scene; where it begins, when it has none."""

    def data(self) -> Mapping[str, Any]:
        """Return numbers for the page's script, ms and tenths of a score; None where undefined."""
        scores = {name: _tenths([scene.get(name) for scene in self.scenes]) for name in SERIES}
        return {
            "t": self.t_s.round(3).tolist(),
            "series": {name: _tenths(values.tolist()) for name, values in self.series.items()},
            "pooled": self.pooled,
            "interval": round(self.interval_s, 4),
            "end": _ms(self.end_s),
            "scenes": {
                "start": [_ms(scene["start_s"]) for scene in self.scenes],
                "end": [_ms(scene["end_s"]) for scene in self.scenes],
                "at": [_ms(at) for at in self.scenes_at_s],
                "begins": [scene["cut_type"] for scene in self.scenes],
                "scores": scores,
            },
        }


def gather_timelines(frames: pa.Table, scenes: Sequence[Row]) -> dict[str, ScoreTimeline]:
    """Make a timeline of each medium that moves, by its id.

    Parameters
    ----------
    frames : pa.Table
        The table of frames.
    scenes : sequence of rows
        The table of scenes.

    Returns
    -------
    dict of str to ScoreTimeline
        Each with at most `MAX_POINTS` points; with fewer, but not under `MIN_POINTS`, where all together would make
        the page heavy.
    """
    scenes_of: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(scenes, key=lambda scene: scene["scene_id"]):
        scenes_of[row["medium_id"]].append(row)
    media = frames["medium_id"].combine_chunks().dictionary_encode()
    codes: Int32 = media.indices.to_numpy()
    names = ("t_s", "weight_s", "scene_id", *SERIES.values())
    of_all = {name: frames[name].cast(pa.float64()).to_numpy() for name in names}
    order = np.lexsort((of_all["t_s"], codes))
    edges = np.searchsorted(codes[order], np.arange(len(media.dictionary) + 1))
    limit = max(MIN_POINTS, min(MAX_POINTS, PAGE_POINTS // max(len(media.dictionary), 1)))
    timelines = {}
    for i, medium in enumerate(media.dictionary.to_pylist()):
        rows = order[edges[i] : edges[i + 1]]  # in the order of time
        columns = {name: column[rows] for name, column in of_all.items()}
        t_s, weight_s, own = columns["t_s"], columns["weight_s"], scenes_of[medium]
        ids, first = np.unique(columns["scene_id"], return_index=True)
        first_sample_s: dict[int, float] = dict(zip(ids.astype(int).tolist(), t_s[first].tolist(), strict=True))
        pooled = -(-len(t_s) // limit)
        timelines[medium] = ScoreTimeline(
            t_s=t_s[::pooled],
            series={name: pool(columns[column], weight_s, pooled) for name, column in SERIES.items()},
            pooled=pooled,
            interval_s=float(np.median(np.diff(t_s))) if len(t_s) > 1 else float(weight_s[0]),
            end_s=float(max(t_s[-1] + weight_s[-1], *(scene["end_s"] for scene in own), 1e-3)),
            scenes=own,
            scenes_at_s=[first_sample_s.get(scene["scene_id"], float(scene["start_s"])) for scene in own],
        )
    return timelines


def pool(values: Float64, weight_s: Float64, size: int) -> Float64:
    """Take the weighted mean of each `size` values that follow each other; undefined ones do not count.

    Parameters
    ----------
    values : (N,) float64
        NaN where undefined.
    weight_s : (N,) float64
        Seconds that each stands for.
    size : int
        At least 1; the last group may be smaller.

    Returns
    -------
    (ceil(N / size),) float64
        NaN where none of a group is defined.

    Examples
    --------
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
    return [None if value is None or math.isnan(value) else tenth(value) for value in values]


def tenth(value: float) -> float:
    """Round to a tenth that rounds to the same whole number as the value does, since that is what readers see.

    >>> tenth(33.41), tenth(33.47), tenth(33.5)
    (33.4, 33.4, 33.5)
    """
    near = round(value, 1)
    return round(near - 0.1, 1) if near % 1 == 0.5 and value < near else near


def _ms(value: float) -> float:
    return round(float(value), 3)
