"""Other objectives for a finished run make of it what an analysis with them would have made."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from ad_folder import write_pictures_and_animation

import mediaan as mn
from mediaan.errors import UsageError
from mediaan.run.directory import copy_run
from mediaan.workflow.objectives import apply_objectives

AREAS = [
    {"type": "branding", "label": "corner", "box": [0.55, 0.6, 0.95, 0.9]},
    {"type": "product", "label": "middle", "box": [0.3, 0.3, 0.6, 0.6]},
]
OBJECTIVES = """\
defaults: {purpose: conversion, industry: food, exposure_s: 2}
media:
  - {match: b.png, purpose: brand_building, exposure_s: 12.5, benchmark: none}
  - {match: nothing.png, country: DE}
rules: ["focus >= 5", "branding.time_spent >= 0.4"]
targets: {focus: [low]}
"""
TABLES = ("metrics", "aois", "aoi_scores", "aoi_tracks", "benchmark_ranges", "rule_results")
FACTS = ("objectives", "rules", "targets", "unused_patterns", "benchmark")


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_pictures_and_animation(tmp_path_factory.mktemp("ads"))
    (folder / "text.png").write_text("no picture")
    names = ("a.png", "b.png", "sofa_banner.gif")
    (folder / "areas.json").write_text(json.dumps(dict.fromkeys(names, AREAS)))
    (folder / "objectives.yaml").write_text(OBJECTIVES)
    return folder


def analysed(ads: Path, out: Path, objectives: Path | None) -> mn.Run:
    settings = (
        mn.Recipe(maps=(), aois="none", objectives=objectives, drawn_aois=ads / "areas.json"),
        mn.Execution(workers=1),
    )
    return mn.analyze_folder(ads, out, *settings)


@pytest.fixture(scope="module")
def without(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    return analysed(ads, tmp_path_factory.mktemp("runs") / "without", None)


@pytest.fixture(scope="module")
def with_objectives(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    return analysed(ads, tmp_path_factory.mktemp("runs") / "with", ads / "objectives.yaml")


def assert_same(one: mn.Run, other: mn.Run) -> None:
    for name in TABLES:
        pd.testing.assert_frame_equal(one.table(name), other.table(name), obj=name)
    assert {key: one.facts[key] for key in FACTS} == {key: other.facts[key] for key in FACTS}


def test_as_if_they_had_been_there_from_the_beginning(
    ads: Path, without: mn.Run, with_objectives: mn.Run, tmp_path: Path
) -> None:
    copy_run(without.path, tmp_path / "run")
    changed = apply_objectives(tmp_path / "run", ads / "objectives.yaml")
    assert_same(changed, with_objectives)
    assert not changed.aoi_scores.equals(without.aoi_scores)
    assert not changed.benchmark_ranges.equals(without.benchmark_ranges)
    assert "brand_building" in (tmp_path / "run" / "report" / "index.html").read_text()


def test_they_can_be_taken_back(ads: Path, without: mn.Run, with_objectives: mn.Run, tmp_path: Path) -> None:
    copy_run(with_objectives.path, tmp_path / "run")
    changed = apply_objectives(tmp_path / "run", None)
    for name in set(TABLES) - {"rule_results"}:
        pd.testing.assert_frame_equal(changed.table(name), without.table(name), obj=name)
    assert changed.facts["objectives"] is None
    assert not changed.facts["rules"]


def test_the_run_says_that_they_were_changed(ads: Path, without: mn.Run, tmp_path: Path) -> None:
    copy_run(without.path, tmp_path / "run")
    apply_objectives(tmp_path / "run", ads / "objectives.yaml")
    twice = apply_objectives(tmp_path / "run", None)
    assert [change["applied"] for change in twice.facts["objective_changes"]] == ["objectives.yaml", None]


def test_what_is_wrong_changes_nothing(ads: Path, without: mn.Run, tmp_path: Path) -> None:
    copy_run(without.path, tmp_path / "run")
    before = (tmp_path / "run" / "run.json").read_bytes()
    for text in ("defaults: {purpose: fame}", "defaults: {benchmark: nil}"):
        (tmp_path / "wrong.yaml").write_text(text)
        with pytest.raises(UsageError) as caught:
            apply_objectives(tmp_path / "run", tmp_path / "wrong.yaml")
        assert caught.value.code == "config_invalid"
    assert (tmp_path / "run" / "run.json").read_bytes() == before
