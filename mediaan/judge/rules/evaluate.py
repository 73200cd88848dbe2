"""Hold rules against the scores of a medium, and say in one sentence what each found."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from mediaan.aoi.scoring.film_scores import Film
from mediaan.aoi.scoring.fixation_hazard import window_span
from mediaan.aoi.scoring.screen_time import ON_SCREEN, seconds_within
from mediaan.aoi.scoring.specs import FIRST_SEEN
from mediaan.judge.rules.rule import Expression, IfMissing, Limit, Rule
from mediaan.judge.rules.scores import COUNT, EXACT, SCREEN_TIMES
from mediaan.types.aoi import Aoi, AoiType
from mediaan.types.checks import RuleResult, RuleStatus
from mediaan.types.densities import Window
from mediaan.types.metrics import Score
from mediaan.types.result import Result

_UNITS = {"%": " %", "s": " s", "1/min": " a minute", "1/s": " a second", "px": " px", "arcmin": " arc minutes"}
_MOST_DIGITS = 9


def found_text(rule: Rule, limit: Limit, score: Score, which: str, passed: bool, sure: bool | None) -> str:
    """Say what was asked and what was found.

    Parameters
    ----------
    rule : Rule
    limit : Limit
    score : Score
        With a value.
    which : str
        Which area was looked at, in parentheses; or nothing.
    passed : bool
    sure : bool or None
        Whether the interval is on one side of the limit, and of all that a percentile may come to.

    Examples
    --------
    >>> from mediaan.judge.rules.parse import parse_rule
    >>> rule = Rule(parse_rule("branding.percentage_seen.start >= 40"))
    >>> score = Score(31, 22, 41, metric="percentage_seen", time="start", basis="learned", unit="%")
    >>> found_text(rule, Limit(40), score, "", False, False)
    'branding.percentage_seen.start is 31 %, 9 short of 40; 90 % interval 22 to 41: not sure.'
    """
    expression, value, wanted = rule.expression, score.value, limit.value
    assert value is not None
    assert wanted is not None
    digits = _digits(expression, value, wanted)
    unit = _UNITS.get(expression.spec.unit, "")
    holds = expression.holds(value, wanted)
    asked, gap = format_decimals(wanted, digits), format_decimals(abs(value - wanted), digits)
    if expression.operator == "==":
        distance = "as asked for" if holds else f"not {asked}"
    elif value == wanted:
        distance = f"exactly {asked}" if holds else f"not {'more' if expression.is_minimum else 'less'} than {asked}"
    elif expression.is_minimum:
        distance = f"{gap} above {asked}" if holds else f"{gap} short of {asked}"
    else:
        distance = f"{gap} below {asked}" if holds else f"{gap} over {asked}"
    interval = ""
    if score.bounds:
        ends = (format_decimals(end, _digits(expression, end, wanted)) for end in score.bounds)
        interval = f"90 % interval {' to '.join(ends)}"
        if holds and not passed:
            beyond = "beyond the limit" if limit.lo is None else "that of the limit"
            interval = f", but its {interval} reaches {beyond}, and the rule asks to be sure"
        else:
            interval = f"; {interval}: {'sure' if sure else 'not sure'}"
    shown = f"{format_decimals(value, digits)}{unit}"
    return f"{expression.subject}{which} is {shown}, {distance}{_origin(limit, digits)}{interval}."


def limit_text(expression: Expression, limit: Limit) -> str:
    """Say what is asked for, such as ``at least 40 %``."""
    words = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than", "==": "exactly"}
    assert limit.value is not None
    digits = _digits(expression, limit.value, limit.value)
    unit = _UNITS.get(expression.spec.unit, "")
    return f"{words[expression.operator]} {format_decimals(limit.value, digits)}{unit}{_origin(limit, digits)}"


def _origin(limit: Limit, digits: int) -> str:
    """Say of which population a percentile is, and how sure it is of that."""
    if not limit.words:
        return ""
    known = (
        "" if limit.lo is None else f", 90 % interval {' to '.join(format_decimals(end, digits) for end in limit.ends)}"
    )
    return f" ({limit.words}{known})"


def format_decimals(value: float, digits: int) -> str:
    """Format a number with so many decimals at most.

    Examples
    --------
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


