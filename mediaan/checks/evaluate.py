"""Evaluate checks on the facts of one medium, and word the results."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mediaan.aoi.detection.call_to_action import call_to_action_confidence
from mediaan.aoi.legibility import MIN_CONTRAST
from mediaan.aoi.scoring.main_area import counted_areas, main_area
from mediaan.aoi.scoring.screen_time import names_brand
from mediaan.checks.specs import AreaFacts, CheckKind, CheckSpec, MediumFacts, ScoreFact, check_specs
from mediaan.metrics.intervals import Z90, probability_above
from mediaan.types.aoi import TEXT_TYPES
from mediaan.types.benchmark import EDGES
from mediaan.types.checks import CheckResult, CheckStatus

TYPE_WORDS = {
    "branding": "the brand",
    "product": "the product",
    "headline_text": "the headline",
    "body_text": "the text",
    "call_to_action": "the call to action",
    "face": "the face",
    "person": "the person",
    "offer": "the offer",
    "other": "the area",
}
SURE_CONFIDENCE = 0.8
"""Confidence from which on an area is called what it was found as, without a doubt."""

_MAX_WORDS_LENGTH = 40


_PRICE = re.compile(r"[$€£¥₹₽₩₫฿₺₴]\s?\d|\d\s?[$€£¥₹₽₩₫฿₺₴]|\d\s*%|\b(usd|eur|chf|rs\.?|kr|zł)\s?\d", re.IGNORECASE)
_DEAL = re.compile(
    r"\b(free|off|sale|save|discount|deal|gratis|rabatt|descuento|oferta|promo\w*|sconto|offerta|desconto|скидк\w*)\b",
    re.IGNORECASE,
)


def mentions_price(words: str) -> bool:
    """Return whether words hold a price or a percentage.

    Examples
    --------
    >>> names_price("Only $69"), names_price("25 % off"), names_price("AUG 24")
    (True, True, False)
    """
    return _PRICE.search(words) is not None


def mentions_offer(words: str) -> bool:
    """Return whether words hold a price, a percentage, or say that something is cheap or free.

    Examples
    --------
    >>> sells("Free delivery"), sells("4th May, Monday")
    (True, False)
    """
    return mentions_price(words) or _DEAL.search(words) is not None


def type_words(types: Sequence[str]) -> str:
    """Return what areas of some types are called.

    Examples
    --------
    >>> the(["branding"]), the(["product", "offer"])
    ('the brand', 'the product or the offer')
    """
    return " or ".join(TYPE_WORDS[aoi_type] for aoi_type in types)


def area_name(area: AreaFacts) -> str:
    """Return what a sentence calls an area: its type, its words where it has any, and a doubt where there is one.

    Examples
    --------
    >>> named(AreaFacts("1", "call_to_action", "Shop now", 0.95, words="Shop now"))
    'the call to action “Shop now”'
    >>> named(AreaFacts("2", "product", "", 0.6))
    'what looks like the product'
    """
    kind = area.type
    if area.type == "other" and area.label == "offer":  # dates and codes are found with prices
        kind = "offer" if mentions_offer(area.words or "") else "body_text"
    words = area.label if area.type == "branding" else " ".join((area.words or "").split())
    if len(words) > _MAX_WORDS_LENGTH:
        words = words[:_MAX_WORDS_LENGTH].rsplit(" ", 1)[0] + "…"
    name = f"{TYPE_WORDS[kind]} “{words}”" if words else TYPE_WORDS[kind]
    return name if area.confidence is None or area.confidence >= SURE_CONFIDENCE else f"what looks like {name}"


def capitalize(words: str) -> str:
    """Return words as a sentence begins with them."""
    return words[:1].upper() + words[1:]


def format_value(value: float, unit: str) -> str:
    """Return a number with its unit.

    Examples
    --------
    >>> number(41.6, "%"), number(3.25, "%"), number(1.84, "s"), number(3.0, "count")
    ('42 %', '3 %', '1.8 s', '3')
    """
    if unit == "s":
        return f"{value:.1f} s"
    return f"{value:.0f} %" if unit == "%" else f"{value:.0f}"


def format_viewer_share(reading: ScoreFact) -> str:
    """Return a share of viewers with its interval.

    Examples
    --------
    >>> percent_of(Reading(62.3, 40.2, 81.0)), percent_of(Reading(62.3))
    ('62 % (40–81)', '62 %')
    """
    assert reading.value is not None
    interval = "" if reading.lo is None or reading.hi is None else f" ({reading.lo:.0f}–{reading.hi:.0f})"
    return f"{reading.value:.0f} %{interval}"


DECISION_PROBABILITY = 2 / 3
"""Probability from which on a check passes, and failing likewise: two to one. In between it is too close to call."""

VIDEO_TARGET = 50.0
"""Share of viewers who should see an area of a film of which no population is known, %: most of them."""

CONTRAST_ERROR = 0.5
"""By how much the contrast of small letters, whose edges are blurred, is measured too low."""

MIN_PHRASE_SCORE = 0.9
"""What `calls_to_action` gives a phrase that is a call to action alone, or nothing but an address."""

MIN_PERSON_CONFIDENCE = 0.9
"""Confidence from which on a face or person is spoken of: they are found too often in drawn figures."""

MESSAGE_TYPES = ("branding", "headline_text", "product", "call_to_action", "face", "person")
"""What an ad is there to show; people carry the message where there are any."""


def evaluate_checks(facts: MediumFacts) -> tuple[CheckResult, ...]:
    """Hold all checks that are asked of a medium against its facts.

    Parameters
    ----------
    facts : MediumFacts

    Returns
    -------
    tuple of CheckResult
        In the order of `check_specs`; a check about an area that nobody looked for is unknown, and says how to know.
    """
    asked = [spec for spec in check_specs() if spec.is_asked(facts.purpose, moves=facts.moves)]
    held = (result for spec in asked if (result := _EVALUATORS[spec.kind](spec, facts)) is not None)
    return tuple(held)


def probability_met(reading: ScoreFact, target: float, better: str, *, from_middle: bool = False) -> float | None:
    """Return the probability that the truth is on the good side of a target; None without an interval.

    Where a bound of the scale cuts an arm of the interval short, the other arm stands in for it.

    Parameters
    ----------
    reading : Reading
    target : float
    better : {'higher', 'lower'}
    from_middle : bool
        Whether the truth is expected in the middle of the interval and not at the value, as comparisons of scores have
        it (regression to the mean). Where the two disagree about the side, neither is more probable.
    """
    if reading.value is None or reading.lo is None or reading.hi is None:
        return None
    centre = (reading.lo + reading.hi) / 2 if from_middle else reading.value
    if (centre - target) * (reading.value - target) < 0:
        return 0.5
    below, above = max(centre - reading.lo, 0.0), max(reading.hi - centre, 0.0)
    if reading.unit == "%":
        longest = max(below, above)
        below, above = longest if reading.lo <= 0 else below, longest if reading.hi >= 100 else above
    higher = probability_above(centre - target, below, above)
    return higher if better == "higher" else 1 - higher


def _known_area(spec: CheckSpec, facts: MediumFacts) -> tuple[AreaFacts | None, str | None]:
    """The area that a check is about, of the first of its types that is there; or why there is none to speak of."""
    doubtful = False
    for aoi_type in spec.types:
        areas = _offers(facts) if aoi_type == "offer" else facts.areas
        found = main_area(areas, "other" if aoi_type == "offer" else aoi_type)
        if found is not None and (found.confidence is None or found.confidence >= spec.least):
            return found, None
        doubtful = doubtful or found is not None
    return None, "doubtful" if doubtful else "absent"


def _offers(facts: MediumFacts) -> tuple[AreaFacts, ...]:
    """Prices, discounts and gifts, also where a headline or text names them; dates and codes sell nothing."""
    found = []
    for area in facts.areas:
        words = area.words or ""
        if area.type == "other" and area.label == "offer":
            if area.confidence is None or mentions_offer(words):
                found.append(area)
        elif area.type in TEXT_TYPES and mentions_price(words):
            found.append(replace(area, type="other", label="offer"))
    return tuple(found)


def _without_area(spec: CheckSpec, facts: MediumFacts, why: str | None) -> CheckResult:
    """A check whose area is not known: not looked for, too doubtful, or not found."""
    title = type_words(spec.types)
    found_with = {"offer": "headline_text"}  # prices are read like other text
    sought = [aoi_type for aoi_type in spec.types if found_with.get(aoi_type, aoi_type) in facts.looked_for]
    if not sought:
        text, settle = f"Nobody looked for {title}.", "Analyse with --aois all, or draw the area."
    elif spec.types == ("branding",):
        text, settle = _without_brand(facts, why)
    elif why == "doubtful":
        text = f"Something may be {title}, but not surely enough to judge it."
        settle = "Draw the area, or confirm the one that was found."
    else:
        text, settle = f"{_none(spec.types)} was found.", "If there is one, draw it."
    unnamed = spec.types == ("branding",) and facts.brand is None
    status: CheckStatus = "close" if why == "doubtful" and sought and not unnamed else "unknown"
    todo = None
    if why == "absent" and spec.types == ("call_to_action",) and sought:
        asked = _asking_line(facts)
        if asked is not None:
            status, text = "close", f"“{asked}” asks to act, but was not found as an area of its own."
            settle = "Draw it as a call to action."
        else:  # nine in ten ads in which none is found have none
            status, todo = "failed", "Add a call to action; if there is one, draw its area."
    return _result(spec, facts, status, text, settle=settle, todo=todo)


def _asking_line(facts: MediumFacts) -> str | None:
    """A line of another text that says what calls to action say; None where there is none."""
    lines = (line for area in facts.areas for line in (area.words or "").splitlines())
    return next((line.strip() for line in lines if call_to_action_confidence(line) >= MIN_PHRASE_SCORE), None)


def _without_brand(facts: MediumFacts, why: str | None) -> tuple[str, str]:
    if facts.brand is None:
        return "No brand was named, so its marks cannot be told for sure.", "Name the brand, or draw its marks."
    if why == "doubtful":
        return (
            f"A mark may be that of {facts.brand}, but not surely enough to judge it.",
            "Draw it, or add a picture of the logo.",
        )
    return f"{facts.brand} was not found.", "If it is there, add an alias or a picture of the logo, or draw it."


def _area_seen(spec: CheckSpec, facts: MediumFacts) -> CheckResult | None:
    area, why = _known_area(spec, facts)
    if area is None:
        return _without_area(spec, facts, why)
    reading = area.readings.get("percentage_seen", ScoreFact(None))
    if reading.value is None:
        text = f"How many viewers see {area_name(area)} cannot be told: {reading.reason or 'it was not computed'}."
        return _result(spec, facts, "unknown", text, area=area)
    said = f"{format_viewer_share(reading)} of viewers see {area_name(area)}"
    if area.type == "other":  # no population of offers: that there is one is what counts
        return _result(spec, facts, "passed", f"{said}.", area=area, reading=reading)
    return _against_target(spec, facts, reading, said, "Viewers cannot be compared", area)


def _area_early(spec: CheckSpec, facts: MediumFacts) -> CheckResult | None:
    area, _ = _known_area(spec, facts)
    reading = area.readings.get("first_seen_s") if area else None
    if area is None or reading is None or reading.value is None:
        return None  # that the area is not known is said once, by the check that it is seen
    lower = replace(spec, better="lower")
    said = f"Half of those who see {area_name(area)} do so within {format_value(reading.value, 's')}"
    return _against_target(lower, facts, reading, said, "Times cannot be compared", area)


def _area_legible(spec: CheckSpec, facts: MediumFacts) -> CheckResult | None:
    """Size and contrast where the platform is known; without one nobody knows how large it is shown."""
    area, _ = _known_area(spec, facts)
    if area is None:
        return None
    if area.contrast is None:
        text = f"Whether {area_name(area)} can be read cannot be told: its contrast with the ground is not known."
        return _result(spec, facts, "unknown", text, area=area, settle="Look at it at the size at which it is shown.")
    contrast = ScoreFact(area.contrast)
    if MIN_CONTRAST - CONTRAST_ERROR <= area.contrast < MIN_CONTRAST:
        text = (
            f"{capitalize(area_name(area))} has just about enough contrast with its ground ({area.contrast:.1f} to 1)."
        )
        found = _result(spec, facts, "close", text, area=area, reading=contrast, target=MIN_CONTRAST)
    elif area.contrast < MIN_CONTRAST:
        text = f"{capitalize(area_name(area))} has little contrast with its ground ({area.contrast:.1f} to 1)."
        todo = "Make the letters darker or lighter than what is behind them."
        found = _result(spec, facts, "failed", text, area=area, reading=contrast, target=MIN_CONTRAST, todo=todo)
    elif facts.platform is None or area.legible is None:
        text = f"{capitalize(area_name(area))} stands out from its ground ({area.contrast:.1f} to 1)."
        found = _result(spec, facts, "passed", text, area=area, reading=contrast, target=MIN_CONTRAST)
    elif area.legible:
        text = f"{capitalize(area_name(area))} is large enough for {facts.platform}."
        found = _result(spec, facts, "passed", text, area=area)
    else:
        text = f"{capitalize(area_name(area))} is too small to be read easily on {facts.platform}."
        found = _result(spec, facts, "failed", text, area=area, todo="Set it in larger type.")
    return found


def _appears_early(spec: CheckSpec, facts: MediumFacts) -> CheckResult | None:
    known = [
        area
        for aoi_type in spec.types
        for area in counted_areas(facts.areas, aoi_type)
        if area.confidence is None or area.confidence >= spec.least
    ]
    in_words = [area for area in facts.areas if facts.brand and names_brand(area.words, [facts.brand])]
    known += in_words if "branding" in spec.types else []
    if not known:
        return None
    first = min(known, key=lambda area: area.t0_s or 0.0)
    begins = first.t0_s or 0.0
    status: CheckStatus = "passed" if begins <= spec.limit else "failed"
    names = ", which names the brand," if first in in_words and first.type != "branding" else ""
    text = f"{capitalize(area_name(first))}{names} is first on screen at {format_value(begins, 's')}."
    result = _result(spec, facts, status, text, area=first)
    return replace(result, value=begins, target=spec.limit, unit="s")


def _competition(spec: CheckSpec, facts: MediumFacts) -> CheckResult | None:
    """Compare the strongest area of the message with the strongest of all else."""
    sure = [area for area in facts.areas if area.confidence is None or area.confidence >= _least(spec, area)]
    message = [
        area for area in sure if area.type in MESSAGE_TYPES or (facts.purpose == "conversion" and area.label == "offer")
    ]
    others = [area for area in sure if area.type == "body_text" or (area.type == "other" and area.label != "platform")]
    others = [area for area in others if area not in message]
    if not message:
        return None
    first = max(message, key=lambda area: area.attention)
    if not others:
        text = f"{capitalize(area_name(first))} draws most attention of what was found: {_share(first)}."
        return _result(spec, facts, "passed", text, area=first)
    rival = max(others, key=lambda area: area.attention)
    probability = _more_attended(first, rival)
    if rival.attention > first.attention:
        text = _shares(rival, first)
        todo = f"Make {area_name(rival)} smaller or quieter, or {area_name(first)} larger."
        status: CheckStatus = "failed" if 1 - probability >= DECISION_PROBABILITY else "close"
        return _result(spec, facts, status, text, area=rival, probability=probability, todo=todo)
    text = _shares(first, rival)
    status = "passed" if probability >= DECISION_PROBABILITY else "close"
    return _result(spec, facts, status, text, area=first, probability=probability)


def _least(spec: CheckSpec, area: AreaFacts) -> float:
    return max(spec.least, MIN_PERSON_CONFIDENCE) if area.type in ("face", "person") else spec.least


def _shares(more: AreaFacts, less: AreaFacts) -> str:
    return f"{capitalize(area_name(more))} draws {_share(more)} of attention, {area_name(less)} {_share(less)}."


def _share(area: AreaFacts) -> str:
    return format_value(area.attention, "%")


def _more_attended(a: AreaFacts, b: AreaFacts) -> float:
    """Probability that A draws more attention than B, their errors taken as independent."""
    spreads = [
        (reading.hi - reading.lo) / 2 / Z90
        for area in (a, b)
        if (reading := area.readings.get("attention")) is not None and reading.lo is not None and reading.hi is not None
    ]
    spread = math.hypot(*spreads) if len(spreads) == 2 else 0.0
    return probability_above(a.attention - b.attention, Z90 * spread, Z90 * spread)


def _score(spec: CheckSpec, facts: MediumFacts) -> CheckResult | None:
    reading = facts.scores.get(spec.metric)
    if reading is None or reading.value is None:
        return None
    said = _SCORE_WORDS[spec.metric](reading)
    return _against_target(spec, facts, reading, said, "Scores cannot be compared", None)


_SCORE_WORDS: Mapping[str, Callable[[ScoreFact], str]] = {
    "hotspot_count": lambda r: f"Attention gathers in {r.value:.0f} {'place' if r.value == 1 else 'places'}",
    "clarity": lambda r: f"Clarity is {r.value:.0f}",
    "design": lambda r: f"Design is {r.value:.0f}",
    "cognitive_demand": lambda r: f"Cognitive demand is {r.value:.0f}",
}


def _against_target(
    spec: CheckSpec, facts: MediumFacts, reading: ScoreFact, said: str, cannot: str, area: AreaFacts | None
) -> CheckResult:
    """Hold a number against a percentile of the medium's population; of films, which are few, against `FILM_TARGET`."""
    alone = not reading.edges and facts.moves and spec.kind == "area_seen"
    if not reading.edges and not alone:
        reason = (reading.reason or "the run was compared with no benchmark").rstrip(".")
        return _result(spec, facts, "unknown", f"{said}.", area=area, reading=reading, settle=f"{cannot}: {reason}.")
    target = VIDEO_TARGET if alone else float(np.interp(spec.percent, EDGES, reading.edges))
    probability = probability_met(reading, target, spec.better, from_middle=spec.kind == "score")
    value = reading.value
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
    text = f"{said} (target: {format_value(target, reading.unit)} {end}{close})."
    return _result(spec, facts, status, text, area=area, reading=reading, target=target, probability=probability)


