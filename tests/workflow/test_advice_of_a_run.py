"""Suggestions of real analyses: what a run keeps of them, for whom, and for how long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mediaan as mn
from mediaan.analysis import Execution, Recipe

SPA = Path(__file__).resolve().parents[1] / "sample_ads" / "ads" / "spa_low_contrast.jpg"
FAINT = "Give the button “Book a stay” more contrast with its background"


@pytest.fixture(scope="module")
def result() -> mn.Result:
    return mn.analyze(SPA, purpose="conversion")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    folder = tmp_path_factory.mktemp("advice")
    (folder / "objectives.yaml").write_text("defaults: {purpose: conversion}\n")
    settings = (Recipe(maps=(), objectives=folder / "objectives.yaml"), Execution(workers=1))
    return mn.analyze_folder(SPA, folder / "run", *settings)


def test_the_faint_button_of_the_spa_is_told_for_conversion(result: mn.Result) -> None:
    assert any(one.text.startswith(FAINT) for one in result.suggestions)
    assert not any("button" in one.text for one in mn.analyze(SPA, purpose="brand_building").suggestions)


def test_the_figure_of_now_is_that_of_the_area(result: mn.Result) -> None:
    seen = {(aoi.aoi_id, s.metric): s.value for aoi in result.aois for s in aoi.scores if s.time == "total"}
    assert result.suggestions
    assert all(one.before == seen[one.gains_aoi_id, one.metric] for one in result.suggestions)


def test_what_if_repeats_a_suggestion(result: mn.Result) -> None:
    one = next(one for one in result.suggestions if one.action == "contrast")
    again = mn.whatif(SPA, one.edits)
    change = again.of(one.gains_aoi_id)[one.metric, "total"]
    assert change.verdict == "rises"


def test_a_run_keeps_them_for_every_purpose_and_reads_those_of_its_own(run: mn.Run, result: mn.Result) -> None:
    assert len(run.suggestions) > len(result.suggestions)
    (of_run,) = run.results()
    assert of_run.suggestions == result.suggestions


def test_later_areas_are_advised_like_earlier_ones(run: mn.Run, tmp_path: Path) -> None:
    recipe = Recipe(maps=(), aois="none", objectives=run.path.parent / "objectives.yaml")
    later = mn.analyze_folder(SPA, tmp_path / "later", recipe, Execution(workers=1))
    assert later.suggestions.empty
    mn.detect_aois(later.path, [SPA], aois="all", workers=1)
    told = ["purpose", "rank", "action", "metric", "text"]
    assert mn.read_run(later.path).suggestions[told].equals(run.suggestions[told])


def test_areas_that_came_later_take_the_suggestions_with_them(run: mn.Run, tmp_path: Path) -> None:
    areas = {SPA.name: [{"type": "call_to_action", "label": "Book", "box": [0.1, 0.1, 0.3, 0.2]}]}
    (tmp_path / "areas.json").write_text(json.dumps(areas))
    mn.apply_aois(run.path, tmp_path / "areas.json")
    assert mn.read_run(run.path).suggestions.empty
