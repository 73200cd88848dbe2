"""run.json as a typed model: read leniently, written as it was."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from mediaan.analysis.recipe import Recipe
from mediaan.run.metadata import RUN_FILE, RunMetadata, read_metadata

FACTS = {
    "mediaan": "0.9.0",
    "created_at": "2026-01-02T03:04:05+00:00",
    "recipe": Recipe(fps=10.0).model_dump(mode="json"),
    "recipe_id": "0123456789abcdef",
    "models": [{"name": "attention", "sha256": "a" * 64}],
    "counts": {"done": 2, "failed": 0, "skipped": 1},
    "objectives": {"said": [{"brand": {"name": "Acme"}, "exposure_s": 2.0}], "of": {"ads/": 0}},
    "briefing": {"objectives": None, "rules_file": None, "aois": None, "domain": "ad"},
    "of a later version": [1, {"b": 2, "a": 1}],
}


def test_what_was_read_is_written_to_the_byte(tmp_path: Path) -> None:
    before = (json.dumps(FACTS, indent=2) + "\n").encode()
    (tmp_path / RUN_FILE).write_bytes(before)
    read_metadata(tmp_path).write(tmp_path)
    assert (tmp_path / RUN_FILE).read_bytes() == before


def test_fields_are_typed_and_follow_the_medium() -> None:
    metadata = RunMetadata.parse(FACTS)
    assert (metadata.recipe.fps, metadata.counts.done, metadata.models[0].name) == (10.0, 2, "attention")
    assert metadata.inputs is not None
    assert metadata.inputs["domain"] == "ad"
    assert (metadata.brand("ads/a.png"), metadata.exposure_s("ads/a.png")) == ("Acme", 2.0)
    assert (metadata.brand("b.png"), metadata.exposure_s("b.png")) == (None, 5.0)


def test_a_change_keeps_the_order_of_all_else() -> None:
    changed = RunMetadata.parse(FACTS).updated(counts={"done": 3, "failed": 0, "skipped": 1}, benchmark={"choice": "x"})
    assert list(changed.facts) == [*FACTS, "benchmark"]
    assert (changed.counts.done, changed.benchmark) == (3, {"choice": "x"})
    assert FACTS["counts"] == {"done": 2, "failed": 0, "skipped": 1}


@pytest.mark.parametrize(
    "recipe", [{}, {"fps": 2.0, "maps": ["a map of another version"]}, {"exposure_s": 3.0, "setting of another": 1}]
)
def test_recipes_of_other_versions_are_read(recipe: dict[str, object]) -> None:
    """Before there were areas and advice, none were asked for."""
    metadata = RunMetadata.parse({"recipe": recipe})
    assert (metadata.recipe.aois, metadata.recipe.advice) == ("none", "none")
    assert metadata.facts == {"recipe": recipe}


def test_entries_that_are_absent_or_null_are_empty() -> None:
    for facts in ({}, dict.fromkeys(("rules", "targets", "benchmark", "objectives", "aoi_changes"))):
        metadata = RunMetadata.parse(facts)
        assert (metadata.rules, metadata.targets, metadata.benchmark, metadata.aoi_changes) == ((), {}, {}, ())
        assert metadata.objective("a.png") == {}


def test_what_no_version_writes_is_refused() -> None:
    with pytest.raises(ValidationError):
        RunMetadata.parse({"counts": "many"})
