"""Sentences for people: where a score stands."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from mediaan.metrics.catalogue import METRICS
from mediaan.types.aoi import aoi_words
from mediaan.types.benchmark import Position

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
    *,
    subject: str,
    value: float,
    position: Position,
    lower: float,
    upper: float,
    unit: str,
    population: str,
    open_ended: bool = False,
) -> str:
    """Write one sentence that holds a score and where it stands to the recommended range.

    Numbers are rounded as the report rounds them, and finer where the score could not be told from the range.

    `subject`: what is measured, as `subject_words` gives it.
    `value`, `lower`, `upper`: score and recommended range.
    `unit`: as of a `MetricSpec`.
    `population`: whose range it is, as `population_words` gives it.
    `open_ended`: whether the range has no upper end.

    >>> people = '51 images, "Beauty"'
    >>> words = {"subject": "focus", "unit": "score", "population": people}
    >>> score_title(value=64.2, position="within", lower=30, upper=70, **words)
    'Focus is 64, within the target range of 30 to 70 (51 images, "Beauty").'
    >>> score_title(value=70.2, position="close_to", lower=30, upper=70, **words)
    'Focus is 70.2, close to the target range of 30 to 70 (51 images, "Beauty").'
    """
    # the fewest decimals that keep the score apart from an end that it does not lie on, and show as 0 only what is 0
    for more in range(_MOST_DECIMALS + 1):
        number, (low, high) = format_rounded(value, unit, more), _ends(lower, upper, unit, more)
        apart = lower <= value <= upper or float(number) not in (float(low), float(high))
        if apart and (float(low) or not lower) and (float(high) or not upper):
            break
    suffix = _UNITS.get(unit, "")
    ends = low if low == high else f"{low} to {high}"
    recommended = f"{low}{suffix} or more" if open_ended else f"{ends}{suffix}"
    place = f"{POSITION_WORDS[position]} the target range of {recommended}"
    text = f"{subject} is {number}{suffix}, {place} ({population})."
    return text[0].upper() + text[1:]


def subject_words(metric: str, title: str, metric_time: str, aoi_type: str | None = None) -> str:
    """Name what a score measures, to begin a sentence with.

    `metric`, `title`: name and title of the metric.

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

    `n`: media, or AOIs.
    `title`: of the norm set.
    `segment`: as in `BenchmarkRange.segment`.
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
