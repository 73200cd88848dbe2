"""A copy of a run can change, and the run it was made from does not."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mediaan as mn
from mediaan.errors import SetupError
from mediaan.run.directory import copy_run, link_or_copy


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    rng = np.random.default_rng(1)
    Image.fromarray(rng.integers(0, 256, (90, 120, 3), dtype=np.uint8)).save(folder / "a.png")
    (folder / "areas.json").write_text(json.dumps({"a.png": [{"type": "branding", "box": [0.1, 0.1, 0.4, 0.4]}]}))
    settings = (
        mn.Recipe(model="centre-prior", maps=("heat",), aois="none", drawn_aois=folder / "areas.json"),
        mn.Execution(workers=1),
    )
    mn.analyze_folder(folder / "a.png", folder / "run", *settings)
    return folder / "run"


def contents(run: Path) -> dict[str, str]:
    files = (path for path in run.rglob("*") if path.is_file())
    return {path.relative_to(run).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_copy_holds_the_same_but_for_who_is_at_work(made: Path, tmp_path: Path) -> None:
    for name in (".scratch/claims/a", "run.lock", "attempts.jsonl"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text("{}\n")
    copy_run(made, tmp_path / "copy")
    shutil.rmtree(made / ".scratch")
    copied, original = contents(tmp_path / "copy"), contents(made)
    assert set(original) - set(copied) == {"run.lock", "attempts.jsonl"}
    assert {name: original[name] for name in copied} == copied
    assert {"parts", "maps", "tables", "inventory.parquet"} <= {name.split("/")[0] for name in copied}


def test_a_copy_goes_on_where_the_original_stopped(made: Path, tmp_path: Path) -> None:
    """With what was drawn on the copy alone."""
    copy_run(made, tmp_path / "copy")
    areas = tmp_path / "other.json"
    areas.write_text(json.dumps({"a.png": [{"type": "product", "box": [0.5, 0.5, 0.9, 0.9]}]}))
    mn.apply_aois(tmp_path / "copy", areas)
    recipe = mn.Recipe(model="centre-prior", maps=("heat",), aois="none")
    settings = (recipe.replace(drawn_aois=made.parent / "areas.json"), mn.Execution(workers=1))
    looked_at: list[object] = []
    for run, types in ((tmp_path / "copy", ["product"]), (made, ["branding"])):
        mn.analyze_folder(made.parent / "a.png", run, *settings, on_report=looked_at.append)
        assert mn.read_run(run).aois.type.tolist() == types
    assert looked_at == []


def test_what_changes_a_copy_leaves_the_original_alone(made: Path, tmp_path: Path) -> None:
    """Everything that the library does to a finished run, one after the other."""
    before = contents(made)
    copy_run(made, tmp_path / "copy")
    areas = tmp_path / "other.json"
    areas.write_text(json.dumps({"a.png": [{"type": "product", "box": [0.5, 0.5, 0.9, 0.9]}]}))
    mn.apply_aois(tmp_path / "copy", areas)
    mn.rate_run(tmp_path / "copy", "none")
    mn.check_run(tmp_path / "copy", ["focus >= 10"], keep=True)
    assert contents(made) == before
    changed = {name for name, sha256 in contents(tmp_path / "copy").items() if before.get(name) != sha256}
    assert {"tables/aois.parquet", "run.json", "report/index.html"} <= changed


def test_maps_and_densities_take_no_room(made: Path, tmp_path: Path) -> None:
    copy_run(made, tmp_path / "copy")
    for path in (made / "maps").rglob("*.*"):
        assert path.samefile(tmp_path / "copy" / path.relative_to(made))
    assert not (made / "run.json").samefile(tmp_path / "copy" / "run.json")


def test_only_the_top_folder_leaves_things_out(made: Path, tmp_path: Path) -> None:
    nested = made / "maps" / "report"
    nested.mkdir()
    (nested / "a.txt").write_text("stays")
    copy_run(made, tmp_path / "copy", without=("report", "run.json"))
    shutil.rmtree(nested)
    assert not (tmp_path / "copy" / "report").exists()
    assert not (tmp_path / "copy" / "run.json").exists()
    assert (tmp_path / "copy" / "maps" / "report" / "a.txt").read_text() == "stays"


def test_where_files_cannot_have_two_names_they_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: object, target: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "a").write_text("content")
    link_or_copy(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "content"


def test_a_place_that_cannot_be_written_is_named(made: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SetupError, match="cannot be written"):
        copy_run(made, tmp_path / "file" / "copy")
