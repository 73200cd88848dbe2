"""What documents say of the model's accuracy is what was measured, and looks at held-out pictures are counted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "models" / "training"))

import accuracy  # noqa: E402


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The four sets that held_out.toml names, three grey pictures each, with every viewer on the same spots."""
    rng = np.random.default_rng(2)
    for name in ("osie", "crowd", "scene", "saleci"):
        folder, lists = tmp_path / "gaze" / name, tmp_path / "split" / "held_out"
        (folder / "images").mkdir(parents=True)
        lists.mkdir(parents=True, exist_ok=True)
        rows = []
        for i in range(3):
            Image.new("RGB", (64, 48)).save(folder / "images" / f"p{i}.png")
            rows += [
                (f"p{i}", "pooled" if name == "saleci" else str(viewer), x, y, onset_s)
                for viewer in range(5)
                for onset_s in (0.2, 1.0, 3.2, 4.0)
                for x, y in rng.uniform(0.3, 0.7, (1, 2))
            ]
        pd.DataFrame(rows, columns=["image", "viewer", "x", "y", "onset_s"]).to_parquet(folder / "fixations.parquet")
        (lists / f"{name}.txt").write_text("p0\np2\n")
    (tmp_path / "suites").mkdir()
    suite = (ROOT / "models/training/suites/held_out.toml").read_text()
    (tmp_path / "suites" / "held_out.toml").write_text(suite)
    return tmp_path


def test_every_look_at_held_out_pictures_is_counted_and_rendered(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(accuracy, "HERE", data)
    monkeypatch.setattr(accuracy, "ROOT", data)
    monkeypatch.setattr(accuracy, "KEPT", data / "accuracy.json")
    (data / "models").mkdir()
    for name in accuracy.PARTS:
        (data / name).write_text(
            "before\n<!-- accuracy:begin -->\nfigures of last year\n<!-- accuracy:end -->\nafter\n"
        )

    def run(*words: str) -> str:
        args = accuracy.arguments(words)
        args.run(args)
        return capsys.readouterr().out

    look = ("score", "held_out", "--data", str(data), "--model", "centre-prior")
    run(*look, "--set", "osie")
    said = run(*look, "--keep", "--json", str(data / "figures.json"))
    assert run("show", str(data / "figures.json")) == said
    kept = json.loads((data / "accuracy.json").read_text())
    assert [one["sets"] for one in kept["held_out_looks"]] == [["osie"], ["osie", "crowd", "scene", "saleci"]]
    assert str(data) not in json.dumps(kept)
    with pytest.raises(SystemExit, match="--keep is for the whole"):
        run(*look, "--keep", "--set", "osie")

    with pytest.raises(SystemExit):
        run("render", "--check")
    run("render")
    assert "nothing new" in run("render")
    nss = kept["held_out"]["sets"][0]["metrics"]["nss"]
    readme, card = ((data / name).read_text() for name in accuracy.PARTS)
    assert readme.startswith("before\n")
    assert readme.endswith("after\n")
    for page in (readme, card):
        assert "figures of last year" not in page
        assert "scored twice, one model in all" in page
        assert "saleci: what people reach is not known: viewers are pooled" in page
    assert f"| osie (2 pictures) | {nss['model']:.3f}, {nss['centre']:.3f}, {nss['ceiling']:.3f} |" in readme
    assert readme.count("| osie (2 pictures) |") == 1  # the whole exposure alone
    assert f"[{nss['lo']:.3f}, {nss['hi']:.3f}]" in card
    assert "| osie, start (2) |" in card
    assert "| crowd, end (2) |" in card
    assert f"[attention.measured.osie]  # held-out pictures, total window\nnss = {nss['model']:.3f}\n" in run(
        "manifest"
    )


def test_the_suites_name_lists_that_are_there() -> None:
    lists = [
        (path.parent / line.split('"')[1]).resolve()
        for path in (ROOT / "models/training/suites").glob("*.toml")
        for line in path.read_text().splitlines()
        if line.startswith(("pictures", "without"))
    ]
    assert lists
    assert [path for path in lists if not path.is_file()] == []
