"""List the scores that rules can use: of media, of areas of interest, and of areas as placements show them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files

from mediaan import errors
from mediaan.aoi.scoring.film_scores import AOI_FILM_SCORES, BRAND_ATTENTION, BRAND_SEEN, FILM_SCORES
from mediaan.aoi.scoring.screen_time import AOI_SCREEN_TIMES, ON_SCREEN, VIDEO_SCREEN_TIMES
from mediaan.aoi.scoring.specs import AOI_METRICS, AVAILABILITY, FIRST_SEEN
from mediaan.errors import normalize_word
from mediaan.metrics.catalogue import METRICS, metric_specs
from mediaan.types.area_types import type_of_other_name
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec

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
        return metric != BRAND_ATTENTION.name  # of an image, `mediaan.aoi.scoring.brand_areas` measures it
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
