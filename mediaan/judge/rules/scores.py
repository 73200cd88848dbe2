"""List what rules can speak of: scores of media, scores of areas of interest, and the number of areas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mediaan import errors
from mediaan.aoi.scoring.film_scores import AOI_FILM_SCORES, BRAND_SEEN, FILM_SCORES
from mediaan.aoi.scoring.screen_time import AOI_SCREEN_TIMES, ON_SCREEN, VIDEO_SCREEN_TIMES
from mediaan.aoi.scoring.specs import AOI_METRICS, AVAILABILITY, FIRST_SEEN
from mediaan.errors import normalize_word
from mediaan.metrics import METRICS, metric_specs
from mediaan.types.area_types import type_of_other_name
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec

COUNT = MetricSpec(
    name="count",
    title="Number",
    unit="count",
    low=0,
    high=float("inf"),
    direction="higher",
    basis="measured",
    caption="How many areas of this type there are.",
    reference="Counted.",
)
"""Of areas of one type; no score of one of them."""

LEGIBLE = MetricSpec(
    name="legible",
    title="Legible",
    unit="count",
    low=0,
    high=1,
    direction="higher",
    basis="measured",
    caption="1 where a text can be read at the platform's usual display size, 0 where it cannot.",
    reference="Height of its lines and contrast: docs/aois.md.",
)
DURATION = MetricSpec(
    name="duration_s",
    title="Duration",
    unit="s",
    low=0,
    high=float("inf"),
    direction="lower",
    basis="measured",
    caption="How long the video lasts.",
    reference="As it was read.",
)

_PLACED = "Over the medium's placements, the worst one: docs/placements.md."
COVERED = MetricSpec(
    name="placement.covered",
    title="Covered",
    unit="%",
    low=0,
    high=100,
    direction="lower",
    basis="measured",
    caption="Share of the area that the platform's interface covers; in a video, at the worst moment.",
    reference=_PLACED,
)
CROPPED = MetricSpec(
    name="placement.cropped",
    title="Cropped",
    unit="%",
    low=0,
    high=100,
    direction="lower",
    basis="measured",
    caption="Share of the area that the placement cuts off; in a video, at the worst moment.",
    reference=_PLACED,
)
TEXT_HEIGHT = MetricSpec(
    name="placement.text_height",
    title="Type size as shown",
    unit="px",
    low=0,
    high=float("inf"),
    direction="higher",
    basis="measured",
    caption="Type size of a text as the placement shows it, in CSS pixels; undefined in print and on the street.",
    reference=_PLACED,
)
X_HEIGHT = MetricSpec(
    name="placement.x_height",
    title="X-height as shown",
    unit="arcmin",
    low=0,
    high=float("inf"),
    direction="higher",
    basis="measured",
    caption="Height of an x of a text at the placement's usual distance, in minutes of arc.",
    reference=_PLACED,
)
PLACEMENT_SCORES: Mapping[str, MetricSpec] = {spec.name: spec for spec in (COVERED, CROPPED, TEXT_HEIGHT, X_HEIGHT)}
"""Scores of areas as placements show them; rules write ``placement.covered(TYPE)``."""

MEDIUM_SCORES: Mapping[str, MetricSpec] = {
    spec.name: spec for spec in (*metric_specs(), *VIDEO_SCREEN_TIMES, DURATION, *FILM_SCORES)
}
AOI_SCORES: Mapping[str, MetricSpec] = {
    spec.name: spec for spec in (*AOI_METRICS, COUNT, *AOI_SCREEN_TIMES, *AOI_FILM_SCORES, LEGIBLE)
}
"""Those that rules write behind a type of area."""

SCREEN_TIMES = frozenset(
    spec.name for spec in (*AOI_SCREEN_TIMES, *AOI_FILM_SCORES, *VIDEO_SCREEN_TIMES, DURATION, *FILM_SCORES)
)
"""Scores that follow from when areas and shots are on screen, of media that move alone."""

JOINT_SCORES = frozenset({COUNT.name, ON_SCREEN.name})
"""Scores that areas of a type have together, and none of them by itself."""

WITHOUT_POPULATION = SCREEN_TIMES | {COUNT.name, LEGIBLE.name} | PLACEMENT_SCORES.keys()
"""Scores that norm sets do not hold, so that no percentile is known."""

_COUNTED = frozenset(name for name, metric in METRICS.items() if metric.is_counted)
EXACT = (_COUNTED | {AVAILABILITY.name} | WITHOUT_POPULATION) - {BRAND_SEEN.name}
"""Scores that are counted or measured, and need no interval."""

_OTHER_NAMES: Mapping[tuple[str, Window], str] = {
    (metric.part_of, metric.window): name for name, metric in METRICS.items() if metric.part_of is not None
}
_ONLY_TIME: Mapping[str, Window] = {
    **{name: metric.window for name, metric in METRICS.items() if metric.part_of or metric.of_shots},
    FIRST_SEEN.name: "total",
    COUNT.name: "total",
    LEGIBLE.name: "total",
    **dict.fromkeys(PLACEMENT_SCORES, "total"),
    **dict.fromkeys(SCREEN_TIMES - {ON_SCREEN.name}, "total"),
}
"""Times of scores that have a single one."""


def usual_time(metric: str) -> Window:
    """Return what is meant where a rule names no time."""
    return _ONLY_TIME.get(metric, "total")


def at_time(metric: str, time: Window) -> tuple[str, Window] | None:
    """Return the name and time under which tables hold a score, None where it is not scored at that time.

    Examples
    --------
    >>> at_time("focus", "start"), at_time("clarity", "end"), at_time("pacing", "start")
    (('focus_first_two', 'start'), ('clarity', 'end'), None)
    """
    if _ONLY_TIME.get(metric, time) != time:
        return None
    return _OTHER_NAMES.get((metric, time), metric), time


def is_video_only(metric: str, time: Window) -> bool:
    """Tell whether still images lack a score: pacing, screen times, and the first and last two seconds but of focus.

    Also what says when something is on screen, of a medium or of its areas.
    """
    if metric in SCREEN_TIMES:
        return True
    known = METRICS.get(metric)
    return known is not None and ("image" not in known.places or (time != "total" and metric not in _ONLY_TIME))


_ALSO_CALLED: Mapping[str, str] = {
    "dwell_time": "time_spent",
    "seen": "percentage_seen",
    "viewers": "percentage_seen",
}
"""Other names that people write for scores; only messages know these."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` or nothing, to end a sentence with.

    Examples
    --------
    >>> did_you_mean("Brandings", ["branding", "product"])
    "; did you mean 'branding'?"
    """
    names = list(known)
    written = normalize_word(word)
    synonym = _ALSO_CALLED.get(written) or type_of_other_name(written)
    return errors.did_you_mean(synonym if synonym in names else word, names)
