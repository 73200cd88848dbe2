"""AOIs of a finished run: found again, taken from a file, written to one, and scored as if they had been there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

import mediaan as mn
from mediaan.maps.catalogue import MAP_NAMES

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
NAMES = ("ads/serum_square.jpg", "ads/spa_low_contrast.jpg", "videos/sofa_banner.gif")
TABLES = ("aois", "aoi_tracks", "aoi_scores", "looks", "scanpaths")
DRAWN = {
    "serum_square.jpg": [
        {"type": "product", "label": "bottle", "box": [0.4, 0.3, 0.6, 0.9]},
        {"type": "branding", "polygon": [[0.1, 0.1], [0.3, 0.1], [0.2, 0.2]]},
    ],
    "sofa_banner.gif": [{"type": "call_to_action", "label": "shop", "box": [10, 10, 90, 60], "unit": "px", "t1_s": 1}],
}


def settings(**more: object) -> mn.Settings:
    of_recipe = {"aois": "none"} | {k: v for k, v in more.items() if k != "drawn"}
    recipe = mn.Recipe(model="centre-prior", maps=(), **of_recipe)
    return mn.Settings(recipe, aois=more.get("drawn"), workers=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("media")
    for name in NAMES:
        shutil.copy(SAMPLES / name, made)
    (made / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nand no more")
    return made


@pytest.fixture(scope="module")
def detected(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    return mn.analyze_folder(folder, tmp_path_factory.mktemp("runs") / "detected", settings=settings(aois="text"))


@pytest.fixture
def plain(folder: Path, tmp_path: Path) -> mn.Run:
    return mn.analyze_folder(folder, tmp_path / "plain", settings=settings())


@pytest.fixture
def areas(tmp_path: Path) -> Path:
    (tmp_path / "areas.json").write_text(json.dumps(DRAWN))
    return tmp_path / "areas.json"


def same_tables(one: mn.Run, other: mn.Run) -> None:
    for name in TABLES:
        pd.testing.assert_frame_equal(one.table(name), other.table(name))


def test_found_later_is_found_at_once(detected: mn.Run, plain: mn.Run, folder: Path, tmp_path: Path) -> None:
    """Under another name, in another folder, in another process."""
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(folder, elsewhere)
    (elsewhere / "serum_square.jpg").rename(elsewhere / "renamed.jpg")
    changes = mn.detect_aois(plain.path, [elsewhere], level="text", workers=2)
    assert (changes.media, changes.problems, changes.unused) == (3, (), ())
    assert len(detected.aois) == changes.aois > 5
    same_tables(mn.read_run(plain.path), detected)


def test_what_is_drawn_later_scores_as_if_it_had_been_there(
    plain: mn.Run, folder: Path, areas: Path, tmp_path: Path
) -> None:
    changes = mn.apply_aois(plain.path, areas)
    assert (changes.media, changes.aois, changes.unused) == (2, 3, ())
    again = mn.analyze_folder(folder, tmp_path / "again", settings=settings(drawn=areas))
    same_tables(mn.read_run(plain.path), again)
    assert set(again.aois.source) == {"drawn"}
    shop = again.aois[again.aois.label == "shop"].iloc[0]
    assert shop.x0 == pytest.approx(10 / 300, abs=0.2)
    assert mn.read_run(plain.path).facts["aoi_changes"][0]["applied"] == "areas.json"


def test_applying_twice_changes_nothing(plain: mn.Run, areas: Path) -> None:
    mn.apply_aois(plain.path, areas)
    first = mn.read_run(plain.path)
    before = {name: first.table(name) for name in TABLES}
    mn.apply_aois(plain.path, areas)
    for name, table in before.items():
        pd.testing.assert_frame_equal(mn.read_run(plain.path).table(name), table)


def test_what_is_exported_and_applied_again_loses_nothing(detected: mn.Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(detected.path, copy)
    (tmp_path / "areas.json").write_text(mn.exported_aois(copy))
    changes = mn.apply_aois(copy, tmp_path / "areas.json")
    assert changes.problems == ()
    same_tables(mn.read_run(copy), detected)


def test_a_type_that_a_person_mends_keeps_what_was_found(detected: mn.Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(detected.path, copy)
    exported = json.loads(mn.exported_aois(copy))
    name = "serum_square.jpg"
    first = exported[name][0]
    first["type"], first["label"] = "branding", "Lumi"
    moved = exported[name][1]
    moved["box"] = [0.1, 0.1, 0.2, 0.2]
    moved.pop("polygon", None)
    (tmp_path / "areas.json").write_text(json.dumps({name: exported[name]}))
    mn.apply_aois(copy, tmp_path / "areas.json")
    aois = mn.read_run(copy).aois.set_index("aoi_id")
    mended, old = aois.loc[first["aoi_id"]], detected.aois.set_index("aoi_id").loc[first["aoi_id"]]
    assert (mended.type, mended.label, mended.method, mended.text) == ("branding", "Lumi", old.method, old.text)
    assert aois.loc[moved["aoi_id"]].source == "drawn"
    others = detected.aois[detected.aois.medium_id != old.medium_id].reset_index(drop=True)
    kept = mn.read_run(copy).aois
    kept = kept[kept.medium_id != old.medium_id].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, others, check_dtype=False)  # a null elsewhere makes objects of booleans


def test_finding_again_keeps_what_was_drawn(plain: mn.Run, folder: Path, areas: Path) -> None:
    mn.apply_aois(plain.path, areas)
    mn.detect_aois(plain.path, [folder], level="text", workers=1)
    aois = mn.read_run(plain.path).aois
    assert (aois.source == "drawn").sum() == 3
    assert (aois.source == "detected").sum() > 5


def test_entries_that_fit_nothing_are_named(plain: mn.Run, tmp_path: Path) -> None:
    (tmp_path / "areas.json").write_text(json.dumps({"serum.jpg": DRAWN["serum_square.jpg"]}))
    assert mn.apply_aois(plain.path, tmp_path / "areas.json").unused == ("serum.jpg",)


def test_a_run_without_densities_says_what_to_do(folder: Path, areas: Path, tmp_path: Path) -> None:
    run = mn.analyze_folder(folder, tmp_path / "run", settings=settings(densities=False))
    with pytest.raises(mn.UsageError, match="without --no-densities"):
        mn.apply_aois(run.path, areas)


def test_results_of_the_service_lie_beside_the_maps(plain: mn.Run, areas: Path) -> None:
    mn.apply_aois(plain.path, areas)
    run = mn.read_run(plain.path)
    files = run.maps[run.maps["map"] == "brand_detection_metrics"].path
    assert len(files) == 2
    found = [json.loads((run.path / file).read_text()) for file in files]
    (brand,) = [one for content in found for one in content["brands"]]
    assert (brand["marks"], brand["first_visible_s"]) == (1, None)
    assert brand["mean_area_pct"] == pytest.approx(2.0)
    assert MAP_NAMES  # maps were not asked for, results are there all the same