def _none(types: Sequence[str]) -> str:
    """As `the`, of what is not there."""
    return f"No {type_words(types).removeprefix('the ').replace(' or the ', ' or ')}"


def _result(
    spec: CheckSpec,
    facts: MediumFacts,
    status: CheckStatus,
    text: str,
    *,
    area: AreaFacts | None = None,
    reading: ScoreFact | None = None,
    target: float | None = None,
    probability: float | None = None,
    settle: str | None = None,
    todo: str | None = None,
) -> CheckResult:
    value, lo, hi, unit = (reading.value, reading.lo, reading.hi, reading.unit) if reading else (None, None, None, "")
    return CheckResult(
        name=spec.name,
        title=spec.title,
        status=status,
        required=spec.is_required(facts.purpose),
        text=text,
        value=value,
        lo=lo,
        hi=hi,
        target=target,
        unit=unit,
        probability=probability,
        aoi_id=area.aoi_id if area else None,
        settle=settle if status != "passed" else None,
        todo=todo if status == "failed" else None,
        why=spec.why,
        source=spec.source,
    )


_EVALUATORS: Mapping[CheckKind, Callable[[CheckSpec, MediumFacts], CheckResult | None]] = {
    "area_seen": _area_seen,
    "area_early": _area_early,
    "area_legible": _area_legible,
    "appears_early": _appears_early,
    "competition": _competition,
    "score": _score,
}
