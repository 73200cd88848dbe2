"""A run that goes on keeps what was said of its media, until something else is said or it is dropped."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from ad_folder import picture
from click.testing import CliRunner

import mediaan as mn
from mediaan.cli.main import cli
from mediaan.config.objectives import dump_objectives, load_objectives, restore_objectives
from mediaan.workflow.folder.inputs import earlier_inputs
from mediaan.workflow.objectives import apply_objectives

OBJECTIVES = """\
defaults: {purpose: conversion, industry: food/snacks, platform: our_app, exposure_s: 2, brand: Acme}
media:
  - {match: "b*", purpose: brand_building, exposure_s: null}
table: media.csv
brands: [{name: Acme, aliases: [Acme Foods], logos: ["logos/*.png"]}]
values: {platform: [our_app]}
rules:
  - focus >= 5
  - {rule: clarity >= 5, for: {platform: our_app}, severity: warning}
targets: {focus: [low], memory: none}
"""
FACTS = ("objectives", "rules", "targets", "unused_patterns", "domain")


@pytest.fixture
def ads(tmp_path: Path) -> Path:
    folder = tmp_path / "ads"
    folder.mkdir()
    for i, name in enumerate("abc"):
        picture(i).save(folder / f"{name}.png")
    brief = tmp_path / "brief"
    (brief / "logos").mkdir(parents=True)
    picture(9, 90, 40).save(brief / "logos" / "acme.png")
    (brief / "objectives.yaml").write_text(OBJECTIVES)
    (brief / "media.csv").write_text("file,country,brand\nc,DE,Zephyr\nnothing,FR,\n")
    (brief / "rules.yaml").write_text("rules: [memory >= 1]\n")
    box = {"type": "branding", "label": "Acme", "box": [0.1, 0.1, 0.4, 0.3]}
    (brief / "areas.json").write_text(json.dumps({"a.png": [box]}))
    return folder


def analysed(ads: Path, **said: object) -> mn.Run:
    recipe = mn.Recipe(model="centre-prior", maps=(), aois="none")
    return mn.analyze_folder(ads, ads.parent / "run", recipe, workers=1, **said)


def files(ads: Path) -> dict[str, Path]:
    brief = ads.parent / "brief"
    return {name: brief / file for name, file in FILES.items()}


SETTINGS = mn.Recipe()
FILES = {"objectives": "objectives.yaml", "rules": "rules.yaml", "drawn_aois": "areas.json"}


def state(run: mn.Run) -> dict[str, object]:
    tables = {name: run.table(name).to_json() for name in ("aois", "aoi_scores", "benchmark_ranges", "rule_results")}
    return tables | {name: run.facts[name] for name in FACTS}


def test_whatever_a_file_can_say_survives(ads: Path) -> None:
    before = load_objectives(ads.parent / "brief" / "objectives.yaml")
    after = restore_objectives(json.loads(json.dumps(dump_objectives(before))))
    assert after == before
    for name in type(before).model_fields:
        assert getattr(after, name) == getattr(before, name), name
    assert after.media[0].model_fields_set == before.media[0].model_fields_set, "a null takes a setting back"


def test_a_run_that_goes_on_keeps_all_of_it_and_new_files_take_part(ads: Path) -> None:
    first = analysed(ads, **files(ads))
    before = state(first)
    for name in ("objectives.yaml", "rules.yaml", "media.csv"):
        (ads.parent / "brief" / name).unlink()
    assert state(analysed(ads)) == before
    picture(7).save(ads / "b2.png")
    picture(8).save(ads / "z.png")
    again = analysed(ads)
    assert len(again.aois) == 1
    briefing = earlier_inputs(again.path, SETTINGS)
    new = briefing.objective_facts(["b2.png", "z.png"]) or {}
    assert [new[path]["purpose"] for path in ("b2.png", "z.png")] == ["brand_building", "conversion"]
    assert ([again.exposure_s(path) for path in ("b2.png", "z.png")]) == [5.0, 2.0]


def test_what_is_said_anew_takes_its_place_and_the_rest_stays(ads: Path) -> None:
    analysed(ads, **files(ads))
    other = ads.parent / "other.yaml"
    other.write_text("defaults: {country: NL}\nrules: [focus >= 7]\n")
    run = analysed(ads, objectives=other)
    assert (run.facts["rules"], run.facts["targets"]) == (["focus >= 7", "memory >= 1"], {})
    assert (run.exposure_s("a.png"), len(run.aois)) == (5.0, 1)


def test_each_can_be_dropped(ads: Path) -> None:
    analysed(ads, **files(ads))
    run = analysed(ads, objectives="none")
    assert (run.facts["objectives"], run.facts["rules"], run.facts["targets"]) == (None, ["memory >= 1"], {})
    run = analysed(ads, rules="none", drawn_aois="none")
    assert (run.facts["rules"], len(run.aois)) == ([], 0)
    assert analysed(ads).facts["rules"] == [], "what was dropped does not come back"


def test_rules_of_the_objectives_are_dropped_with_all_others(ads: Path) -> None:
    analysed(ads, **files(ads))
    run = analysed(ads, rules="none")
    assert (run.facts["rules"], run.facts["targets"]) == ([], {"focus": ["low"], "memory": []})


def test_objectives_that_were_applied_since_stay(ads: Path) -> None:
    run = analysed(ads, **files(ads))
    other = ads.parent / "other.yaml"
    other.write_text("defaults: {exposure_s: 9}\n")
    applied = apply_objectives(run.path, other)
    assert state(analysed(ads)) == state(applied)
    apply_objectives(run.path, None)
    assert analysed(ads).facts["objectives"] is None


def test_drawn_areas_whose_file_is_gone_are_asked_for(ads: Path) -> None:
    analysed(ads, **files(ads))
    file = files(ads)["drawn_aois"]
    file.write_text("{}")
    with pytest.raises(
        mn.UsageError, match=r"areas\.json: held the areas .* and holds others now; .* --aois"
    ) as caught:
        analysed(ads)
    assert caught.value.code == "briefing_lost"
    file.unlink()
    with pytest.raises(mn.UsageError, match="no longer exists"):
        analysed(ads)


def test_a_run_that_does_not_keep_the_words_of_its_file(ads: Path) -> None:
    run = analysed(ads, **files(ads))
    facts = {name: fact for name, fact in run.facts.items() if name != "briefing"}
    (run.path / "run.json").write_text(json.dumps(facts))
    with pytest.raises(mn.UsageError, match="give their file with --objectives, or drop them") as caught:
        analysed(ads)
    assert caught.value.code == "briefing_lost"
    assert analysed(ads, objectives="none", rules="none").facts["objectives"] is None


def told(ads: Path, *more: str) -> tuple[int, str, str]:
    command = ["analyze", str(ads), "--out", str(ads.parent / "run"), "--model", "centre-prior", "--aois", "none"]
    found = CliRunner().invoke(cli, [*command, "--maps", "none", "--workers", "1", *more])
    if isinstance(found.exception, mn.UsageError):
        return 2, "", found.exception.message
    return found.exit_code, found.stdout, found.stderr


def test_the_command_says_what_it_keeps_and_drops_nothing_unasked(ads: Path) -> None:
    shutil.rmtree(ads.parent / "brief" / "logos")
    (ads.parent / "objectives.yaml").write_text("defaults: {purpose: conversion, exposure_s: 2}\n")
    run_dir = ads.parent / "run"
    assert "keeps from" not in told(ads, "--objectives", str(ads.parent / "objectives.yaml"))[2]
    line = f"{run_dir}: keeps from the earlier run: objectives (objectives.yaml: purpose, exposure_s)\n"
    assert line in told(ads)[2]
    assert told(ads, "--quiet")[2] == ""
    code, _, said = told(ads, "--objectives", "none")
    assert code == 2
    assert "this would drop from the run: objectives (objectives.yaml: purpose, exposure_s)" in said
    assert "--yes" in said
    assert mn.read_run(run_dir).exposure_s("a.png") == 2.0
    code, _, said = told(ads, "--objectives", "none", "--yes")
    assert (code, "drops from the run: objectives" in said) == (0, True)
    assert mn.read_run(run_dir).facts["objectives"] is None
    assert told(ads)[2] == ""
    pd.testing.assert_frame_equal(mn.read_run(run_dir).metrics, analysed(ads).metrics)
