"""Tables made from parts, one after the other, in memory that does not grow with their number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.run.files import disk_errors
from mediaan.run.parts import Part
from mediaan.run.rows import Row
from mediaan.run.schema import TABLES

_ROWS_AT_ONCE = 2_000  # of Python: a few MB
_ROWS_OF_A_GROUP = 100_000  # of Arrow, in the file

_OF_PATHS = ("media", "problems")
"""Tables with rows for each path; the others have them once for each medium."""


def write_tables(folder: Path, listed: Iterable[tuple[str, Part]]) -> None:
    """Write all tables of a run, each in the place of an older one once all are whole.

    Parameters
    ----------
    folder : Path
        Of the tables; must exist.
    listed : iterable of (path, Part)
        In the order in which rows shall stand. The same medium may come under several paths: each has its row.

    Raises
    ------
    SetupError
        The disk is full or may not be written to.
    """
    seen: set[bytes] = set()
    with disk_errors(folder), ExitStack() as stack:
        tables = {name: stack.enter_context(_Table(folder, name, schema)) for name, schema in TABLES.items()}
        for path, part in listed:
            medium_id = part.rows["media"][0]["medium_id"]
            again = medium_id is not None and bytes.fromhex(medium_id.replace("-", "")) in seen
            if medium_id is not None:
                seen.add(bytes.fromhex(medium_id.replace("-", "")))
            for name, rows in part.rows.items():
                if name in _OF_PATHS:
                    tables[name].add(_at(path, row, part.path) for row in rows)
                elif not again:
                    tables[name].add(rows)
        for table in tables.values():
            table.finish()


def _at(path: str, row: Row, before: str) -> Row:
    """A row of a medium as it reads under another of its paths."""
    if path == before:
        return row
    moved = row | {"path": path}
    if "name" in row:
        moved["name"] = path.rsplit("/", 1)[-1]
    for column in ("message", "error_message"):
        if str(row.get(column) or "").startswith(f"{before}: "):
            moved[column] = path + row[column][len(before) :]
    return moved


class _Table:
    """A table in the making: rows gather, become Arrow, and go to the disk in groups."""

    def __init__(self, folder: Path, name: str, schema: pa.Schema) -> None:
        self._file, self._schema = folder / f"{name}.parquet", schema
        self._partial = folder / f".{name}.parquet.part"
        self._rows: list[Row] = []
        self._batches: list[pa.RecordBatch] = []
        self._waiting = 0

    def __enter__(self) -> Self:
        self._writer = pq.ParquetWriter(self._partial, self._schema, compression="zstd")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()
        self._partial.unlink(missing_ok=True)

    def add(self, rows: Iterable[Row]) -> None:
        """Take in rows."""
        self._rows.extend(rows)
        if len(self._rows) >= _ROWS_AT_ONCE:
            self._pack()
        if self._waiting >= _ROWS_OF_A_GROUP:
            self._write()

    def finish(self) -> None:
        """Put the table in its place."""
        self._pack()
        self._write()
        self._writer.close()
        self._partial.replace(self._file)

    def _pack(self) -> None:
        if self._rows:
            self._batches.append(pa.RecordBatch.from_pylist(self._rows, schema=self._schema))
            self._waiting += len(self._rows)
            self._rows = []

    def _write(self) -> None:
        if self._batches:
            self._writer.write_table(pa.Table.from_batches(self._batches, schema=self._schema))
            self._batches, self._waiting = [], 0


class Tally:
    """Counts parts as they pass."""

    def __init__(self) -> None:
        self.done = self.failed = 0
        self.stages: dict[str, float] = {}

    def over(self, listed: Iterable[tuple[str, Part]]) -> Iterator[tuple[str, Part]]:
        """Pass parts on, counted."""
        for path, part in listed:
            self.failed += part.failed
            self.done += not part.failed
            for name, seconds in part.stages.items():
                self.stages[name] = self.stages.get(name, 0.0) + seconds
            yield path, part

    def facts(self, seconds: float) -> Mapping[str, Any]:
        """What ``run.json`` says of them."""
        count = self.done + self.failed
        return {
            "counts": {"done": self.done, "failed": self.failed},
            "seconds": round(seconds, 3),
            "media_per_s": round(count / seconds, 3) if seconds > 0 else None,
            "stages": {name: round(value, 4) for name, value in self.stages.items()},
        }
