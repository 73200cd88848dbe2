"""Evaluate rules on the scores of a medium."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from mediaan.aoi.scoring.film_scores import ON_SCREEN, Film, seconds_within
from mediaan.aoi.scoring.fixation_hazard import window_span
from mediaan.aoi.scoring.specs import FIRST_SEEN
from mediaan.judge.rules.rule import COUNT, EXACT, SCREEN_TIMES, Expression, IfMissing, Limit, Rule
from mediaan.metrics.scales import probability_above
from mediaan.types.aoi import Aoi
from mediaan.types.checks import CheckStatus, RuleResult, RuleStatus
from mediaan.types.metrics import Score
from mediaan.types.result import Result


@dataclass(frozen=True, slots=True)
class Evidence:
    """The score that is held against a limit, and whose it is."""

    score: Score | None
    area: Aoi | None = None
    """None for a score of the medium."""
    among: int = 1
    """Areas of which `area` is one."""


@dataclass(frozen=True, slots=True)
class LimitComparison:
    """A score that was compared with a limit."""

    limit: float
    """What the value was compared with."""
    met: bool
    """Whether the value is on the right side."""
    margin: float
    """Distance on the right side, in the score's unit; negative: on the wrong one."""
    sure: bool | None
    """Whether the whole interval is on that side, of a percentile's whole interval too; None without an interval."""
    probability: float | None
    """Of the true value to be on the right side; None without an interval."""

    def rule_status(self, *, sure: bool, exact: bool) -> RuleStatus:
        """Return the status of a rule, by the value.

        `sure`: whether the whole interval has to be on the right side; without one it cannot be told.
        `exact`: whether the score is counted or measured, and needs no interval.
        """
        if not self.met or (sure and self.sure is False):
            return "failed"
        return "skipped" if sure and self.sure is None and not exact else "passed"

    def check_status(self, exact_to: float = 0.0, tolerance: float = 0.0) -> CheckStatus:
        """Return the status of a check, by the value.

        `exact_to`: half-width within which the value moves under changes that should not matter: a limit within it is
            too close to call.
        `tolerance`: error of a measured value downwards: one that misses the limit by no more is too close to call.
        """
        if abs(self.margin) < exact_to:
            return "close"
        if self.met:
            return "passed"
        return "close" if self.margin >= -tolerance and tolerance else "failed"


def compare(score: Score, expression: Expression, limit: Limit) -> LimitComparison:
    """Compare a score with a limit.

    `score`: with a value.
    `limit`: with a value.
    """
    assert score.value is not None
    met, sure = expression.holds(score.value, limit.value), None
    if score.bounds:
        sure = all(expression.holds(end, at) == met for end, at in product(score.bounds, limit.ends))
    probability = probability_met(score, limit.value, minimum=expression.is_minimum)
    return LimitComparison(limit.value, met, expression.margin(score.value, limit.value), sure, probability)


def probability_met(score: Score, limit: float, *, minimum: bool) -> float | None:
    """Return the probability that the true value is on the right side of a limit; None without an interval.

    Where a bound of the scale cuts one arm of the interval short, the other arm stands in for it.

    `minimum`: whether the right side is above.
    """
    if score.value is None or score.lo is None or score.hi is None:
        return None
    below, above = max(score.value - score.lo, 0.0), max(score.hi - score.value, 0.0)
    if score.unit == "%":
        longest = max(below, above)
        below, above = longest if score.lo <= 0 else below, longest if score.hi >= 100 else above
    above_limit = probability_above(score.value - limit, below, above)
    return above_limit if minimum else 1 - above_limit


_UNITS = {"%": " %", "s": " s", "1/min": " a minute", "1/s": " a second", "px": " px", "arcmin": " arc minutes"}
_MOST_DIGITS = 9
_LONGEST_LABEL = 30


