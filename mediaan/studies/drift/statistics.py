"""Summarize how far scores and densities of two runs over the same media differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from mediaan.evaluation.bootstrap import LEVEL, RESAMPLES, SEED
from mediaan.evaluation.saliency.metrics import cc, kld, mean_defined
from mediaan.judge.rules.rule import usual_time
from mediaan.saliency.density import resize_density
from mediaan.types.aoi import Box
from mediaan.types.arrays import Float64
from mediaan.types.benchmark import CATEGORIES, EDGES
from mediaan.types.densities import WINDOWS, Densities

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


@dataclass(frozen=True, slots=True)
class DensityDrift:
    """One window over the media of two runs."""

    window: str
    n: int
    """Media whose densities both runs kept."""
    cc: float | None
    """Mean correlation; None where the old densities are constant."""
    kld: float
    """Mean divergence of the new density from the old one, nats."""
    largest_kld: float
    largest_medium: str
    """Whose."""


def density_drifts(pairs: Iterable[tuple[str, Densities, Densities]]) -> tuple[DensityDrift, ...]:
    """Compare densities window by window; where grids differ, on the old one.

    `pairs` (iterable of (str, Densities, Densities)): medium, old and new, read one after the other.
    """
    by_window: dict[str, list[tuple[str, float | None, float]]] = {}
    for medium, old, new in pairs:
        for window in WINDOWS:
            if window in old.maps and window in new.maps:
                truth, prediction = old[window], new[window]
                if prediction.shape != truth.shape:  # what did not change should compare as equal
                    height, width = truth.shape
                    prediction = resize_density(prediction, (height, width))
                # the constants of the formula stray by less than a millionth from a divergence, which is at least 0
                divergence = max(0.0, kld(prediction, truth))
                by_window.setdefault(window, []).append((medium, cc(prediction, truth), divergence))
    drifts = []
    for window in WINDOWS:
        if rows := by_window.get(window):
            largest_medium, _, largest = max(rows, key=lambda row: row[2])
            mean = float(np.mean([row[2] for row in rows]))
            drifts.append(
                DensityDrift(window, len(rows), mean_defined(row[1] for row in rows), mean, largest, largest_medium)
            )
    return tuple(drifts)


SCORE_UNIT = "score"
"""Of the metrics that are percentiles, and so have categories."""

_PICKS_AT_ONCE = 1_000_000  # 8 MB; large runs have ten thousand media, of each a draw picks as many


@dataclass(frozen=True, slots=True)
class CategoryFlip:
    """Number of values that went from one category to another."""

    before: str
    after: str
    n: int


@dataclass(frozen=True, slots=True)
class MetricDrift:
    """One metric at one time over the media of two runs; None where it is undefined."""

    subject: str
    """``medium``, or a type of area."""
    metric: str
    time: str
    unit: str
    n: int
    """Values that are defined in both runs."""
    n_lost: int
    n_gained: int
    """Values that only the old run has, and only the new one."""
    mean_shift: float | None
    lo: float | None
    hi: float | None
    """New minus old, and the 95 % interval had other media been taken (bootstrap over media)."""
    median_size: float | None
    p95_size: float | None
    """Of the absolute shift."""
    largest: float | None
    """The shift of the largest size, with its sign."""
    largest_medium: str | None
    """Whose."""
    rank_correlation: float | None
    """Spearman's; None where a run has one value only, or all alike."""
    outside: float | None
    """Share of the new values outside the old ones' intervals; None where these have none."""
    width_old: float | None
    width_new: float | None
    """Mean widths of the intervals, where both runs state one."""
    bounds: float | None
    """The most that an end of an interval moved."""
    flips: tuple[CategoryFlip, ...] | None
    """Changes of category, the most frequent first; None where the metric has no categories."""

    @property
    def flipped(self) -> float | None:
        """Share of the values whose category changed."""
        return None if self.flips is None or not self.n else sum(flip.n for flip in self.flips) / self.n

    @property
    def is_whole(self) -> bool:
        """True if it is the metric's own time, and not one of several."""
        return self.time == usual_time(self.metric)

    @property
    def title(self) -> str:
        """Name of what is compared, for people; the time is said of what has several."""
        subject = "" if self.subject == "medium" else f"{self.subject}: "
        return f"{subject}{self.metric}" + ("" if self.is_whole else f" ({self.time})")


