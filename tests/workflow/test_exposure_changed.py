"""Another exposure for the media of a run: their areas are scored again as a new run would, and nothing is opened."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from ad_folder import picture

import mediaan as mn
from mediaan.analysis import tasks
from mediaan.run.directory import copy_run
from mediaan.run.tables.schema import TABLES
from mediaan.workflow.folder.work_queue import FileChanges

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
FOUND = {"advice": "none", "aois": "all", "maps": ("heat",)}
BARE = {"model": "centre-prior", "aois": "none", "maps": ()}
AREA = {"type": "branding", "label": "corner", "box": [0.55, 0.6, 0.95, 0.9]}


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ads")
    for name in ("serum_square.jpg", "cat_food_feed.jpg"):
        shutil.copy(SAMPLES / "ads" / name, folder)
    shutil.copy(SAMPLES / "videos" / "sofa_banner.gif", folder)
    shutil.copy(folder / "serum_square.jpg", folder / "z_copy.jpg")
    return folder


def analysed(
    ads: Path, out: Path, objectives: str | None, drawn: Path | None = None, **recipe: object
) -> tuple[mn.Run, FileChanges, list[str]]:
    """A run, what became of its files, and the paths that were analysed."""
    file = None
    if objectives is not None:
        file = out.parent / f"{out.name}.yaml"
        file.write_text(objectives)
    seen: list[FileChanges] = []
    looked_at: list[str] = []
    run = mn.analyze_folder(
        ads,
        out,
        recipe=mn.Recipe(**{**FOUND, **recipe}, objectives=file, drawn_aois=drawn),
        execution=mn.Execution(workers=1),  # type: ignore[arg-type]
        on_changes=seen.append,
        on_report=lambda report: looked_at.append(report.outcome.path),
    )
    return run, seen[0], looked_at


TWO = "defaults: {exposure_s: 2, brand: Zephyr}\n"
THREE = "defaults: {exposure_s: 3, brand: Zephyr}\nmedia: [{match: 'cat*', exposure_s: 20}]\n"


@pytest.fixture(scope="module")
def runs(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One of two seconds, and one of three and more."""
    folder = tmp_path_factory.mktemp("runs")
    for name, objectives in (("two", TWO), ("three", THREE)):
        analysed(ads, folder / name, objectives)
    return folder / "two", folder / "three"


def assert_same(run_dir: Path, truth_dir: Path) -> None:
    """Tables to the last bit but for the clock, and the results beside the maps."""
    run, truth = mn.read_run(run_dir), mn.read_run(truth_dir)
    for name in TABLES:
        one, other = (
            found.table(name).drop(columns=["seconds", "created_at"], errors="ignore") for found in (run, truth)
        )
        pd.testing.assert_frame_equal(one, other, check_exact=True, obj=name)
    for file in truth_dir.glob("maps/*/*.json"):
        assert (run_dir / file.relative_to(truth_dir)).read_bytes() == file.read_bytes(), file
    assert run.facts["objectives"] == truth.facts["objectives"]
    assert "aoi_changes" not in run.facts


def forbid_analyses(monkeypatch: pytest.MonkeyPatch) -> None:
    def analyse(*_: object, **__: object) -> None:
        raise AssertionError("a medium was looked at again")

    monkeypatch.setattr(tasks, "analyze_file", analyse)


def test_scores_are_those_of_a_new_run_and_no_medium_is_opened(
    ads: Path, runs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_run(runs[0], tmp_path / "run")
    forbid_analyses(monkeypatch)
    run, changes, looked_at = analysed(ads, tmp_path / "run", THREE)
    assert (changes.unchanged, changes.rescored, changes.analyzed, looked_at) == (3, 2, 0, [])
    assert not run.aoi_scores.equals(mn.read_run(runs[0]).aoi_scores)
    assert_same(run.path, runs[1])
    again, changes, _ = analysed(ads, tmp_path / "run", THREE)
    assert (changes.unchanged, changes.rescored) == (3, 0)
    assert_same(again.path, runs[1])
    back, changes, _ = analysed(ads, tmp_path / "run", TWO)
    assert changes.rescored == 2
    assert_same(back.path, runs[0])
    assert not list((tmp_path / "run" / "edits").glob("*")), "what the analysis found stands again"


def test_what_was_killed_before_the_tables_were_written(
    ads: Path, runs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_run(runs[0], tmp_path / "run")
    with monkeypatch.context() as patched:
        patched.setattr("mediaan.run.writer.write_tables", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            analysed(ads, tmp_path / "run", THREE)
    forbid_analyses(monkeypatch)
    analysed(ads, tmp_path / "run", THREE)
    assert_same(tmp_path / "run", runs[1])


def test_areas_that_people_drew_stay(tmp_path: Path) -> None:
    ads = tmp_path / "ads"
    ads.mkdir()
    picture(1).save(ads / "a.png")
    (tmp_path / "areas.json").write_text(json.dumps({"a.png": [AREA]}))
    run, *_ = analysed(ads, tmp_path / "run", "defaults: {exposure_s: 2}\n", **BARE)
    mn.apply_aois(run.path, tmp_path / "areas.json")
    run, changes, _ = analysed(ads, tmp_path / "run", "defaults: {exposure_s: 8}\n", **BARE)
    truth, *_ = analysed(ads, tmp_path / "new", "defaults: {exposure_s: 8}\n", tmp_path / "areas.json", **BARE)
    assert (changes.rescored, changes.analyzed) == (1, 0)
    for name in ("aois", "aoi_scores"):
        pd.testing.assert_frame_equal(run.table(name), truth.table(name), check_exact=True)


def test_a_run_without_densities_looks_again(tmp_path: Path) -> None:
    ads = tmp_path / "ads"
    ads.mkdir()
    picture(1).save(ads / "a.png")
    (tmp_path / "areas.json").write_text(json.dumps({"a.png": [AREA]}))
    more = {**BARE, "densities": False}
    for objectives in ("defaults: {exposure_s: 2}\n", "defaults: {exposure_s: 8}\n"):
        run, changes, looked_at = analysed(ads, tmp_path / "run", objectives, tmp_path / "areas.json", **more)
        assert (changes.rescored, looked_at) == (0, ["a.png"])
    truth, *_ = analysed(ads, tmp_path / "new", "defaults: {exposure_s: 8}\n", tmp_path / "areas.json", **more)
    pd.testing.assert_frame_equal(run.aoi_scores, truth.aoi_scores, check_exact=True)
