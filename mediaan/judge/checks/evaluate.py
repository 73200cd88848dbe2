"""Evaluate checks on the result of one medium, and word the outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mediaan.aoi.detection.call_to_action import call_to_action_confidence
from mediaan.aoi.legibility import MIN_CONTRAST
from mediaan.aoi.prices import mentions_offer, mentions_percentage, mentions_price
from mediaan.aoi.scoring.main_area import counted_areas, main_area
from mediaan.aoi.scoring.screen_time import names_brand
from mediaan.judge.checks.specs import CheckKind, CheckSpec, check_specs
from mediaan.metrics.intervals import probability_above
from mediaan.types.aoi import TEXT_TYPES, Aoi, unread_script
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.benchmark import EDGES
from mediaan.types.checks import CheckResult, CheckStatus
from mediaan.types.interval import Interval
from mediaan.types.metrics import Z90, Score
from mediaan.types.result import Result

TYPE_WORDS: Mapping[str, str] = {
    **{name: area_type.words for name, area_type in AREA_TYPES.items()},
    "offer": "the offer",
}
SURE_CONFIDENCE = 0.8
"""Confidence from which on an area is named without "what looks like"."""

_MAX_WORDS_LENGTH = 40


def type_words(types: Sequence[str]) -> str:
    """Return the words for areas of some types.

    Examples
    --------
    >>> type_words(["branding"]), type_words(["product", "offer"])
    ('the brand', 'the product or the offer')
    """
    return " or ".join(TYPE_WORDS[aoi_type] for aoi_type in types)


def area_name(area: Aoi) -> str:
    """Return the name of an area in a sentence: its type, its words, and a doubt where there is one.

    Examples
    --------
    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box, TextFacts
    >>> text = TextFacts("Shop now", 4.0, 8.0, True)
    >>> area_name(Aoi(UUID(int=1), "call_to_action", "Shop now", Box(0, 0, 1, 1), 0.95, "text", text=text))
    'the call to action “Shop now”'
    >>> area_name(Aoi(UUID(int=2), "product", "", Box(0, 0, 1, 1), 0.6, "detector"))
    'what looks like the product'
    """
    kind: str = area.type
    if area.type == "other" and area.label == "offer":  # dates and codes are found with prices
        kind = "offer" if mentions_offer(area.words or "") else "body_text"
    words = area.label if area.type == "branding" else " ".join((area.words or "").split())
    if len(words) > _MAX_WORDS_LENGTH:
        words = words[:_MAX_WORDS_LENGTH].rsplit(" ", 1)[0] + "…"
    name = f"{TYPE_WORDS[kind]} “{words}”" if words else TYPE_WORDS[kind]
    return name if area.confidence is None or area.confidence >= SURE_CONFIDENCE else f"what looks like {name}"


def capitalize(words: str) -> str:
    """Return words with an upper-case first letter, the others as they are."""
    return words[:1].upper() + words[1:]


def format_value(value: float, unit: str) -> str:
    """Format a number with its unit.

    Examples
    --------
    >>> format_value(41.6, "%"), format_value(3.25, "%"), format_value(1.84, "s"), format_value(3.0, "count")
    ('42 %', '3 %', '1.8 s', '3')
    """
    if unit == "s":
        return f"{value:.1f} s"
    return f"{value:.0f} %" if unit == "%" else f"{value:.0f}"


def format_viewer_share(score: Interval) -> str:
    """Format a share of viewers with its interval.

    Examples
    --------
    >>> format_viewer_share(Interval(62.3, 40.2, 81.0)), format_viewer_share(Interval(62.3))
    ('62 % (40–81)', '62 %')
    """
    assert score.value is not None
    interval = "" if score.lo is None or score.hi is None else f" ({score.lo:.0f}–{score.hi:.0f})"
    return f"{score.value:.0f} %{interval}"


DECISION_PROBABILITY = 2 / 3
"""Least probability of a check that passes, or fails: two to one. In between it is too close to call."""

VIDEO_TARGET = 50.0
"""Share of viewers who should see an area of a video without a population, %."""

CONTRAST_ERROR = 0.5
"""Error of the contrast measured on small letters, whose edges are blurred: it is too low by up to this."""

MIN_PHRASE_SCORE = 0.9
"""Least `call_to_action_confidence` of a phrase that is nothing but a call to action or an address."""

MIN_PERSON_CONFIDENCE = 0.9
"""Least confidence of a face or person: detectors find too many in drawn figures."""

MESSAGE_TYPES = tuple(name for name, area_type in AREA_TYPES.items() if area_type.carries_message)
"""Types of areas that carry the message of an ad."""


def evaluate_checks(result: Result) -> tuple[CheckResult, ...]:
    """Evaluate all checks that apply to a medium.

    Parameters
    ----------
    result : Result
        With its objective, ranges, and what was looked for.

    Returns
    -------
    tuple of CheckResult
        In the order of `check_specs`. A check of an area that was not searched for is unknown and says how to know.
    """
    specs = (spec for spec in check_specs() if spec.is_asked(result.purpose, moves=result.moves))
    return tuple(check for spec in specs if (check := _EVALUATORS[spec.kind](spec, result)) is not None)


def probability_met(score: Score, target: float, better: str, *, from_middle: bool = False) -> float | None:
    """Return the probability that the true value is on the good side of a target; None without an interval.

    Where a bound of the scale cuts one arm of the interval short, the other arm stands in for it.

    Parameters
    ----------
    score : Score
    target : float
    better : {'higher', 'lower'}
    from_middle : bool
        Whether the true value is expected in the middle of the interval and not at the value, as in comparisons of
        scores (regression to the mean). Where the two disagree about the side, neither side is more probable.
    """
    if score.value is None or score.lo is None or score.hi is None:
        return None
    centre = (score.lo + score.hi) / 2 if from_middle else score.value
    if (centre - target) * (score.value - target) < 0:
        return 0.5
    below, above = max(centre - score.lo, 0.0), max(score.hi - centre, 0.0)
    if score.unit == "%":
        longest = max(below, above)
        below, above = longest if score.lo <= 0 else below, longest if score.hi >= 100 else above
    higher = probability_above(centre - target, below, above)
    return higher if better == "higher" else 1 - higher


def _find_area(spec: CheckSpec, result: Result) -> tuple[Aoi | None, str | None]:
    """Return the main area of the first of a check's types that is there, or why there is none: absent or doubtful."""
    doubtful = False
    for aoi_type in spec.types:
        areas = _offers(result) if aoi_type == "offer" else result.aois or ()
        found = main_area(areas, "other" if aoi_type == "offer" else aoi_type)
        if found is not None and (found.confidence is None or found.confidence >= spec.least):
            return found, None
        doubtful = doubtful or found is not None
    return None, "doubtful" if doubtful else "absent"


