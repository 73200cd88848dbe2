"""Norm sets survive a file; files that are none, or are damaged, are refused with a reason."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_norms import KEY, about, rows

from mediaan.errors import UsageError
from mediaan.judge.benchmark import find_norm_set
from mediaan.judge.benchmark.file import NORMS, norm_set_file, parse_norm_set, read_norm_set, read_provenance
from mediaan.judge.benchmark.norm_set import NormMatch, NormSet, Provenance, build_norm_set
from mediaan.judge.benchmark.targets import MeasuredTarget

VALUES = np.random.default_rng(1).gamma(2, 12, 90).clip(0, 100)
INDUSTRIES = {f"m{i}": {"industry": "food, drink = more" if i % 2 else "cars"} for i in range(90)}


@pytest.fixture
def made() -> NormSet:
    known = about(
        keys=("industry",),
        applies_to={"usecase": ("advertisement",)},
        notes=("Größe: klein.", "Two."),
        targets={"branding.lift": MeasuredTarget(1.5, None, "The best have it.")},
        command="mediaan benchmark build x",
        counts={"files": 91, "failed": 1},
    )
    return build_norm_set(rows({f"m{i}": float(v) for i, v in enumerate(VALUES)}), INDUSTRIES, known)


@pytest.fixture
def path(made: NormSet, tmp_path: Path) -> Path:
    file = tmp_path / "own.parquet"
    file.write_bytes(norm_set_file(made))
    return file


def same(first: Any, second: Any) -> bool:
    equal = (np.array_equal(getattr(first, f.name), getattr(second, f.name)) for f in fields(first))
    return all(equal)


def test_round_trip(made: NormSet, path: Path) -> None:
    read = find_norm_set(path)
    assert all(same(before, after) for before, after in zip(made.norms, read.norms, strict=True))
    for each in fields(Provenance):
        expected = path if each.name == "path" else getattr(made, each.name)
        assert getattr(read, each.name) == expected, each.name
    asked = ("image", "focus", "total", None, {"industry": "food, drink = more"})
    before, after = made.find(*asked), read.find(*asked)
    assert isinstance(before, NormMatch)
    assert isinstance(after, NormMatch)
    assert after.segment == before.segment == "industry=food, drink = more"
    for value in (*VALUES, -1.0, 200.0):
        assert after.norm.percentile(value) == before.norm.percentile(value)


def test_provenance_is_read_without_the_numbers(made: NormSet, path: Path) -> None:
    read = read_provenance(path)
    assert (read.name, read.sizes, read.comparability_key) == (made.name, made.sizes, KEY)
    assert not hasattr(read, "norms")


def test_other_programs_read_it(path: Path) -> None:
    wide = duckdb.sql(f"select segment, n, quantiles[50] as median from '{path}' order by n, segment").fetchall()
    assert [(segment, n) for segment, n, _ in wide] == [
        ("industry=cars", 45), ("industry=food, drink = more", 45), ("all", 90)
    ]  # fmt: skip
    assert wide[2][2] == pytest.approx(np.median(VALUES), rel=1e-5)
    assert list(pd.read_parquet(path).columns) == NORMS.names
    assert all(field.metadata[b"caption"] for field in pq.read_schema(path))


def rewritten(path: Path, change: Any) -> Path:
    """The table with something done to it."""
    table = pq.read_table(path)
    target = path.with_name("damaged.parquet")
    pq.write_table(change(table), target)
    return target


def with_facts(table: pa.Table, **facts: Any) -> pa.Table:
    known = json.loads(table.schema.metadata[b"mediaan_norm_set"])
    for name, value in facts.items():
        if value is None:
            del known[name]
        else:
            known[name] = value
    return table.replace_schema_metadata({**table.schema.metadata, b"mediaan_norm_set": json.dumps(known)})


def falling(table: pa.Table) -> pa.Table:
    lists = table.column("quantiles").to_pylist()
    lists[0][50] = lists[0][40]
    at = table.schema.get_field_index("quantiles")
    return table.set_column(at, NORMS.field("quantiles"), pa.array(lists, NORMS.field("quantiles").type))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace_schema_metadata({}), "is no norm set; mediaan benchmark build makes one"),
        (lambda t: t.drop_columns(["hi"]), "has no column 'hi'"),
        (lambda t: with_facts(t, yardstick=None), "its metadata cannot be read"),
        (lambda t: with_facts(t, sizes=[{"segment": "x"}]), "its metadata cannot be read"),
        (lambda t: with_facts(t, yardstick={"model": "x"}), "its metadata cannot be read"),
        (lambda t: with_facts(t, created="tomorrow"), "does not hold together: created is no date: 'tomorrow'"),
        (lambda t: t.replace_schema_metadata({b"mediaan_norm_set": b"{"}), "its metadata cannot be read"),
        (lambda t: t.set_column(10, "quantiles", pa.array([[1.0]] * len(t))), "is damaged"),
        (lambda t: t.set_column(0, "type", pa.array([None] * len(t), pa.string())), "is damaged"),
        (lambda t: t.slice(0, 0), "it holds no norms"),
        (falling, r"focus \(total\), images, all: quantiles fall after 50 %, and 1 more; mediaan benchmark validate"),
    ],
)
def test_what_is_no_norm_set_is_refused(path: Path, change: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        read_norm_set(rewritten(path, change))
    assert caught.value.code == "norms_invalid"
    assert "damaged.parquet" in caught.value.message


def test_what_is_no_parquet_file(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    text, half = tmp_path / "text.parquet", tmp_path / "half.parquet"
    text.write_text("hello")
    half.write_bytes(data[: len(data) // 2])
    for file, message in ((text, "no Parquet"), (half, "no Parquet"), (tmp_path / "none.parquet", "no such file")):
        with pytest.raises(UsageError, match=message) as caught:
            read_norm_set(file)
        assert caught.value.code == "norms_invalid"


def test_a_flipped_byte_is_found_or_changes_no_number(made: NormSet, path: Path, tmp_path: Path) -> None:
    data, file, refused = path.read_bytes(), tmp_path / "flipped.parquet", 0
    for place in np.random.default_rng(2).integers(4, len(data) - 4, 300):
        flipped = bytearray(data)
        flipped[place] ^= 0xFF
        file.write_bytes(flipped)
        try:
            read = read_norm_set(file)
        except UsageError as error:
            assert error.code == "norms_invalid"  # noqa: PT017
            refused += 1
        else:
            assert all(same(before, after) for before, after in zip(made.norms, read.norms, strict=True))
    assert refused > 150


def test_a_set_that_does_not_hold_together_can_be_looked_at(path: Path) -> None:
    """`mediaan benchmark validate` lists all that is wrong, so it must get so far."""
    assert len(parse_norm_set(rewritten(path, falling)).norms) == 3
