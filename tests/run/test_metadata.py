"""run.json as a typed model: read leniently, written as it was; what it says of what media are for."""

from __future__ import annotations

import json
import random
from datetime import datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from mediaan.analysis.options import Recipe
from mediaan.run import TABLES
from mediaan.run.metadata import (
    RUN_FILE,
    RunMetadata,
    distinct_objectives,
    objective_of,
    pack_objectives,
    read_metadata,
)
from mediaan.run.tables.reading import RowsInOrder, copied_media, done_media
from mediaan.run.tables.writing import replace_table

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


SOLD, LIKED = {"purpose": "conversion"}, {"purpose": "brand_building", "brand": {"name": "Acme"}}


@pytest.mark.parametrize("seed", range(40))
def test_every_medium_keeps_its_objective(seed: int):
    chance = random.Random(seed)
    said = [SOLD, LIKED, {}][: chance.randint(1, 3)]
    folders = ["", "a/", "a/b/", "a/b/c/", "b/", "ab/"]
    media = {f"{chance.choice(folders)}{i}.png": chance.choice(said) for i in range(chance.randint(1, 60))}
    facts = json.loads(json.dumps({"objectives": pack_objectives(media.items())}))
    assert {path: objective_of(facts, path) for path in media} == media
    assert all(one in said for one in distinct_objectives(facts))


def test_media_that_are_alike_within_folders_take_no_room():
    media = ((f"campaign {i // 500}/{i}.png", LIKED if i // 500 % 2 else SOLD) for i in range(20_000))
    packed = pack_objectives(media)
    assert len(packed["said"]) == 2
    assert len(packed["of"]) <= 40
    assert len(json.dumps(packed)) < 2_000


def test_runs_of_earlier_versions_keep_an_objective_for_each_path():
    facts = {"objectives": {"a.png": SOLD, "b.png": LIKED}}
    assert [objective_of(facts, path) for path in ("a.png", "b.png", "c.png")] == [SOLD, LIKED, {}]
    assert distinct_objectives(facts) == [SOLD, LIKED]


@pytest.mark.parametrize("facts", [{}, {"objectives": None}, {"objectives": {}}])
def test_nothing_said_is_nothing(facts: dict):
    assert objective_of(facts, "a.png") == {}
    assert distinct_objectives(facts) == []


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "tables").mkdir()
    media = [("a.png", "i1"), ("b.png", "i2"), ("c.png", None), ("d.png", "i1"), ("e.png", "i3")]
    known = {"type": "image", "name": "", "created_at": datetime(2026, 3, 2), "seconds": 1.0}
    score = {"metric_time": "total", "basis": "measured", "unit": "score"}
    rows = {
        "media": [known | {"path": p, "medium_id": i, "status": "done" if i else "failed"} for p, i in media],
        "metrics": [score | {"medium_id": i, "metric": m, "value": float(m)} for i in ("i1", "i3") for m in "123"],
    }
    for name in TABLES:
        replace_table(tmp_path, name, rows.get(name, []))
    return tmp_path


def test_tables_are_read_side_by_side(run: Path):
    metrics = RowsInOrder(run, "metrics")
    rows = [
        (path, [(row["metric"], row["value"]) for row in metrics.of(medium_id)])
        for path, medium_id, *_ in done_media(run)
    ]
    metrics.finish()
    three = [("1", 1.0), ("2", 2.0), ("3", 3.0)]
    assert rows == [("a.png", three), ("b.png", []), ("d.png", []), ("e.png", three)]
    assert copied_media(run) == {"i1"}


def test_rows_that_nobody_asked_for_do_not_go_unnoticed(run: Path):
    metrics = RowsInOrder(run, "metrics")
    metrics.of("i3")
    with pytest.raises(AssertionError, match="metrics is not in the order"):
        metrics.finish()
