"""A run whose pictures are looked at for another time is compared with a population that is looked at for as long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ad_folder import picture

import mediaan as mn
from mediaan.judge.benchmark import find_norm_set
from mediaan.workflow.benchmark_build import NormSettings, build_benchmark, write_norm_set

TYPES = ("branding", "product", "branding")


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ads")
    areas = {}
    for i in range(12):
        picture(i, 160, 120).save(folder / f"{i:02d}.png")
        boxes = ([0.05 * i, 0.1, 0.05 * i + 0.3, 0.5], [0.2, 0.6, 0.9, 0.7 + 0.02 * i], [0.4, 0.4, 0.6, 0.45])
        areas[f"{i:02d}.png"] = [
            {"type": t, "label": t, "box": box} for t, box in list(zip(TYPES, boxes, strict=True))[: 1 + i % 3]
        ]
    (folder / "areas.json").write_text(json.dumps(areas))
    (folder / "brief.yaml").write_text("defaults: {exposure_s: 2}\nmedia: [{match: 03.png, exposure_s: 9}]\n")
    return folder


def analysed(ads: Path, out: Path, exposure_s: float = 5.0, **more: object) -> mn.Run:
    recipe = mn.Recipe(model="centre-prior", maps=(), aois="none", exposure_s=exposure_s)
    return mn.analyze_folder(ads, out, recipe, drawn_aois=ads / "areas.json", workers=1, **more)


def norm_file(run: mn.Run, name: str) -> Path:
    file = run.path.parent / f"{name}.parquet"
    write_norm_set(build_benchmark([run.path], NormSettings(name, title="Ours")), file)
    return file


@pytest.fixture(scope="module")
def usual(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return norm_file(analysed(ads, tmp_path_factory.mktemp("usual") / "run", benchmark="none"), "usual")


def test_ranges_are_those_of_a_population_measured_at_that_exposure(ads: Path, usual: Path, tmp_path: Path) -> None:
    brief = norm_file(analysed(ads, tmp_path / "brief", 2.0, benchmark="none"), "brief")
    truth = analysed(ads, tmp_path / "truth", 2.0, benchmark=str(brief)).benchmark_ranges
    run = analysed(ads, tmp_path / "run", objectives=ads / "brief.yaml", benchmark=str(usual))
    found = run.benchmark_ranges
    assert found.reason.isna().sum() == truth.reason.isna().sum() > 0
    other = found.medium_id == run.media.set_index("path").medium_id["03.png"]
    drop = ["norm_set", "score_title", "fallback"]
    same = found[~other].drop(columns=drop).reset_index(drop=True)
    assert same.equals(truth[~other].drop(columns=drop).reset_index(drop=True))
    titles = found[(found.metric == "percentage_seen") & (found.aoi_type == "branding")].score_title
    assert titles[~other].str.contains("branding areas looked at for 2 s").all()
    assert titles[other].str.contains("branding areas looked at for 9 s").all()
    said = {(one["exposure_s"], one["media"]) for one in run.facts["benchmark"]["rescored"]}
    assert (said, run.facts["benchmark"]["refused"]) == ({(2.0, 11), (9.0, 1)}, [])


def test_a_run_without_densities_makes_norms_for_its_own_exposure_alone(ads: Path, tmp_path: Path) -> None:
    recipe = mn.Recipe(model="centre-prior", maps=(), aois="none", densities=False)
    settings = (recipe.replace(drawn_aois=ads / "areas.json", benchmark="none"), mn.Execution(workers=1))
    file = norm_file(mn.analyze_folder(ads, tmp_path / "bare", *settings), "bare")
    assert not find_norm_set(file).any_exposure
    run = analysed(ads, tmp_path / "run", objectives=ads / "brief.yaml", benchmark=str(file))
    of_areas = run.benchmark_ranges[run.benchmark_ranges.aoi_type.notna()]
    assert of_areas.reason.str.contains("AOIs of the norms were looked at for 5 s, those of the run for [29] s").all()
    assert of_areas.reason.str.contains("holds no shares of attention to score its AOIs for another time").all()


def test_rules_on_percentiles_go_by_that_population(ads: Path, usual: Path, tmp_path: Path) -> None:
    run = analysed(ads, tmp_path / "run", objectives=ads / "brief.yaml", benchmark=str(usual))
    found = mn.check_run(run.path, ["branding.percentage_seen >= p50"])
    said = {one.path: one.message for one in found.results}
    assert all(
        f"of every branding looked at for {9 if path == '03.png' else 2} s in Ours" in said[path] for path in said
    )
    assert {one.limit for one in found.results if one.path != "03.png"} == {70.9452}
