"""Read tables of a run side by side, one medium after the other, in memory that does not grow with their rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_BATCH_ROWS = 20_000

Cells = tuple[Any, ...]
Row = dict[str, Any]
Keep = Callable[[pa.RecordBatch], pa.RecordBatch]
"""Keep some rows of a table."""


class RowsInOrder:
    """Rows of a table, asked for in the order of the table media: by medium, or by path.

    Parameters
    ----------
    run_dir : Path
    table : str
        One that is not there, as in runs of earlier versions, has no rows.
    key : {'medium_id', 'path'}
        A medium with several paths has its rows once.
    metrics : collection of str, optional
        Only rows of these metrics, in a table that has a column for them.
    keep : callable, optional
        Only the rows that it keeps.
    """

    def __init__(
        self,
        run_dir: Path,
        table: str,
        key: Literal["medium_id", "path"] = "medium_id",
        metrics: Collection[str] | None = None,
        keep: Keep | None = None,
    ) -> None:
        self._table = table
        rows = _rows(run_dir / "tables" / f"{table}.parquet", metrics, keep)
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


def _rows(path: Path, metrics: Collection[str] | None, keep: Keep | None) -> Iterator[Row]:
    if not path.is_file():
        return
    wanted = None if metrics is None else pa.array(sorted(metrics), pa.string())
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_BATCH_ROWS):
            if wanted is not None and "metric" in batch.schema.names:
                batch = batch.filter(pc.is_in(batch["metric"], wanted))
            yield from (keep(batch) if keep else batch).to_pylist()


def table_rows(run_dir: Path, table: str, columns: Sequence[str], keep: Keep | None = None) -> Iterator[Cells]:
    """Yield columns of a run's table row by row, holding some rows at a time."""
    with pq.ParquetFile(run_dir / "tables" / f"{table}.parquet") as file:
        for batch in file.iter_batches(_BATCH_ROWS, columns=list(columns)):
            batch = keep(batch) if keep else batch
            yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def done_media(run_dir: Path) -> Iterator[tuple[str, str, str]]:
    """Yield path, id and kind of each file that was analyzed."""
    for path, medium_id, kind, status in table_rows(run_dir, "media", ["path", "medium_id", "type", "status"]):
        if status == "done":
            yield path, medium_id, kind


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
