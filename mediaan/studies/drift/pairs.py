"""Join the scores of two runs: the same metric of the same medium, or of the same area of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from mediaan.types.aoi import Box

SAME_PLACE = 0.5
"""Two areas of one type are one area from this overlap on: IoU of their boxes times IoU of their spans of time.

Ids are no help: they are numbered, and one area more or less renames those behind it."""

OF_MEDIUM = "medium"
"""Subject of a medium's own scores; that of an area's is its type."""

_SAME = ["medium_id", "metric", "metric_time", "unit"]
_NUMBERS = ["value", "lo", "hi"]


class AreaPairs(NamedTuple):
    """Areas of two runs, of the media that both hold."""

    pairs: pd.DataFrame
    """medium_id, aoi_id_old, aoi_id_new, subject."""
    n_old: int
    n_new: int
    """How many areas each run has."""

    @property
    def alone(self) -> int:
        """Number of areas that are in one run only."""
        return self.n_old + self.n_new - 2 * len(self.pairs)


def pair_scores(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Join two tables ``metrics``: the same medium, metric, time and unit.

    Returns: medium_id, subject, aoi_id (None), metric, metric_time, unit; value, lo and hi, each with _old and _new.
    """
    columns = [*_SAME, *_NUMBERS]
    both = old[columns].merge(new[columns], on=_SAME, suffixes=("_old", "_new"))
    both.insert(1, "subject", OF_MEDIUM)
    both.insert(2, "aoi_id", None)
    return both


def pair_area_scores(old: pd.DataFrame, new: pd.DataFrame, areas: AreaPairs) -> pd.DataFrame:
    """Join two tables ``aoi_scores`` for areas that are in both runs; columns as of `pair_scores`.

    Areas keep the id that the old run gave them.
    """
    columns = ["metric", "metric_time", "unit", *_NUMBERS]
    of_pairs = areas.pairs.merge(old[["aoi_id", *columns]], left_on="aoi_id_old", right_on="aoi_id").drop(
        columns="aoi_id"
    )
    both = of_pairs.merge(
        new[["aoi_id", *columns]],
        left_on=["aoi_id_new", *_SAME[1:]],
        right_on=["aoi_id", *_SAME[1:]],
        suffixes=("_old", "_new"),
    )
    both = both.drop(columns=["aoi_id", "aoi_id_new"]).rename(columns={"aoi_id_old": "aoi_id"})
    return both[["medium_id", "subject", "aoi_id", *_SAME[1:], *(f"{n}_{s}" for s in ("old", "new") for n in _NUMBERS)]]


def pair_areas(old: pd.DataFrame, new: pd.DataFrame) -> AreaPairs:
    """Pair areas of one medium and type at one place, those that overlap most first."""
    groups = ["medium_id", "type"]
    in_new = {key: rows.to_dict("records") for key, rows in new.groupby(groups, sort=False)}
    matches = []
    for key, rows in old.groupby(groups, sort=False):
        areas_old, areas_new = rows.to_dict("records"), in_new.get(key, [])
        overlaps = [(overlap(a, b), i, k) for i, a in enumerate(areas_old) for k, b in enumerate(areas_new)]
        taken_old, taken_new = set[int](), set[int]()
        for shared, i, k in sorted(overlaps, key=lambda match: (-match[0], *match[1:])):
            if shared >= SAME_PLACE and i not in taken_old and k not in taken_new:
                taken_old.add(i)
                taken_new.add(k)
                area = areas_old[i]
                matches.append((area["medium_id"], area["aoi_id"], areas_new[k]["aoi_id"], area["type"]))
    pairs = pd.DataFrame(matches, columns=["medium_id", "aoi_id_old", "aoi_id_new", "subject"])
    return AreaPairs(pairs, len(old), len(new))


def overlap(first: dict[Any, Any], second: dict[Any, Any]) -> float:
    """Multiply the IoU of the boxes of two rows of the table ``aois`` by that of their spans of time, 0-1.

    >>> here = {"x0": 0, "y0": 0, "x1": 0.5, "y1": 1, "t0_s": 0.0, "t1_s": 2.0}
    >>> overlap(here, here | {"t0_s": 1.0}), overlap(here, here | {"t0_s": None, "t1_s": None})
    (0.5, 1.0)
    """
    a, b = (Box(row["x0"], row["y0"], row["x1"], row["y1"]) for row in (first, second))
    spans = [(row["t0_s"], row["t1_s"]) for row in (first, second)]
    if any(pd.isna(t) for span in spans for t in span):
        return a.iou(b)
    (start, end), (other_start, other_end) = spans
    union = max(end, other_end) - min(start, other_start)
    shared = min(end, other_end) - max(start, other_start)
    # two instants at the same time are one, though they last for nothing
    return a.iou(b) * (max(0.0, shared) / union if union > 0 else 1.0)
