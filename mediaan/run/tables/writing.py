"""Write tables, whole or not at all, in memory that does not grow with their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.run.files import disk_errors
from mediaan.run.tables.reading import ROWS_AT_ONCE
from mediaan.run.tables.rows import RANGE_LISTS
from mediaan.run.tables.schema import BENCHMARK_RANGES, OTHER_TABLES, TABLES
from mediaan.types.benchmark import BenchmarkRange

if TYPE_CHECKING:
    from mediaan.run.parts import ResultPart
    from mediaan.run.tables.rows import Columns


def write_table(path: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a table to a file, whole or not at all.

    `name`: which table; columns that rows lack are null.
    `rows`: taken some at a time: a large run has millions.
    Raises SetupError: the disk is full or may not be written to.
    """
    schema, rest = {**TABLES, **OTHER_TABLES}[name], iter(rows)
    some_at_a_time = iter(lambda: [dict(row) for row in islice(rest, ROWS_AT_ONCE)], [])
    _write_batches(path, schema, (pa.RecordBatch.from_pylist(some, schema=schema) for some in some_at_a_time))


def replace_table(run_dir: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Put rows in the place of those of a run's table."""
    write_table(run_dir / "tables" / f"{name}.parquet", name, rows)


def _write_batches(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write parts of a table to a file one after the other; it takes the place of an older one when it is whole."""
    partial = path.with_name(f".{path.name}.part")
    try:
        with disk_errors(path), pq.ParquetWriter(partial, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch)
        with disk_errors(path):
            partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def replace_ranges(run_dir: Path, ranges: Iterable[BenchmarkRange]) -> int:
    """Put ranges in the place of those of a run, and return how many they are; see `replace_table`.

    They are packed by column, which takes a tenth of the time of rows.
    """
    count, rest = 0, iter(ranges)

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal count
        while some := list(islice(rest, ROWS_AT_ONCE)):
            count += len(some)
            columns = zip(*map(attrgetter(*BENCHMARK_RANGES.names), some), strict=True)
            arrays = [
                pa.array([cell or None for cell in column] if field.name in RANGE_LISTS else column, field.type)
                for field, column in zip(BENCHMARK_RANGES, columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=BENCHMARK_RANGES)

    _write_batches(run_dir / "tables" / "benchmark_ranges.parquet", BENCHMARK_RANGES, batches())
    return count


_PYTHON_ROWS = 2_000  # of Python: a few MB
_ROW_GROUP_ROWS = 100_000  # of Arrow, in the file

_TABLES_BY_PATH = ("media", "problems")
"""Tables with rows for each path; the others have them once for each medium."""


def write_tables(folder: Path, listed: Iterable[tuple[str, ResultPart]]) -> RunCounts:
    """Write all tables of a run, each in the place of an older one once all are whole.

    `folder`: of the tables; must exist.
    `listed` (iterable of (path, ResultPart)): in the order of the rows. The same medium may come under several paths:
        each has its row.
    Returns: of what has passed.
    Raises SetupError: the disk is full or may not be written to.
    """
    counts = RunCounts()
    with disk_errors(folder), ExitStack() as stack:
        tables = {name: stack.enter_context(TableWriter(folder, name)) for name in TABLES}
        for path, part in listed:
            first = counts.add(part)
            for name, columns in part.tables.items():
                if name in _TABLES_BY_PATH:
                    tables[name].add(_at(path, columns, part.path))
                elif first:
                    tables[name].add(columns)
        for table in tables.values():
            table.finish()
        for table in tables.values():
            table.publish()
    return counts


def _at(path: str, columns: Columns, before: str) -> Columns:
    """Return the rows of a medium as they read under another of its paths."""
    if path == before:
        return columns
    count = len(columns["path"])
    moved = columns | {"path": [path] * count}
    if "name" in columns:
        moved["name"] = [path.rsplit("/", 1)[-1]] * count
    for column in ("message", "error_message"):
        if column in columns:
            moved[column] = [
                path + text[len(before) :] if text is not None and text.startswith(f"{before}: ") else text
                for text in columns[column]
            ]
    return moved


class TableWriter:
    """A table in the making: columns gather, become Arrow, and go to the disk in groups.

    `folder`: of the tables; must exist.
    `group_rows`: rows that go to the disk together; fewer take less memory.
    """

    def __init__(self, folder: Path, name: str, group_rows: int = _ROW_GROUP_ROWS) -> None:
        self._group_rows = group_rows
        self._file, self._schema = folder / f"{name}.parquet", TABLES[name]
        self._partial = folder / f".{name}.parquet.part"
        self._columns: Columns = {column: [] for column in self._schema.names}
        self._batches: list[pa.RecordBatch] = []
        self._gathered = self._waiting = 0

    def __enter__(self) -> Self:
        self._writer = pq.ParquetWriter(self._partial, self._schema, compression="zstd")
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()
        self._partial.unlink(missing_ok=True)

    def add(self, columns: Columns) -> None:
        """Take in rows; columns that are absent are null."""
        count = len(next(iter(columns.values())))
        for name, gathered in self._columns.items():
            gathered.extend(columns[name] if name in columns else [None] * count)
        self._gathered += count
        if self._gathered >= _PYTHON_ROWS:
            self._pack()
        if self._waiting >= self._group_rows:
            self._write()

    def add_batch(self, batch: pa.RecordBatch) -> None:
        """Take in rows that are Arrow already."""
        self._pack()
        self._batches.append(batch)
        self._waiting += batch.num_rows
        if self._waiting >= self._group_rows:
            self._write()

    def finish(self) -> None:
        """Write what is left; the table is whole, under a name of its own."""
        self._pack()
        self._write()
        self._writer.close()

    def publish(self) -> None:
        """Put the finished table in its place."""
        self._partial.replace(self._file)

    def _pack(self) -> None:
        if self._gathered:
            arrays = [pa.array(self._columns[field.name], field.type) for field in self._schema]
            self._batches.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
            self._waiting += self._gathered
            self._columns = {column: [] for column in self._schema.names}
            self._gathered = 0

    def _write(self) -> None:
        if self._batches:
            self._writer.write_table(pa.Table.from_batches(self._batches, schema=self._schema))
            self._batches, self._waiting = [], 0


class RunCounts:
    """Counts parts as they pass; what a medium took counts once, whatever the number of its paths."""

    def __init__(self) -> None:
        self.done = self.failed = 0
        self.stages: dict[str, float] = {}
        self._seen: set[bytes] = set()

    def add(self, part: ResultPart) -> bool:
        """Count a part; whether its medium has not come before."""
        self.failed += part.failed
        self.done += not part.failed
        if part.medium_id is not None:
            identity = bytes.fromhex(part.medium_id.replace("-", ""))  # less than half of the text's size
            if identity in self._seen:
                return False
            self._seen.add(identity)
        for name, seconds in part.stages.items():
            self.stages[name] = self.stages.get(name, 0.0) + seconds
        return True

    def facts(self, seconds: float, skipped: int, analyzed: int | None = None) -> Mapping[str, Any]:
        """Return the counts and times for ``run.json``; None: all were analyzed in these seconds."""
        count = self.done + self.failed if analyzed is None else analyzed
        return {
            "counts": {"done": self.done, "failed": self.failed, "skipped": skipped},
            "seconds": round(seconds, 3),
            "media_per_s": round(count / seconds, 3) if count and seconds > 0 else None,
            "stages": {name: round(value, 4) for name, value in self.stages.items()},
        }
