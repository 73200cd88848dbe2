"""Rate scores: where they stand in their population, in which category, and what is recommended there."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from mediaan.judge.benchmark.norm import Norm
from mediaan.judge.benchmark.norm_set import NormMatch
from mediaan.judge.benchmark.targets import MeasuredTarget, ScoreTarget
from mediaan.metrics.catalogue import METRICS
from mediaan.types.aoi import aoi_words
from mediaan.types.benchmark import CATEGORIES, EDGES, BenchmarkRange, Category, Position
from mediaan.types.metrics import MetricSpec, Score

POSITION_WORDS: dict[Position, str] = {
    "within": "within",
    "close_to": "close to",
    "above": "above",
    "below": "below",
}

_SUBJECTS = {
    "focus": "focus",
    "hotspot_count": "the number of hotspots",
    "attention": "attention to the {aoi}",
    "percentage_seen": "the share of viewers who see the {aoi}",
    "time_spent": "time spent on the {aoi}",
    "availability": "the share of time with the {aoi} in view",
    "relative_attention": "attention to the {aoi} while it is visible",
    "lift": "the lift of the {aoi}",
    "first_seen_s": "the time until the {aoi} is first seen",
}
_WINDOWS = {"total": "", "start": " in the first 2 s", "end": " in the last 2 s"}
_MEDIA = {"image": "image", "video": "video", "mixed": "mixed file"}
_UNITS = {"%": " %", "s": " s", "1/min": " a minute"}
_MOST_DECIMALS = 6


def score_title(
    subject: str,
    value: float,
    position: Position,
    ends: tuple[float, float],
    unit: str,
    population: str,
    *,
    open_ended: bool = False,
) -> str:
    """Write one sentence that holds a score and where it stands to the recommended range.

    Numbers are rounded as the report rounds them, and finer where the score could not be told from the range.

    `open_ended`: whether the range has no upper end.

    >>> people = '51 images, "Beauty"'
    >>> score_title("focus", 64.2, "within", (30, 70), "score", people)
    'Focus is 64, within the target range of 30 to 70 (51 images, "Beauty").'
    >>> score_title("focus", 70.2, "close_to", (30, 70), "score", people)
    'Focus is 70.2, close to the target range of 30 to 70 (51 images, "Beauty").'
    """
    lower, upper = ends
    # the fewest decimals that keep the score apart from an end that it does not lie on, and show as 0 only what is 0
    for more in range(_MOST_DECIMALS + 1):
        number, (low, high) = format_rounded(value, unit, more), _ends(lower, upper, unit, more)
        apart = lower <= value <= upper or float(number) not in (float(low), float(high))
        if apart and (float(low) or not lower) and (float(high) or not upper):
            break
    suffix = _UNITS.get(unit, "")
    span = low if low == high else f"{low} to {high}"
    recommended = f"{low}{suffix} or more" if open_ended else f"{span}{suffix}"
    place = f"{POSITION_WORDS[position]} the target range of {recommended}"
    text = f"{subject} is {number}{suffix}, {place} ({population})."
    return text[0].upper() + text[1:]


def subject_words(metric: str, title: str, metric_time: str, aoi_type: str | None = None) -> str:
    """Name what a score measures, to begin a sentence with.

    >>> subject_words("focus_first_two", "Focus, first 2 s", "start")
    'focus in the first 2 s'
    >>> subject_words("percentage_seen", "Seen by", "total", "headline_text")
    'the share of viewers who see the headline'
    """
    part_of = METRICS[metric].part_of if metric in METRICS else None
    words = _SUBJECTS.get(part_of or metric, title[0].lower() + title[1:])
    return words.format(aoi=aoi_words(aoi_type) if aoi_type else "") + _WINDOWS[metric_time]


def population_words(
    n: int, medium_type: str, aoi_type: str | None, title: str, segment: str, exposure_s: float | None = None
) -> str:
    """Describe a population: how many media or areas, of which kind, and from which norm set.

    The title is left out if it contains a word for a position, such as "above": the sentence must state only one.

    `exposure_s`: for how long they are looked at, s, where that is not usual.

    >>> population_words(51, "image", None, "Print and display advertisements", "industry=beauty_personal_care")
    '51 images, "Print and display advertisements", industry: beauty personal care'
    >>> population_words(120, "image", "branding", "Print and display advertisements", "all")
    '120 branding areas, "Print and display advertisements"'
    >>> population_words(120, "image", "branding", "Print and display advertisements", "all", 2.0)
    '120 branding areas looked at for 2 s, "Print and display advertisements"'
    """
    noun = f"{aoi_type.replace('_', ' ')} area" if aoi_type else _MEDIA[medium_type]
    part = "" if segment == "all" else f", {segment.replace('=', ': ').replace('_', ' ')}"
    where = f', "{title}"{part}'
    seen = "" if exposure_s is None else f" looked at for {exposure_s:g} s"
    if any(word in where.lower() for word in POSITION_WORDS.values()):
        where = ""
    return f"{n} {noun}{'' if n == 1 else 's'}{seen}{where}"


def format_rounded(value: float, unit: str, more: int = 0) -> str:
    """Format a number as the report does: scores whole, others to about three figures; half rounds away from zero.

    `more`: decimals beyond those of the report.

    >>> format_rounded(72.5, "score"), format_rounded(0.126, "s"), format_rounded(31.24, "%")
    ('73', '0.13', '31')
    >>> format_rounded(3.0, "count")
    '3'
    """
    if unit in ("score", "count"):
        decimals = 0 if unit == "score" or value == int(value) else 1
    elif unit == "%":
        decimals = 1 if value < 9.95 else 0
    else:
        decimals = 1 if unit == "1/min" or value >= 9.995 else 2
    digits = Decimal(1).scaleb(-decimals - more)
    return str(abs(number) if (number := Decimal(value).quantize(digits, ROUND_HALF_UP)) == 0 else number)


@lru_cache(maxsize=4096)
def _ends(lower: float, upper: float, unit: str, more: int) -> tuple[str, str]:
    """Format the ends of a range, once for all scores that are held against it; whole numbers need no decimals."""
    low, high = (str(int(end)) if end == int(end) else format_rounded(end, unit, more) for end in (lower, upper))
    return low, high


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
    def ends(self) -> tuple[float, float] | None:
        """The recommended range; None where nothing is recommended.

        Where the lowest or highest category is recommended it reaches the end of the metric's range, or the 99th
        percentile where that has no upper end (`open_ended`).
        """
        norm = self.match.norm
        if not self.target.categories:
            return None
        if ends := self.target.ends:
            lower = float(self.spec.low) if ends.lower is None else ends.lower
            last = norm.value_at(100) if self.open_ended else float(self.spec.high)
            return lower, max(lower, last) if ends.upper is None else ends.upper
        low, high = percentile_span(self.target.categories)
        lower = float(self.spec.low) if low == 0 else norm.value_at(low)
        closed = high == 100 and not self.open_ended
        return lower, float(self.spec.high) if closed else norm.value_at(high)

    @cached_property
    def open_ended(self) -> bool:
        """True if every score above the lower end is recommended, however high."""
        endless = math.isinf(self.spec.high) or self.spec.unit in _COUNTED
        if self.target.ends:
            return endless and self.target.ends.upper is None
        return bool(self.target.categories) and endless and percentile_span(self.target.categories)[1] == 100

    @cached_property
    def _words(self) -> tuple[str, str]:
        """What is measured, and in which population."""
        norm, match = self.match.norm, self.match
        return (
            subject_words(self.spec.name, self.spec.title, norm.metric_time, norm.aoi_type),
            population_words(norm.n, norm.type, norm.aoi_type, self.title, match.segment, match.exposure_s),
        )

    @cached_property
    def _frame(self) -> dict[str, Any]:
        """Fields that are the same for every score that is held against it."""
        lower, upper = self.ends or (None, None)
        of_norm = ("aoi_type", "metric", "metric_time", "n", "edges", "edges_lo", "edges_hi")
        return {name: getattr(self.match.norm, name) for name in of_norm} | {
            "norm_set": self.norm_set,
            "segment": self.match.segment,
            "lower": lower,
            "upper": upper,
            "target": self.target.categories,
            "why": self.target.why,
            "fallback": self.match.fallback,
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
        if self.ends is None:
            return None
        lower, upper = self.ends
        if lower <= value <= upper or (self.open_ended and value >= lower):
            return "within"
        if self.target.ends:
            low, high = (self.match.norm.percentile(end) for end in self.ends)
        else:
            low, high = percentile_span(self.target.categories)
            if categorize(percentile) in self.target.categories:
                return "within"
        if max(low - percentile, percentile - high) <= CLOSE:
            return "close_to"
        return "below" if value < lower else "above"

    def _title(self, value: float, position: Position | None) -> str | None:
        if position is None or self.ends is None:
            return None
        subject, population = self._words
        return score_title(subject, value, position, self.ends, self.spec.unit, population, open_ended=self.open_ended)


def rate_scores(
    scores: Iterable[MeasuredScore], standard_of: Callable[[MeasuredScore], ReferenceStandard | UnratedReason | None]
) -> Iterator[BenchmarkRange]:
    """Rate scores by where they stand in their populations.

    `standard_of`: what a score is held against, or why there is nothing; None for one that is passed over.
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


