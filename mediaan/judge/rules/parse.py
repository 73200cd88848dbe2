"""The language of rules: ``[AREA.]SCORE[.TIME] OPERATOR LIMIT`` or ``placement.SCORE(AREA) OPERATOR LIMIT``.

See ``docs/rules.md``. Read token by token by hand; nothing of a rule is ever run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, NoReturn, cast, get_args

from mediaan.errors import UsageError
from mediaan.judge.rules.rule import (
    AOI_SCORES,
    COUNT,
    JOINT_SCORES,
    MEDIUM_SCORES,
    OPERATORS,
    PLACEMENT_SCORES,
    WITHOUT_POPULATION,
    Expression,
    Operator,
    Quantifier,
    at_time,
    did_you_mean,
    looks_like_share,
    number_text,
    usual_time,
)
from mediaan.types.aoi import AOI_TYPES, AoiType
from mediaan.types.benchmark import CATEGORIES, EDGES
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec

MAX_LENGTH = 300
"""Characters of a rule."""

_TIMES = get_args(Window)
_QUANTIFIERS = ("all", "any")
_PLACEMENT = "placement"
_WRITTEN_UNITS = ("%", "s", "px")
_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<name>[^\W\d]\w*)|(?P<number>-?\d+(?:\.\d+)?)|(?P<string>"[^"]*"|'[^']*')
      |(?P<operator>[<>=!]+)|(?P<mark>[.()%])""",
    re.VERBOSE,
)
_MEANT = {"=>": ">=", "=<": "<=", "≥": ">=", "≤": "<=", "===": "=="}
_LARGEST_LIMIT = 1e9
_CATEGORIES_BEGIN = ", ".join(f"{name} begins at p{p:g}" for name, p in zip(CATEGORIES[1:], EDGES, strict=True))
_JOINS = ("and", "or", "not", "if")
_PERCENTILE = re.compile(r"[pP](\d+)")


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


