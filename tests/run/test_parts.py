"""A part holds what came of a medium to the last bit, and a damaged one is as if it were not there."""

from __future__ import annotations

import gzip
import json
import math
import os
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from budget import budget
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mediaan.errors import AnalysisError, SetupError
from mediaan.run.files import part_key
from mediaan.run.parts import PartStore, ResultPart, check_tables, pack, unpack
from mediaan.run.tables.rows import Row
from mediaan.run.tables.schema import DERIVED, TABLES
from mediaan.run.tables.writing import write_tables
from mediaan.storage import LocalStorage
from mediaan.types.densities import Densities
from mediaan.types.media import Medium
from mediaan.types.metrics import Score
from mediaan.types.result import Failed, Result

ONE = UUID(int=1 << 100)
KEY = part_key("recipe", str(ONE))
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
OF_ANALYSIS = [name for name in TABLES if name not in DERIVED]


def values(kind: pa.DataType) -> st.SearchStrategy[object]:
    if pa.types.is_string(kind):
        return TEXT
    if pa.types.is_floating(kind):
        return st.floats(allow_nan=False, allow_infinity=False)
    if pa.types.is_integer(kind):
        return st.integers(-(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1)
    if pa.types.is_boolean(kind):
        return st.booleans()
    if pa.types.is_timestamp(kind):
        times = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1))
        return times.map(lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000))
    if pa.types.is_fixed_size_list(kind):
        return st.lists(values(kind.value_type), min_size=kind.list_size, max_size=kind.list_size)
    assert pa.types.is_list(kind), kind
    return st.lists(values(kind.value_type), max_size=3)


def cells(field: pa.Field) -> st.SearchStrategy[object]:
    return values(field.type) if not field.nullable else st.none() | values(field.type)


def rows(table: str, *, at_least: int = 0, at_most: int = 4) -> st.SearchStrategy[list[Row]]:
    row = st.fixed_dictionaries({field.name: cells(field) for field in TABLES[table]})
    return st.lists(row, min_size=at_least, max_size=at_most)


CONTENTS = st.fixed_dictionaries(
    {name: rows(name, at_least=1, at_most=1) if name == "media" else rows(name) for name in OF_ANALYSIS}
)


@settings(deadline=None, max_examples=budget(20, 100), derandomize=True, suppress_health_check=list(HealthCheck))
@given(CONTENTS)
def test_from_rows_to_a_part_to_tables_nothing_changes(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, list[Row]]
) -> None:
    for row in found["media"]:
        row["medium_id"] = str(ONE)
    path = found["media"][0]["path"]
    found["problems"] = [row | {"path": path} for row in found["problems"]]
    tables, facts = unpack(pack(check_tables(found), key=KEY, sizes={}, stages={"open": 0.1}))
    folder = tmp_path_factory.mktemp("tables")
    write_tables(folder, [(path, ResultPart(tables=tables, **facts))])
    for name in OF_ANALYSIS:
        wanted = pa.Table.from_pylist(found[name], schema=TABLES[name])
        read = pq.read_table(folder / f"{name}.parquet")
        assert read.equals(wanted), name
        assert [field.metadata for field in read.schema] == [field.metadata for field in TABLES[name]]
    signs = [math.copysign(1, x) for row in found["metrics"] if (x := row["value"]) is not None]
    assert signs == [math.copysign(1, x) for x in pq.read_table(folder / "metrics.parquet")["value"].to_pylist() if x
                     is not None]  # fmt: skip


def result(value: float = 40.0, reason: str | None = None, name: str = "a.png") -> Result:
    medium = Medium(ONE, name, "image", 30, 20, "png")
    return Result(
        name,
        medium,
        (Score(value, 1, 2, metric="focus", basis="learned", unit="score", reason=reason),),
        Densities({}),
        {},
    )


def committed(tmp_path: Path) -> tuple[PartStore, Path]:
    """A store with one part, which names one file of maps; and the part's file."""
    storage = LocalStorage(tmp_path)
    storage.write("maps/a/heat.jpg", b"picture")
    store = PartStore(storage)
    store.commit(KEY, result(), {"heat": "maps/a/heat.jpg"}, 0.5)
    (file,) = tmp_path.glob("parts/*/*")
    return store, file


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def with_content(change: Callable[[dict[str, object]], object]) -> Callable[[bytes], bytes]:
    def damaged(data: bytes) -> bytes:
        content = json.loads(gzip.decompress(data))
        return gzip.compress(json.dumps(change(content)).encode())

    return damaged


