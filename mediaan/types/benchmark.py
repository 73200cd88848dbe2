"""The standing of a score in a population of other media."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from mediaan.types.densities import Window
from mediaan.types.metrics import Interval

Category = Literal["extreme_low", "low", "medium", "high", "extreme_high"]
CATEGORIES: tuple[Category, ...] = get_args(Category)

EDGES: tuple[float, ...] = (10.0, 30.0, 70.0, 90.0)
"""Percentiles between the five categories; each belongs to the category above it."""

Position = Literal["within", "close_to", "above", "below"]
"""Position of a score relative to the recommended range; close to: outside, by no more than some percentiles."""

Segment = tuple[tuple[str, str], ...]
"""Part of a population, as pairs of key and value such as ``(("industry", "food"),)``; empty: all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRange(Interval):
    """One score of a medium, or of one of its AOIs, in its population.

    `value`, `lo`, `hi` are the score with its 90 % interval.
    """

    medium_id: str
    aoi_id: str | None
    aoi_type: str | None
    """aoi_id, aoi_type: Of an AOI; None for a score of the medium."""
    metric: str
    metric_time: Window
    norm_set: str
    """Name of the population."""
    segment: str = "all"
    """Part of it that was used, as `industry=food`; `all` for the whole."""
    percentile: float | None = None
    percentile_lo: float | None = None
    percentile_hi: float | None = None
    """percentile, percentile_lo, percentile_hi: Share of the population with a lower score, 0-100, and the same of the
    interval's ends."""
    category: Category | None = None
    category_lo: Category | None = None
    category_hi: Category | None = None
    """category, category_lo, category_hi: Of the score, and of the interval's ends."""
    lower: float | None = None
    upper: float | None = None
    """lower, upper: The recommended range: that of the target categories, in the score's unit."""
    target: tuple[Category, ...] = ()
    """Adjoining categories that are recommended for the objective."""
    position: Position | None = None
    """Of the score relative to that range."""
    score_title: str | None = None
    """One sentence that holds the score and the position."""
    why: str | None = None
    """Reason for the target, in words."""
    fallback: str | None = None
    """Population that was requested instead, and why it was not used."""
    n: int | None = None
    """Media (of an AOI: AOIs) in that part."""
    edges: tuple[float, ...] = ()
    """Scores at the 10th, 30th, 70th and 90th percentile, or empty."""
    edges_lo: tuple[float, ...] = ()
    edges_hi: tuple[float, ...] = ()
    """edges_lo, edges_hi: Their 90 % bootstrap intervals."""
    reason: str | None = None
    """Why there is no range; all that rests on the population is then None or empty."""

    @property
    def sure(self) -> bool | None:
        """True if the whole interval lies in one category; None without a category or an interval."""
        if self.category is None or self.category_lo is None or self.category_hi is None:
            return None
        return self.category_lo == self.category_hi
