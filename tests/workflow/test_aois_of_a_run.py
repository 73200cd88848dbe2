"""AOIs of a finished run: found again, taken from a file, written to one, and scored as if they had been there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from commands import mediaan_command

import mediaan as mn

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


def settings(**more: object) -> tuple[mn.Recipe, mn.Execution]:
    of_recipe = {"aois": "none"} | {k: v for k, v in more.items() if k != "drawn"}
    recipe = mn.Recipe(model="centre-prior", maps=(), **of_recipe)
    return (recipe.replace(drawn_aois=more.get("drawn")), mn.Execution(workers=1))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("media")
    for name in NAMES:
        shutil.copy(SAMPLES / name, made)
    (made / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nand no more")
    return made


@pytest.fixture(scope="module")
def detected(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    return mn.analyze_folder(folder, tmp_path_factory.mktemp("runs") / "detected", *settings(aois="text"))


@pytest.fixture(scope="module")
def without_areas(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    return mn.analyze_folder(folder, tmp_path_factory.mktemp("runs") / "plain", *settings())


@pytest.fixture
def plain(without_areas: mn.Run, tmp_path: Path) -> mn.Run:
    return mn.read_run(shutil.copytree(without_areas.path, tmp_path / "plain"))


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
    changes = mn.detect_aois(plain.path, [elsewhere], aois="text", workers=2)
    assert (changes.media, changes.problems, changes.unused) == (3, (), ())
    assert len(detected.aois) == changes.aois > 5
    same_tables(mn.read_run(plain.path), detected)


def test_what_is_drawn_later_scores_as_if_it_had_been_there(
    plain: mn.Run, folder: Path, areas: Path, tmp_path: Path
) -> None:
    changes = mn.apply_aois(plain.path, areas)
    assert (changes.media, changes.aois, changes.unused) == (2, 3, ())
    again = mn.analyze_folder(folder, tmp_path / "again", *settings(drawn=areas))
    same_tables(mn.read_run(plain.path), again)
    assert set(again.aois.source) == {"drawn"}
    shop = again.aois[again.aois.label == "shop"].iloc[0]
    assert shop.x0 == pytest.approx(10 / 300, abs=0.2)
    assert mn.read_run(plain.path).facts["aoi_changes"][0]["applied"] == "areas.json"


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
    mn.detect_aois(plain.path, [folder], aois="text", workers=1)
    aois = mn.read_run(plain.path).aois
    assert (aois.source == "drawn").sum() == 3
    assert (aois.source == "detected").sum() > 5


def test_finding_again_what_a_person_moved_leaves_one_area_of_an_id(
    detected: mn.Run, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(detected.path, copy)
    exported = json.loads(mn.exported_aois(copy))
    moved = exported["serum_square.jpg"][0]
    moved["box"] = [0.1, 0.1, 0.2, 0.2]
    moved.pop("polygon", None)
    mn.apply_aois(copy, write(tmp_path, exported))
    mn.detect_aois(copy, [folder], aois="text", workers=1)
    aois = mn.read_run(copy).aois
    assert aois.aoi_id.is_unique
    assert aois.set_index("aoi_id").loc[moved["aoi_id"]].source == "drawn"


def annotated(name: str, *results: dict[str, object], **more: object) -> dict[str, object]:
    """A task of Label Studio."""
    return {"data": {"image": f"/data/upload/1/ab12cd34-{name}"}, "annotations": [{"result": list(results)} | more]}


RECTANGLE = {"id": "a", "type": "rectanglelabels", "value": {"x": 10, "y": 10, "width": 20, "height": 20}}
BRUSH = {"id": "b", "type": "brushlabels", "original_width": 9, "original_height": 9, "value": {"rle": [0, 1]}}


@pytest.mark.parametrize(
    ("content", "exit_code", "says"),
    [
        ([annotated("serum_square.jpg", BRUSH)], 3, "brushlabels b is a brush that cannot be decoded"),
        ([annotated("serum_square.jpg", was_cancelled=True)], 3, "was skipped: no areas"),
        ([annotated("serum_square.jpg")], 3, "serum_square.jpg: no area was read, so it keeps those that it had"),
        ([annotated("poster.jpg", RECTANGLE)], 3, "no file in the run is called /data/upload/1/ab12cd34-poster.jpg"),
        ({"images": [{"id": 1, "file_name": "serum_square.jpg"}], "annotations": []}, 3, "no area was read"),
        ([], 3, "no area was read for any file of the run"),
        ([annotated("spa_low_contrast.jpg", RECTANGLE, BRUSH)], 0, "brushlabels b is a brush"),
        ({"serum_square.jpg": [{"type": "face", "box": [2, 2, 3, 3], "unit": "px"}]}, 0, ""),
        ({"serum_square.jpg": [{"type": "face", "box": [5000, 2, 6000, 3], "unit": "px"}]}, 3, "is outside the image"),
    ],
)
def test_areas_are_never_removed_by_a_read_that_finds_none(
    plain: mn.Run, areas: Path, tmp_path: Path, content: object, exit_code: int, says: str
) -> None:
    mn.apply_aois(plain.path, areas)
    before = mn.read_run(plain.path)
    (tmp_path / "export.json").write_text(json.dumps(content))
    done = mediaan_command("aois", "apply", plain.path, tmp_path / "export.json", cwd=tmp_path)
    assert (done.returncode, says in done.stderr) == (exit_code, True), done.stderr
    after = mn.read_run(plain.path)
    if exit_code:
        same_tables(before, after)
        assert after.facts["aoi_changes"] == before.facts["aoi_changes"]
    else:
        assert set(after.aois.medium_id) >= set(before.aois.medium_id)
    emptied = mn.apply_aois(plain.path, write(tmp_path, {"serum_square.jpg": []}))
    assert (emptied.media, emptied.aois) == (1, 0), "an empty list of ours says that there are none"


def write(folder: Path, content: object) -> Path:
    (folder / "own.json").write_text(json.dumps(content))
    return folder / "own.json"


def test_areas_of_a_picture_that_has_two_paths(folder: Path, tmp_path: Path) -> None:
    twice = tmp_path / "twice"
    for name in ("a", "b"):
        (twice / name).mkdir(parents=True)
        shutil.copy(folder / "serum_square.jpg", twice / name)
    run = mn.analyze_folder(twice, tmp_path / "run", *settings())
    changes = mn.apply_aois(run.path, write(tmp_path, {"b/serum_square.jpg": DRAWN["serum_square.jpg"]}))
    assert (changes.media, changes.aois, changes.unused) == (1, 2, ())
    with pytest.raises(mn.UsageError, match="are the same picture and have different AOIs"):
        mn.apply_aois(
            run.path,
            write(
                tmp_path,
                {f"{name}/serum_square.jpg": DRAWN["serum_square.jpg"][: i + 1] for i, name in enumerate("ab")},
            ),
        )


def test_an_analysis_with_a_file_of_which_nothing_is_read(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "export.json").write_text(json.dumps([annotated("serum_square.jpg", BRUSH)]))
    flags = ["--model", "centre-prior", "--maps", "none", "--advice", "none"]
    command = ["analyze", folder / "serum_square.jpg", "--out", tmp_path / "run", *flags]
    done = mediaan_command(*command, "--aois", tmp_path / "export.json", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "brushlabels b is a brush that cannot be decoded" in done.stderr
    assert "no area was read for any file of the run" in done.stderr
    own = write(tmp_path, {"SERUM_SQUARE.jpg": [DRAWN["serum_square.jpg"][0]]})
    again = mediaan_command(*command, "--aois", own, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert list(mn.read_run(tmp_path / "run").aois.type) == ["product"]


@pytest.mark.parametrize("format", ["json", "csv", "coco", "labelstudio", "fiftyone"])
def test_every_export_applied_again_changes_nothing(detected: mn.Run, tmp_path: Path, format: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(detected.path, copy)
    path = tmp_path / ("areas.csv" if format == "csv" else "areas.json")
    path.write_text(mn.exported_aois(copy, format))
    changes = mn.apply_aois(copy, path)
    assert (changes.problems, changes.unread) == ((), ())
    same_tables(mn.read_run(copy), detected)
