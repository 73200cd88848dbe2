"""Rate scores: where they stand in their population, in which category, and what is recommended there."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from mediaan.judge.benchmark.norm import Norm
from mediaan.judge.benchmark.norm_set import NormMatch
from mediaan.judge.benchmark.sentences import population_words, score_title, subject_words
from mediaan.judge.benchmark.targets import MeasuredTarget, ScoreTarget
from mediaan.types.benchmark import CATEGORIES, EDGES, BenchmarkRange, Category, Position
from mediaan.types.metrics import MetricSpec, Score

_BOUNDS = (0.0, *EDGES, 100.0)


def categorize(percentile: float) -> Category:
    """Return the category that a percentile lies in; what lies on an edge belongs above it.

    `percentile`: 0-100.

    >>> categorize(9.99), categorize(10), categorize(64), categorize(90)
    ('extreme_low', 'low', 'medium', 'extreme_high')
    """
    return CATEGORIES[bisect_right(EDGES, percentile)]


def percentile_span(categories: tuple[Category, ...]) -> tuple[float, float]:
    """Return the percentiles of adjoining categories: the first belongs to them, the last does not, but at 100.

    `categories`: at least one, from low to high.

    >>> percentile_span(("medium",)), percentile_span(("high", "extreme_high"))
    ((30.0, 70.0), (70.0, 100.0))
    """
    return _BOUNDS[CATEGORIES.index(categories[0])], _BOUNDS[CATEGORIES.index(categories[-1]) + 1]


CLOSE = 5.0
"""Percentiles outside the recommended range that are still close to it."""

_COUNTED = ("count", "1/min")  # what is counted can exceed the range that is drawn for it


class MeasuredScore(NamedTuple):
    """One score of a medium, or of one of its AOIs, that is to be rated; ids as of `BenchmarkRange`."""

    medium_id: str
    aoi_id: str | None
    aoi_type: str | None
    score: Score


def measured_target(target: MeasuredTarget, norm: Norm) -> ScoreTarget:
    """Return a target that a norm set states itself, with the categories of the population that it reaches into."""
    first = CATEGORIES[0] if target.lower is None else categorize(norm.percentile(target.lower))
    last = CATEGORIES[-1] if target.upper is None else categorize(norm.percentile(target.upper))
    places = CATEGORIES.index(first), CATEGORIES.index(last) + 1
    return ScoreTarget(CATEGORIES[slice(*places)], target.why, ends=target)


class UnratedReason(NamedTuple):
    """Reason why a norm set has no population for a score."""

    norm_set: str
    reason: str


@dataclass(frozen=True)
class ReferenceStandard:
    """Standard that one score of media, or of AOIs of one type, is held against."""

    norm_set: str
    title: str
    """norm_set, title: Name and title of the population."""
    match: NormMatch
    """The part of it that is used, with its norm."""
    spec: MetricSpec
    target: ScoreTarget

    @cached_property
    def lower(self) -> float | None:
        """Lower end of the recommended range: the metric's lowest value where the lowest category is recommended."""
        return self._ends[0] if self._ends else None

    @cached_property
    def upper(self) -> float | None:
        """Upper end of the recommended range.

        Where the highest category is recommended the metric's highest value, or the 99th percentile where it has none
        (`open_ended`).
        """
        return self._ends[1] if self._ends else None

    @cached_property
    def open_ended(self) -> bool:
        """True if every score above the lower end is recommended, however high."""
        endless = math.isinf(self.spec.high) or self.spec.unit in _COUNTED
        if self.target.ends:
            return endless and self.target.ends.upper is None
        return bool(self.target.categories) and endless and percentile_span(self.target.categories)[1] == 100

    @cached_property
    def _ends(self) -> tuple[float, float] | None:
        if not self.target.categories:
            return None
        if ends := self.target.ends:
            lower = float(self.spec.low) if ends.lower is None else ends.lower
            last = self.match.norm.value_at(100) if self.open_ended else float(self.spec.high)
            return lower, max(lower, last) if ends.upper is None else ends.upper
        low, high = percentile_span(self.target.categories)
        lower = float(self.spec.low) if low == 0 else self.match.norm.value_at(low)
        closed = high == 100 and not self.open_ended
        return lower, float(self.spec.high) if closed else self.match.norm.value_at(high)

    @cached_property
    def _subject(self) -> str:
        norm = self.match.norm
        return subject_words(self.spec.name, self.spec.title, norm.metric_time, norm.aoi_type)

    @cached_property
    def _population(self) -> str:
        norm, match = self.match.norm, self.match
        return population_words(norm.n, norm.type, norm.aoi_type, self.title, match.segment, match.exposure_s)

    @cached_property
    def _frame(self) -> dict[str, Any]:
        """Fields that are the same for every score that is held against it."""
        norm = self.match.norm
        return {
            "aoi_type": norm.aoi_type,
            "metric": norm.metric,
            "metric_time": norm.metric_time,
            "norm_set": self.norm_set,
            "segment": self.match.segment,
            "lower": self.lower,
            "upper": self.upper,
            "target": self.target.categories,
            "why": self.target.why,
            "fallback": self.match.fallback,
            "n": norm.n,
            "edges": norm.edges,
            "edges_lo": norm.edges_lo,
            "edges_hi": norm.edges_hi,
        }

    def rate(self, measured: MeasuredScore) -> BenchmarkRange:
        """Rate a score with a value."""
        score = measured.score
        assert score.value is not None
        percentile_of = self.match.norm.percentile
        percentile = percentile_of(score.value)
        lo, hi = (None if end is None else percentile_of(end) for end in (score.lo, score.hi))
        place = self.position(score.value, percentile)
        return BenchmarkRange(
            **self._frame,
            medium_id=measured.medium_id,
            aoi_id=measured.aoi_id,
            value=score.value,
            lo=score.lo,
            hi=score.hi,
            percentile=percentile,
            percentile_lo=lo,
            percentile_hi=hi,
            category=categorize(percentile),
            category_lo=None if lo is None else categorize(lo),
            category_hi=None if hi is None else categorize(hi),
            position=place,
            score_title=self._title(score.value, place),
        )

    def position(self, value: float, percentile: float) -> Position | None:
        """Place a score relative to the recommended range; None where nothing is recommended.

        Within are scores of the target's categories, and those that lie on an end of the range, since many media can
        share one score. Close to it are those outside by at most `CLOSE` percentiles.
        """
        if self.lower is None or self.upper is None:
            return None
        if self.lower <= value <= self.upper or (self.open_ended and value >= self.lower):
            return "within"
        if self.target.ends:
            low, high = (self.match.norm.percentile(end) for end in (self.lower, self.upper))
        else:
            low, high = percentile_span(self.target.categories)
            if categorize(percentile) in self.target.categories:
                return "within"
        if max(low - percentile, percentile - high) <= CLOSE:
            return "close_to"
        return "below" if value < self.lower else "above"

    def _title(self, value: float, position: Position | None) -> str | None:
        if position is None or self.lower is None or self.upper is None:
            return None
        return score_title(
            subject=self._subject,
            value=value,
            position=position,
            lower=self.lower,
            upper=self.upper,
            unit=self.spec.unit,
            population=self._population,
            open_ended=self.open_ended,
        )


def rate_scores(
    scores: Iterable[MeasuredScore], standard_of: Callable[[MeasuredScore], ReferenceStandard | UnratedReason | None]
) -> Iterator[BenchmarkRange]:
    """Rate scores by where they stand in their populations.

    `scores`: of media and of AOIs, in any order.
    `standard_of`: what a score is held against, or why there is nothing; None for one that is passed over.
    Yields: in the order of the scores.
    """
    for measured in scores:
        standard, score = standard_of(measured), measured.score
        if standard is None:
            continue
        if isinstance(standard, ReferenceStandard) and score.value is not None:
            yield standard.rate(measured)
            continue
        undefined = f"the score is undefined: {score.reason or 'no value'}"
        reason = standard.reason if isinstance(standard, UnratedReason) else undefined
        reason = f"{reason[0].upper()}{reason[1:].removesuffix('.')}."
        yield BenchmarkRange(
            medium_id=measured.medium_id,
            aoi_id=measured.aoi_id,
            aoi_type=measured.aoi_type,
            metric=score.metric,
            metric_time=score.time,
            value=score.value,
            lo=score.lo,
            hi=score.hi,
            reason=reason,
            norm_set=standard.norm_set,
        )
