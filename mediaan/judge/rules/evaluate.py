"""Evaluate rules on the scores of a medium."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from mediaan.aoi.scoring.film_scores import Film
from mediaan.aoi.scoring.fixation_hazard import window_span
from mediaan.aoi.scoring.screen_time import ON_SCREEN, seconds_within
from mediaan.aoi.scoring.specs import FIRST_SEEN
from mediaan.judge.rules.comparison import Evidence, LimitComparison, compare
from mediaan.judge.rules.rule import Expression, IfMissing, Limit, Rule
from mediaan.judge.rules.scores import COUNT, EXACT, SCREEN_TIMES
from mediaan.judge.rules.sentences import found_text, limit_text, which_area
from mediaan.types.aoi import Aoi
from mediaan.types.checks import RuleResult, RuleStatus
from mediaan.types.metrics import Score
from mediaan.types.result import Result

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
