"""The inventory of a run: which files were given, and what they held, so that nothing is read twice to know it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from mediaan.run.columns import ID, PATH, column
from mediaan.run.files import disk_errors

INVENTORY_FILE = "inventory.parquet"
_ROWS_AT_ONCE = 20_000

INVENTORY = pa.schema(
    [
        PATH,
        column("size_bytes", pa.int64(), "Size of the file", "B", nullable=False),
        column("stamp", pa.string(), "Changes when the file does: its time of change in ns", nullable=False),
        ID,
    ],
    metadata={"caption": "One row per file that was given, in the order of paths."},
)


@dataclass(frozen=True, slots=True)
class Item:
    """A file as the inventory knows it; `medium_id` is None where the content could not be told for sure."""

    path: str
    size_bytes: int
    stamp: str
    medium_id: UUID | None


@dataclass(slots=True)
class Earlier:
    """What an earlier run over the same files knew of them, asked in the order of paths.

    Attributes
    ----------
    added, changed, removed, same : int
        How many files are new, hold something else, are gone, or are as they were.
    """

    rows: Iterator[Item]
    added: int = 0
    changed: int = 0
    removed: int = 0
    same: int = 0
    _next: Item | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._next = next(self.rows, None)

    def medium_id(self, path: str, size_bytes: int, stamp: str) -> UUID | None:
        """Content of a file, if it is as it was; None where it must be read."""
        while self._next is not None and self._next.path < path:
            self.removed += 1
            self._next = next(self.rows, None)
        if self._next is None or self._next.path != path:
            self.added += 1
            return None
        before, self._next = self._next, next(self.rows, None)
        if (before.size_bytes, before.stamp) != (size_bytes, stamp):
            self.changed += 1
            return None
        self.same += 1
        return before.medium_id

    def rest(self) -> Iterator[Item]:
        """What was not asked for yet."""
        if self._next is not None:
            yield self._next
            yield from self.rows

    def end(self) -> None:
        """Count what is left as gone."""
        while self._next is not None:
            self.removed += 1
            self._next = next(self.rows, None)


def read_inventory(run_dir: Path) -> Iterator[Item]:
    """Rows of a run's inventory in the order of paths; none where there is no inventory or it is damaged."""
    try:
        with pq.ParquetFile(run_dir / INVENTORY_FILE) as file:
            for batch in file.iter_batches(_ROWS_AT_ONCE):
                for row in batch.to_pylist():
                    medium_id = row["medium_id"]
                    yield Item(row["path"], row["size_bytes"], row["stamp"], UUID(medium_id) if medium_id else None)
    except (OSError, pa.ArrowInvalid):
        return


def write_inventory(run_dir: Path, items: Iterable[Item]) -> None:
    """Write the inventory, whole or not at all.

    Parameters
    ----------
    run_dir : Path
    items : iterable of Item
        In the order of paths.

    Raises
    ------
    SetupError
        The disk is full or may not be written to.
    """
    partial = run_dir / f".{INVENTORY_FILE}.part"
    with disk_errors(run_dir / INVENTORY_FILE):
        try:
            with pq.ParquetWriter(partial, INVENTORY, compression="zstd") as writer:
                for batch in _batches(items):
                    writer.write_batch(batch)
            partial.replace(run_dir / INVENTORY_FILE)
        finally:
            partial.unlink(missing_ok=True)


def _batches(items: Iterable[Item]) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, object]] = []
    for item in items:
        medium_id = None if item.medium_id is None else str(item.medium_id)
        rows.append({"path": item.path, "size_bytes": item.size_bytes, "stamp": item.stamp, "medium_id": medium_id})
        if len(rows) == _ROWS_AT_ONCE:
            yield pa.RecordBatch.from_pylist(rows, schema=INVENTORY)
            rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema=INVENTORY)