LimitAt: TypeAlias = Callable[[str, str, Window, "AoiType | None", int], "Limit | str"]
"""Score at a percentile of a medium's population, from medium id, metric, time, type of area and percent; or why there
is none."""

OVERLOOKED_BRAND = (
    "and its brand was not named, or not in letters that are read, so that a mark may have been overlooked: name it, "
    "or draw the area"
)
"""Reason why nothing can be told of a brand that was not found."""

_LONGEST_LABEL = 30
_STATUS_OF: Mapping[str, RuleStatus] = {"fail": "failed", "pass": "passed", "skip": "skipped"}


def no_population(medium_id: str, metric: str, time: Window, aoi_type: AoiType | None, percent: int) -> Limit | str:
    """Find nothing: a `LimitAt` for where there is no population."""
    return "there is no benchmark"


def evaluate(rule: Rule, result: Result, limit_at: LimitAt = no_population, film: Film | None = None) -> RuleResult:
    """Hold a rule against a result.

    Parameters
    ----------
    rule : Rule
    result : Result
        With the scores that rules know beyond its own: `mediaan.judge.rules.derived`.
    limit_at : callable
        What a percentile comes to for this medium.
    film : Film, optional
        Of a video, where rules ask for screen times.

    Returns
    -------
    RuleResult
        ``skipped`` where it cannot be told: the score is undefined, there is no population, nobody looked for areas.
    """
    expression = rule.expression
    limit: Limit | str
    if expression.percent is None:
        assert expression.limit is not None
        limit = Limit(expression.limit)
    else:
        medium_id = str(result.medium.medium_id)
        limit = limit_at(medium_id, expression.metric, expression.time, expression.aoi_type, expression.percent)
    if isinstance(limit, str):
        return _result(rule, result, "skipped", f"{expression.subject} has no limit: {limit}")
    if expression.aoi_type is None:
        return _evaluate_match(rule, result, limit, _Match(result.score(expression.metric, expression.time)))
    if expression.aoi_type not in result.looked_for:
        reason = f"areas of the type {expression.aoi_type} were not looked for in it"
        return _result(rule, result, "skipped", _sentence(expression, reason), limit)
    areas = [aoi for aoi in result.aois or () if _matches(aoi, expression, film)]
    if not areas and (rule.missing or not expression.is_joint):
        return _without_area(rule, result, limit)
    if expression.metric == COUNT.name:
        return _evaluate_match(rule, result, limit, _Match(Score.of(COUNT, float(len(areas)))))
    if expression.is_joint:  # for how many seconds any of them is on screen
        window = window_span(expression.time, film.duration_s if film else 0.0)
        seconds = seconds_within(film.on_screen(areas) if film else (), *window)
        score = Score.of(ON_SCREEN, seconds, time=expression.time)
        return _evaluate_match(rule, result, limit, _Match(score))
    return _evaluate_match(rule, result, limit, _deciding_area(rule, limit, areas))


@dataclass(frozen=True, slots=True)
class _Match:
    """The score that decides, and whose it is."""

    score: Score | None
    area: Aoi | None = None
    among: int = 1

    @property
    def which(self) -> str:
        if self.area is None or self.among == 1:
            return ""
        label = self.area.label or self.area.type
        return f" ({label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + '…'}, 1 of {self.among})"


def _matches(aoi: Aoi, expression: Expression, film: Film | None) -> bool:
    timed = expression.aoi_type == "branding" and expression.metric in SCREEN_TIMES
    if timed and film is not None and film.names_brand(aoi):
        return expression.label is None
    if aoi.type != expression.aoi_type:
        return False
    return expression.label is None or _normal(aoi.label) == _normal(expression.label)


