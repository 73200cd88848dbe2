"""Sums of results, and JUnit XML as test views of CI systems read it."""

from __future__ import annotations

import math
from collections import Counter
from xml.etree import ElementTree

import pytest

from mediaan.judge.rules.check import Check, UnanalyzedFile, junit_xml, shortfall
from mediaan.judge.rules.parse import parse_rule
from mediaan.judge.rules.rule import Rule
from mediaan.types.checks import RuleResult, RuleStatus, Severity

ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testcase": {"name", "classname", "time"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
}
"""What Jenkins' junit-10.xsd knows, as far as it is used here."""
INSIDE = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}}
HOSTILE = "ads/<b>&\"'\x00\x1b[31m\ud800\ufffe\u2028é夏]]>.png"


def result(
    path: str = "a.png",
    text: str = "focus >= 40",
    status: RuleStatus = "failed",
    severity: Severity = "error",
    *,
    margin: float | None = -9.0,
    name: str = "",
    message: str = "focus is 31, 9 short of 40.",
) -> RuleResult:
    value = None if margin is None else 40 + margin
    return RuleResult(
        value, path=path, medium_id="id", rule=text, name=name or text, severity=severity, status=status, limit=40.0,
        margin=margin, sure=None, aoi_id=None, message=message,
    )  # fmt: skip


def check(*results: RuleResult, unanalysed: tuple[UnanalyzedFile, ...] = (), why: str = "") -> Check:
    keys = dict.fromkeys((r.rule, r.name, r.severity) for r in results)
    rules = tuple(Rule(parse_rule(text), name, severity, why=why) for text, name, severity in keys)
    return Check("run", rules, results, len({r.path for r in results}), unanalysed)


MIXED = check(
    result("a.png", status="passed", margin=3.0, message="focus is 43, 3 above 40."),
    result("a.png", "clarity >= 40", "failed", "warning"),
    result("a.png", "memory <= p70", "skipped", margin=None, message="memory has no limit: no population."),
    result("b.png"),
    result("b.png", "clarity >= 40", "passed", "warning", margin=1.0),
    result("b.png", "memory <= p70", "skipped", "error", margin=None, message="memory has no limit: no population."),
    unanalysed=(UnanalyzedFile("c.png", "truncated", "c.png: ends too early"),),
    why="Page 4 of the guide.",
)


def read(text: str) -> ElementTree.Element:
    """Parse it back as other programs do, and hold it against the schema and its own counts."""
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) <= ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= INSIDE.get(element.tag, set(ATTRIBUTES))
    for suite in root:
        outcomes = Counter(child.tag for case in suite for child in case)
        counts = [int(suite.attrib[key]) for key in ("tests", "failures", "errors", "skipped")]
        assert counts == [len(suite), outcomes["failure"], outcomes["error"], outcomes["skipped"]]
        assert all(len(case) == 1 for case in suite)
    for key in ("tests", "failures", "errors"):
        assert int(root.attrib[key]) == sum(int(suite.attrib[key]) for suite in root)
    names = [(case.attrib["classname"], case.attrib["name"]) for case in root.iter("testcase")]
    assert len(set(names)) == len(names), "GitLab keeps only the first of cases that are named alike"
    return root


def outcomes(root: ElementTree.Element) -> dict[tuple[str, str], str]:
    return {(case.attrib["classname"], case.attrib["name"]): case[0].tag for case in root.iter("testcase")}


def test_a_suite_is_a_medium_and_a_case_is_a_rule() -> None:
    root = read(junit_xml(MIXED))
    assert [suite.attrib["name"] for suite in root] == ["a.png", "b.png", "c.png"]
    assert outcomes(root) == {
        ("a.png", "focus >= 40"): "system-out",
        ("a.png", "clarity >= 40"): "skipped",
        ("a.png", "memory <= p70"): "skipped",
        ("b.png", "focus >= 40"): "failure",
        ("b.png", "clarity >= 40"): "system-out",
        ("b.png", "memory <= p70"): "skipped",
        ("c.png", "analysis"): "error",
    }


def test_strict_turns_what_could_not_be_told_into_failures_but_for_warnings() -> None:
    plain, strict = outcomes(read(junit_xml(MIXED))), outcomes(read(junit_xml(MIXED, strict=True)))
    changed = {case for case in plain if plain[case] != strict[case]}
    assert changed == {("a.png", "memory <= p70"), ("b.png", "memory <= p70")}
    skipped_warning = check(result(status="skipped", severity="warning", margin=None))
    assert outcomes(read(junit_xml(skipped_warning, strict=True))) == {("a.png", "focus >= 40"): "skipped"}