def found_text(rule: Rule, limit: Limit, evidence: Evidence, comparison: LimitComparison) -> str:
    """Say what was found, how far it is from the limit, and how sure that is.

    `evidence`: with a score that has a value.

    >>> from mediaan.judge.rules.evaluate import compare
    >>> from mediaan.judge.rules.parse import parse_rule
    >>> from mediaan.types.metrics import Score
    >>> rule = Rule(parse_rule("branding.percentage_seen.start >= 40"))
    >>> score = Score(31, 22, 41, metric="percentage_seen", time="start", basis="learned", unit="%")
    >>> found_text(rule, Limit(40), Evidence(score), compare(score, rule.expression, Limit(40)))
    'branding.percentage_seen.start is 31 %, 9 short of 40; 90 % interval 22 to 41: not sure.'
    """
    expression, score, target = rule.expression, evidence.score, limit.value
    assert score is not None
    assert score.value is not None
    digits = _digits(expression, score.value, target)
    limit_words, gap = format_decimals(target, digits), format_decimals(abs(comparison.margin), digits)
    if expression.operator == "==":
        distance = "as asked for" if comparison.met else f"not {limit_words}"
    elif score.value == target:
        more = "more" if expression.is_minimum else "less"
        distance = f"exactly {limit_words}" if comparison.met else f"not {more} than {limit_words}"
    elif expression.is_minimum:
        distance = f"{gap} {'above' if comparison.met else 'short of'} {limit_words}"
    else:
        distance = f"{gap} {'below' if comparison.met else 'over'} {limit_words}"
    certainty = ""
    if score.bounds:
        ends = (format_decimals(end, _digits(expression, end, target)) for end in score.bounds)
        interval = f"90 % interval {' to '.join(ends)}"
        if comparison.met and rule.sure and not comparison.sure:
            beyond = "beyond the limit" if limit.lo is None else "that of the limit"
            certainty = f", but its {interval} reaches {beyond}, and the rule asks to be sure"
        else:
            certainty = f"; {interval}: {'sure' if comparison.sure else 'not sure'}"
    value = format_decimals(score.value, digits) + _UNITS.get(expression.spec.unit, "")
    subject = f"{expression.subject}{which_area(evidence)} is {value}"
    return f"{subject}, {distance}{_origin(limit, digits)}{certainty}."


def which_area(evidence: Evidence) -> str:
    """Name the area that decides, in parentheses, where there are several."""
    if evidence.area is None or evidence.among == 1:
        return ""
    label = evidence.area.label or evidence.area.type
    label = label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"
    return f" ({label}, 1 of {evidence.among})"


def limit_text(expression: Expression, limit: Limit) -> str:
    """Say what is asked for, such as ``at least 40 %``."""
    words = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than", "==": "exactly"}
    digits = _digits(expression, limit.value, limit.value)
    unit = _UNITS.get(expression.spec.unit, "")
    return f"{words[expression.operator]} {format_decimals(limit.value, digits)}{unit}{_origin(limit, digits)}"


def _origin(limit: Limit, digits: int) -> str:
    """Say of which population a percentile is, and how sure it is of that."""
    if not limit.words:
        return ""
    if limit.lo is None:
        return f" ({limit.words})"
    return f" ({limit.words}, 90 % interval {' to '.join(format_decimals(end, digits) for end in limit.ends)})"


def format_decimals(value: float, digits: int) -> str:
    """Format a number with so many decimals at most.

    >>> format_decimals(40.0, 1), format_decimals(-0.04, 1), format_decimals(2.345, 2)
    ('40', '0', '2.35')
    """
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _digits(expression: Expression, value: float, limit: float) -> int:
    """Return as many decimals as a reader needs, and as tell a value from its limit."""
    digits = 2 if expression.spec.unit in ("s", "ratio") else 1
    while value != limit and digits < _MOST_DIGITS and format_decimals(value, digits) == format_decimals(limit, digits):
        digits += 1
    return digits


