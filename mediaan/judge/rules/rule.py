"""Describe a rule, and the limit that a score is compared with."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from operator import eq, ge, gt, le, lt
from typing import Literal, get_args

import numpy as np

from mediaan import errors
from mediaan.aoi.scoring.film_scores import (
    AOI_FILM_SCORES,
    AOI_SCREEN_TIMES,
    BRAND_ATTENTION,
    BRAND_SEEN,
    FILM_SCORES,
    ON_SCREEN,
    VIDEO_SCREEN_TIMES,
)
from mediaan.aoi.scoring.specs import AOI_METRICS, AVAILABILITY, FIRST_SEEN
from mediaan.errors import normalize_word
from mediaan.metrics.catalogue import METRICS, metric_specs
from mediaan.types.aoi import AoiType
from mediaan.types.area_types import type_of_other_name
from mediaan.types.checks import Severity
from mediaan.types.densities import Window
from mediaan.types.metrics import Interval, MetricSpec

_DECLARED = tomllib.loads(files("mediaan.judge.rules").joinpath("scores.toml").read_text(encoding="utf-8"))


def _declared(scope: str) -> dict[str, MetricSpec]:
    return {entry["name"]: MetricSpec(**entry) for entry in _DECLARED[scope]}


_OF_MEDIA, _OF_AREAS = _declared("medium"), _declared("area")
DURATION, ATTENTION_LEAD = _OF_MEDIA["duration_s"], _OF_MEDIA["attention_lead"]
MESSAGE_SEEN, SMALL_TEXT = _OF_MEDIA["message_seen"], _OF_MEDIA["small_text"]
COUNT, LEGIBLE, CONTRAST = _OF_AREAS["count"], _OF_AREAS["legible"], _OF_AREAS["contrast"]

PLACEMENT_SCORES: Mapping[str, MetricSpec] = _declared("placement")
"""Scores of areas as placements show them; rules write ``placement.covered(TYPE)``."""

MEDIUM_SCORES: Mapping[str, MetricSpec] = {
    spec.name: spec for spec in (*metric_specs(), *VIDEO_SCREEN_TIMES, *FILM_SCORES, *_OF_MEDIA.values())
}
AOI_SCORES: Mapping[str, MetricSpec] = {
    spec.name: spec for spec in (*AOI_METRICS, *AOI_SCREEN_TIMES, *AOI_FILM_SCORES, *_OF_AREAS.values())
}
"""Those that rules write behind a type of area."""

SCREEN_TIMES = frozenset(
    spec.name for spec in (*AOI_SCREEN_TIMES, *AOI_FILM_SCORES, *VIDEO_SCREEN_TIMES, DURATION, *FILM_SCORES)
)
"""Scores that follow from when areas and shots are on screen, of media that move alone."""

JOINT_SCORES = frozenset({COUNT.name, ON_SCREEN.name})
"""Scores that areas of a type have together, and none of them by itself."""

WITHOUT_POPULATION = SCREEN_TIMES | _OF_MEDIA.keys() | _OF_AREAS.keys() | PLACEMENT_SCORES.keys()
"""Scores that norm sets do not hold, so that no percentile is known."""

_COUNTED = frozenset(name for name, metric in METRICS.items() if metric.is_counted)
_PREDICTED = frozenset({BRAND_SEEN.name, ATTENTION_LEAD.name, MESSAGE_SEEN.name})
EXACT = (_COUNTED | {AVAILABILITY.name} | WITHOUT_POPULATION) - _PREDICTED
"""Scores that are counted or measured, and need no interval."""

_OTHER_NAMES: Mapping[tuple[str, Window], str] = {
    (metric.part_of, metric.window): name for name, metric in METRICS.items() if metric.part_of is not None
}
_ONLY_TIME: Mapping[str, Window] = {
    **{name: metric.window for name, metric in METRICS.items() if metric.part_of or metric.of_shots},
    FIRST_SEEN.name: "total",
    **dict.fromkeys(WITHOUT_POPULATION - {ON_SCREEN.name}, "total"),
}
"""Times of scores that have a single one."""


def usual_time(metric: str) -> Window:
    """Return the time of a score in a rule that names none."""
    return _ONLY_TIME.get(metric, "total")


def at_time(metric: str, time: Window) -> tuple[str, Window] | None:
    """Return the name and time under which tables hold a score, None where it is not scored at that time.

    >>> at_time("focus", "start"), at_time("clarity", "end"), at_time("pacing", "start")
    (('focus_first_two', 'start'), ('clarity', 'end'), None)
    """
    if _ONLY_TIME.get(metric, time) != time:
        return None
    return _OTHER_NAMES.get((metric, time), metric), time


def is_video_only(metric: str, time: Window) -> bool:
    """Return True if still images lack a score: pacing, times on screen, and other metrics than focus by time."""
    if metric in SCREEN_TIMES:
        return metric != BRAND_ATTENTION.name  # of an image, `mediaan.aoi.scoring.main_area` measures it
    declared = METRICS.get(metric)
    return declared is not None and ("image" not in declared.places or (time != "total" and metric not in _ONLY_TIME))


_ALSO_CALLED: Mapping[str, str] = {
    "dwell_time": "time_spent",
    "seen": "percentage_seen",
    "viewers": "percentage_seen",
    "attention_per_area": "lift",
}
"""Other names that people write for scores; only messages know these."""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` or nothing, to end a sentence with.

    >>> did_you_mean("Brandings", ["branding", "product"])
    "; did you mean 'branding'?"
    """
    names = list(choices)
    written = normalize_word(word)
    synonym = _ALSO_CALLED.get(written) or type_of_other_name(written)
    return errors.did_you_mean(synonym if synonym in names else word, names)