_METRICS = {
    name: (metric.part_of or metric.spec.frame_name or name, metric.window if metric.part_of else None)
    for name, metric in METRICS.items()
}
"""Names there, and the time where the name held it; scores of areas are called as here.

The service names engagement by its series over time; of a whole medium it is the series' time-weighted mean, and of a
picture its one value.
"""


def recommended_ranges(ranges: Iterable[BenchmarkRange]) -> dict[str, list[dict[str, Any]]]:
    """Return the ranges of one medium in the shape of the v2 media analysis service's RecommendedRanges.

    Every field is required there, so that scores without a recommended range are left out. Areas of one type share one
    entry for each metric and time, with the identifiers of all of them.

    Parameters
    ----------
    ranges : iterable of BenchmarkRange
        Of one medium.

    Returns
    -------
    dict
        `medium`: a list of upper, lower, metric_name, metric_time, score_categorization, score_title; `aois`: a list of
        upper, lower, metric_name, metric_time, aoi_type, uuids.
    """
    medium: dict[tuple[str, str], dict[str, Any]] = {}
    aois: dict[tuple[str, str, str], dict[str, Any]] = {}
    for rating in ranges:
        if rating.lower is None or rating.upper is None:
            continue
        name, time = service_name(rating.metric, rating.metric_time)
        ends = {"upper": rating.upper, "lower": rating.lower, "metric_name": name, "metric_time": time}
        if rating.aoi_type is None:
            titles = {"score_categorization": rating.category, "score_title": rating.score_title}
            medium.setdefault((name, time), ends | titles)
        else:
            entry = aois.setdefault((rating.aoi_type, name, time), ends | {"aoi_type": rating.aoi_type, "uuids": []})
            entry["uuids"].append(rating.aoi_id)
    return {"medium": list(medium.values()), "aois": list(aois.values())}


def service_name(metric: str, metric_time: str) -> tuple[str, str]:
    """Return the name and time of a score in the service.

    >>> service_name("focus_first_two", "start"), service_name("engagement", "total"), service_name("memory", "total")
    (('focus', 'start'), ('engagement_frt', 'total'), ('memory', 'total'))
    """
    name, time = _METRICS.get(metric, (metric, None))
    return name, time or metric_time