DAMAGES = {
    "cut": cut,
    "empty": lambda data: b"",
    "zeros": lambda data: bytes(len(data)),
    "not gzip": gzip.decompress,
    "not JSON": lambda data: gzip.compress(b"{'a':"),
    "another version": with_content(lambda content: content | {"format": 0}),
    "no version": with_content(lambda content: {k: v for k, v in content.items() if k != "format"}),
    "a list": with_content(lambda content: [content]),
    "no medium": with_content(lambda content: content | {"tables": {}}),
    "an unknown table": with_content(lambda content: content | {"tables": {**content["tables"], "x": {"a": [1]}}}),
    "an unknown column": with_content(lambda content: content | {"tables": {"media": {"x": [1]}}}),
    "columns of two lengths": with_content(
        lambda content: content | {"tables": {**content["tables"], "metrics": {"value": [1.0], "lo": []}}}
    ),
    "no key": with_content(lambda content: {k: v for k, v in content.items() if k != "key"}),
    "another medium's": with_content(lambda content: content | {"key": part_key("recipe", "other")}),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_part_is_as_if_it_were_not_there(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    store, file = committed(tmp_path)
    assert store.whole(KEY)
    file.write_bytes(damage(file.read_bytes()))
    assert store.read(KEY) is None
    assert not store.whole(KEY)
    store.commit(KEY, result(), {"heat": "maps/a/heat.jpg"}, 0.5)
    assert store.whole(KEY)


def test_no_flipped_bit_changes_what_a_part_says(tmp_path: Path) -> None:
    store, file = committed(tmp_path)
    data, part = file.read_bytes(), store.read(KEY)
    chance = random.Random(7)
    noticed = 0
    for _ in range(400):
        place = chance.randrange(8 * len(data))
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        file.write_bytes(flipped)
        found = store.read(KEY)
        assert found in (None, part)
        noticed += found is None
    assert noticed > 380, "but for the few bits of a header that say nothing"


def test_what_cannot_be_read_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    store, file = committed(tmp_path)
    file.unlink()
    file.mkdir()
    assert store.read(KEY) is None


def test_a_part_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a power cut could leave the name with nothing behind it."""
    steps: list[str] = []
    sync, rename = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda file: steps.append(f"{os.fstat(file).st_size} bytes") or sync(file))
    monkeypatch.setattr(Path, "replace", lambda path, to: steps.append(to.name) or rename(path, to))
    _, file = committed(tmp_path)
    assert steps == ["heat.jpg", f"{file.stat().st_size} bytes", file.name]


@pytest.mark.parametrize("change", ["removed", "shorter", "longer"])
def test_a_part_without_its_maps_is_not_whole(tmp_path: Path, change: str) -> None:
    store, _ = committed(tmp_path)
    heat = tmp_path / "maps/a/heat.jpg"
    heat.unlink() if change == "removed" else heat.write_bytes(b"pic" if change == "shorter" else b"pictures")
    assert store.read(KEY) is not None
    assert not store.whole(KEY)


def test_maps_that_vanish_before_the_commit_are_told(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"maps/a/heat\.jpg vanished"):
        PartStore(LocalStorage(tmp_path)).commit(KEY, result(), {"heat": "maps/a/heat.jpg"}, 0.5)
    assert not list(tmp_path.glob("parts/*/*"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (result(math.nan), "metrics.value is not finite"),
        (result(math.inf), "metrics.value is not finite"),
        (result(reason="\udcff"), "metrics.reason does not fit"),
        (result(value="40"), "metrics.value does not fit"),  # type: ignore[arg-type]
        (replace(result(), path=None), "media.path is missing"),  # type: ignore[arg-type]
    ],
)
def test_what_no_table_can_hold_is_a_fault_of_ours_and_leaves_nothing(tmp_path: Path, wrong: Result, said: str) -> None:
    with pytest.raises(AnalysisError, match=said):
        PartStore(LocalStorage(tmp_path)).commit(KEY, wrong, {}, 0.5)
    assert not list(tmp_path.glob("parts/*/*"))


def test_a_failure_takes_the_place_of_a_result_and_a_result_that_of_a_failure(tmp_path: Path) -> None:
    store = PartStore(LocalStorage(tmp_path))
    failed = Failed("a.png", "a.png", "truncated", "a.png: ends too early", 7)
    for outcome in (result(), failed, result(), failed):
        store.commit(KEY, outcome, {}, 0.5)
        part = store.read(KEY)
        assert part.failed == isinstance(outcome, Failed)
        assert len(list(tmp_path.glob("parts/*/*"))) == 1
    store.remove_failed(KEY)
    assert store.read(KEY) is None


def test_a_part_of_other_wishes_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    store, other = PartStore(LocalStorage(tmp_path)), part_key("recipe", str(ONE), "options")
    store.commit(KEY, result(), {}, 0.5)
    assert store.read(other) is None
    assert not store.whole(other)
    store.commit(other, result(41.0), {}, 0.5)
    assert store.read(KEY) is None
    assert len(list(tmp_path.glob("parts/*/*"))) == 1


def test_names_of_all_sorts_are_kept(tmp_path: Path) -> None:
    store = PartStore(LocalStorage(tmp_path))
    for name in ("größe 夏.png", '"a",=b\n\u202egnp', "x" * 4000, "\0"):
        store.commit(KEY, result(name=name), {}, 0.5)
        part = store.read(KEY)
        assert part.path == name