@lru_cache(maxsize=1024)
def parse_rule(text: str) -> Expression:
    """Understand a rule.

    `text`: such as ``branding.percentage_seen.start >= 40``, at most 300 characters.
    Raises UsageError: with code ``rule_invalid``: what cannot be understood, at which column, and what was probably
        meant.

    >>> rule = parse_rule('branding("Acme").first_seen_s <= 1.5 s')
    >>> rule.metric, rule.limit, rule.label
    ('first_seen_s', 1.5, 'Acme')
    >>> str(parse_rule("focus.start>=p70"))
    'focus_first_two >= p70'
    """
    return _Parser(text).rule()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        if len(text) > MAX_LENGTH:
            self._text = text[:40] + "…"
            self._refuse(MAX_LENGTH + 1, f"a rule has at most {MAX_LENGTH} characters; this one has {len(text)}")
        self._tokens = list(self._read(text))
        self._at = 0

    def rule(self) -> Expression:
        if self._next.kind == "end":
            self._refuse(1, "is empty; write for example branding.percentage_seen >= 40")
        placement: str | None = None
        aoi_type: AoiType | None
        if self._next.text == _PLACEMENT:
            placement, spec, which, aoi_type, label = self._placed()
            time = usual_time(spec.name)
        else:
            which, aoi_type, label = self._area()
            spec, time = self._score(aoi_type, which)
        operator = self._operator(spec)
        limit, percent = self._limit(spec, operator)
        token = self._next
        if token.kind == "operator":
            self._refuse(token.column, "a rule holds one comparison; write two rules")
        if token.text.lower() in _JOINS:
            self._refuse(token.column, f"a rule holds one comparison, no {token.text!r}; write two rules")
        if token.kind != "end":
            self._refuse(token.column, f"found {_shown(token)}; nothing may follow the limit")
        name, time = cast("tuple[str, Window]", at_time(spec.name, time))
        return Expression(name, time, operator, limit, percent, aoi_type, label, which, self._text.strip(), placement)

    def _placed(self) -> tuple[str | None, MetricSpec, Quantifier, AoiType, str | None]:
        """Parse ``placement.covered(branding)`` or ``placement("instagram_story").cropped(any(face))``.

        Every area of the type has to do, unless ``any`` is written.
        """
        self._take()
        placement = self._label()
        short = [name.partition(".")[2] for name in PLACEMENT_SCORES]
        self._expect(".", f"write for example {_PLACEMENT}.covered(call_to_action) == 0")
        token = self._take()
        spec = PLACEMENT_SCORES.get(f"{_PLACEMENT}.{token.text}")
        if spec is None:
            guess = did_you_mean(token.text, short) or f"; there are {_list(short)}"
            self._refuse(token.column, f"placements have no score {token.text!r}{guess}")
        self._expect("(", f"of which areas? Write for example {spec.name}(call_to_action)")
        which, aoi_type, label = self._areas("all")
        self._expect(")", f"{spec.name}( needs a closing parenthesis")
        return placement, spec, which, aoi_type, label

    def _area(self) -> tuple[Quantifier, AoiType | None, str | None]:
        """Parse ``branding``, ``branding("Acme")`` or ``all(branding)`` with the point behind it, if there is any."""
        if self._next.text not in AOI_TYPES and self._after.text != "(":
            return "strongest", None, None
        which, aoi_type, label = self._areas("strongest")
        self._expect(".", f"which score of {aoi_type}? Write for example {aoi_type}.percentage_seen >= 40")
        return which, aoi_type, label

    def _areas(self, usual: Quantifier) -> tuple[Quantifier, AoiType, str | None]:
        """Parse ``branding``, ``branding("Acme")``, ``all(branding)`` or ``any(branding)``."""
        if self._next.text not in _QUANTIFIERS or self._after.text != "(":
            return usual, self._aoi_type(), self._label()
        which = cast(Quantifier, self._take().text)
        self._take()
        aoi_type, label = self._aoi_type(), self._label()
        self._expect(")", f"{which}( needs a closing parenthesis")
        return which, aoi_type, label

    def _aoi_type(self) -> AoiType:
        token = self._take()
        if token.text not in AOI_TYPES:
            self._refuse(token.column, _no_type_of_area(token))
        return token.text

    def _label(self) -> str | None:
        if self._next.text != "(":
            return None
        self._take()
        token = self._take()
        if token.kind != "string":
            self._refuse(token.column, f'a label stands in quotes, such as branding("{token.text or "Acme"}")')
        label = token.text[1:-1].strip()
        if not label:
            self._refuse(token.column, "the label is empty; leave ('') out to mean areas of any label")
        self._expect(")", "the label needs a closing parenthesis behind it")
        return label

    def _score(self, aoi_type: AoiType | None, which: Quantifier) -> tuple[MetricSpec, Window]:
        token = self._take()
        spec = (AOI_SCORES if aoi_type else MEDIUM_SCORES).get(token.text)
        if spec is None:
            self._refuse(token.column, self._unknown_score(token, aoi_type))
        if spec.name in JOINT_SCORES and which != "strongest":
            self._refuse(token.column, f"{spec.name} takes them together; write {aoi_type}.{spec.name}")
        if self._next.text != ".":
            return spec, usual_time(spec.name)
        self._take()
        word = self._take()
        if word.text not in _TIMES:
            guess = did_you_mean(word.text, _TIMES) or f"; times are {_list(_TIMES)}"
            self._refuse(word.column, f"found {_shown(word)} behind {spec.name}{guess}")
        time = cast(Window, word.text)
        if at_time(spec.name, time) is None:
            self._refuse(word.column, f"{spec.name} has no {time}; leave .{time} out")
        return spec, time

    def _unknown_score(self, token: _Token, aoi_type: AoiType | None) -> str:
        if token.kind != "name":
            return f"found {_shown(token)}; a rule begins with a score, such as focus or branding.percentage_seen"
        if aoi_type and token.text in MEDIUM_SCORES:
            return f"{token.text} is a score of the whole file; write it without {aoi_type}"
        if aoi_type is None and token.text in AOI_SCORES:
            return f"{token.text} is a score of areas of interest; write for example branding.{token.text}"
        if aoi_type is None and self._next.text == "." and self._after.text in AOI_SCORES:
            return _no_type_of_area(token)
        if aoi_type:
            guess = did_you_mean(token.text, AOI_SCORES) or f"; there are {_list(AOI_SCORES)}"
            return f"no score {token.text!r} of {aoi_type}{guess}"
        guess = did_you_mean(token.text, (*MEDIUM_SCORES, *AOI_TYPES)) or f"; there are {_list(MEDIUM_SCORES)}"
        return f"no score {token.text!r}{guess}"

    def _operator(self, spec: MetricSpec) -> Operator:
        token = self._take()
        operators = _list(OPERATORS)
        if token.text.lower() == "between":
            self._refuse(token.column, "for a range write two rules, one with >= and one with <=")
        if token.kind != "operator":
            self._refuse(token.column, f"found {_shown(token)}; here stands one of {operators}")
        if token.text not in OPERATORS:
            meant = "== or >=" if token.text == "=" else _MEANT.get(token.text)
            self._refuse(token.column, f"{token.text!r} is no operator; write {meant or f'one of {operators}'}")
        if self._next.kind == "operator":
            self._refuse(token.column, f"an operator is written without a space, such as {token.text}=")
        if token.text == "==" and spec.unit != "count" and spec.name not in PLACEMENT_SCORES:
            self._refuse(token.column, f"== is for counts; {spec.name} hardly ever equals a number: write >= or <=")
        return token.text

    def _limit(self, spec: MetricSpec, operator: Operator) -> tuple[float | None, int | None]:
        token = self._take()
        if percentile := _PERCENTILE.fullmatch(token.text):
            percent = int(percentile[1][:9])
            if spec.name in WITHOUT_POPULATION:
                what = "numbers of areas are" if spec is COUNT else f"{spec.name} is"
                self._refuse(token.column, f"{what} in no benchmark; write a number")
            if operator == "==":
                self._refuse(token.column, f"== needs a number; write >= {token.text} or <= {token.text}")
            if not 1 <= percent <= 99 or self._next.text in (".", "%"):
                self._refuse(token.column, "percentiles are whole numbers from p1 to p99")
            return None, percent
        if token.text.strip("\"'") in CATEGORIES:
            self._refuse(token.column, f"write a percentile: {_CATEGORIES_BEGIN}")
        if token.kind != "number":
            swapped = token.text in MEDIUM_SCORES or token.text in AOI_TYPES
            what = "the score stands on the left, the limit on the right" if swapped else "here stands a number, or p70"
            self._refuse(token.column, f"found {_shown(token)}; {what}")
        limit = float(token.text)
        if looks_like_share(limit, spec) and self._next.text != "%":
            self._refuse(token.column, f"is {100 * limit:g} % meant, or {token.text} %? Write one of these with its %")
        self._unit(spec, token)
        if not spec.low <= limit <= min(spec.high, _LARGEST_LIMIT):
            top = "" if math.isinf(spec.high) else f" and at most {number_text(spec.high)}"
            written = number_text(limit) if abs(limit) <= _LARGEST_LIMIT else "that"
            range_text = f"{spec.name} is at least {number_text(spec.low)}{top}"
            self._refuse(token.column, f"{range_text}; {written} cannot be its limit")
        if operator == "==" and limit != int(limit) and spec.unit == "count":
            self._refuse(token.column, f"{spec.name} is a whole number; {token.text} cannot be reached")
        return limit, None

    def _unit(self, spec: MetricSpec, number: _Token) -> None:
        token = self._next
        if token.kind == "end":
            return
        if token.text in _WRITTEN_UNITS:
            self._take()
            if token.text != spec.unit:
                has = f"is in {spec.unit}" if spec.unit in _WRITTEN_UNITS else "has no unit"
                self._refuse(token.column, f"{spec.name} {has}; write {number.text} without {token.text}")
        elif token.kind == "name" and token.text.lower() not in _JOINS:
            unit = f"; its unit is {spec.unit}" if spec.unit in _WRITTEN_UNITS else ""
            self._refuse(token.column, f"{token.text!r} is no unit of {spec.name}{unit}")

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    @property
    def _after(self) -> _Token:
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def _take(self) -> _Token:
        token = self._next
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def _expect(self, mark: str, complaint: str) -> None:
        token = self._take()
        if token.text != mark:
            self._refuse(token.column, f"found {_shown(token)}; {complaint}")

    def _read(self, text: str) -> Iterator[_Token]:
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                char = text[at]
                if char in "\"'":
                    self._refuse(at + 1, "this quotation mark is never closed")
                if char == "," and re.match(r"\d", text[at + 1 : at + 2]):
                    self._refuse(at + 1, "decimals are written with a point, such as 2.5")
                meant = f"write {_MEANT[char]} for {char}" if char in _MEANT else f"{char!r} has no place in a rule"
                self._refuse(at + 1, meant)
            if match.lastgroup != "space":
                yield _Token(str(match.lastgroup), match[0], at + 1)
            at = match.end()
        yield _Token("end", "", len(text) + 1)

    def _refuse(self, column: int, what: str) -> NoReturn:
        raise UsageError(f"{_quoted(self._text)}, column {column}: {what}", code="rule_invalid")


def _no_type_of_area(token: _Token) -> str:
    guess = did_you_mean(token.text, AOI_TYPES) or f"; there are {_list(AOI_TYPES)}"
    return f"{token.text!r} is no type of area{guess}"


def _shown(token: _Token) -> str:
    return "the end of the rule" if token.kind == "end" else _quoted(token.text)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")


def _list(words: object) -> str:
    return ", ".join(cast("list[str]", words))
