"""Today's numbers are those of the golden run, wherever they are computed.

Tolerances were measured with tests/golden/tolerances.py; the figures are in docs/drift.md. When a number moves for a
good reason, CONTRIBUTING.md says how the golden run is made again.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest
from golden_run import (
    CPU,
    CUDA,
    FILE,
    Golden,
    Numbers,
    Tolerance,
    as_text,
    deviations,
    golden_of,
    measure,
    numbers_of,
    read_golden,
    shifts,
)
from tolerances import has_cuda, in_own_process, with_attention
from update import objection

from mediaan.analysis.revision import scores_id

INT8 = Tolerance(score=20.0, bound=30.0, area=20.0, alone=0.05, cells=300)

INT8_MODEL = os.environ.get("MEDIAAN_INT8_MODEL")


@pytest.fixture(scope="module")
def golden() -> Golden:
    return read_golden()


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Golden:
    return golden_of(measure(tmp_path_factory.mktemp("golden") / "run"))


_WHAT_TO_DO = (
    "If numbers were meant to move: raise REVISION in mediaan/analysis/revision.py, so that nobody compares them with "
    "older ones, then run make golden and make norms. Otherwise this is a defect; see CONTRIBUTING.md."
)


def explained(found: list[str], old: Golden, new: Golden) -> str:
    """Beside what moved: what else is different here."""
    changed = [
        f"{key}: {value} -> {new['made_with'].get(key)}"
        for key, value in old["made_with"].items()
        if new["made_with"].get(key) != value
    ]
    return "\n".join([f"{len(found)} deviations from {FILE.name}", *found[:20], *changed, _WHAT_TO_DO])


def assert_agree(old: Golden, new: Golden, tolerance: Tolerance) -> None:
    found = deviations(shifts(numbers_of(old), numbers_of(new)), tolerance)
    assert not found, explained(found, old, new)


def test_nothing_came_and_nothing_went(golden: Golden, today: Golden) -> None:
    def names(one: Golden) -> dict[str, list[str]]:
        return {path: sorted(medium["scores"]) for path, medium in one["media"].items()}

    assert names(today) == names(golden)


def test_numbers_on_the_cpu(golden: Golden, today: Golden) -> None:
    assert_agree(golden, today, CPU)


def test_what_areas_say_and_are_called(golden: Golden, today: Golden) -> None:
    def labels(one: Golden) -> list[tuple[str, str, str]]:
        return sorted((path, a["type"], a["label"]) for path, m in one["media"].items() for a in m["areas"])

    assert labels(today) == labels(golden)


def test_numbers_on_cuda(golden: Golden, tmp_path: Path) -> None:
    if not has_cuda():
        pytest.skip("needs a GPU that ONNX Runtime can use")
    assert_agree(golden, golden_of(measure(tmp_path / "run", device="cuda")), CUDA)


@pytest.mark.skipif(
    INT8_MODEL is None, reason="MEDIAAN_INT8_MODEL names no model that models/training/quantise.py made"
)
def test_numbers_in_int8(golden: Golden) -> None:
    assert INT8_MODEL is not None
    assert_agree(golden, in_own_process(partial(with_attention, model=Path(INT8_MODEL))), INT8)


def test_the_file_is_written_as_it_is_read(golden: Golden) -> None:
    assert as_text(golden) == FILE.read_text(encoding="utf-8")


@pytest.fixture
def numbers(golden: Golden) -> Numbers:
    return numbers_of(golden)


def changed(numbers: Numbers, table: str, column: str, by: float) -> list[str]:
    """Deviations after one number moved."""
    rows = getattr(numbers, table).copy()
    known = rows[column].notna() & (rows.get("metric", "") != "first_seen_s")
    rows.loc[rows.index[known][0], column] += by
    return deviations(shifts(numbers, numbers._replace(**{table: rows})), CPU)


@pytest.mark.parametrize(
    ("table", "column"), [("scores", "value"), ("scores", "lo"), ("scores", "hi"), ("area_scores", "value")]
)
def test_a_single_number_that_moves_is_found(numbers: Numbers, table: str, column: str) -> None:
    assert changed(numbers, table, column, 0.04) == []
    assert len(changed(numbers, table, column, -0.06)) == 1
    assert len(changed(numbers, table, column, float("nan"))) == 1, "lost"


def test_an_area_that_goes_and_a_density_that_moves_are_found(numbers: Numbers) -> None:
    fewer = numbers._replace(areas=numbers.areas.iloc[1:])
    assert deviations(shifts(numbers, fewer), CPU) == [f"1 of {len(numbers.areas)} areas are in one only"]
    key, cells = next(iter(numbers.densities.items()))
    moved = numbers._replace(densities=numbers.densities | {key: cells + 2})
    assert deviations(shifts(numbers, moved), CPU) == ["a cell of a density moved by 2 / 10000"]


def test_the_golden_run_is_of_these_scores(golden: Golden) -> None:
    """Whoever changes a scale, or raises the revision, makes the golden run and the norm sets again."""
    assert golden["made_with"]["scores_id"] == scores_id(), "run make golden, then make norms; see CONTRIBUTING.md"


def moved_copy(golden: Golden, by: float, **made_with: str) -> Golden:
    """With one score moved."""
    path, medium = next(iter(golden["media"].items()))
    name, (value, lo, hi) = next(iter(medium["scores"].items()))
    scores = medium["scores"] | {name: [value + by, lo, hi]}
    media = golden["media"] | {path: medium | {"scores": scores}}
    return golden | {"media": media, "made_with": golden["made_with"] | made_with}


def test_other_numbers_want_another_revision(golden: Golden) -> None:
    assert objection(golden, moved_copy(golden, 0.04)) is None, "arithmetic"
    assert objection(golden, moved_copy(golden, 0.06, scores_id="f" * 16)) is None, "the revision was raised"
    refused = objection(golden, moved_copy(golden, 0.06))
    assert refused is not None
    assert "raise REVISION" in refused


def test_a_golden_run_that_does_not_say_its_scores_is_replaced(golden: Golden) -> None:
    """One that was made before there were revisions."""
    old = golden | {"made_with": {k: v for k, v in golden["made_with"].items() if k != "scores_id"}}
    assert objection(old, moved_copy(golden, 5)) is None