def _offers(result: Result) -> tuple[Aoi, ...]:
    """Return prices, discounts and gifts, also where a headline or text names them; dates and codes sell nothing."""
    found = []
    for area in result.aois or ():
        words = area.words or ""
        if area.type == "other" and area.label == "offer":
            if area.confidence is None or mentions_offer(words):
                found.append(area)
        elif area.type in TEXT_TYPES and (mentions_price(words) or mentions_percentage(words)):
            found.append(replace(area, type="other", label="offer"))
    return tuple(found)


def _result_without_area(spec: CheckSpec, result: Result, why: str | None) -> CheckResult:
    """Return the result of a check whose area was not searched for, is too doubtful, or was not found."""
    title, brand = type_words(spec.types), result.brand and result.brand.name
    found_with = {"offer": "headline_text"}  # prices are read like other text
    searched = any(found_with.get(aoi_type, aoi_type) in result.looked_for for aoi_type in spec.types)
    if not searched:
        text, settle = f"Areas were not searched for {title}.", "Find areas, or draw it."
    elif spec.types == ("branding",) and brand is None:
        text = "No brand was named, so it is unclear which mark is its own."
        settle = "Name the brand, or draw its logo."
    elif spec.types == ("branding",) and why == "doubtful":
        text = f"Something might be the mark of {brand}, but this is too uncertain to judge."
        settle = "Draw it, or add an image of the logo."
    elif spec.types == ("branding",) and (script := unread_script(brand or "")):
        text = f"{brand} cannot be read: its letters ({script}) are not read."
        settle = "Add an alias in Latin letters or an image of the logo, or draw it."
    elif spec.types == ("branding",):
        text = f"{brand} was not found."
        settle = "If it is in the ad, add an alias or an image of the logo, or draw it."
    elif why == "doubtful":
        text = f"Something might be {title}, but this is too uncertain to judge."
        settle = "Confirm the area that was found, or draw it."
    else:
        text = f"No {title.removeprefix('the ').replace(' or the ', ' or ')} was found."
        settle = "If the ad has one, draw it."
    unnamed = spec.types == ("branding",) and brand is None
    status: CheckStatus = "close" if why == "doubtful" and searched and not unnamed else "unknown"
    todo = None
    if why == "absent" and spec.types == ("call_to_action",) and searched:
        lines = (line for area in result.aois or () for line in (area.words or "").splitlines())
        asking = next((line.strip() for line in lines if call_to_action_confidence(line) >= MIN_PHRASE_SCORE), None)
        if asking is not None:
            status, text = "close", f"“{asking}” reads like a call to action, but was not found as one."
            settle = "Draw it as a call to action."
        else:  # nine in ten ads in which none is found have none
            status, todo = "failed", "Add a call to action. If the ad has one, draw its area."
    return _result(spec, result, status, text, settle=settle, todo=todo)


