"""Recipes and their identity."""

import json
import subprocess
import sys

import pytest
from pydantic import ValidationError

from mediaan.analysis.recipe import Recipe
from mediaan.errors import UsageError
from mediaan.maps.catalogue import default_map_names
from mediaan.types.eye_tracking import Adjustment, Calibration


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
        Recipe(intervals="none"),
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
    monkeypatch.setattr("mediaan.analysis.recipe.__version__", "99.0")
    assert Recipe().recipe_id != before


def test_the_id_is_the_same_in_another_process_and_after_json() -> None:
    recipe = Recipe(model="prior", exposure_s=3)
    assert Recipe.model_validate(json.loads(recipe.model_dump_json())).recipe_id == recipe.recipe_id
    code = "from mediaan.analysis.recipe import Recipe; print(Recipe(model='prior', exposure_s=3.0).recipe_id)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == recipe.recipe_id