def test_a_failure_tells_what_was_found_and_why_it_is_asked_for() -> None:
    failure = next(read(junit_xml(MIXED)).iter("failure"))
    assert failure.attrib == {"type": "rule", "message": "focus is 31, 9 short of 40."}
    assert failure.text == "focus is 31, 9 short of 40.\nPage 4 of the guide.\nrule: focus >= 40"


def test_hostile_names_stay_text() -> None:
    of = check(
        result(HOSTILE, name="</testcase><failure/>", message="\x08&amp;\r\n\ud800"),
        unanalysed=(UnanalyzedFile(HOSTILE + "2", "bad\x00", "\x1b<!-- "),),
    )
    root = read(junit_xml(of))
    assert root[0].attrib["name"] == "ads/<b>&\"'��[31m��\u2028é夏]]>.png"
    assert root[0][0].attrib["name"] == "</testcase><failure/>"
    assert len(list(root.iter("failure"))) == 1


def test_rules_with_one_name_are_told_apart() -> None:
    of = check(
        result(name="Brand"), result(name="Brand", text="clarity >= 3"), result(name="Brand", text="memory >= 3")
    )
    assert [case.attrib["name"] for case in read(junit_xml(of)).iter("testcase")] == ["Brand", "Brand (2)", "Brand (3)"]


def test_nothing_to_tell_is_a_file_too() -> None:
    assert list(read(junit_xml(check()))) == []


def test_what_fails_a_check() -> None:
    warning, skipped = result(severity="warning"), result(status="skipped", margin=None)
    passed = result(status="passed", margin=1.0)
    verdicts = {
        (result(),): (True, True),
        (passed,): (False, False),
        (passed, warning): (False, False),
        (passed, skipped): (False, True),
        (passed, result(status="skipped", severity="warning")): (False, False),
        (): (False, True),
    }
    for results, (fails, fails_strictly) in verdicts.items():
        found = check(*results)
        assert (found.fails(), found.fails(strict=True)) == (fails, fails_strictly)


def test_sums() -> None:
    said = MIXED.to_dict()
    keys = ("passes", "media", "failing_media", "passed", "failed", "warnings", "skipped")
    assert [said[key] for key in keys] == [False, 2, 1, 2, 1, 1, 2]
    assert [(r["rule"], r["passed"], r["failed"], r["skipped"]) for r in said["rules"]] == [
        ("focus >= 40", 1, 1, 0),
        ("clarity >= 40", 1, 1, 0),
        ("memory <= p70", 0, 0, 2),
    ]
    assert said["unanalysed"] == [{"path": "c.png", "code": "truncated", "message": "c.png: ends too early"}]
    assert len(said["results"]) == 6
    assert [r["status"] for r in MIXED.to_dict(only_failed=True)["results"]] == ["failed", "failed"]


def test_a_rule_that_is_meant_for_no_medium_is_named() -> None:
    rules = (Rule(parse_rule("focus >= 40")), Rule(parse_rule("clarity >= 40"), "Clear"))
    assert [*Check("run", rules, (result(),), 1).unused] == ["Clear"]


@pytest.mark.parametrize(
    ("text", "margin", "share"),
    [
        ("focus >= 40", -9.0, 0.09),
        ("branding.attention >= 40", -9.0, 0.09),
        ("branding.first_seen_s <= 40", -10.0, 0.25),
        ("focus >= 40", None, math.inf),
    ],
)
def test_shortfalls_of_different_units_can_be_compared(text: str, margin: float | None, share: float) -> None:
    assert shortfall(result(text=text, margin=margin)) == pytest.approx(share)
    assert shortfall(result(text=text, margin=margin, status="skipped")) == 0.0


def test_the_worst_medium_comes_first() -> None:
    of = check(
        result("fine.png", status="passed", margin=2.0),
        result("warned.png", severity="warning", margin=-39.0),
        result("little.png", margin=-1.0),
        result("much.png", "clarity >= 40", margin=-2.0),
        result("much.png", margin=-30.0),
        result("much.png", "memory >= 40", "skipped", margin=None),
        result("no brand.png", "branding.attention >= 4", margin=None),
    )
    media = dict(of.by_medium())
    assert list(media) == ["much.png", "no brand.png", "little.png", "warned.png", "fine.png"]
    assert [r.rule for r in media["much.png"]] == ["focus >= 40", "clarity >= 40", "memory >= 40"]
