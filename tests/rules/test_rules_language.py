"""The language of rules: what is understood, what it means, and what is said of what is not understood."""

from __future__ import annotations

import itertools

import pytest

from mediaan.aoi.scoring.film_scores import AOI_FILM_SCORES, AOI_SCREEN_TIMES
from mediaan.errors import UsageError
from mediaan.judge.rules.parse import MAX_LENGTH, parse_rule
from mediaan.judge.rules.rule import (
    AOI_SCORES,
    JOINT_SCORES,
    MEDIUM_SCORES,
    OPERATORS,
    WITHOUT_POPULATION,
    Expression,
    at_time,
)
from mediaan.types.aoi import AOI_TYPES

TIMES = ("", ".start", ".end", ".total")
UNITS = {"%": "%", "s": " s"}


def subjects() -> list[str]:
    """Every score that a rule can name, with every time that it has."""
    of_media = [m + t for m, t in itertools.product(MEDIUM_SCORES, TIMES) if at_time(m, t[1:] or "total") or not t]  # type: ignore[arg-type]
    areas = [*AOI_TYPES, 'branding("Acme & Söhne")', "any(face)", "all(product('the \"big\" one'))"]
    of_areas = [
        f"{area}.{m}{t}"
        for area, m, t in itertools.product(areas, AOI_SCORES, TIMES)
        if (at_time(m, t[1:] or "total") or not t) and not (m in JOINT_SCORES and area[:3] in ("any", "all"))  # type: ignore[arg-type]
    ]
    return of_media + of_areas


def limits(subject: str, operator: str) -> list[str]:
    spec = parse_rule(f"{subject} >= 1").spec
    numbers = ["1", "7", *([] if spec.unit == "count" else ["2.125", f"3{UNITS.get(spec.unit, '')}"])]
    numbers = [one for one in numbers if float(one.rstrip(" s%")) <= spec.high]
    return numbers if operator == "==" or spec.name in WITHOUT_POPULATION else [*numbers, "p1", "p70", "p99"]


def rules() -> list[str]:
    return [
        f"{subject} {operator} {limit}"
        for subject in subjects()
        for operator in OPERATORS
        if operator != "==" or parse_rule(f"{subject} >= 1").spec.unit == "count"
        for limit in limits(subject, operator)
    ]


def test_every_rule_that_can_be_written_is_written_back_as_one_that_means_the_same() -> None:
    written = rules()
    assert len(written) > 5000
    for text in written:
        rule = parse_rule(text)
        again = parse_rule(str(rule))
        assert again == rule, text
        assert str(again) == str(rule)
        assert rule.text == text


def test_spaces_do_not_matter() -> None:
    for text in rules()[::7]:
        tight = text.replace(" >", ">").replace("> ", ">").replace(" <", "<").replace("< ", "<").replace("= ", "=")
        assert parse_rule(tight) == parse_rule(f"\t {text}  \n") == parse_rule(text)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("focus >= 40", Expression("focus", "total", ">=", 40.0)),
        ("focus.start > 40", Expression("focus_first_two", "start", ">", 40.0)),
        ("focus_first_two > 40", Expression("focus_first_two", "start", ">", 40.0)),
        ("focus.end<p30", Expression("focus_last_two", "end", "<", None, 30)),
        ("clarity.end <= 0.5", Expression("clarity", "end", "<=", 0.5)),
        (
            "branding.percentage_seen.start >= 40 %",
            Expression("percentage_seen", "start", ">=", 40.0, None, "branding"),
        ),
        ('face("Ann").first_seen_s <= 1.5s', Expression("first_seen_s", "total", "<=", 1.5, None, "face", "Ann")),
        ("all(product).attention >= 2", Expression("attention", "total", ">=", 2.0, None, "product", None, "all")),
        ("any(other('a b')).time_spent >= 2", Expression("time_spent", "total", ">=", 2, None, "other", "a b", "any")),
        ("other.attention <= 0.4 %", Expression("attention", "total", "<=", 0.4, None, "other")),
        ("branding.count == 1", Expression("count", "total", "==", 1.0, None, "branding")),
    ],
)
def test_what_a_rule_means(text: str, means: Expression) -> None:
    assert parse_rule(text) == means


