"""Keep the inventory of a run: which files were given, and their content, so that none is read twice."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.run.files import disk_errors
from mediaan.run.tables.schema import ID, PATH, column

INVENTORY_FILE = "inventory.parquet"
_ROWS_AT_ONCE = 20_000
_EVERY_S = 30.0
_COST = 100  # times what it took passes before it is kept again
_ID_BYTES = 16
_NO_ID = bytes(_ID_BYTES)

INVENTORY = pa.schema(
    [
        PATH,
        column("size_bytes", pa.int64(), "Size of the file", "B", nullable=False),
        column("stamp", pa.string(), "Changes when the file does: its times of change, in ns", nullable=False),
        ID,
    ],
    metadata={"caption": "One row per file that was given, in the order of paths."},
)


@dataclass(frozen=True, slots=True)
class InventoryItem:
    """A file as the inventory knows it; `medium_id` is None where the content could not be told for sure."""

    path: str
    size_bytes: int
    stamp: str
    medium_id: UUID | None


@dataclass(slots=True)
class PreviousInventory:
    """Inventory of an earlier run over the same files, asked in the order of paths."""

    rows: Iterator[InventoryItem]
    added: int = 0
    changed: int = 0
    removed: int = 0
    same: int = 0
    """added, changed, removed, same: How many files are new, hold something else, are gone, or are as they were."""
    _next: InventoryItem | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._next = next(self.rows, None)

    def medium_id(self, path: str, size_bytes: int, stamp: str) -> UUID | None:
        """Return the content id of a file, if it is unchanged; None where it must be read."""
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

    def end(self) -> None:
        """Count what is left as gone."""
        while self._next is not None:
            self.removed += 1
            self._next = next(self.rows, None)


def read_inventory(run_dir: Path) -> Iterator[InventoryItem]:
    """Yield the rows of a run's inventory in the order of paths; none where it is absent or damaged."""
    for batch in _read_batches(run_dir):
        for row in batch.to_pylist():
            medium_id = row["medium_id"]
            yield InventoryItem(row["path"], row["size_bytes"], row["stamp"], UUID(medium_id) if medium_id else None)


class InventoryWriter:
    """The inventory of a run as files come, which is kept now and then: what was read to know it is not read again.

    Where keeping it takes long, that is seldom enough to cost a hundredth of the time.
    """

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir
        self._paths: list[str] = []
        self._sizes = array("q")
        self._stamps: list[str] = []
        self._ids = bytearray()
        self._next = time.monotonic() + _EVERY_S

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, item: InventoryItem) -> None:
        """Take in the next file in the order of paths."""
        self._paths.append(item.path)
        self._sizes.append(item.size_bytes)
        self._stamps.append(item.stamp)
        self._ids += _NO_ID if item.medium_id is None else item.medium_id.bytes
        if time.monotonic() >= self._next:
            self.save()

    def set_medium_id(self, index: int, medium_id: UUID) -> None:
        """Say what a file holds that came without."""
        self._ids[_ID_BYTES * index : _ID_BYTES * (index + 1)] = medium_id.bytes

    def save(self, *, complete: bool = False) -> None:
        """Write it, whole or not at all.

        `complete`: whether all files have come; otherwise the earlier inventory goes on to speak for those that have
            not.
        Raises SetupError: the disk is full or may not be written to.
        """
        began, partial = time.monotonic(), self._run_dir / f".{INVENTORY_FILE}.part"
        with disk_errors(self._run_dir / INVENTORY_FILE):
            try:
                with pq.ParquetWriter(partial, INVENTORY, compression="zstd") as writer:
                    for batch in self._batches():
                        writer.write_batch(batch)
                    last = self._paths[-1] if self._paths else ""
                    for batch in () if complete else _read_batches(self._run_dir):
                        after = batch.filter(pc.greater(batch["path"], last))
                        if after.num_rows:
                            writer.write_batch(pa.RecordBatch.from_arrays(after.columns, schema=INVENTORY))
                partial.replace(self._run_dir / INVENTORY_FILE)
            finally:
                partial.unlink(missing_ok=True)
        now = time.monotonic()
        self._next = now + max(_EVERY_S, _COST * (now - began))

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(self), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            digits = self._ids[_ID_BYTES * rows.start : _ID_BYTES * rows.stop].hex()
            hexes = (digits[i : i + 2 * _ID_BYTES] for i in range(0, len(digits), 2 * _ID_BYTES))
            ids = (None if h == _NO_ID.hex() else f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}" for h in hexes)
            columns = [
                pa.array(self._paths[rows], pa.string()),
                pa.array(self._sizes[rows], pa.int64()),
                pa.array(self._stamps[rows], pa.string()),
                pa.array(ids, pa.string()),
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=INVENTORY)


def _read_batches(run_dir: Path) -> Iterator[pa.RecordBatch]:
    if not (run_dir / INVENTORY_FILE).is_file():
        return
    try:
        with pq.ParquetFile(run_dir / INVENTORY_FILE) as file:
            if file.schema_arrow.names == INVENTORY.names:
                yield from file.iter_batches(_ROWS_AT_ONCE)
    except (OSError, pa.ArrowInvalid):
        return
