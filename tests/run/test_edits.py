"""AOIs that were drawn or found after the analysis outlive everything but a wish that they should not."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pandas as pd
import pytest
from PIL import Image, ImageDraw

import mediaan as mn
from mediaan.analysis import TaskResult
from mediaan.errors import SetupError, UsageError
from mediaan.run.edits import AoiEditStore, count_changes
from mediaan.run.parts import PartStore
from mediaan.run.tables.rows import aoi_row, aois_of, columns_of, track_rows, warning_row
from mediaan.run.tables.schema import DERIVED, TABLES
from mediaan.storage import LocalStorage
from mediaan.types.aoi import BRAND_NOT_FOUND, Aoi, Box, Sighting, TextFacts
from mediaan.types.media import Problem
from mediaan.workflow.aois import exported_aois
from mediaan.workflow.objectives import apply_objectives
from mediaan.workflow.options import read_options

CLOCKS = ["created_at", "seconds"]
BOX = [0.1, 0.1, 0.4, 0.4]


def settings(search: str = "none", **given: object) -> tuple[mn.Recipe, mn.Execution]:
    recipe = mn.Recipe(model="centre-prior", maps=(), aois=search)  # type: ignore[arg-type]
    return read_options(recipe, mn.Execution(workers=1), given)


def analyse(ads: Path, **given: object) -> tuple[mn.Run, list[str]]:
    """The run, and the paths that were looked at this time."""
    looked_at: list[TaskResult] = []
    run = mn.analyze_folder(ads, ads.parent / "run", *settings(**given), on_report=looked_at.append)
    return run, sorted(report.outcome.path for report in looked_at)


def areas_file(folder: Path, **areas: str) -> Path:
    """A file that has one AOI on each of the pictures named, of the type given."""
    file = folder / "areas.json"
    file.write_text(json.dumps({f"{name}.png": [{"type": kind, "box": BOX}] for name, kind in areas.items()}))
    return file


def objectives_file(folder: Path, seconds: float) -> Path:
    file = folder / f"objectives{seconds}.yaml"
    file.write_text(f"defaults: {{exposure_s: {seconds}}}\n")
    return file


def state(run_dir: Path) -> dict[str, object]:
    """All that a run says, but for when it was made."""
    run = mn.read_run(run_dir)
    tables = {name: run.table(name).drop(columns=CLOCKS, errors="ignore").to_json() for name in TABLES}
    results = {p.relative_to(run_dir).as_posix(): p.read_text() for p in sorted(run_dir.glob("maps/*/*.json"))}
    changes = [{**change, "at": None} for change in run.facts.get("aoi_changes", [])]
    return {**tables, **results, "changes": changes, "objectives": run.facts["objectives"]}


@pytest.fixture
def ads(tmp_path: Path) -> Path:
    folder = tmp_path / "ads"
    folder.mkdir()
    for number, name in enumerate(("a", "b", "c")):
        picture = Image.radial_gradient("L").convert("RGB").resize((200, 150))
        ImageDraw.Draw(picture).text((10 + 30 * number, 20), f"SALE {number}0 %", fill="white", font_size=30)
        picture.save(folder / f"{name}.png")
    return folder


def test_what_was_drawn_stays_when_the_analysis_goes_on(ads: Path) -> None:
    run, _ = analyse(ads)
    mn.apply_aois(run.path, areas_file(ads.parent, a="product", c="branding"))
    before = state(run.path)
    run, looked_at = analyse(ads)
    assert looked_at == []
    assert state(run.path) == before
    Image.new("RGB", (60, 40), "red").save(ads / "bb.png")
    run, looked_at = analyse(ads)
    assert looked_at == ["bb.png"]
    assert run.aois.type.tolist() == ["product", "branding"]
    assert run.facts["aoi_changes"][0]["applied"] == "areas.json"


def test_what_was_found_stays_too_and_both_are_told(ads: Path) -> None:
    run, _ = analyse(ads)
    mn.apply_aois(run.path, areas_file(ads.parent, a="product"))
    mn.detect_aois(run.path, [ads], aois="text", workers=1)
    before = state(run.path)
    run, _ = analyse(ads)
    assert state(run.path) == before
    assert [set(change) & {"applied", "detected"} for change in run.facts["aoi_changes"]] == [{"applied"}, {"detected"}]
    assert [change["media"] for change in run.facts["aoi_changes"]] == [1, 3]


def test_patched_tables_are_those_that_follow_from_parts_and_edits(ads: Path) -> None:
    run, _ = analyse(ads, search="text")
    mn.apply_aois(run.path, areas_file(ads.parent, b="product", a="branding"))
    patched = {name: run.table(name) for run in [mn.read_run(run.path)] for name in TABLES if name not in DERIVED}
    shutil.rmtree(run.path / "tables")
    analyse(ads, search="text")
    made = mn.read_run(run.path)
    for name, table in patched.items():
        pd.testing.assert_frame_equal(made.table(name), table, obj=name)


def test_wishes_that_would_lose_what_was_drawn_are_refused_before_any_work(ads: Path) -> None:
    run, _ = analyse(ads)
    mn.apply_aois(run.path, areas_file(ads.parent, a="product"))
    before = state(run.path)
    with pytest.raises(UsageError, match=r"a\.png.*aois export.*--force-new") as refusal:
        analyse(ads, drawn_aois=areas_file(ads.parent, a="branding"))
    assert refusal.value.code == "edits_lost"
    assert state(run.path) == before


def test_a_file_that_was_renamed_hides_nothing_that_was_drawn(ads: Path) -> None:
    run, _ = analyse(ads)
    mn.apply_aois(run.path, areas_file(ads.parent, a="product"))
    (ads / "a.png").rename(ads / "z.png")
    with pytest.raises(UsageError, match=r"z\.png"):
        analyse(ads, drawn_aois=areas_file(ads.parent, z="branding"))
    again, looked_at = analyse(ads, drawn_aois=areas_file(ads.parent, z="product"))
    assert looked_at == ["z.png"]
    assert again.aois.type.tolist() == ["product"]


def test_wishes_that_hold_what_was_drawn_take_its_place(ads: Path) -> None:
    run, _ = analyse(ads)
    mn.apply_aois(run.path, areas_file(ads.parent, a="product"))
    drawn = ads.parent / "drawn.json"
    drawn.write_text(exported_aois(run.path))
    again, looked_at = analyse(ads, drawn_aois=drawn)
    assert "a.png" in looked_at
    pd.testing.assert_frame_equal(again.aois, run.aois if len(run.aois) else again.aois)
    assert again.aois.type.tolist() == ["product"]
    assert "aoi_changes" not in again.facts
    assert not AoiEditStore(LocalStorage(run.path)).ids()


def test_what_was_only_found_falls_away_with_the_part_that_it_rests_on(ads: Path) -> None:
    run, _ = analyse(ads, search="text")
    mn.detect_aois(run.path, [ads], aois="text", workers=1)
    branded = ads.parent / "branded.yaml"
    branded.write_text("defaults: {brand: Acme}\n")
    again, looked_at = analyse(ads, search="text", objectives=branded)
    assert len(looked_at) == 3
    assert "aoi_changes" not in again.facts
    fresh = mn.analyze_folder(ads, ads.parent / "fresh", *settings(search="text", objectives=branded))
    assert state(again.path) == state(fresh.path)


@pytest.mark.parametrize("then", [2.0, 5.0])
def test_what_was_drawn_is_scored_for_as_long_as_it_is_looked_at_now(ads: Path, then: float) -> None:
    run, _ = analyse(ads, objectives=objectives_file(ads.parent, 3.0))
    drawn = areas_file(ads.parent, b="product")
    mn.apply_aois(run.path, drawn)
    objectives = objectives_file(ads.parent, then)
    again, looked_at = analyse(ads, objectives=objectives)
    assert looked_at == []
    fresh = mn.analyze_folder(ads, ads.parent / "fresh", *settings(objectives=objectives, drawn_aois=drawn))
    changed, wanted = state(again.path), state(fresh.path)
    assert {name for name in wanted if changed[name] != wanted[name]} <= {"changes"}


def test_objectives_of_the_command_go_before_those_applied_since(ads: Path) -> None:
    objectives = objectives_file(ads.parent, 3.0)
    run, _ = analyse(ads, search="text", objectives=objectives)
    before = state(run.path)
    apply_objectives(run.path, objectives_file(ads.parent, 8.0))
    assert state(run.path)["aoi_scores"] != before["aoi_scores"]
    again, looked_at = analyse(ads, search="text", objectives=objectives)
    assert looked_at == []
    assert state(again.path) == before


def test_a_medium_that_is_gone_for_a_while_keeps_what_was_drawn_on_it(ads: Path) -> None:
    run, _ = analyse(ads)
    mn.apply_aois(run.path, areas_file(ads.parent, a="product"))
    before = state(run.path)
    (ads / "a.png").rename(ads.parent / "aside.png")
    without, _ = analyse(ads)
    assert (len(without.media), len(without.aois)) == (2, 0)
    assert "aoi_changes" not in without.facts
    (ads.parent / "aside.png").rename(ads / "a.png")
    _, looked_at = analyse(ads)
    assert looked_at == []
    assert state(run.path) == before


def test_a_medium_whose_part_is_damaged_keeps_what_was_drawn_on_it(ads: Path) -> None:
    run, _ = analyse(ads)
    mn.apply_aois(run.path, areas_file(ads.parent, a="product"))
    before = state(run.path)
    for part in run.path.glob("parts/*/*"):
        part.write_bytes(part.read_bytes()[:-9])
    _, looked_at = analyse(ads)
    assert len(looked_at) == 3
    assert state(run.path) == before


def test_a_damaged_edit_is_told_and_not_passed_over(ads: Path) -> None:
    run, _ = analyse(ads)
    mn.apply_aois(run.path, areas_file(ads.parent, a="product"))
    (edit,) = run.path.glob("edits/*")
    edit.write_bytes(edit.read_bytes()[:-9])
    with pytest.raises(SetupError, match=r"damaged.*remove it") as refusal:
        analyse(ads)
    assert refusal.value.code == "edit_damaged"
    edit.unlink()
    again, looked_at = analyse(ads)
    assert (len(again.aois), looked_at) == (0, [])


def test_new_areas_with_the_same_name_and_time_are_one_change_and_others_are_two(ads: Path) -> None:
    run, _ = analyse(ads)
    for kind in ("product", "branding"):
        mn.apply_aois(run.path, areas_file(ads.parent, a=kind))
    assert len(mn.read_run(run.path).facts["aoi_changes"]) == 2
    again, _ = analyse(ads)
    assert len(again.facts["aoi_changes"]) == 2


def test_an_edit_lies_over_the_part_that_it_rests_on_and_no_other(ads: Path) -> None:
    run, _ = analyse(ads)
    mn.apply_aois(run.path, areas_file(ads.parent, a="product"))
    storage = LocalStorage(run.path)
    (edit,) = AoiEditStore(storage).all()
    part = PartStore(storage).read(str(edit.part))
    problems = [warning_row("a.png", str(part.medium_id), Problem(code, "")) for code in (BRAND_NOT_FOUND, "blurred")]
    part = replace(part, tables={**part.tables, "problems": columns_of(problems)})
    ((_, under),) = AoiEditStore(storage).over([("a.png", part)], [])
    assert len(under.rows("aois")) == 1
    assert [row["code"] for row in under.rows("problems")] == ["blurred"], "what was found before says nothing now"
    other = replace(part, key=f"{part.key}-other")
    assert list(AoiEditStore(storage).over([("a.png", other)], [])) == [("a.png", other)]


def test_changes_are_told_in_the_order_of_time() -> None:
    late, early = ({"applied": "areas.json", "at": f"2026-01-0{day}"} for day in (2, 1))
    assert count_changes([("a", late), ("b", early), ("c", late)]) == [{**early, "media": 1}, {**late, "media": 2}]


def test_an_area_is_read_back_as_it_was_written() -> None:
    medium_id, triangle = UUID(int=7), ((0.1, 0.1), (0.4, 0.1), (0.2, 0.4))
    drawn = Aoi(UUID(int=1), "branding", "Acme", Box(*BOX), None, "drawn", polygon=triangle, t0_s=0.5, t1_s=2.0)
    track = (Sighting(0.5, Box(*BOX), 0.8), Sighting(0.7, Box(0.2, 0.1, 0.5, 0.4), 0.7))
    text = TextFacts("Try it", 4.5, 7.1, True)
    followed = Aoi(UUID(int=2), "headline_text", "Try it", Box(*BOX), 0.8, "text", text=text, track=track)
    rows = [aoi_row(medium_id, one) for one in (drawn, followed)]
    tracks = [row for one in (drawn, followed) for row in track_rows(medium_id, one)]
    assert list(aois_of(rows, tracks)) == [drawn, followed]