Operator = Literal[">=", ">", "<=", "<", "=="]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
_HOLDS: Mapping[Operator, Callable[[float, float], bool]] = {">=": ge, ">": gt, "<=": le, "<": lt, "==": eq}

Quantifier = Literal["strongest", "all", "any"]
"""Choice among several areas of a type: the one that scores best stands for all; every one; one will do."""


@dataclass(frozen=True, slots=True)
class Expression:
    """The comparison of a rule, as `mediaan.judge.rules.parse` reads it from text."""

    metric: str
    """As tables call it."""
    time: Window
    operator: Operator
    limit: float | None
    """In the score's unit; None where the limit is a percentile."""
    percent: int | None = None
    """Percentile of the medium's population, 1-99."""
    aoi_type: AoiType | None = None
    """None for a score of the medium."""
    label: str | None = None
    """Only areas of this label, whatever the case."""
    which: Quantifier = "strongest"
    """Of several areas."""
    text: str = field(default="", compare=False)
    """As it was written."""
    placement: str | None = None
    """Of a score of areas as placements show them: the one that counts; None: all of the medium, the worst."""

    @property
    def key(self) -> str:
        """Name under which readings of an area hold its score: with the placement, where one is named."""
        return f"{self.metric}@{self.placement}" if self.placement else self.metric

    @property
    def is_placed(self) -> bool:
        """True if the score says how placements show an area."""
        return self.metric in PLACEMENT_SCORES

    @property
    def spec(self) -> MetricSpec:
        """Specification of the score: unit, range, direction."""
        if self.is_placed:
            return PLACEMENT_SCORES[self.metric]
        return (AOI_SCORES if self.aoi_type else MEDIUM_SCORES)[self.metric]

    @property
    def is_joint(self) -> bool:
        """True if all areas of the type have one score together: their number, or their time on screen."""
        return self.aoi_type is not None and self.metric in JOINT_SCORES

    @property
    def is_minimum(self) -> bool:
        """True if values above the limit pass."""
        return self.operator in (">=", ">")

    @property
    def asks_for_better(self) -> bool:
        """True if the rule asks for a good score: at least so much where more is better, at most where less is."""
        return self.is_minimum == (self.spec.direction == "higher")

    @property
    def is_video_only(self) -> bool:
        """True if still images have no such score."""
        return is_video_only(self.metric, self.time)

    @property
    def subject(self) -> str:
        """Score that is compared, such as ``branding.percentage_seen.start``."""
        score = self.metric if self.time == usual_time(self.metric) else f"{self.metric}.{self.time}"
        if self.aoi_type is None:
            return score
        label = self.label or ""
        mark = "'" if '"' in label else '"'
        area = self.aoi_type + (f"({mark}{label}{mark})" if label else "")
        if self.is_placed:
            named = f'("{self.placement}")' if self.placement else ""
            inner = f"{self.which}({area})" if self.which == "any" else area
            return f"placement{named}.{self.metric.partition('.')[2]}({inner})"
        return f"{area}.{score}" if self.which == "strongest" else f"{self.which}({area}).{score}"

    def __str__(self) -> str:
        limit = f"p{self.percent}" if self.limit is None else number_text(self.limit)
        limit += " %" if self.limit is not None and looks_like_share(self.limit, self.spec) else ""
        return f"{self.subject} {self.operator} {limit}"

    def holds(self, value: float, limit: float) -> bool:
        """Return True if a value is on the right side of the limit."""
        return _HOLDS[self.operator](value, limit)

    def margin(self, value: float, limit: float) -> float:
        """Return the distance of a value from the limit; negative on the wrong side."""
        if self.operator == "==":
            return 0.0 - abs(value - limit)
        return value - limit if self.is_minimum else limit - value


def looks_like_share(limit: float, spec: MetricSpec) -> bool:
    """Return True if a limit in per cent may have been meant as a share: 0.4 for 40 %."""
    return spec.unit == "%" and 0 < limit < 1


def number_text(number: float) -> str:
    """Format a number as shortly as possible without loss.

    >>> number_text(40.0), number_text(0.25)
    ('40', '0.25')
    """
    return np.format_float_positional(number, trim="-")


IfMissing = Literal["fail", "pass", "skip", "skip_unless_named"]
"""Outcome of a rule if there is no such area; the last skips it unless the brand was named or areas were drawn, since
detection often misses the marks of a brand that is not named."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A comparison, and what follows if it fails."""

    expression: Expression
    name: str = ""
    """What people call it."""
    severity: Severity = "error"
    sure: bool = False
    """Whether the whole 90 % interval has to be on the right side."""
    missing: IfMissing | None = None
    """What comes of it where there is no such area; None: what `usual_missing` says."""
    why: str = ""
    """What to tell whoever fails it."""

    @property
    def text(self) -> str:
        """Rule as it was written."""
        return self.expression.text or str(self.expression)

    @property
    def usual_missing(self) -> Literal["fail", "pass"]:
        """Outcome where there is no such area.

        A rule that asks for a good score fails, since nobody sees a missing area. A rule that limits a score passes, as
        does a rule on placements: a missing area is not covered, cropped or too small.
        """
        if self.expression.is_placed:
            return "pass"
        return "fail" if self.expression.asks_for_better else "pass"


@dataclass(frozen=True, slots=True)
class Limit(Interval):
    """Limit that a score is compared with: a number, or the value of a percentile for a medium.

    The interval is a percentile's: how far it could move had the population been other media. `words` says of which
    population, such as ``70th percentile of Ads, industry=food, n = 45``; empty for a number.
    """

    value: float
    words: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the interval, or twice the value where there is none."""
        return self.bounds or (self.value, self.value)
