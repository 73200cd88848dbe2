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

CPU = Tolerance(score=0.05, bound=0.05, area=0.05, alone=0.0, cells=1)
CUDA = Tolerance(score=1.0, bound=1.5, area=3.0, alone=0.05, cells=20)
INT8 = Tolerance(score=20.0, bound=30.0, area=20.0, alone=0.05, cells=300)

INT8_MODEL = os.environ.get("MEDIAAN_INT8_MODEL")


@pytest.fixture(scope="module")
def golden() -> Golden:
    return read_golden()


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Golden:
    return golden_of(measure(tmp_path_factory.mktemp("golden") / "run"))


def explained(found: list[str], old: Golden, new: Golden) -> str:
    """Beside what moved: what else is different here."""
    changed = [
        f"{key}: {value} -> {new['made_with'].get(key)}"
        for key, value in old["made_with"].items()
        if new["made_with"].get(key) != value
    ]
    return "\n".join([f"{len(found)} deviations from {FILE.name}", *found[:20], *changed])


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
