"""Tables that follow from others of a run, and can be made again at any time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.run.files import write_whole
from mediaan.run.schema import OTHER_TABLES, TABLES

_SCHEMAS = {**TABLES, **OTHER_TABLES}


def write_table(path: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a table to a file, whole or not at all.

    Parameters
    ----------
    path : Path
    name : str
        Which table; columns that rows lack are null.
    rows : iterable of mapping

    Raises
    ------
    SetupError
        The disk is full or may not be written to.
    """
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=_SCHEMAS[name]), sink, compression="zstd")
    write_whole(path, bytes(sink.getvalue().to_pybytes()))


def replace_table(run_dir: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Put rows in the place of those of a run's table."""
    write_table(run_dir / "tables" / f"{name}.parquet", name, rows)
