"""Tables that follow from others of a run, and can be made again at any time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.run.files import disk_errors
from mediaan.run.schema import OTHER_TABLES, TABLES

_SCHEMAS = {**TABLES, **OTHER_TABLES}
_ROWS_AT_ONCE = 20_000


def write_table(path: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a table to a file, whole or not at all.

    Parameters
    ----------
    path : Path
    name : str
        Which table; columns that rows lack are null.
    rows : iterable of mapping
        Taken some at a time: a large run has millions.

    Raises
    ------
    SetupError
        The disk is full or may not be written to.
    """
    write_batches(path, _SCHEMAS[name], _batches(rows, _SCHEMAS[name]))


def replace_table(run_dir: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Put rows in the place of those of a run's table."""
    write_table(run_dir / "tables" / f"{name}.parquet", name, rows)


def write_batches(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
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


def _batches(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    rest = iter(rows)
    while some := [dict(row) for row in islice(rest, _ROWS_AT_ONCE)]:
        yield pa.RecordBatch.from_pylist(some, schema=schema)
