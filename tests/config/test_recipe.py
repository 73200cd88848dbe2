"""Recipes and their identity; files of calibrations."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from mediaan.analysis.options import Recipe
from mediaan.config.calibration import calibration_text, load_calibration, save_calibration
from mediaan.errors import UsageError
from mediaan.maps.catalogue import default_map_names
from mediaan.run.metadata import RunMetadata
from mediaan.types.eye_tracking import Adjustment, Calibration, CalibrationEvidence, Pace


def test_by_default_every_map_is_rendered_and_all_areas_are_looked_for() -> None:
    assert Recipe().maps == default_map_names()
    assert Recipe().aois == "all"
    assert Recipe().exposure_s == 5.0


def test_maps_are_a_set_in_the_catalogue_s_order() -> None:
    assert Recipe(maps=("fog", "heat", "fog")).maps == ("heat", "fog")


def test_an_unknown_map_is_a_usage_error_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="did you mean 'first_two_fog'"):
        Recipe(maps=("first_to_fog",))


@pytest.mark.parametrize(
    "bad", [{"exposure_s": 0}, {"exposure_s": float("inf")}, {"max_megapixels": -1}, {"model": ""}, {"modle": "x"}]
)
def test_what_cannot_be_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(bad))):
        Recipe(**bad)  # type: ignore[arg-type]


def test_a_recipe_does_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Recipe().model = "other"  # type: ignore[misc]


CALIBRATION = Calibration("attention", "", "lab", "2026-01-01", "0", 50, 20, 9000, Adjustment(sharpness=0.9))


def test_every_setting_of_the_identity_changes_the_id() -> None:
    variants = [
        Recipe(),
        Recipe(model="prior"),
        Recipe(maps=()),
        Recipe(densities=False),
        Recipe(aois="none"),
        Recipe(detector="mine.toml"),
        Recipe(exposure_s=4),
        Recipe(viewport="390x844"),
        Recipe(max_megapixels=50),
        Recipe(fps=2),
        Recipe(fast=True),
        Recipe(mixed=True),
        Recipe(max_side=3000),
        Recipe(time_limit_s=60),
        Recipe(advice="none"),
        Recipe(calibration=CALIBRATION),
    ]
    identity = [field for field in Recipe.model_fields.values() if not field.exclude]
    assert len(variants) == 1 + len(identity), "a new setting belongs into this test"
    assert len({recipe.recipe_id for recipe in variants}) == len(variants)


@pytest.mark.parametrize("name", [name for name, field in Recipe.model_fields.items() if field.exclude])
def test_what_the_user_states_of_media_is_no_part_of_the_identity(name: str) -> None:
    assert Recipe(**{name: "none"}).recipe_id == Recipe().recipe_id  # type: ignore[arg-type]


def test_the_version_changes_the_id(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Recipe().recipe_id
    monkeypatch.setattr("mediaan.analysis.options.__version__", "99.0")
    assert Recipe().recipe_id != before


def test_the_id_is_the_same_in_another_process_and_after_json() -> None:
    recipe = Recipe(model="prior", exposure_s=3)
    assert Recipe.model_validate(json.loads(recipe.model_dump_json())).recipe_id == recipe.recipe_id
    code = "from mediaan.analysis.options import Recipe; print(Recipe(model='prior', exposure_s=3.0).recipe_id)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == recipe.recipe_id


FULL = Calibration(
    model="attention",
    model_sha256="0" * 64,
    source='lab "north"\n[x]',
    made_at="2026-01-01T00:00:00+00:00",
    mediaan="0.3.0",
    pictures=50,
    viewers=20,
    fixations=9000,
    total=Adjustment(0.8, (0.7, 0.9), 0.02, (0.01, 0.03), 0.1, (0.05, 0.2)),
    start=Adjustment(sharpness=1.2),
    pace=Pace(1.1, (1.0, 1.2), 0.9, (0.8, 1.0), 0.7, None),
    evidence=(
        CalibrationEvidence("total", "nss", 2.0, 2.5, 0.5, 0.4, 0.6),
        CalibrationEvidence("start", "cc", 0.5, 0.6, 0.1, 0.0, 0.2),
    ),
)
NOTHING = replace(FULL, total=Adjustment(), start=None, pace=Pace())


@pytest.mark.parametrize("calibration", [FULL, NOTHING])
def test_what_is_written_is_read_back(calibration: Calibration, tmp_path: Path) -> None:
    path = tmp_path / "my.calibration"
    save_calibration(calibration, path)
    read = load_calibration(path)
    assert replace(read, sha256="") == calibration
    assert read.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_reason_is_kept_in_the_value_and_not_in_the_file(tmp_path: Path) -> None:
    save_calibration(replace(FULL, despite="because"), tmp_path / "a")
    assert "because" not in (tmp_path / "a").read_text()
    assert load_calibration(tmp_path / "a", despite="another").despite == "another"


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("sharpness = 0.8", "sharpness = 80", "total: .*sharpness must be a number from 0.1 to 10, not 80"),
        ("sharpness = 0.8", 'sharpness = "much"', "total.sharpness: "),
        ("spread = 0.02", "blur = 0.02", "total.blur: is not known here"),
        ("pictures = 50", "colour = 50", "colour: is not known here"),
        ("pictures = 50\n", "", "pictures: "),
        ("format = 1", "format = 2", "format 2 is not known"),
        ("[total]", "[total", "is not TOML"),
        ('metric = "nss"', 'metrics = "nss"', "evidence.metrics: is not known here"),
    ],
)
def test_a_file_with_a_mistake_is_refused(before: str, after: str, complaint: str, tmp_path: Path) -> None:
    text = calibration_text(FULL)
    assert before in text
    (tmp_path / "a").write_text(text.replace(before, after, 1))
    with pytest.raises(UsageError, match=f"(?s)a: .*{complaint}") as refused:
        load_calibration(tmp_path / "a")
    assert refused.value.code == "calibration_invalid"


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff\xfe\x00")
    for name, complaint in (("none", "cannot be read"), ("a", "is not TOML")):
        with pytest.raises(UsageError, match=complaint):
            load_calibration(tmp_path / name)
    with pytest.raises(UsageError, match="cannot be written"):
        save_calibration(FULL, tmp_path / "none" / "a")


def test_a_recipe_holds_it_and_changes_with_it() -> None:
    recipe, other = Recipe(calibration=FULL), Recipe(calibration=replace(FULL, pictures=51))
    assert RunMetadata.parse({"recipe": recipe.model_dump(mode="json")}).recipe.calibration == FULL
    assert RunMetadata.parse({"recipe": Recipe().model_dump(mode="json")}).recipe.calibration is None
    assert len({recipe.recipe_id, other.recipe_id, Recipe().recipe_id}) == 3
