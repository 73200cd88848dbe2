"""Positions of areas over time: simplified, so that a page can hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from mediaan.aoi.scoring.film_scores import Span
from mediaan.types.aoi import Aoi, Box
from mediaan.types.arrays import Float64, Int32

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
