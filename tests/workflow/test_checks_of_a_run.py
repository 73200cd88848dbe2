"""Checks in a run and outside one: the same, from the tables and from a result."""

from pathlib import Path

import pytest

import mediaan as mn
from mediaan.analysis import Execution, Recipe

ADS = Path(__file__).parents[1] / "sample_ads" / "ads"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    folder = tmp_path_factory.mktemp("checked")
    picture = sorted(ADS.glob("*.png"))[0]
    objectives = folder / "objectives.yaml"
    objectives.write_text("defaults: {purpose: conversion, brand: Acme}\n", encoding="utf-8")
    settings = (Recipe(maps=(), objectives=objectives), Execution(workers=1))
    return mn.analyze_folder(picture, folder / "run", *settings)


def test_table_and_python_say_the_same(run: mn.Run):
    picture = sorted(ADS.glob("*.png"))[0]
    result = mn.analyze(picture, brand={"name": "Acme"}, purpose="Conversion")  # type: ignore[arg-type]
    table = run.checks
    assert list(table["name"]) == [check.name for check in result.checks]
    assert list(table["status"]) == [check.status for check in result.checks]
    assert list(table["text"]) == [check.text for check in result.checks]
    assert result.to_dict()["verdict"] == result.verdict == run.verdicts["verdict"].item()
    assert [one["name"] for one in result.to_dict()["checks"]] == list(table["name"])


def test_results_and_runs_show_themselves_in_a_few_lines(run: mn.Run):
    picture = sorted(ADS.glob("*.png"))[0]
    result = mn.analyze(picture, purpose="conversion", advice="none")
    for shown, says in ((result, f"Result: {picture}"), (run, f"Run: {run.path}")):
        first, *lines = repr(shown).splitlines()
        assert first == says
        assert 4 <= len(lines) <= 6
        assert len(repr(shown)) < 1000
        assert repr(shown) == str(shown)
        card = shown._repr_html_()
        assert card.startswith("<table>")
        assert all(line.split("  ")[1] in card for line in lines)
    assert f"focus {result['focus'].value:.0f}" in repr(result)
    assert " undecided" in repr(run) or " works" in repr(run) or " needs attention" in repr(run)


def test_verdicts_need_no_benchmark(run: mn.Run):
    known = run.checks
    mn.rate_run(run.path, "none")
    without = mn.read_run(run.path).checks
    mn.rate_run(run.path)
    assert without.equals(known)