LimitAt: TypeAlias = Callable[[str, Expression], "Limit | str"]
"""Score at the percentile of a rule in the population of a medium, from its id; or why there is none."""

OVERLOOKED_BRAND = (
    "and its brand was not named, or not in letters that are read, so that a mark may have been overlooked: name it, "
    "or draw the area"
)
"""Reason why nothing can be told of a brand that was not found."""

_STATUS_OF: Mapping[str, RuleStatus] = {"fail": "failed", "pass": "passed", "skip": "skipped"}


def no_population(medium_id: str, expression: Expression) -> Limit | str:
    """Say that there is no benchmark: the `LimitAt` of runs without one."""
    return "there is no benchmark"


def evaluate(rule: Rule, result: Result, limit_at: LimitAt = no_population, film: Film | None = None) -> RuleResult:
    """Evaluate a rule on a result.

    `result`: with the scores that rules know beyond its own: `mediaan.judge.rules.derived`.
    `limit_at`: what a percentile comes to for this medium.
    `film`: of a video, where rules ask for screen times.
    Returns: ``skipped`` where it cannot be told: the score is undefined, there is no population, nobody looked for
        areas.
    """
    expression = rule.expression
    limit = limit_at(str(result.medium.medium_id), expression) if expression.limit is None else Limit(expression.limit)
    if isinstance(limit, str):
        return _result(rule, result, "skipped", f"{expression.subject} has no limit: {limit.removesuffix('.')}.")
    if expression.aoi_type is None:
        return _evaluate_evidence(rule, result, limit, Evidence(result.score(expression.metric, expression.time)))
    if expression.aoi_type not in result.looked_for:
        message = f"{expression.subject}: areas of the type {expression.aoi_type} were not looked for in it."
        return _result(rule, result, "skipped", message, limit)
    areas = [aoi for aoi in result.aois or () if is_meant(aoi, expression, film)]
    if not areas and (rule.missing or not expression.is_joint):
        return _without_area(rule, result, limit)
    if expression.is_joint:
        return _evaluate_evidence(rule, result, limit, Evidence(joint_score(expression, areas, film)))
    return _evaluate_evidence(rule, result, limit, _deciding_area(rule, limit, areas))


def joint_score(expression: Expression, areas: Sequence[Aoi], film: Film | None) -> Score:
    """Return what areas have together: how many there are, or for how many seconds any of them is on screen."""
    if expression.metric == COUNT.name:
        return Score.of(COUNT, float(len(areas)))
    window = window_span(expression.time, film.duration_s if film else 0.0)
    seconds = seconds_within(film.on_screen(areas) if film else (), *window)
    return Score.of(ON_SCREEN, seconds, time=expression.time)


def is_meant(aoi: Aoi, expression: Expression, film: Film | None) -> bool:
    """Return True if a rule speaks of an area; of times of the brand, also a text that names it."""
    timed = expression.aoi_type == "branding" and expression.metric in SCREEN_TIMES
    if timed and film is not None and film.names_brand(aoi):
        return expression.label is None
    if aoi.type != expression.aoi_type:
        return False
    return expression.label is None or _normal(aoi.label) == _normal(expression.label)