BAD = {
    "": (1, "is empty"),
    "   ": (1, "is empty"),
    "focus": (6, "found the end of the rule; here stands one of >=, >, <=, <, =="),
    "focus 40": (7, "found '40'; here stands one of"),
    "focus >=": (9, "found the end of the rule; here stands a number, or p70"),
    "focus => 40": (7, "write >="),
    "focus = 40": (7, "write == or >="),
    "focus > = 40": (7, "written without a space, such as >="),
    "focus != 40": (7, "is no operator; write one of"),
    "focus == 40": (7, "== is for counts"),
    "focus ≥ 40": (7, "write >= for ≥"),
    "focus >= 4,5": (11, "with a point, such as 2.5"),
    "focus >= 1e3": (11, "'e3' is no unit of focus"),
    "focus >= nan": (10, "found 'nan'"),
    "focus >= inf": (10, "found 'inf'"),
    "focus >= 40 and clarity >= 3": (13, "no 'and'; write two rules"),
    "10 < focus < 20": (1, "a rule begins with a score"),
    "focus >= 10 <= 20": (13, "one comparison; write two rules"),
    "focus >= clarity": (10, "the score stands on the left"),
    "focus >= 40 # low": (13, "'#' has no place in a rule"),
    "foucs >= 40": (1, "no score 'foucs'; did you mean 'focus'?"),
    "cognitive_load >= 40": (1, "did you mean 'cognitive_demand'?"),
    "Focus >= 40": (1, "did you mean 'focus'?"),
    "brandng.attention >= 3": (1, "no type of area; did you mean 'branding'?"),
    "logo.attention >= 3": (1, "did you mean 'branding'?"),
    'cta("a").attention >= 3': (1, "did you mean 'call_to_action'?"),
    'sky("a").attention >= 3': (1, "there are branding, product"),
    "branding.seen >= 3": (10, "did you mean 'percentage_seen'?"),
    "branding.percentage_seen >= 0.4": (29, "is 40 % meant, or 0.4 %?"),
    "branding.time_spent >= 0.5 seconds": (28, "'seconds' is no unit of time_spent; its unit is s"),
    "focus >= high": (10, "write a percentile: low begins at p10, medium begins at p30, high begins at p70, ext"),
    "focus < 'extreme_low'": (9, "write a percentile"),
    "focus between 4 and 5": (7, "for a range write two rules"),
    "branding.atention >= 3": (10, "no score 'atention' of branding; did you mean 'attention'?"),
    "branding.focus >= 3": (10, "write it without branding"),
    "attention >= 3": (1, "write for example branding.attention"),
    "branding >= 3": (10, "which score of branding?"),
    "branding.attention.strat >= 3": (20, "did you mean 'start'?"),
    "branding.first_seen_s.start <= 1": (23, "first_seen_s has no start"),
    "focus_first_two.end >= 1": (17, "focus_first_two has no end"),
    "pacing.start >= 1": (8, "pacing has no start"),
    "branding.count.start >= 1": (16, "count has no start"),
    "focus >= 40 %": (13, "focus has no unit; write 40 without %"),
    "branding.attention >= 40 s": (26, "attention is in %; write 40 without s"),
    "branding.time_spent >= 4 %": (26, "time_spent is in s; write 4 without %"),
    "branding.first_seen_s <= 4ms": (27, "'ms' is no unit of first_seen_s; its unit is s"),
    "focus >= 140": (10, "at least 0 and at most 100; 140 cannot be its limit"),
    "focus >= -3": (10, "at least 0 and at most 100; -3 cannot"),
    "branding.time_spent >= " + "9" * 200: (24, "at least 0; that cannot be its limit"),
    "focus >= p0": (10, "from p1 to p99"),
    "focus >= p100": (10, "from p1 to p99"),
    "focus >= p2.5": (10, "whole numbers from p1 to p99"),
    "focus >= p" + "9" * 200: (10, "from p1 to p99"),
    "branding.count >= p50": (19, "in no benchmark"),
    "branding.appears_s <= p50": (23, "appears_s is in no benchmark"),
    "all(branding).on_screen_s >= 2": (15, "write branding.on_screen_s"),
    "end_card_s >= 4": (15, "at most 3"),
    "branding.appears_s.end >= 4": (20, "has no end"),
    "hotspot_count == p50": (18, "== needs a number"),
    "branding.count == 1.5": (19, "count is a whole number"),
    "all(branding).count >= 3": (15, "write branding.count"),
    "all(branding.attention >= 3": (13, "needs a closing parenthesis"),
    "branding(Acme).attention >= 3": (10, 'such as branding("Acme")'),
    'branding("Acme).attention >= 3': (10, "never closed"),
    'branding("").attention >= 3': (10, "the label is empty"),
    '__import__("os").system("x") >= 1': (1, "no type of area"),
    "focus >= 40; import os": (12, "';' has no place in a rule"),
    "focus\x00 >= 40": (6, "'\\x00' has no place in a rule"),
    "focus >= " + " " * MAX_LENGTH + "1": (MAX_LENGTH + 1, "at most 300 characters"),
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_said_of_a_rule_that_cannot_be_understood(text: str) -> None:
    column, what = BAD[text]
    with pytest.raises(UsageError) as caught:
        parse_rule(text)
    assert caught.value.code == "rule_invalid"
    assert f", column {column}: " in caught.value.message
    assert what in caught.value.message
    assert len(caught.value.message) < 400
    assert "\n" not in caught.value.message


def test_nothing_but_a_refusal_comes_of_a_rule_with_something_changed() -> None:
    """Each rule with one character left out, doubled or replaced is understood or refused, and never anything else."""
    for text in rules()[::97]:
        for at in range(len(text)):
            for part in ("", text[at] * 2, "\u2028", '"', "(", ")", ".", "9", "=", "%"):
                changed = understood(text[:at] + part + text[at + 1 :])
                assert changed is None or parse_rule(str(changed)) == changed


def understood(text: str) -> Expression | None:
    """What a rule means; None if it is refused. Any other exception is a mistake."""
    try:
        return parse_rule(text)
    except UsageError:
        return None


def test_scores_that_still_pictures_lack() -> None:
    videos_only = {text for text in subjects() if parse_rule(f"{text} >= 1").is_video_only}
    assert {"pacing", "clarity.start", "memory.end", "hotspot_count.start"} <= videos_only
    assert not videos_only & {"focus", "focus.start", "focus_last_two", "clarity", "clarity.total"}
    of_areas = {text.split(".")[-2 if text.endswith(TIMES[1:]) else -1] for text in videos_only if "." in text}
    assert of_areas & AOI_SCORES.keys() == {spec.name for spec in (*AOI_SCREEN_TIMES, *AOI_FILM_SCORES)}
