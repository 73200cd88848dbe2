"""Word what a rule asks for and what was found, in one sentence."""

from __future__ import annotations

from mediaan.judge.rules.comparison import Evidence, LimitComparison
from mediaan.judge.rules.rule import Expression, Limit, Rule

_UNITS = {"%": " %", "s": " s", "1/min": " a minute", "1/s": " a second", "px": " px", "arcmin": " arc minutes"}
_MOST_DIGITS = 9
_LONGEST_LABEL = 30


def found_text(rule: Rule, limit: Limit, evidence: Evidence, comparison: LimitComparison) -> str:
    """Say what was found, how far it is from the limit, and how sure that is.

    `evidence`: with a score that has a value.
    `comparison`: of that score with the limit.

    >>> from mediaan.judge.rules.comparison import compare
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
