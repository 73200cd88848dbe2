"""Evaluate the checks that ship on the result of one medium, and word the outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from mediaan.aoi.detection.call_to_action import call_to_action_confidence
from mediaan.aoi.scoring.film_scores import Film
from mediaan.aoi.scoring.main_area import main_area
from mediaan.judge.checks.specs import CheckSpec, ScoreWording, check_specs, missing_area_wording, score_wordings
from mediaan.judge.checks.wording import area_name, capitalize, format_score, format_value, type_words
from mediaan.judge.rules.comparison import Comparison, Evidence, compare
from mediaan.judge.rules.derived import EVIDENCE_OF, film_of, is_sure, offers, with_derived_scores
from mediaan.judge.rules.evaluate import is_meant, joint_score
from mediaan.judge.rules.rule import Expression, Limit
from mediaan.types.aoi import Aoi, unread_script
from mediaan.types.benchmark import EDGES
from mediaan.types.checks import CheckResult, CheckStatus
from mediaan.types.metrics import Score
from mediaan.types.result import Result

MIN_PHRASE_SCORE = 0.9
"""Least `call_to_action_confidence` of a phrase that is nothing but a call to action or an address."""


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
    specs = [spec for spec in check_specs() if spec.is_asked(result.purpose, moves=result.moves)]
    expressions = derived_expressions(specs)
    film = film_of(result, expressions)
    result = with_derived_scores(result, film, expressions)
    return tuple(check for spec in specs if (check := _evaluate_check(spec, result, film)) is not None)


def derived_expressions(specs: Iterable[CheckSpec]) -> list[Expression]:
    """Return the rules of checks, without those for which `EVIDENCE_OF` finds the score."""
    return [rule for spec in specs for rule in spec.expressions if rule.metric not in EVIDENCE_OF]


def _evaluate_check(spec: CheckSpec, result: Result, film: Film | None) -> CheckResult | None:
    """Return the result of the first rule that does not pass, or of the last; None where nothing can be said."""
    check = None
    for expression in spec.expressions:
        check_of_rule = _evaluate_rule(spec, expression, result, film)
        if check_of_rule is None:
            break
        check = check_of_rule
        if check.status != "passed":
            break
    return check


def _evaluate_rule(spec: CheckSpec, expression: Expression, result: Result, film: Film | None) -> CheckResult | None:
    wording = score_wordings()[expression.metric]
    if wording.needs and not result.objective.get(wording.needs):
        return None
    evidence = _find_evidence(spec, expression, result, film)
    if not isinstance(evidence, Evidence):
        return _result_without_area(spec, result, evidence) if spec.needs_area else None
    area, score = evidence.area, evidence.score
    words = _words(evidence, expression, result)
    if score is None or score.value is None:
        if not wording.unknown:
            return None
        text = wording.unknown.format_map(words)
        return _result(spec, result, "unknown", text, area=area, settle=wording.settle)
    told = score if wording.tells_value else None
    finding = (wording.single if wording.single and score.value == 1 else wording.finding).format_map(words)
    if (
        area is not None and area.type == "other" and spec.instead
    ):  # offers have no population: that one is there counts
        return _result(spec, result, "passed", f"{finding}.", area=area, score=told)
    limit = _limit(expression, wording, evidence, result)
    if limit is None:
        standing = result.range(score.metric, area)
        reason = (score.reason or (standing and standing.reason) or "the run has no benchmark").rstrip(".")
        settle = f"{wording.compared} cannot be compared: {reason}."
        return _result(spec, result, "unknown", f"{finding}.", area=area, score=told, settle=settle)
    comparison = compare(score, expression, limit, from_middle=wording.from_middle)
    status = comparison.check_status(wording.tolerance)
    text = wording.sentence(status, alone=evidence.other is None).format_map(words)
    if not text:
        bound = "minimum" if expression.is_minimum else "maximum"  # "target range" is the recommended one
        close = "; too close to call" if status == "close" else ""
        text = f"{finding} ({bound}: {format_value(limit.value, score.unit)}{close})."
    todo = wording.todo.format_map(words)
    return _result(spec, result, status, text, area=area, score=told, limit=limit, comparison=comparison, todo=todo)


def _find_evidence(
    spec: CheckSpec, expression: Expression, result: Result, film: Film | None
) -> Evidence | Literal["absent", "doubtful"]:
    """Return the score that a rule of a check is held against, or why there is none: no such area, or a doubtful one.

    Of areas, the main one of the first of the check's types that is there counts.
    """
    if find := EVIDENCE_OF.get(expression.metric):
        return find(result, expression.aoi_type, spec.least) or "absent"
    if expression.aoi_type is None:
        return Evidence(result.score(expression.metric, expression.time))
    if expression.is_joint:
        areas = [aoi for aoi in result.aois or () if is_meant(aoi, expression, film) and is_sure(aoi, spec.least)]
        return Evidence(joint_score(expression, areas, film))
    doubtful = False
    for aoi_type in spec.types:
        is_offer = aoi_type == "offer"
        area = main_area(offers(result) if is_offer else result.aois or (), "other" if is_offer else aoi_type)
        if area is not None and is_sure(area, spec.least):
            return Evidence(area.score(expression.key, expression.time), area)
        doubtful = doubtful or area is not None
    return "doubtful" if doubtful else "absent"


def _limit(expression: Expression, wording: ScoreWording, evidence: Evidence, result: Result) -> Limit | None:
    """Return the number that a score is compared with; None where it has no population."""
    if expression.limit is not None:
        return Limit(expression.limit)
    standing = result.range(expression.metric, evidence.area)
    if standing and standing.edges and expression.percent is not None:
        return Limit(float(np.interp(expression.percent, EDGES, standing.edges)))
    return Limit(wording.film_target) if result.moves and wording.film_target is not None else None


def _words(evidence: Evidence, expression: Expression, result: Result) -> dict[str, str]:
    """Return what stands in the place of the words in braces of a sentence."""
    area, other, score = evidence.area, evidence.other, evidence.score
    words = {
        "platform": (result.objective.get("platform") or "").replace("_", " "),
        "reason": (score and score.reason) or "it was not computed",
    }
    if score is not None and score.value is not None:
        words["value"] = format_score(score, score.unit)
    if area is not None:
        brand_in_words = expression.aoi_type == "branding" and area.type != "branding"
        words["area"] = area_name(area) + (", which names the brand," if brand_in_words else "")
        words["share"] = format_value(area.attention, "%")
    words["other"] = area_name(other) if other else ""
    words["other_share"] = format_value(other.attention, "%") if other else ""
    return words


def _result_without_area(spec: CheckSpec, result: Result, why: Literal["absent", "doubtful"]) -> CheckResult:
    """Return the result of a check whose area was not searched for, is too doubtful, or was not found."""
    title, brand = type_words(spec.types), result.brand.name if result.brand else ""
    script, phrase = unread_script(brand), None
    found_with = {"offer": "headline_text"}  # prices are read like other text
    case: str = why
    if not any(found_with.get(aoi_type, aoi_type) in result.looked_for for aoi_type in spec.types):
        case = "unsearched"
    elif spec.types == ("branding",) and not brand:
        case = "unnamed"
    elif spec.types == ("branding",) and why == "absent" and script:
        case = "unreadable"
    elif spec.types == ("call_to_action",) and why == "absent" and (phrase := _call_to_action_phrase(result)):
        case = "worded"
    wording = missing_area_wording(spec.types, case)
    noun = title.removeprefix("the ").replace(" or the ", " or ")
    text = wording.text.format(title=title, noun=noun, brand=brand, script=script, phrase=phrase)
    return _result(spec, result, wording.status, text, settle=wording.settle, todo=wording.todo)


def _call_to_action_phrase(result: Result) -> str | None:
    """Return the first line of text that is nothing but a call to action."""
    lines = (line for area in result.aois or () for line in (area.words or "").splitlines())
    return next((line.strip() for line in lines if call_to_action_confidence(line) >= MIN_PHRASE_SCORE), None)


def _result(
    spec: CheckSpec,
    result: Result,
    status: CheckStatus,
    text: str,
    *,
    area: Aoi | None = None,
    score: Score | None = None,
    limit: Limit | None = None,
    comparison: Comparison | None = None,
    settle: str = "",
    todo: str = "",
) -> CheckResult:
    return CheckResult(
        value=score.value if score else None,
        lo=score.lo if score else None,
        hi=score.hi if score else None,
        name=spec.name,
        title=spec.title,
        status=status,
        required=spec.is_required(result.purpose),
        text=capitalize(text),
        target=limit.value if score and limit else None,
        unit=score.unit if score else "",
        probability=comparison.probability if comparison else None,
        aoi_id=str(area.aoi_id) if area else None,
        settle=(settle or None) if status != "passed" else None,
        todo=(todo or None) if status == "failed" else None,
        why=spec.why,
        source=spec.source,
    )
