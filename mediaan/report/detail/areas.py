"""Areas of interest of a run, with their scores and tracks."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.data.benchmark_ranges import BenchmarkRanges
from mediaan.report.data.contents import Row, RunContents
from mediaan.report.data.scan import count_distinct, scan
from mediaan.types.aoi import AOI_TYPES, AoiType
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.arrays import Float64, Int32

SIDES = ("x0", "y0", "x1", "y1")
TOLERANCE = 0.004
"""How far the page's boxes may be from those of the table, in shares of a side of the image: 3 px of 800."""

_GRID = 10_000  # boxes are whole numbers of this part of a side
_TICKS = 10_000  # a second, so that times are whole numbers and agree with the table's to 0.1 ms
_SAME_INSTANT_S = 1e-3

AreaKey = tuple[str, str]
"""Identifiers of a medium and of one of its AOIs."""


@dataclass(frozen=True, slots=True)
class AreaTrack:
    """Positions of an area over time."""

    t_s: Float64
    """(N,) float64. Moments of its sightings, s from the first frame."""
    spans: Float64
    """(S, 2) float64. Times between which it is visible, s."""
    kept: Int32
    """(K,) int32. Indices of the sightings that the page keeps; the others lie between them to within `TOLERANCE`."""
    boxes: Float64
    """(K, 4) float64. x0, y0, x1, y1 of those, unit coordinates."""

    def data(self) -> Mapping[str, Any]:
        """Return numbers for the page's script; keys are read in `views/areas/tracks.js`."""
        boxes = np.rint(self.boxes * _GRID).astype(int)
        return {
            "t": _run_lengths(np.rint(self.t_s * _TICKS).astype(int).tolist()),
            "spans": self.spans.round(3).tolist(),
            "keys": np.column_stack([self.kept, boxes]).ravel().tolist(),
        }


def gather_tracks(tracks: pa.Table, frames: pa.Table) -> dict[AreaKey, AreaTrack]:
    """Join the tracks of a run, by medium and AOI.

    Parameters
    ----------
    tracks, frames : pa.Table
        The tables `aoi_tracks` and `frames`: a sighting lasts for as long as the frame of its moment stands.
    """
    if tracks.num_rows == 0:
        return {}
    frames_of = {medium: columns for (medium,), columns in _groups(frames, ("medium_id",), ("t_s", "weight_s"))}
    joined = {}
    for (medium, aoi), (t_s, *sides) in _groups(tracks, ("medium_id", "aoi_id"), ("t_s", *SIDES)):
        boxes = np.column_stack(sides)
        if medium in frames_of:
            starts, weights = frames_of[medium]
            ends = starts + weights
        else:  # its frames are unknown: each sighting lasts until the next
            step = float(np.median(np.diff(t_s))) if len(t_s) > 1 else 0.2
            starts, ends = t_s, np.append(t_s[1:], t_s[-1] + step)
        sample = np.searchsorted(starts, t_s + _SAME_INSTANT_S, side="right") - 1
        edges = [0, *(np.flatnonzero(np.diff(sample) > 1) + 1).tolist(), len(t_s)]
        kept = [
            first + simplify_track(t_s[first:after], boxes[first:after], TOLERANCE) for first, after in pairwise(edges)
        ]
        indices = np.concatenate(kept).astype(np.int32)
        firsts, lasts = np.array(edges[:-1]), np.array(edges[1:]) - 1
        spans = np.column_stack([t_s[firsts], ends[sample[lasts]]])
        joined[medium, aoi] = AreaTrack(t_s, spans, indices, boxes[indices])
    return joined


def simplify_track(t_s: Float64, boxes: Float64, tolerance: float) -> Int32:
    """Choose boxes so that lines between them miss no other by more than `tolerance`.

    Parameters
    ----------
    t_s : (N,) float64
        Rising.
    boxes : (N, 4) float64
    tolerance : float
        Largest distance of a side, in the unit of the boxes.

    Returns
    -------
    (K,) int32
        Rising indices, with the first and the last. Douglas and Peucker (1973), with time as the abscissa.

    Examples
    --------
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


def _groups(
    table: pa.Table, keys: tuple[str, ...], columns: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], list[Float64]]]:
    """Yield columns of the rows that agree in the keys, in the order of the first column."""
    if table.num_rows == 0:
        return
    named = [table[key].combine_chunks().dictionary_encode() for key in keys]
    codes = [key.indices.to_numpy() for key in named]
    numbers: list[Float64] = [table[column].cast(pa.float64()).to_numpy() for column in columns]
    order = np.lexsort((numbers[0], *reversed(codes)))
    changes = np.any([np.diff(code[order]) != 0 for code in codes], axis=0)
    edges = [0, *(np.flatnonzero(changes) + 1).tolist(), len(order)]
    for first, after in pairwise(edges):
        rows = order[first:after]
        names = (key.dictionary[int(code[rows[0]])].as_py() for key, code in zip(named, codes, strict=True))
        yield tuple(names), [column[rows] for column in numbers]


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


TIMES = ("total", "start", "end")

_METHODS: Mapping[str, str] = MappingProxyType(
    {
        "text": "read as text",
        "wording": "recognized by its wording",
        "brand_name": "found by the brand's name",
        "logo_picture": "found by an image of the logo",
        "word_mark": "looks like a logo, brand unknown",
        "detector": "found by the object detector",
        "drawn": "drawn by a person",
    }
)
_COORDINATE_DIGITS = 5  # so that what is saved again is at the same place
_SCORE_DIGITS = 3


@dataclass(frozen=True, slots=True)
class ReportArea:
    """An AOI with its scores."""

    row: Row
    """Of the table of AOIs."""
    scores: Mapping[tuple[str, str], Row]
    """Mapping of (metric, metric_time) to Row. Of the table of their scores."""
    track: AreaTrack | None
    """Where it is over time, in a medium that moves."""

    def value(self, metric: str) -> float | None:
        """Return a score of the whole; None where it has none."""
        score = self.scores.get((metric, "total"))
        return None if score is None else score["value"]

    def data(self, metrics: Sequence[Row], benchmarks: BenchmarkRanges) -> Mapping[str, Any]:
        """Return what the page's script needs; what is absent or null is left out to keep the page light."""
        names = [metric["name"] for metric in metrics]
        row = self.row
        polygon = row["polygon"] and [[round(side, _COORDINATE_DIGITS) for side in point] for point in row["polygon"]]
        values = {
            "id": row["aoi_id"],
            "type": row["type"],
            "label": row["label"],
            "method": _METHODS.get(row["method"], row["method"]),
            "box": [round(row[side], _COORDINATE_DIGITS) for side in SIDES],
            "polygon": polygon,
            "confidence": _rounded(row["confidence"]),
            "t0": row["t0_s"],
            "t1": row["t1_s"],
            "text": row["text"],
            "line": _rounded(row["line_height_pct"]),
            "contrast": _rounded(row["contrast_ratio"]),
            "legible": row["legible"],
            "track": self.track and self.track.data(),
            "ranges": benchmarks.of_area(row["medium_id"], row["aoi_id"], names, TIMES),
        }
        scores = [[_score(self.scores.get((metric["name"], time))) for time in TIMES] for metric in metrics]
        return {key: value for key, value in values.items() if value is not None} | {"scores": scores}


