"""A calibration from eye tracking to the report: fitted, used, recorded, and remembered when AOIs come later."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image

import mediaan as mn
from mediaan.cli.main import cli
from mediaan.config.calibration import load_calibration, save_calibration
from mediaan.run.changes import read_areas
from mediaan.saliency.density import centre_prior
from mediaan.saliency.predictor import adjust_density
from mediaan.types.aoi import Box
from mediaan.types.eye_tracking import Adjustment, Calibration, Pace

MINE = Calibration(
    model="centre-prior",
    model_sha256="",
    source="my lab",
    made_at="2026-01-01T00:00:00+00:00",
    mediaan="0",
    pictures=50,
    viewers=20,
    fixations=9000,
    total=Adjustment(sharpness=0.6),
    pace=Pace(rate=0.5),
)
BOX = Box(0.4, 0.4, 0.6, 0.6)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "media").mkdir()
    noise = np.random.default_rng(0).integers(0, 255, (120, 160, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "media" / "a.png")
    save_calibration(MINE, tmp_path / "my.calibration")
    return tmp_path


def test_a_run_records_it_and_later_areas_are_scored_by_it(folder: Path) -> None:
    calibration = load_calibration(folder / "my.calibration")
    recipe = mn.Recipe(model="centre-prior", maps=(), calibration=calibration, aois="none")
    (folder / "aois.json").write_text(json.dumps({"a.png": [{"type": "other", "box": list(BOX)}]}))
    with_aois = (recipe.replace(drawn_aois=folder / "aois.json"), mn.Execution(workers=1))
    run = mn.analyze_folder(folder / "media", folder / "run", *with_aois)
    facts = run.facts["calibration"]
    assert facts["sha256"] == hashlib.sha256((folder / "my.calibration").read_bytes()).hexdigest()
    assert facts["source"] == "my lab"
    assert run.facts["recipe"]["calibration"]["total"]["sharpness"] == 0.6
    page = (folder / "run" / "report" / "index.html").read_text()
    assert "Calibrated to the viewers of my lab" in page
    assert "look at more of the image" in page

    bare = mn.analyze_folder(folder / "media", folder / "bare", recipe=recipe, execution=mn.Execution(workers=1))
    mn.apply_aois(bare.path, folder / "aois.json")
    first, second = (pd.read_parquet(folder / name / "tables" / "aoi_scores.parquet") for name in ("run", "bare"))
    columns = ["metric", "metric_time", "value"]
    pd.testing.assert_frame_equal(first[columns], second[columns])
    assert read_areas(mn.read_run(bare.path))

    plain = (recipe.model_copy(update={"calibration": None}), mn.Execution(workers=1))
    other = mn.analyze_folder(folder / "media", folder / "plain", *plain)
    assert other.facts["calibration"] is None
    assert other.facts["recipe_id"] != bare.facts["recipe_id"]
    assert "calibration-note" not in (folder / "plain" / "report" / "index.html").read_text()


def test_from_a_tracker_to_a_calibration_by_the_command(tmp_path: Path) -> None:
    """Viewers of whom the centre prior knows all but that they look twice as far around."""
    random, rows = np.random.default_rng(1), []
    truth = adjust_density(centre_prior((60, 80)), Adjustment(sharpness=0.5)).astype(np.float64).ravel()
    (tmp_path / "images").mkdir()
    for i in range(12):
        Image.new("RGB", (160, 120), (i * 20, 90, 60)).save(tmp_path / "images" / f"p{i}.png")
        y, x = np.unravel_index(random.choice(truth.size, 150, p=truth), (60, 80))
        places = zip(x.tolist(), y.tolist(), strict=True)
        rows += [(f"p{i}.png", n % 15, 100 * (a + 0.5) / 80, 100 * (b + 0.5) / 60) for n, (a, b) in enumerate(places)]
    pd.DataFrame(rows, columns=["Picture", "Who", "FX", "FY"]).to_csv(tmp_path / "gaze.csv", index=False)
    (tmp_path / "columns.yaml").write_text("image: Picture\nviewer: Who\nx: FX\ny: FY\nunit: percent\n")
    said = ["calibrate", str(tmp_path), "--model", "centre-prior", "--out", str(tmp_path / "my.calibration")]
    told = CliRunner().invoke(cli, said)
    assert told.exit_code == 0, told.output
    assert "look at more of the image than the model expects" in told.output
    assert "information gain" in told.output
    found = load_calibration(tmp_path / "my.calibration")
    assert found.total.sharpness == pytest.approx(0.5, rel=0.15)
    missing = CliRunner().invoke(cli, [*said[:-1], str(tmp_path / "none" / "x")])
    assert isinstance(missing.exception, mn.UsageError)