def _check_area_seen(spec: CheckSpec, result: Result) -> CheckResult | None:
    area, why = _find_area(spec, result)
    if area is None:
        return _result_without_area(spec, result, why)
    score = area.score("percentage_seen")
    if score is None or score.value is None:
        reason = (score and score.reason) or "it was not computed"
        text = f"The share of viewers who see {area_name(area)} is unknown: {reason}."
        return _result(spec, result, "unknown", text, area=area)
    said = f"{format_viewer_share(score)} of viewers see {area_name(area)}"
    if area.type == "other":  # offers have no population: that there is one is what counts
        return _result(spec, result, "passed", f"{said}.", area=area, score=score)
    return _compare_with_target(spec, result, score, said, "Viewers cannot be compared", area)


def _check_area_early(spec: CheckSpec, result: Result) -> CheckResult | None:
    area, _ = _find_area(spec, result)
    score = area.score("first_seen_s") if area else None
    if area is None or score is None or score.value is None:
        return None  # the check that the area is seen says already that it is not known
    said = f"Half of those who see {area_name(area)} do so within {format_value(score.value, 's')}"
    return _compare_with_target(replace(spec, better="lower"), result, score, said, "Times cannot be compared", area)


def _check_area_legible(spec: CheckSpec, result: Result) -> CheckResult | None:
    """Check contrast, and size where the platform is known: without one the display size is unknown."""
    area, _ = _find_area(spec, result)
    if area is None:
        return None
    name = area_name(area)
    measured, platform = area.text.contrast_ratio if area.text else None, result.objective.get("platform")
    if measured is None:
        text = f"Whether {name} can be read is unknown: its contrast could not be measured."
        return _result(spec, result, "unknown", text, area=area, settle="Check it at the size at which it is shown.")
    contrast, ratio, name = Interval(measured), f"({measured:.1f} to 1)", capitalize(name)
    if MIN_CONTRAST - CONTRAST_ERROR <= measured < MIN_CONTRAST:
        text = f"{name} has borderline contrast with its background {ratio}."
        return _result(spec, result, "close", text, area=area, score=contrast, target=MIN_CONTRAST)
    if measured < MIN_CONTRAST:
        text = f"{name} has too little contrast with its background {ratio}."
        todo = "Make the text darker or lighter than its background."
        return _result(spec, result, "failed", text, area=area, score=contrast, target=MIN_CONTRAST, todo=todo)
    if platform is None or area.legible is None:
        text = f"{name} stands out from its background {ratio}."
        return _result(spec, result, "passed", text, area=area, score=contrast, target=MIN_CONTRAST)
    platform = platform.replace("_", " ")
    if area.legible:
        return _result(spec, result, "passed", f"{name} is large enough for {platform}.", area=area)
    text = f"{name} is too small to read easily on {platform}."
    return _result(spec, result, "failed", text, area=area, todo="Make it larger.")


def _check_appears_early(spec: CheckSpec, result: Result) -> CheckResult | None:
    known = [
        area
        for aoi_type in spec.types
        for area in counted_areas(result.aois or (), aoi_type)
        if area.confidence is None or area.confidence >= spec.least
    ]
    brand = result.brand
    in_words = [area for area in result.aois or () if brand and names_brand(area.words, [brand.name])]
    known += in_words if "branding" in spec.types else []
    if not known:
        return None
    first = min(known, key=lambda area: area.t0_s or 0.0)
    begins = first.t0_s or 0.0
    status: CheckStatus = "passed" if begins <= spec.limit else "failed"
    names = ", which names the brand," if first in in_words and first.type != "branding" else ""
    text = f"{capitalize(area_name(first))}{names} first appears at {format_value(begins, 's')}."
    check = _result(spec, result, status, text, area=first)
    return replace(check, value=begins, target=spec.limit, unit="s")