def _normal(label: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


def _deciding_area(rule: Rule, limit: Limit, areas: Sequence[Aoi]) -> _Match:
    """Choose the area that decides: the best score; of `all`, the worst one; of `any`, the best by the rule.

    One without a score decides where the others leave it open.
    """
    expression = rule.expression
    matches = [_Match(area.score(expression.key, expression.time), area, len(areas)) for area in areas]
    scored = [match for match in matches if match.score and match.score.value is not None]
    unknown = [match for match in matches if match not in scored]
    if not scored:
        return unknown[0]

    assert limit.value is not None
    asked = limit.ends[expression.is_minimum] if rule.sure else limit.value

    def deciding(match: _Match) -> float:
        """Return what is compared: of a rule that asks to be sure the end of the interval nearer to the limit."""
        score = match.score
        assert score is not None
        assert score.value is not None
        end = score.lo if expression.is_minimum else score.hi
        return end if rule.sure and end is not None else score.value

    if expression.which == "strongest":
        sign = 1 if expression.spec.direction == "higher" else -1
        return max(scored, key=lambda match: sign * ((match.score and match.score.value) or 0.0))
    choose = min if expression.which == "all" else max
    decisive = choose(scored, key=lambda match: expression.margin(deciding(match), asked))
    open_still = expression.holds(deciding(decisive), asked) == (expression.which == "all")
    return unknown[0] if unknown and open_still else decisive


def _evaluate_match(rule: Rule, result: Result, limit: Limit, match: _Match) -> RuleResult:
    """Make the result where there is something to look at."""
    expression, score, wanted = rule.expression, match.score, limit.value
    if score is None or score.value is None:
        return _undefined(rule, result, limit, match)
    assert wanted is not None
    passed, sure = expression.holds(score.value, wanted), None
    if score.bounds:
        sure = all(expression.holds(end, at) == passed for end, at in product(score.bounds, limit.ends))
    if rule.sure and passed and sure is None and expression.metric not in EXACT:
        reason = "the rule asks to be sure, and no interval is known"
        return _result(rule, result, "skipped", _sentence(expression, reason), limit, match)
    if rule.sure and sure is False:
        passed = False
    message = found_text(rule, limit, score, match.which, passed, sure)
    return _result(rule, result, "passed" if passed else "failed", message, limit, match, sure)


def _undefined(rule: Rule, result: Result, limit: Limit, match: _Match) -> RuleResult:
    """Refuse to pass a score without a value; fail one that is seen by hardly anybody, which is never in time."""
    expression = rule.expression
    reason = (match.score.reason if match.score else None) or "this file has no such score"
    never = expression.metric == FIRST_SEEN.name and match.score is not None and not expression.is_minimum
    status: RuleStatus = "failed" if never else "skipped"
    asked = f"; asked for is {limit_text(expression, limit)}" if never else ""
    why = reason[:1].lower() + reason[1:].rstrip(".")
    message = f"{expression.subject}{match.which} is undefined: {why}{asked}."
    return _result(rule, result, status, message, limit, match)


def _without_area(rule: Rule, result: Result, limit: Limit) -> RuleResult:
    expression = rule.expression
    others = sum(aoi.type == expression.aoi_type for aoi in result.aois or ())
    labelled = f' labelled "{expression.label}"' if expression.label else ""
    unlike = f" ({others} with other labels)" if others else ""
    means: IfMissing = rule.missing or rule.usual_missing
    reason = f"no {expression.aoi_type}{labelled} was found{unlike}"
    if means == "skip_unless_named":
        means = rule.usual_missing if result.brand_known else "skip"
        reason += "" if result.brand_known else f", {OVERLOOKED_BRAND}"
    status = _STATUS_OF[means]
    asked = f"; asked for is {limit_text(expression, limit)}" if status == "failed" else ""
    return _result(rule, result, status, _sentence(expression, reason + asked), limit)


def _sentence(expression: Expression, what: str) -> str:
    return f"{expression.subject}: {what}."


def _result(
    rule: Rule,
    result: Result,
    status: RuleStatus,
    message: str,
    limit: Limit | None = None,
    match: _Match | None = None,
    sure: bool | None = None,
) -> RuleResult:
    score = match.score if match else None
    margin = None
    if score and score.value is not None and limit is not None and limit.value is not None:
        margin = rule.expression.margin(score.value, limit.value)
    return RuleResult(
        score.value if score else None,
        score.lo if score else None,
        score.hi if score else None,
        path=result.path,
        medium_id=str(result.medium.medium_id),
        rule=rule.text,
        name=rule.name or rule.text,
        severity=rule.severity,
        status=status,
        limit=limit.value if limit else None,
        margin=margin,
        sure=sure,
        aoi_id=str(match.area.aoi_id) if match and match.area else None,
        message=message if message.endswith(".") else f"{message}.",
    )
