"""Checks held against the facts of one medium."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mediaan.aoi.legibility import MIN_CONTRAST
from mediaan.aoi.main_area import counted_areas, main_area
from mediaan.aoi.screen_time import names_brand
from mediaan.aoi.wording import calls_to_action
from mediaan.checks.facts import AreaFacts, MediumFacts, Reading
from mediaan.checks.spec import CheckKind, CheckSpec, check_specs
from mediaan.checks.wording import begin, named, names_price, number, percent_of, sells, the
from mediaan.metrics.interval_probability import Z90, probability_above
from mediaan.types.aoi import TEXT_TYPES
from mediaan.types.benchmark import EDGES
from mediaan.types.checks import CheckResult, CheckStatus

ODDS = 2 / 3
"""Probability from which on a check passes, and failing likewise: two to one. In between it is too close to call."""

FILM_TARGET = 50.0
"""Share of viewers who should see an area of a film of which no population is known, %: most of them."""

CONTRAST_ERROR = 0.5
"""By how much the contrast of small letters, whose edges are blurred, is measured too low."""

KNOWN_PHRASE = 0.9
"""What `calls_to_action` gives a phrase that is a call to action alone, or nothing but an address."""

SURE_PERSON = 0.9
"""Confidence from which on a face or person is spoken of: they are found too often in drawn figures."""

MESSAGE = ("branding", "headline_text", "product", "call_to_action", "face", "person")
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


def probability_met(reading: Reading, target: float, better: str, *, from_middle: bool = False) -> float | None:
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
            if area.confidence is None or sells(words):
                found.append(area)
        elif area.type in TEXT_TYPES and names_price(words):
            found.append(replace(area, type="other", label="offer"))
    return tuple(found)


def _without_area(spec: CheckSpec, facts: MediumFacts, why: str | None) -> CheckResult:
    """A check whose area is not known: not looked for, too doubtful, or not found."""
    title = the(spec.types)
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
    return next((line.strip() for line in lines if calls_to_action(line) >= KNOWN_PHRASE), None)


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
    reading = area.readings.get("percentage_seen", Reading(None))
    if reading.value is None:
        text = f"How many viewers see {named(area)} cannot be told: {reading.reason or 'it was not computed'}."
        return _result(spec, facts, "unknown", text, area=area)
    said = f"{percent_of(reading)} of viewers see {named(area)}"
    if area.type == "other":  # no population of offers: that there is one is what counts
        return _result(spec, facts, "passed", f"{said}.", area=area, reading=reading)
    return _against_target(spec, facts, reading, said, "Viewers cannot be compared", area)


def _area_early(spec: CheckSpec, facts: MediumFacts) -> CheckResult | None:
    area, _ = _known_area(spec, facts)
    reading = area.readings.get("first_seen_s") if area else None
    if area is None or reading is None or reading.value is None:
        return None  # that the area is not known is said once, by the check that it is seen
    lower = replace(spec, better="lower")
    said = f"Half of those who see {named(area)} do so within {number(reading.value, 's')}"
    return _against_target(lower, facts, reading, said, "Times cannot be compared", area)


def _area_legible(spec: CheckSpec, facts: MediumFacts) -> CheckResult | None:
    """Size and contrast where the platform is known; without one nobody knows how large it is shown."""
    area, _ = _known_area(spec, facts)
    if area is None:
        return None
    if area.contrast is None:
        text = f"Whether {named(area)} can be read cannot be told: its contrast with the ground is not known."
        return _result(spec, facts, "unknown", text, area=area, settle="Look at it at the size at which it is shown.")
    contrast = Reading(area.contrast)
    if MIN_CONTRAST - CONTRAST_ERROR <= area.contrast < MIN_CONTRAST:
        text = f"{begin(named(area))} has just about enough contrast with its ground ({area.contrast:.1f} to 1)."
        found = _result(spec, facts, "close", text, area=area, reading=contrast, target=MIN_CONTRAST)
    elif area.contrast < MIN_CONTRAST:
        text = f"{begin(named(area))} has little contrast with its ground ({area.contrast:.1f} to 1)."
        todo = "Make the letters darker or lighter than what is behind them."
        found = _result(spec, facts, "failed", text, area=area, reading=contrast, target=MIN_CONTRAST, todo=todo)
    elif facts.platform is None or area.legible is None:
        text = f"{begin(named(area))} stands out from its ground ({area.contrast:.1f} to 1)."
        found = _result(spec, facts, "passed", text, area=area, reading=contrast, target=MIN_CONTRAST)
    elif area.legible:
        text = f"{begin(named(area))} is large enough for {facts.platform}."
        found = _result(spec, facts, "passed", text, area=area)
    else:
        text = f"{begin(named(area))} is too small to be read easily on {facts.platform}."
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
    text = f"{begin(named(first))}{names} is first on screen at {number(begins, 's')}."
    result = _result(spec, facts, status, text, area=first)
    return replace(result, value=begins, target=spec.limit, unit="s")


def _competition(spec: CheckSpec, facts: MediumFacts) -> CheckResult | None:
    """Compare the strongest area of the message with the strongest of all else."""
    sure = [area for area in facts.areas if area.confidence is None or area.confidence >= _least(spec, area)]
    message = [
        area for area in sure if area.type in MESSAGE or (facts.purpose == "conversion" and area.label == "offer")
    ]
    others = [area for area in sure if area.type == "body_text" or (area.type == "other" and area.label != "platform")]
    others = [area for area in others if area not in message]
    if not message:
        return None
    first = max(message, key=lambda area: area.attention)
    if not others:
        text = f"{begin(named(first))} draws most attention of what was found: {_share(first)}."
        return _result(spec, facts, "passed", text, area=first)
    rival = max(others, key=lambda area: area.attention)
    probability = _more_attended(first, rival)
    if rival.attention > first.attention:
        text = _shares(rival, first)
        todo = f"Make {named(rival)} smaller or quieter, or {named(first)} larger."
        status: CheckStatus = "failed" if 1 - probability >= ODDS else "close"
        return _result(spec, facts, status, text, area=rival, probability=probability, todo=todo)
    text = _shares(first, rival)
    status = "passed" if probability >= ODDS else "close"
    return _result(spec, facts, status, text, area=first, probability=probability)


def _least(spec: CheckSpec, area: AreaFacts) -> float:
    return max(spec.least, SURE_PERSON) if area.type in ("face", "person") else spec.least


def _shares(more: AreaFacts, less: AreaFacts) -> str:
    return f"{begin(named(more))} draws {_share(more)} of attention, {named(less)} {_share(less)}."


def _share(area: AreaFacts) -> str:
    return number(area.attention, "%")


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


_SCORE_WORDS: Mapping[str, Callable[[Reading], str]] = {
    "hotspot_count": lambda r: f"Attention gathers in {r.value:.0f} {'place' if r.value == 1 else 'places'}",
    "clarity": lambda r: f"Clarity is {r.value:.0f}",
    "design": lambda r: f"Design is {r.value:.0f}",
    "cognitive_demand": lambda r: f"Cognitive demand is {r.value:.0f}",
}


def _against_target(
    spec: CheckSpec, facts: MediumFacts, reading: Reading, said: str, cannot: str, area: AreaFacts | None
) -> CheckResult:
    """Hold a number against a percentile of the medium's population; of films, which are few, against `FILM_TARGET`."""
    alone = not reading.edges and facts.moves and spec.kind == "area_seen"
    if not reading.edges and not alone:
        reason = (reading.reason or "the run was compared with no benchmark").rstrip(".")
        return _result(spec, facts, "unknown", f"{said}.", area=area, reading=reading, settle=f"{cannot}: {reason}.")
    target = FILM_TARGET if alone else float(np.interp(spec.percent, EDGES, reading.edges))
    probability = probability_met(reading, target, spec.better, from_middle=spec.kind == "score")
    value = reading.value
    assert value is not None
    met = value >= target if spec.better == "higher" else value <= target
    if probability is None:
        status: CheckStatus = "passed" if met else "failed"
    elif probability >= ODDS:
        status = "passed"
    else:
        status = "failed" if 1 - probability >= ODDS else "close"
    end = "or more" if spec.better == "higher" else "or less"
    close = "; too close to call" if status == "close" else ""
    text = f"{said} (target: {number(target, reading.unit)} {end}{close})."
    return _result(spec, facts, status, text, area=area, reading=reading, target=target, probability=probability)


def _none(types: Sequence[str]) -> str:
    """As `the`, of what is not there."""
    return f"No {the(types).removeprefix('the ').replace(' or the ', ' or ')}"


def _result(
    spec: CheckSpec,
    facts: MediumFacts,
    status: CheckStatus,
    text: str,
    *,
    area: AreaFacts | None = None,
    reading: Reading | None = None,
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