def _check_competition(spec: CheckSpec, result: Result) -> CheckResult | None:
    """Compare the attention of the strongest area of the message with that of the strongest other area."""
    sure = []
    for area in result.aois or ():
        least = max(spec.least, MIN_PERSON_CONFIDENCE) if area.type in ("face", "person") else spec.least
        if area.confidence is None or area.confidence >= least:
            sure.append(area)
    message = [
        area
        for area in sure
        if area.type in MESSAGE_TYPES or (result.purpose == "conversion" and area.label == "offer")
    ]
    others = [area for area in sure if area.type == "body_text" or (area.type == "other" and area.label != "platform")]
    others = [area for area in others if area not in message]
    if not message:
        return None
    first = max(message, key=lambda area: area.attention)
    if not others:
        share = format_value(first.attention, "%")
        text = f"{capitalize(area_name(first))} draws the most attention of all areas: {share}."
        return _result(spec, result, "passed", text, area=first)
    rival = max(others, key=lambda area: area.attention)
    sds = [
        (score.hi - score.lo) / 2 / Z90
        for area in (first, rival)
        if (score := area.score("attention")) is not None and score.lo is not None and score.hi is not None
    ]
    arm = Z90 * (math.hypot(*sds) if len(sds) == 2 else 0.0)  # errors of the two areas are taken as independent
    probability = probability_above(first.attention - rival.attention, arm, arm)
    stronger, weaker = (rival, first) if rival.attention > first.attention else (first, rival)
    text = (
        f"{capitalize(area_name(stronger))} draws {format_value(stronger.attention, '%')} of attention, "
        f"{area_name(weaker)} {format_value(weaker.attention, '%')}."
    )
    if stronger is rival:
        todo = f"Make {area_name(rival)} smaller or less prominent, or {area_name(first)} larger."
        status: CheckStatus = "failed" if 1 - probability >= DECISION_PROBABILITY else "close"
        return _result(spec, result, status, text, area=rival, probability=probability, todo=todo)
    status = "passed" if probability >= DECISION_PROBABILITY else "close"
    return _result(spec, result, status, text, area=first, probability=probability)


def _check_score(spec: CheckSpec, result: Result) -> CheckResult | None:
    score = result.score(spec.metric)
    if score is None or score.value is None:
        return None
    said = _SCORE_WORDS[spec.metric](score)
    return _compare_with_target(spec, result, score, said, "Scores cannot be compared", None)


_SCORE_WORDS: Mapping[str, Callable[[Interval], str]] = {
    "hotspot_count": lambda r: f"{r.value:.0f} {'place competes' if r.value == 1 else 'places compete'} for attention",
    "clarity": lambda r: f"Clarity is {r.value:.0f}",
    "design": lambda r: f"Design is {r.value:.0f}",
    "cognitive_demand": lambda r: f"Cognitive demand is {r.value:.0f}",
}


def _compare_with_target(
    spec: CheckSpec, result: Result, score: Score, said: str, cannot: str, area: Aoi | None
) -> CheckResult:
    """Compare a number with a percentile of its population; videos without one with `VIDEO_TARGET`."""
    standing = result.range(score.metric, area)
    edges = standing.edges if standing else ()
    alone = not edges and result.moves and spec.kind == "area_seen"
    if not edges and not alone:
        reason = (score.reason or (standing and standing.reason) or "the run has no benchmark").rstrip(".")
        return _result(spec, result, "unknown", f"{said}.", area=area, score=score, settle=f"{cannot}: {reason}.")
    target = VIDEO_TARGET if alone else float(np.interp(spec.percent, EDGES, edges))
    probability = probability_met(score, target, spec.better, from_middle=spec.kind == "score")
    value = score.value
    assert value is not None
    met = value >= target if spec.better == "higher" else value <= target
    if probability is None:
        status: CheckStatus = "passed" if met else "failed"
    elif probability >= DECISION_PROBABILITY:
        status = "passed"
    else:
        status = "failed" if 1 - probability >= DECISION_PROBABILITY else "close"
    end = "or more" if spec.better == "higher" else "or less"
    close = "; too close to call" if status == "close" else ""
    text = f"{said} (target: {format_value(target, score.unit)} {end}{close})."
    return _result(spec, result, status, text, area=area, score=score, target=target, probability=probability)


def _result(
    spec: CheckSpec,
    result: Result,
    status: CheckStatus,
    text: str,
    *,
    area: Aoi | None = None,
    score: Interval | None = None,
    target: float | None = None,
    probability: float | None = None,
    settle: str | None = None,
    todo: str | None = None,
) -> CheckResult:
    value, lo, hi = (score.value, score.lo, score.hi) if score else (None, None, None)
    return CheckResult(
        name=spec.name,
        title=spec.title,
        status=status,
        required=spec.is_required(result.purpose),
        text=text,
        value=value,
        lo=lo,
        hi=hi,
        target=target,
        unit=score.unit if isinstance(score, Score) else "",
        probability=probability,
        aoi_id=str(area.aoi_id) if area else None,
        settle=settle if status != "passed" else None,
        todo=todo if status == "failed" else None,
        why=spec.why,
        source=spec.source,
    )


_EVALUATORS: Mapping[CheckKind, Callable[[CheckSpec, Result], CheckResult | None]] = {
    "area_seen": _check_area_seen,
    "area_early": _check_area_early,
    "area_legible": _check_area_legible,
    "appears_early": _check_appears_early,
    "competition": _check_competition,
    "score": _check_score,
}