@dataclass(frozen=True, slots=True)
class AreaTypeCount:
    """Media of a run that have an AOI of a type, and such AOIs."""

    type: AoiType
    title: str
    media: int
    areas: int


@dataclass(frozen=True, slots=True)
class ReportAreas:
    """The AOIs of a run."""

    of: Mapping[str, list[ReportArea]]
    """Mapping of str to list of ReportArea. By medium that is shown; the most seen first."""
    metrics: Sequence[Row]
    """Descriptions of their scores, from `run.json`."""
    counts: list[AreaTypeCount] = field(default_factory=list)
    """One for each type that the run has, in the order of `AOI_TYPES`."""

    def data(self) -> Mapping[str, Any]:
        """Return what the page's script needs of all of them together."""
        keys = ("name", "title", "unit", "direction", "basis", "caption")
        highs = [metric["high"] if math.isfinite(metric["high"]) else None for metric in self.metrics]
        return {
            "metrics": [
                {key: metric[key] for key in keys} | {"high": high}
                for metric, high in zip(self.metrics, highs, strict=True)
            ],
            "times": TIMES,
            "grid": _GRID,
            "ticks": _TICKS,
            "types": [{"name": name, "title": AREA_TYPES[name].title} for name in AOI_TYPES],
            "version": self.version(),
        }

    def of_medium(self, medium_id: str | None, benchmarks: BenchmarkRanges) -> list[Mapping[str, Any]]:
        """Return the AOIs of one medium for the page's script."""
        return [area.data(self.metrics, benchmarks) for area in self.of.get(medium_id or "", [])]

    def version(self) -> str:
        """Return a hash that changes when AOIs do: drafts of others cannot be continued."""
        rows = {medium: [area.row for area in areas] for medium, areas in self.of.items()}
        return hashlib.sha256(json.dumps(rows, sort_keys=True, default=str).encode()).hexdigest()[:16]


def gather_areas(contents: RunContents) -> ReportAreas:
    """Join the tables of AOIs; an AOI's index in its medium's list is the number that the page gives it."""
    scores: dict[AreaKey, dict[tuple[str, str], Row]] = defaultdict(dict)
    for row in contents.aoi_scores:
        scores[row["medium_id"], row["aoi_id"]][row["metric"], row["metric_time"]] = row
    tracks = gather_tracks(contents.aoi_tracks, contents.frames)
    areas: dict[str, list[ReportArea]] = defaultdict(list)
    for row in contents.aois:
        key = row["medium_id"], row["aoi_id"]
        areas[row["medium_id"]].append(ReportArea(row, scores.get(key, {}), tracks.get(key)))

    def rank(area: ReportArea) -> tuple[float, float]:
        seen, attention = area.value("percentage_seen"), area.value("attention")
        return -(-1.0 if seen is None else seen), -(attention or 0.0)

    most_seen_first = {medium: sorted(of, key=rank) for medium, of in areas.items()}
    media: dict[str, list[pa.Array]] = defaultdict(list)  # of the whole run, by type
    areas_of_type: Counter[str] = Counter()
    for batch in scan(contents.run_dir, "aois", ("medium_id", "type")):
        for name in pc.unique(batch["type"]).to_pylist():
            medium_ids = batch.filter(pc.equal(batch["type"], name))["medium_id"]
            media[name].append(pc.unique(medium_ids))
            areas_of_type[name] += len(medium_ids)
    counts = [
        AreaTypeCount(name, AREA_TYPES[name].title, count_distinct(media[name]), areas_of_type[name])
        for name in AOI_TYPES
        if name in media
    ]
    return ReportAreas(most_seen_first, contents.run.get("aoi_metrics", ()), counts)


def _score(row: Row | None) -> list[float] | str | None:
    """Return a value alone, one with its interval, or the reason why there is none."""
    if row is None:
        return None
    if row["value"] is None:
        return row["reason"] or "not computed"
    bounds = [] if row["lo"] is None or row["hi"] is None else [row["lo"], row["hi"]]
    return [round(number, _SCORE_DIGITS) for number in (row["value"], *bounds)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _SCORE_DIGITS)
