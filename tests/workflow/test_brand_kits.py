"""Kits made by commands: new, pictures added, and filled from what people drew in a run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from mediaan.config.brand import load_kit
from mediaan.errors import UsageError
from mediaan.workflow.aois import apply_aois
from mediaan.workflow.brand_kits import add_pictures, kit_from_run, new_kit
from mediaan.workflow.folder.analyze import analyze_folder
from tests.commands import mediaan_command


def logo(file: Path, ground: str | None = "white", mark: str = "navy") -> Path:
    image = Image.new("RGBA", (200, 80), ground or (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.ellipse((10, 10, 70, 70), fill=mark)
    draw.rectangle((90, 25, 190, 55), fill=mark)
    image.save(file)
    return file


def photograph(file: Path, seed: int = 0, size: tuple[int, int] = (120, 160)) -> Path:
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (8, 6, 3)).astype(np.uint8)
    Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC).save(file)
    return file


def test_a_kit_is_made_filled_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "acme"
    made = mediaan_command("brand", "new", str(folder), "--name", "Acmé: 24/7", "--alias", "Acme", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    files = [logo(tmp_path / "logo.png", None), photograph(tmp_path / "pack shot.png")]
    added = mediaan_command("brand", "add", str(folder), *map(str, files), cwd=tmp_path)
    assert added.returncode == 0
    assert "added logos/logo.png" in added.stdout
    assert "added packs/pack_shot.png" in added.stdout
    shown = json.loads(mediaan_command("brand", "show", str(folder), "--json", cwd=tmp_path).stdout)
    assert shown["name"] == "Acmé: 24/7"
    assert shown["aliases"] == ["Acme"]
    assert (shown["logos"], shown["packs"]) == (["logos/logo.png"], ["packs/pack_shot.png"])
    again = mediaan_command("brand", "new", str(folder), "--name", "Acme", cwd=tmp_path)
    assert again.returncode == 2
    assert "exists" in again.stderr


def test_the_same_picture_is_kept_once(tmp_path: Path) -> None:
    kit = new_kit(tmp_path / "acme", "Acme")
    first = add_pictures(
        kit.folder, [logo(tmp_path / "a.png"), logo(tmp_path / "inverted.png", "navy", "white")], "logo"
    )
    assert [file.name for file in first.added] == ["a.png", "inverted.png"]
    with Image.open(tmp_path / "a.png") as image:
        image.resize((100, 40)).save(tmp_path / "small.png")
    second = add_pictures(kit.folder, [tmp_path / "small.png"], "logo")
    assert second.added == ()
    assert second.skipped == ("small: looks like logos/a.png",)


def test_a_picture_that_may_be_either_is_asked_for_and_nothing_is_copied(tmp_path: Path) -> None:
    kit = new_kit(tmp_path / "acme", "Acme")
    files = [logo(tmp_path / "logo.png"), photograph(tmp_path / "acme.png")]
    with pytest.raises(UsageError, match=r"acme\.png: may be a logo or a pack; say which with --logo or --pack"):
        add_pictures(kit.folder, files)
    assert load_kit(kit.folder).logos == ()
    assert len(add_pictures(kit.folder, files[1:], "pack").kit.packs) == 1


def test_pictures_that_are_none_are_refused(tmp_path: Path) -> None:
    kit = new_kit(tmp_path / "acme", "Acme")
    (tmp_path / "logo.svg").write_text("<svg/>")
    with pytest.raises(UsageError, match=r"logo\.svg: .*save the logo as PNG"):
        add_pictures(kit.folder, [tmp_path / "logo.svg"])
    with pytest.raises(UsageError, match="is no brand kit"):
        add_pictures(tmp_path, [logo(tmp_path / "a.png")])


@pytest.fixture(scope="module")
def run_with_drawings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ads")
    for name, mark in (("one", "navy"), ("two", "red")):
        ad = Image.new("RGB", (400, 300), "white")
        logo(folder / "mark.png", "white", mark)
        with Image.open(folder / "mark.png") as image:
            ad.paste(image.convert("RGB"), (100, 40))
        ad.save(folder / f"{name}.png")
    (folder / "mark.png").unlink()
    areas = [
        {"path": "one.png", "type": "branding", "label": "Acme", "box": [0.25, 40 / 300, 0.75, 0.4]},
        {"path": "two.png", "type": "branding", "label": "Zeta", "box": [0.25, 40 / 300, 0.75, 0.4]},
        {"path": "one.png", "type": "product", "label": "bottle", "box": [0.0, 0.5, 0.2, 1.0]},
    ]
    lines = ["path,type,label,x0,y0,x1,y1"]
    lines += [",".join(map(str, (a["path"], a["type"], a["label"], *a["box"]))) for a in areas]  # type: ignore[misc]
    run = folder / "run"
    analyze_folder([folder], run, model="centre-prior", aois="none", advice="none", maps="heat", workers=1)
    (folder / "areas.csv").write_text("\n".join(lines) + "\n")
    apply_aois(run, folder / "areas.csv")
    return run


def test_what_people_drew_fills_a_kit(run_with_drawings: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"several brands: .*say which with --name"):
        kit_from_run(run_with_drawings, tmp_path / "acme")
    assert not (tmp_path / "acme").exists()
    changes = kit_from_run(run_with_drawings, tmp_path / "acme", "Acme")
    assert changes.kit.name == "Acme"
    assert len(changes.kit.logos) == len(changes.kit.packs) == 1
    with Image.open(changes.kit.logos[0]) as crop:
        assert crop.size == (200, 80)
        blue = np.asarray(crop.convert("RGB"))[40, 40]
    assert blue[2] > blue[0] + 60  # the mark of one.png, not that of two.png
    again = kit_from_run(run_with_drawings, tmp_path / "acme")
    assert again.added == ()
    assert len(again.skipped) == 2


def test_a_run_without_drawn_branding_fills_nothing(run_with_drawings: Path, tmp_path: Path) -> None:
    new_kit(tmp_path / "other", "Other")
    assert kit_from_run(run_with_drawings, tmp_path / "other").added == ()
    said = mediaan_command("brand", "from-run", run_with_drawings, tmp_path / "other", cwd=tmp_path).stderr
    assert "nobody drew or confirmed branding of Other; confirm the areas" in said
    with pytest.raises(UsageError, match="is the kit of 'Other'"):
        kit_from_run(run_with_drawings, tmp_path / "other", "Acme")