def _normal(label: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


def _deciding_area(rule: Rule, limit: Limit, areas: Sequence[Aoi]) -> Evidence:
    """Choose the area that decides: the one with the best score; of `all`, the worst by the rule; of `any`, the best.

    An area without a score decides if the others do not settle the result.
    """
    expression = rule.expression
    candidates = [Evidence(area.score(expression.key, expression.time), area, len(areas)) for area in areas]
    scored = [candidate for candidate in candidates if candidate.score and candidate.score.value is not None]
    unknown = [candidate for candidate in candidates if candidate not in scored]
    if not scored:
        return unknown[0]

    target = limit.ends[expression.is_minimum] if rule.sure else limit.value

    def value(candidate: Evidence, *, nearest: bool) -> float:
        """Return the value, or the end of its interval that is nearest to the limit."""
        score = candidate.score
        assert score is not None
        assert score.value is not None
        end = score.lo if expression.is_minimum else score.hi
        return end if nearest and end is not None else score.value

    def margin(candidate: Evidence) -> float:
        return expression.margin(value(candidate, nearest=rule.sure), target)

    if expression.which == "strongest":
        sign = 1 if expression.spec.direction == "higher" else -1
        return max(scored, key=lambda candidate: sign * value(candidate, nearest=False))
    decisive = (min if expression.which == "all" else max)(scored, key=margin)
    holds = expression.holds(value(decisive, nearest=rule.sure), target)
    return unknown[0] if unknown and holds == (expression.which == "all") else decisive


def _evaluate_evidence(rule: Rule, result: Result, limit: Limit, evidence: Evidence) -> RuleResult:
    """Return the result for the score that decides."""
    expression, score = rule.expression, evidence.score
    if score is None or score.value is None:
        return _undefined(rule, result, limit, evidence)
    comparison = compare(score, expression, limit)
    status = comparison.rule_status(sure=rule.sure, exact=expression.metric in EXACT)
    if status == "skipped":
        reason = "the rule asks to be sure, and no interval is known"
        return _result(rule, result, status, f"{expression.subject}: {reason}.", limit, evidence, comparison)
    message = found_text(rule, limit, evidence, comparison)
    return _result(rule, result, status, message, limit, evidence, comparison)


def _undefined(rule: Rule, result: Result, limit: Limit, evidence: Evidence) -> RuleResult:
    """Return the result for a score without a value: skipped, or failed if too few viewers see the area in time."""
    expression, score = rule.expression, evidence.score
    reason = (score.reason if score else None) or "this file has no such score"
    never = expression.metric == FIRST_SEEN.name and score is not None and not expression.is_minimum
    wanted = f"; asked for is {limit_text(expression, limit)}" if never else ""
    why = reason[:1].lower() + reason[1:].rstrip(".")
    message = f"{expression.subject}{which_area(evidence)} is undefined: {why}{wanted}."
    return _result(rule, result, "failed" if never else "skipped", message, limit, evidence)


def _without_area(rule: Rule, result: Result, limit: Limit) -> RuleResult:
    """Return the result if there is no such area."""
    expression = rule.expression
    others = sum(aoi.type == expression.aoi_type for aoi in result.aois or ())
    labelled = f' labelled "{expression.label}"' if expression.label else ""
    unlike = f" ({others} with other labels)" if others else ""
    missing: IfMissing = rule.missing or rule.usual_missing
    reason = f"no {expression.aoi_type}{labelled} was found{unlike}"
    if missing == "skip_unless_named":
        missing = rule.usual_missing if result.brand_known else "skip"
        reason += "" if result.brand_known else f", {OVERLOOKED_BRAND}"
    status = _STATUS_OF[missing]
    wanted = f"; asked for is {limit_text(expression, limit)}" if status == "failed" else ""
    return _result(rule, result, status, f"{expression.subject}: {reason}{wanted}.", limit)


def _result(
    rule: Rule,
    result: Result,
    status: RuleStatus,
    message: str,
    limit: Limit | None = None,
    evidence: Evidence | None = None,
    comparison: LimitComparison | None = None,
) -> RuleResult:
    score, area = (evidence.score, evidence.area) if evidence else (None, None)
    return RuleResult(
        score.value if score else None,
        score.lo if score else None,
        score.hi if score else None,
        name=rule.name or rule.text,
        status=status,
        aoi_id=str(area.aoi_id) if area else None,
        path=result.path,
        medium_id=str(result.medium.medium_id),
        rule=rule.text,
        severity=rule.severity,
        limit=limit.value if limit else None,
        margin=comparison.margin if comparison else None,
        sure=comparison.sure if comparison else None,
        message=message,
    )
