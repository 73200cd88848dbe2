"""Read the tables of a run a part at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.run.tables.schema import DERIVED, TABLES

ROWS_AT_ONCE = 65_536


def scan(run_dir: Path, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """Read columns of a run's table.

    `name`: a table that every run has.
    `columns`: all that this version knows, if not given.
    Yields: at most `ROWS_AT_ONCE` rows each, in the order of the table; nothing where a table that follows from others
        is absent.
    Raises UsageError: the table is missing, cannot be read, or lacks a column.
    """
    with _table(run_dir, name) as file:
        yield from file.iter_batches(ROWS_AT_ONCE, columns=list(columns or TABLES[name].names)) if file else ()


def check_tables(run_dir: Path) -> None:
    """Check that the tables of a run have all columns that this version knows.

    Raises UsageError: as `scan`.
    """
    for name in TABLES:
        with _table(run_dir, name):
            pass


@contextmanager
def _table(run_dir: Path, name: str) -> Iterator[pq.ParquetFile | None]:
    """Open a table; None where one that follows from others is absent."""
    path = run_dir / "tables" / f"{name}.parquet"
    try:
        with pq.ParquetFile(path) as file:
            lacking = [column for column in TABLES[name].names if column not in file.schema_arrow.names]
            if lacking:
                raise UsageError(f"{path} lacks its column {lacking[0]}; run the analysis again with this version.")
            yield file
    except FileNotFoundError as error:
        if name not in DERIVED:
            raise UsageError(f"{path} is missing; run the analysis again with this version.") from error
        yield None
    except pa.ArrowInvalid as error:
        raise UsageError(f"{path} is not readable as Parquet ({error}); run the analysis again.") from error


def collect(batches: Iterable[pa.RecordBatch], name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Join batches of a run's table, keeping its columns where there are no rows."""
    filled = [batch for batch in batches if batch.num_rows]
    if filled:
        return pa.Table.from_batches(filled)
    schema = TABLES[name]
    return pa.schema([schema.field(column) for column in columns or schema.names]).empty_table()


def count_distinct(parts: Sequence[pa.Array]) -> int:
    """Count the different values of arrays together, without nulls."""
    return int(pc.count_distinct(pa.chunked_array(parts)).as_py()) if parts else 0
