"""Write and read the table of benchmark ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.run.tables.rows import RANGE_COLUMNS, RANGE_LISTS, range_of
from mediaan.run.tables.schema import BENCHMARK_RANGES
from mediaan.run.tables.writing import write_batches
from mediaan.types.benchmark import BenchmarkRange

ROWS_AT_ONCE = 20_000


def replace_ranges(run_dir: Path, ranges: Iterable[BenchmarkRange]) -> int:
    """Put ranges in the place of those of a run; returns how many.

    `ranges`: taken some at a time: a large run has millions.
    Raises SetupError: the disk is full or may not be written to.
    """
    count = 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal count
        rest = iter(ranges)
        while some := list(islice(rest, ROWS_AT_ONCE)):
            count += len(some)
            # by column, which takes a tenth of the time of rows
            columns = zip(*map(attrgetter(*BENCHMARK_RANGES.names), some), strict=True)
            arrays = [
                pa.array([cell or None for cell in column] if field.name in RANGE_LISTS else column, field.type)
                for field, column in zip(BENCHMARK_RANGES, columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=BENCHMARK_RANGES)

    write_batches(_file(run_dir), BENCHMARK_RANGES, batches())
    return count


def read_ranges(run_dir: Path) -> Iterator[BenchmarkRange]:
    """Yield the ranges of a run, in the order of the table."""
    with pq.ParquetFile(_file(run_dir)) as file:
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=RANGE_COLUMNS):
            yield from map(range_of, batch.to_pylist())


def _file(run_dir: Path) -> Path:
    return run_dir / "tables" / "benchmark_ranges.parquet"
