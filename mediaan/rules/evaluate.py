"""Rules held against the scores of a medium."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from mediaan.aoi.metrics import FIRST_SEEN
from mediaan.aoi.screen_time import seconds_within
from mediaan.aoi.seen import window_span
from mediaan.rules.expression import Expression
from mediaan.rules.rule import Area, Limit, Measured, Missing, Reading, Rule
from mediaan.rules.scores import COUNT, EXACT, SCREEN_TIMES
from mediaan.rules.sentences import found_text, limit_text
from mediaan.types.aoi import AoiType
from mediaan.types.metrics import Time
from mediaan.types.rules import RuleResult, Status

LimitAt: TypeAlias = Callable[[str, str, Time, "AoiType | None", int], "Limit | str"]
"""Score at a percentile of a medium's population, from medium id, metric, time, type of area and percent; or why there
is none."""

OVERLOOKED = "and its brand was not named, so that a mark may have been overlooked: name it, or draw the area"
"""Why nothing can be told of a brand that was not found."""

_LONGEST_LABEL = 30
_STATUS_OF: Mapping[str, Status] = {"fail": "failed", "pass": "passed", "skip": "skipped"}


def no_population(medium_id: str, metric: str, time: Time, aoi_type: AoiType | None, percent: int) -> Limit | str:
    """A `LimitAt` for where there is no population."""
    return "no population is at hand"


def evaluate(rule: Rule, medium: Measured, limit_at: LimitAt = no_population) -> RuleResult:
    """Hold a rule against a medium.

    Parameters
    ----------
    rule : Rule
    medium : Measured
    limit_at : callable
        What a percentile comes to for this medium.

    Returns
    -------
    RuleResult
        ``skipped`` where it cannot be told: the score is undefined, there is no population, nobody looked for areas.
    """
    expression = rule.expression
    limit = _limit(expression, medium, limit_at)
    if isinstance(limit, str):
        return _result(rule, medium, "skipped", f"{expression.subject} has no limit: {limit}")
    if expression.aoi_type is None:
        return _told(rule, medium, limit, _Found(medium.scores.get((expression.metric, expression.time))))
    if expression.aoi_type not in medium.looked_for:
        reason = f"areas of the type {expression.aoi_type} were not looked for in it"
        return _result(rule, medium, "skipped", _sentence(expression, reason), limit)
    areas = [area for area in medium.areas if _is_meant(area, expression)]
    if not areas and (rule.missing or not expression.takes_together):
        return _without_area(rule, medium, limit)
    if expression.takes_together:
        return _told(rule, medium, limit, _Found(Reading(_together(expression, areas, medium))))
    return _told(rule, medium, limit, _chosen(rule, limit, areas))


@dataclass(frozen=True, slots=True)
class _Found:
    """The score that decides, and whose it is."""

    reading: Reading | None
    area: Area | None = None
    among: int = 1

    @property
    def which(self) -> str:
        if self.area is None or self.among == 1:
            return ""
        label = self.area.label or self.area.type
        return f" ({label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + '…'}, 1 of {self.among})"


def _together(expression: Expression, areas: Sequence[Area], medium: Measured) -> float:
    """How many areas there are, or for how many seconds any of them is on screen."""
    if expression.metric == COUNT.name:
        return float(len(areas))
    window = window_span(expression.time, medium.duration_s or 0.0)
    return seconds_within((span for area in areas for span in area.on_screen), *window)


def _limit(expression: Expression, medium: Measured, limit_at: LimitAt) -> Limit | str:
    if expression.percent is None:
        assert expression.limit is not None
        return Limit(expression.limit, "")
    return limit_at(medium.medium_id, expression.metric, expression.time, expression.aoi_type, expression.percent)


def _is_meant(area: Area, expression: Expression) -> bool:
    shows_brand = expression.aoi_type == "branding" and expression.metric in SCREEN_TIMES and area.names_brand
    if area.type != expression.aoi_type and not shows_brand:
        return False
    if shows_brand:
        return expression.label is None
    return expression.label is None or _normal(area.label) == _normal(expression.label)


def _normal(label: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


def _chosen(rule: Rule, limit: Limit, areas: Sequence[Area]) -> _Found:
    """The area that decides: the one that scores best; of `all`, the one that does worst; of `any`, best by the rule.

    One without a score decides where the others leave it open.
    """
    expression = rule.expression
    readings = [(area, area.scores.get((expression.metric, expression.time))) for area in areas]
    known = [(area, reading) for area, reading in readings if reading and reading.value is not None]
    unknown = [_Found(reading, area, len(areas)) for area, reading in readings if not reading or reading.value is None]
    if not known:
        return unknown[0]

    asked = limit.ends[expression.wants_more] if rule.sure else limit.value

    def deciding(reading: Reading) -> float:
        """What is compared: of a rule that asks to be sure the end of the interval that lies nearer to the limit."""
        end = reading.lo if expression.wants_more else reading.hi
        value = end if rule.sure and end is not None else reading.value
        assert value is not None
        return value

    def margin(entry: tuple[Area, Reading]) -> float:
        return expression.margin(deciding(entry[1]), asked)

    if expression.which == "strongest":
        sign = 1 if expression.spec.direction == "higher" else -1
        area, reading = max(known, key=lambda entry: sign * (entry[1].value or 0.0))
        return _Found(reading, area, len(areas))
    area, reading = (min if expression.which == "all" else max)(known, key=margin)
    open_still = expression.holds(deciding(reading), asked) == (expression.which == "all")
    return unknown[0] if unknown and open_still else _Found(reading, area, len(areas))


def _told(rule: Rule, medium: Measured, limit: Limit, found: _Found) -> RuleResult:
    """The result where there is something to look at."""
    expression, reading = rule.expression, found.reading
    if reading is None or reading.value is None:
        return _undefined(rule, medium, limit, found)
    passed, sure = expression.holds(reading.value, limit.value), None
    if reading.lo is not None and reading.hi is not None:
        ends = product((reading.lo, reading.hi), limit.ends)
        sure = all(expression.holds(end, at) == passed for end, at in ends)
    if rule.sure and passed and sure is None and expression.metric not in EXACT:
        reason = "the rule asks to be sure, and no interval is known"
        return _result(rule, medium, "skipped", _sentence(expression, reason), limit, found)
    if rule.sure and sure is False:
        passed = False
    message = found_text(rule, limit, reading, found.which, passed, sure)
    return _result(rule, medium, "passed" if passed else "failed", message, limit, found, sure)


def _undefined(rule: Rule, medium: Measured, limit: Limit, found: _Found) -> RuleResult:
    """A score without a value is no reason to pass; what hardly anybody sees is never seen in time."""
    expression = rule.expression
    reason = (found.reading.reason if found.reading else None) or "this medium has no such score"
    never = expression.metric == FIRST_SEEN.name and found.reading is not None and not expression.wants_more
    status: Status = "failed" if never else "skipped"
    subject = f"{expression.subject}{found.which}"
    asked = f"; asked for is {limit_text(expression, limit)}" if never else ""
    return _result(rule, medium, status, f"{subject} is undefined: {_lower(reason)}{asked}.", limit, found)


def _without_area(rule: Rule, medium: Measured, limit: Limit) -> RuleResult:
    expression = rule.expression
    others = sum(area.type == expression.aoi_type for area in medium.areas)
    labelled = f' labelled "{expression.label}"' if expression.label else ""
    unlike = f" ({others} with other labels)" if others else ""
    means: Missing = rule.missing or rule.usual_missing
    reason = f"no {expression.aoi_type}{labelled} was found{unlike}"
    if means == "skip_unless_named":
        means = rule.usual_missing if medium.brand_named else "skip"
        reason += "" if medium.brand_named else f", {OVERLOOKED}"
    status = _STATUS_OF[means]
    asked = f"; asked for is {limit_text(expression, limit)}" if status == "failed" else ""
    return _result(rule, medium, status, _sentence(expression, reason + asked), limit)


def _sentence(expression: Expression, what: str) -> str:
    return f"{expression.subject}: {what}."


def _lower(reason: str) -> str:
    return reason[:1].lower() + reason[1:].rstrip(".")


def _result(
    rule: Rule,
    medium: Measured,
    status: Status,
    message: str,
    limit: Limit | None = None,
    found: _Found | None = None,
    sure: bool | None = None,
) -> RuleResult:
    reading = (found.reading if found else None) or Reading(None)
    margin = None
    if reading.value is not None and limit is not None:
        margin = rule.expression.margin(reading.value, limit.value)
    return RuleResult(
        path=medium.path,
        medium_id=medium.medium_id,
        rule=rule.text,
        name=rule.name or rule.text,
        severity=rule.severity,
        status=status,
        value=reading.value,
        lo=reading.lo,
        hi=reading.hi,
        limit=limit.value if limit else None,
        margin=margin,
        sure=sure,
        aoi_id=found.area.aoi_id if found and found.area else None,
        message=message if message.endswith(".") else f"{message}.",
    )
