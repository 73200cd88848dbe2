"""What a rule found, in one sentence."""

from __future__ import annotations

from mediaan.rules.expression import Expression
from mediaan.rules.rule import Limit, Reading, Rule

_UNITS = {"%": " %", "s": " s", "1/min": " a minute", "1/s": " a second"}
_MOST_DIGITS = 9


def found_text(rule: Rule, limit: Limit, reading: Reading, which: str, passed: bool, sure: bool | None) -> str:
    """What was asked and what was found.

    Parameters
    ----------
    rule : Rule
    limit : Limit
    reading : Reading
        With a value.
    which : str
        Which area was looked at, in parentheses; or nothing.
    passed : bool
    sure : bool or None
        Whether the interval is on one side of the limit, and of all that a percentile may come to.

    Examples
    --------
    >>> from mediaan.rules.parse import parse_rule
    >>> rule = Rule(parse_rule("branding.percentage_seen.start >= 40"))
    >>> found_text(rule, Limit(40, ""), Reading(31, 22, 41), "", False, False)
    'branding.percentage_seen.start is 31 %, 9 short of 40; 90 % interval 22 to 41: not sure.'
    """
    expression, value = rule.expression, reading.value
    assert value is not None
    digits = _digits(expression, value, limit.value)
    unit = _UNITS.get(expression.spec.unit, "")
    text = (
        f"{expression.subject}{which} is {number(value, digits)}{unit}, {_distance(expression, value, limit, digits)}"
    )
    return f"{text}{_origin(limit, digits)}{_interval(rule, limit, reading, passed, sure)}."


def limit_text(expression: Expression, limit: Limit) -> str:
    """What is asked for, such as ``at least 40 %``."""
    words = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than", "==": "exactly"}
    digits = _digits(expression, limit.value, limit.value)
    unit = _UNITS.get(expression.spec.unit, "")
    return f"{words[expression.operator]} {number(limit.value, digits)}{unit}{_origin(limit, digits)}"


def _origin(limit: Limit, digits: int) -> str:
    """Of which population a percentile is, and how sure it is of that."""
    if not limit.words:
        return ""
    known = "" if limit.lo is None else f", 90 % interval {' to '.join(number(end, digits) for end in limit.ends)}"
    return f" ({limit.words}{known})"


def number(value: float, digits: int) -> str:
    """A number with so many decimals at most.

    Examples
    --------
    >>> number(40.0, 1), number(-0.04, 1), number(2.345, 2)
    ('40', '0', '2.35')
    """
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _digits(expression: Expression, value: float, limit: float) -> int:
    """Decimals: as many as a reader needs, and as tell a value from its limit."""
    digits = 2 if expression.spec.unit in ("s", "ratio") else 1
    while value != limit and digits < _MOST_DIGITS and number(value, digits) == number(limit, digits):
        digits += 1
    return digits


def _distance(expression: Expression, value: float, limit: Limit, digits: int) -> str:
    asked, gap = number(limit.value, digits), number(abs(value - limit.value), digits)
    holds = expression.holds(value, limit.value)
    if expression.operator == "==":
        return "as asked for" if holds else f"not {asked}"
    if value == limit.value:
        return f"exactly {asked}" if holds else f"not {'more' if expression.wants_more else 'less'} than {asked}"
    if expression.wants_more:
        return f"{gap} above {asked}" if holds else f"{gap} short of {asked}"
    return f"{gap} below {asked}" if holds else f"{gap} over {asked}"


def _interval(rule: Rule, limit: Limit, reading: Reading, passed: bool, sure: bool | None) -> str:
    if reading.lo is None or reading.hi is None:
        return ""
    lo, hi = (number(end, _digits(rule.expression, end, limit.value)) for end in (reading.lo, reading.hi))
    interval = f"90 % interval {lo} to {hi}"
    held = reading.value is not None and rule.expression.holds(reading.value, limit.value)
    if held and not passed:
        beyond = "beyond the limit" if limit.lo is None else "that of the limit"
        return f", but its {interval} reaches {beyond}, and the rule asks to be sure"
    return f"; {interval}: {'sure' if sure else 'not sure'}"
