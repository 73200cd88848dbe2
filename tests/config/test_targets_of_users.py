"""Targets in an objectives file: what they mean, and what they are told when they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from mediaan.config import load_objectives
from mediaan.errors import UsageError

DOCS = Path(__file__).resolve().parents[2] / "docs" / "ranges.md"


def load(folder: Path, text: str) -> dict[str, tuple[str, ...]]:
    (folder / "o.yaml").write_text(text)
    return dict(load_objectives(folder / "o.yaml").targets)


def test_the_documented_example(tmp_path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    assert load(tmp_path, text) == {
        "focus": ("extreme_high",),
        "cognitive_demand": ("low", "medium"),
        "branding.percentage_seen": ("high", "extreme_high"),
        "face.attention": ("medium",),
        "engagement": (),
    }


def test_order_and_repetition_do_not_matter(tmp_path: Path) -> None:
    assert load(tmp_path, "targets: {focus: [extreme_high, medium, high, high], memory: low}") == {
        "focus": ("medium", "high", "extreme_high"),
        "memory": ("low",),
    }
    assert load(tmp_path, "defaults: {purpose: conversion}") == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fokus: [high]", "'fokus' is no score; did you mean 'focus'?"),
        ("branding.percentage_sen: [high]", "did you mean 'branding.percentage_seen'?"),
        ("brandin.attention: [high]", "'brandin' is no type of area; did you mean 'branding'?"),
        ("percentage_seen: [high]", "is a score of areas; write of which, such as branding.percentage_seen"),
        ("branding.focus: [high]", "'branding.focus' is no score"),
        ("memory: [low, high]", "low, high do not adjoin; write [low, medium, high], or fewer"),
        ("clarity: [hihg]", "'hihg' is no category; did you mean 'high'?"),
        ("clarity: []", "found an empty list; write a list of extreme_low, low, medium, high, extreme_high, or none"),
        ("clarity:", "found nothing; write a list of"),
        ("clarity: [[high]]", "a list is no category"),
        ("clarity: [{high: 1}]", "a mapping is no category"),
        ("clarity: {high: 1}", "found a mapping; write a list of"),
        ("'': [high]", "is no score"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path, f"targets:\n  focus: [high]\n  {line}\n")
    assert "1 problem" in caught.value.message
    assert "line 3, targets" in caught.value.message
    assert said in caught.value.message


def test_all_at_once_and_beside_others(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path, "defaults: {purpose: conversoin}\ntargets: {fokus: [high], memory: [low, high]}\n")
    assert "3 problems" in caught.value.message


@pytest.mark.parametrize("text", ["targets: [focus]", "targets: high", "targets:"])
def test_targets_are_a_mapping(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"write scores with their categories, such as focus: \[extreme_high\]"):
        load(tmp_path, text)