def metric_drifts(pairs: pd.DataFrame) -> tuple[MetricDrift, ...]:
    """Summarize pairs of values by subject, metric and time, in the order in which they come."""
    groups = pairs.groupby(["subject", "metric", "metric_time", "unit"], sort=False)
    return tuple(_metric_drift(rows, *map(str, key)) for key, rows in groups)


def _metric_drift(rows: pd.DataFrame, subject: str, metric: str, time: str, unit: str) -> MetricDrift:
    had, has = rows["value_old"].notna(), rows["value_new"].notna()
    paired = rows[had & has]
    media = paired["medium_id"].to_numpy(str)
    columns = ("value_old", "value_new", "lo_old", "hi_old", "lo_new", "hi_new")
    old, new, lo_old, hi_old, lo_new, hi_new = (paired[name].to_numpy(np.float64) for name in columns)
    shifts = new - old
    sizes = np.abs(shifts)
    largest = int(sizes.argmax()) if sizes.size else None
    lo, hi = (mean_interval(shifts, media) if sizes.size else None) or (None, None)
    bounded = ~(np.isnan(lo_old) | np.isnan(hi_old))
    inside = (lo_old <= new) & (new <= hi_old)
    both = bounded & ~(np.isnan(lo_new) | np.isnan(hi_new))
    ends_moved = np.abs([lo_new - lo_old, hi_new - hi_old])[:, both]
    return MetricDrift(
        subject=subject,
        metric=metric,
        time=time,
        unit=unit,
        n=len(paired),
        n_lost=int((had & ~has).sum()),
        n_gained=int((has & ~had).sum()),
        mean_shift=float(shifts.mean()) if sizes.size else None,
        lo=lo,
        hi=hi,
        median_size=float(np.median(sizes)) if sizes.size else None,
        p95_size=float(np.quantile(sizes, 0.95)) if sizes.size else None,
        largest=None if largest is None else float(shifts[largest]),
        largest_medium=None if largest is None else str(media[largest]),
        rank_correlation=rank_correlation(old, new),
        outside=float(1 - inside[bounded].mean()) if bounded.any() else None,
        width_old=float((hi_old - lo_old)[both].mean()) if both.any() else None,
        width_new=float((hi_new - lo_new)[both].mean()) if both.any() else None,
        bounds=float(ends_moved.max()) if both.any() else None,
        flips=flips(old, new) if unit == SCORE_UNIT else None,
    )


def mean_interval(values: Float64, media: npt.NDArray[np.str_]) -> tuple[float, float] | None:
    """Bootstrap the 95 % interval of a mean, drawing whole media: what lies in one medium moves together.

    `media` (n,) str: to which each belongs.
    Returns (float, float) or None: None for one medium. Field & Welsh 2007, "Bootstrapping clustered data", JRSS B 69.
    """
    _, owner = np.unique(media, return_inverse=True)
    counts = np.bincount(owner).astype(np.float64)
    if counts.size < 2:
        return None
    sums = np.bincount(owner, weights=values)
    generator = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    step = max(1, _PICKS_AT_ONCE // counts.size)
    for i in range(0, RESAMPLES, step):
        picks = generator.integers(counts.size, size=(min(step, RESAMPLES - i), counts.size))
        means[i : i + step] = sums[picks].sum(axis=1) / counts[picks].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def rank_correlation(old: Float64, new: Float64) -> float | None:
    """Compute Spearman's correlation of two columns, ties at their mean rank.

    Returns: in [-1, 1]; None for fewer than two values, or where one column is constant.
    """
    if old.size < 2 or np.ptp(old) == 0 or np.ptp(new) == 0:
        return None
    return float(np.clip(pd.Series(old).rank().corr(pd.Series(new).rank()), -1.0, 1.0))


def flips(old: Float64, new: Float64) -> tuple[CategoryFlip, ...]:
    """Count changes of category, the most frequent first.

    A score of 0-100 is a percentile of the scale's own reference population, so that the edges between categories are
    10, 30, 70 and 90 points, the same in both runs. Where it stands in a norm set is another question, which norm sets
    answer: `mediaan.judge.benchmark`.
    """
    before, after = (np.searchsorted(EDGES, values, side="right") for values in (old, new))
    moved = Counter((int(i), int(k)) for i, k in zip(before, after, strict=True) if i != k)
    ordered = sorted(moved.items(), key=lambda item: (-item[1], item[0]))
    return tuple(CategoryFlip(CATEGORIES[i], CATEGORIES[k], n) for (i, k), n in ordered)
