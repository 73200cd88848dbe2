"""Rules in files: what they mean, of which media, and what they are told when they are wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from mediaan.config.objectives import load_objectives, load_rule_set, load_rules
from mediaan.config.rules import RuleSettings, rules_of_run
from mediaan.errors import UsageError
from mediaan.judge.rules import rule_set_names
from mediaan.judge.rules.rule import Rule

EVERYTHING = """\
values:
  platform: [our_app]
rules:
  - branding.percentage_seen.start >= 40      # a comment
  - "focus >= p10"
  - rule: all(branding("Acme")).first_seen_s <= 1.5 s
    name: The brand comes first
    match: ["social/**", "*_kv.png"]
    for:
      purpose: brand_building
      platform: [our_app, tiktok]
      industry: food/snacks
    type: video
    severity: warning
    sure: true
    missing: skip
    why: Page 4 of the guide.
  - {rule: pacing <= 20}
"""


def load(folder: Path, text: str | bytes) -> tuple[RuleSettings, ...]:
    path = folder / "rules.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_rules(path)


def complaint(folder: Path, text: str | bytes) -> str:
    with pytest.raises(UsageError) as caught:
        load(folder, text)
    assert caught.value.message.startswith(str(folder / "rules.yaml"))
    return caught.value.message


def rule(**settings: Any) -> RuleSettings:
    return RuleSettings.model_validate({"rule": "focus >= 40", **settings})


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    seen, focus, first, pacing = load(tmp_path, EVERYTHING)
    assert seen.as_rule() == Rule(seen.expression, "branding.percentage_seen.start >= 40")
    assert focus.expression.percent == 10
    assert first.as_rule() == Rule(
        first.expression, "The brand comes first", "warning", True, "skip", "Page 4 of the guide."
    )
    assert first.match == ("social/**", "*_kv.png")
    assert first.meant_for.platform == ("our_app", "tiktok")
    assert pacing.rule == "pacing <= 20"


def test_rules_of_an_objectives_file_are_these(tmp_path: Path) -> None:
    path = tmp_path / "objectives.yaml"
    path.write_text("defaults: {purpose: conversion}\n" + EVERYTHING)
    assert load_objectives(path).rules == load_rules(path) == load(tmp_path, EVERYTHING)


def test_rules_come_back_from_a_run_as_they_were(tmp_path: Path) -> None:
    rules = load(tmp_path, EVERYTHING)
    written = json.loads(json.dumps([one.written() for one in rules]))
    assert written[:2] == ["branding.percentage_seen.start >= 40", "focus >= p10"]
    assert written[2]["for"] == {
        "purpose": ["brand_building"],
        "platform": ["our_app", "tiktok"],
        "industry": ["food/snacks"],
    }
    assert rules_of_run(written) == rules


def test_rules_of_a_run_that_mean_nothing_any_more() -> None:
    for said in ("glamour >= 40", {"rule": "focus >= 40", "colour": "red"}):
        with pytest.raises(UsageError, match="a rule of the run cannot be understood"):
            rules_of_run([said])


FOOD = {"industry": {"category": "food", "subcategory": "snacks"}, "platform": "tiktok", "purpose": "conversion"}


@pytest.mark.parametrize(
    ("settings", "path", "type", "objective", "meant"),
    [
        ({}, "a.png", "image", {}, True),
        ({"match": "*.png"}, "summer/a.PNG", "image", {}, True),
        ({"match": ["x/*", "*.jpg"]}, "a.png", "image", {}, False),
        ({"type": "image"}, "a.png", "image", {}, True),
        ({"type": "image"}, "a.mp4", "video", {}, False),
        ({"type": "video"}, "a.mp4", "mixed", {}, True),
        ({"rule": "pacing <= 3"}, "a.png", "image", {}, False),
        ({"rule": "clarity.start >= 3"}, "a.png", "image", {}, False),
        ({"rule": "clarity.start >= 3"}, "a.gif", "video", {}, True),
        ({"rule": "focus.start >= 3"}, "a.png", "image", {}, True),
        ({"rule": "branding.attention.start >= 3"}, "a.png", "image", {}, True),
        ({"for": {"purpose": "conversion"}}, "a.png", "image", FOOD, True),
        ({"for": {"purpose": "brand_building"}}, "a.png", "image", FOOD, False),
        ({"for": {"purpose": "conversion"}}, "a.png", "image", {}, False),
        ({"for": {"industry": "food"}}, "a.png", "image", FOOD, True),
        ({"for": {"industry": "food/snacks"}}, "a.png", "image", FOOD, True),
        ({"for": {"industry": "food/meat"}}, "a.png", "image", FOOD, False),
        ({"for": {"industry": ["travel_leisure", "food"], "platform": ["tiktok", "x"]}}, "a.png", "image", FOOD, True),
        ({"for": {"industry": "food", "platform": "x"}}, "a.png", "image", FOOD, False),
        ({"for": {}}, "a.png", "image", {}, True),
    ],
)
def test_which_media_a_rule_is_meant_for(
    settings: dict[str, Any], path: str, type: str, objective: dict[str, Any], meant: bool
) -> None:
    assert rule(**settings).is_for(path, type, objective) == meant


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rules:\n  - foucs >= 40\n", "line 2, rules[0].rule: 'foucs >= 40', column 1: no score 'foucs'; did you mean"),
        ("rules:\n  - rule: focus >= 40\n    nam: x\n", "line 3, rules[0].nam: unknown key; did you mean 'name'?"),
        ("rules:\n  - focus >= 40: x\n", "line 2, rules[0].focus >= 40: unknown key"),
        ("rules:\n  - name: x\n", "line 2, rules[0].rule: is missing; write a comparison, such as"),
        ("rules:\n  - rule: focus >= 40\n    for: conversion\n", "rules[0].for: found 'conversion'; write objectives"),
        (
            "rules:\n  - {rule: focus >= 40, for: {purpose: conversoin}}\n",
            "no known purpose; did you mean 'conversion'?",
        ),
        (
            "rules:\n  - {rule: focus >= 40, for: {industry: fod/x}}\n",
            "'fod' is no known industry; did you mean 'food'?",
        ),
        ("rules:\n  - {rule: focus >= 40, for: {brand: x}}\n", "rules[0].for.brand: unknown key"),
        ("rules:\n  - {rule: focus >= 40, purpose: conversion}\n", "it belongs under 'for'"),
        (
            "rules:\n  - {rule: focus >= 40, severity: fatal}\n",
            "rules[0].severity: found 'fatal'; write error or warning",
        ),
        ("rules:\n  - {rule: focus >= 40, sure: perhaps}\n", "rules[0].sure: found 'perhaps'; write true or false"),
        ("rules:\n  - {rule: focus >= 40, type: audio}\n", "rules[0].type: found 'audio'; write image or video"),
        ("rules:\n  - {rule: focus >= 40, missing: fail}\n", "leave it out with focus"),
        ("rules:\n  - {rule: face.count >= 1, missing: fail}\n", "leave it out with face.count"),
        ("rules:\n  - {rule: face.attention >= 1, missing: no}\n", "found 'no'; write fail, pass, skip or skip_unless"),
        ("rules:\n  - {rule: pacing >= 1, type: image}\n", "pacing is a score of videos; leave type out"),
        ("rules:\n  - [focus >= 40]\n", "rules[0]: found a list; write a mapping with the keys rule, name"),
        ("rules:\n  -\n", "rules[0]: found nothing"),
        ("rules: focus >= 40\n", "rules: found 'focus >= 40'; write a list of rules"),
        ("rules: []\n", "holds no rules; write for example"),
        ("defaults: {purpose: conversion}\n", "holds no rules; write for example"),
        ("rule:\n  - focus >= 40\n", "rule: this key does not belong here; it belongs under 'rules'"),
        ("rules:\n  - &a focus >= 40\n  - *a\n", "aliases (*name) are not supported"),
        ("rules:\n  - !!python/object/apply:os.system [echo]\n", "tags (!name) are not supported"),
        ("rules:\n  - 'focus >= 40\n", "line"),
        ("rules:\n  - " + "[" * 50 + "\n", "nested deeper"),
        ("rules:\n  - 'focus\\0 >= 40'\n".replace("'", '"'), "has no place in a rule"),
        ("rules:\n  - focus >= " + "4" * 400 + "\n", "at most 300 characters"),
        (b"rules:\n  - focus >= \xff\n", "is not UTF-8"),
        ("", "is empty"),
    ],
)
def test_what_is_said_of_a_file_that_is_wrong(tmp_path: Path, text: str | bytes, says: str) -> None:
    said = complaint(tmp_path, text)
    assert says in said
    assert len(said) < 700


def test_every_wrong_rule_is_named_with_its_line(tmp_path: Path) -> None:
    text = "rules:\n" + "".join(f"  - focus >= {n}\n" for n in (40, 140, 50, 150, 160))
    lines = complaint(tmp_path, text).splitlines()
    assert lines[0].endswith("3 problems")
    assert [line.split(",")[0].strip() for line in lines[1:]] == ["line 3", "line 5", "line 6"]


@pytest.mark.parametrize("name", rule_set_names())
def test_every_rule_set_that_ships_says_whom_it_follows(name: str) -> None:
    known = load_rule_set(name)
    assert load_rules(name) == known.rules
    assert known.title
    assert all(re.search(r"\((read |about )?(19|20)\d\d\)", source) for source in known.sources)
    assert all(one.name and one.why for one in known.rules)
    moves = name != "stills"
    assert all(one.is_for("a", "video" if moves else "image", {"purpose": "conversion"}) for one in known.rules)
    assert not any(one.is_for("a", "image" if moves else "video", {"purpose": "conversion"}) for one in known.rules)


def test_a_rule_set_by_name_and_a_file_of_that_name_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("abcd", "ours"):
        Path(name).write_text("rules:\n  - focus >= 40\n")
    assert len(load_rules("abcd")) > 1
    assert [one.rule for one in load_rules("./abcd")] == ["focus >= 40"]
    assert [one.rule for one in load_rules(Path("abcd"))] == ["focus >= 40"]
    assert [one.rule for one in load_rules("ours")] == ["focus >= 40"]
    with pytest.raises(UsageError, match="built-in rule sets are abcd, feed, stills; did you mean 'abcd'") as caught:
        load_rules("abdc")
    assert caught.value.code == "unknown_rule_set"


def test_only_a_brand_can_have_been_named() -> None:
    assert rule(rule="branding.count >= 1", missing="skip_unless_named").missing == "skip_unless_named"
    with pytest.raises(ValidationError, match="is for branding"):
        rule(rule="face.appears_s <= 5", missing="skip_unless_named")
