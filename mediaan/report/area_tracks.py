"""Tracks of areas of interest as the page carries them: when they are visible, and boxes only where these change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from mediaan.types.arrays import Float64, Int32

SIDES = ("x0", "y0", "x1", "y1")
TOLERANCE = 0.004
"""How far the page's boxes may be from those of the table, in shares of a side of the picture: 3 px of 800."""

_GRID = 10_000  # boxes are whole numbers of this part of a side
_TICKS = 10_000  # a second, so that times are whole numbers and agree with the table's to 0.1 ms
_SAME_INSTANT_S = 1e-3

Key = tuple[str, str]
"""Identifiers of a medium and of one of its AOIs."""


@dataclass(frozen=True, slots=True)
class AreaTrack:
    """Where an area is over time.

    Attributes
    ----------
    t_s : (N,) float64
        Moments of its sightings, s from the first frame.
    spans : (S, 2) float64
        From when to when it is visible, s.
    kept : (K,) int32
        Which sightings the page keeps; the others lie between them to within `TOLERANCE`.
    boxes : (K, 4) float64
        x0, y0, x1, y1 of those, unit coordinates.
    """

    t_s: Float64
    spans: Float64
    kept: Int32
    boxes: Float64

    def data(self) -> Mapping[str, Any]:
        """Numbers for the page's script; keys are read in `templates/areas.js`."""
        boxes = np.rint(self.boxes * _GRID).astype(int)
        return {
            "t": _run_lengths(np.rint(self.t_s * _TICKS).astype(int).tolist()),
            "spans": self.spans.round(3).tolist(),
            "keys": np.column_stack([self.kept, boxes]).ravel().tolist(),
        }


def gather_tracks(tracks: pa.Table, frames: pa.Table) -> dict[Key, AreaTrack]:
    """The tracks of a run, by medium and AOI.

    Parameters
    ----------
    tracks, frames : pa.Table
        The tables `aoi_tracks` and `frames`: a sighting lasts for as long as the frame of its moment stands.
    """
    if tracks.num_rows == 0:
        return {}
    samples = {medium: (t_s, t_s + weight) for (medium,), (t_s, weight) in
               _groups(frames, ("medium_id",), ("t_s", "weight_s"))}  # fmt: skip
    return {
        (medium, aoi): _track(t_s, np.column_stack(sides), *samples.get(medium, _evenly(t_s)))
        for (medium, aoi), (t_s, *sides) in _groups(tracks, ("medium_id", "aoi_id"), ("t_s", *SIDES))
    }


def thin(t_s: Float64, boxes: Float64, tolerance: float) -> Int32:
    """Which of the boxes to keep so that lines between them miss no other by more than `tolerance`.

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
        Rising; with the first and the last. Douglas and Peucker (1973), with time as the abscissa.

    Examples
    --------
    >>> t_s = np.arange(5.0)
    >>> boxes = np.array([[0.0], [1.0], [2.0], [2.0], [2.0]]) * np.ones(4)
    >>> thin(t_s, boxes, 0.1).tolist()
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


def _track(t_s: Float64, boxes: Float64, starts: Float64, ends: Float64) -> AreaTrack:
    sample = np.searchsorted(starts, t_s + _SAME_INSTANT_S, side="right") - 1
    edges = [0, *(np.flatnonzero(np.diff(sample) > 1) + 1).tolist(), len(t_s)]
    kept = [a + thin(t_s[a:b], boxes[a:b], TOLERANCE) for a, b in pairwise(edges)]
    firsts, lasts = np.array(edges[:-1]), np.array(edges[1:]) - 1
    chosen = np.concatenate(kept).astype(np.int32)
    return AreaTrack(t_s, np.column_stack([t_s[firsts], ends[sample[lasts]]]), chosen, boxes[chosen])


def _evenly(t_s: Float64) -> tuple[Float64, Float64]:
    """Samples of a medium whose frames are unknown: its sightings, each until the next."""
    step = float(np.median(np.diff(t_s))) if len(t_s) > 1 else 0.2
    return t_s, np.append(t_s[1:], t_s[-1] + step)


def _groups(
    table: pa.Table, keys: tuple[str, ...], columns: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], list[Float64]]]:
    """Columns of the rows that agree in the keys, in the order of the first column."""
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
    """The first time, then each step and how often it is taken.

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
