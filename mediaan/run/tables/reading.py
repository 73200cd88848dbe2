"""Read tables of a run side by side, one medium after the other, in memory that does not grow with their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.run.tables.schema import TABLES

ROWS_AT_ONCE = 20_000
"""Rows of a table that are held at a time: a large run has millions."""

Cells = tuple[Any, ...]
Row = dict[str, Any]


class RowsInOrder:
    """Rows of a table, asked for in the order of the table media: by medium, or by path.

    `table`: one that is not there, as in runs of earlier versions, has no rows.
    `key`: a medium with several paths has its rows once.
    `metrics`: only rows of these metrics, in a table that has a column for them.
    `columns`: of the table; by default all.
    `media`: only rows of the media with these ids; by path, of files with these paths, too.
    """

    def __init__(
        self,
        run_dir: Path,
        table: str,
        key: Literal["medium_id", "path"] = "medium_id",
        metrics: Collection[str] | None = None,
        columns: Sequence[str] | None = None,
        media: Collection[str] | None = None,
    ) -> None:
        self._table = table
        names = TABLES[table].names if columns is None else columns
        chosen: list[tuple[Sequence[str], Collection[str]]] = []
        if metrics is not None and "metric" in names:
            chosen.append((["metric"], metrics))
        if media is not None:
            chosen.append((sorted({"medium_id", key}), media))
        rows: Iterable[Row] = ()
        if (run_dir / "tables" / f"{table}.parquet").is_file():
            rows = (dict(zip(names, cells, strict=True)) for cells in table_rows(run_dir, table, names, chosen))
        self._groups = groupby(rows, itemgetter(key))
        self._waiting: str | None = None
        self._rows: Iterator[Row] = iter(())
        self._advance()

    def of(self, key: str) -> list[Row]:
        """Return the rows of a medium or path; none the second time."""
        if key != self._waiting:
            return []
        rows = list(self._rows)
        self._advance()
        return rows

    def finish(self) -> None:
        """Check that every row was asked for: rows out of order would be lost without a word."""
        assert self._waiting is None, f"{self._table} is not in the order of media"

    def _advance(self) -> None:
        self._waiting, self._rows = next(self._groups, (None, iter(())))


Chosen = Sequence[tuple[Sequence[str], Collection[str]]]
"""Columns and values: of each pair, a row has one of the values in one of the columns."""


def table_rows(run_dir: Path, table: str, columns: Sequence[str], chosen: Chosen = ()) -> Iterator[Cells]:
    """Yield columns of a run's table row by row, holding some rows at a time."""
    wanted = [(names, pa.array(sorted(values), pa.string())) for names, values in chosen]
    with pq.ParquetFile(run_dir / "tables" / f"{table}.parquet") as file:
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=list(columns)):
            for names, values in wanted:
                batch = batch.filter(reduce(pc.or_, (pc.is_in(batch[name], values) for name in names)))
            yield from _cells(batch, columns)


def _cells(batch: pa.RecordBatch, columns: Sequence[str]) -> Iterator[Cells]:
    """Yield rows in a third of the time of RecordBatch.to_pylist; columns that earlier versions lacked are None."""
    absent = [None] * batch.num_rows
    there = batch.schema.names
    return zip(*(batch[name].to_pylist() if name in there else absent for name in columns), strict=True)


def done_media(run_dir: Path) -> Iterator[tuple[str, str, str, str | None]]:
    """Yield path, id, kind and stated domain of each file that was analyzed."""
    columns = ["path", "medium_id", "type", "status", "domain", "domain_stated"]
    for path, medium_id, kind, status, domain, is_stated in table_rows(run_dir, "media", columns):
        if status == "done":
            yield path, medium_id, kind, domain if is_stated else None


def count_media(run_dir: Path) -> int:
    """Count the distinct media that were analyzed."""
    return int(pc.count_distinct(_done_ids(run_dir)).as_py())


def copied_media(run_dir: Path) -> frozenset[str]:
    """Return the ids of analyzed media that have several paths."""
    counted = pc.value_counts(_done_ids(run_dir).combine_chunks())
    return frozenset(counted.filter(pc.greater(counted.field("counts"), 1)).field("values").to_pylist())


def _done_ids(run_dir: Path) -> pa.ChunkedArray:
    media = pq.read_table(run_dir / "tables" / "media.parquet", columns=["medium_id", "status"])
    return media.filter(pc.equal(media["status"], "done"))["medium_id"]
