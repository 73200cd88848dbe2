"""Define what every storage promises: files by relative path, each there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a storage."""

    path: str
    """Relative to the storage, parts divided by ``/``."""
    size_bytes: int
    stamp: str
    """Changes when the file does: its time of change, and what else the storage knows of its content."""


class Storage(Protocol):
    """A local folder or a prefix of an object store. Picklable, so that workers on other machines can write to it."""

    @property
    def display_name(self) -> str:
        """Path or address to show to users: never with credentials."""
        ...

    @property
    def folder(self) -> Path | None:
        """The folder if it is local, else None."""
        ...

    def read(self, path: str, *, limit: int | None = None) -> bytes:
        """Read a file, or its first `limit` bytes.

        Raises FileNotFoundError.
        """
        ...

    def write(self, path: str, data: bytes, *, durable: bool = False) -> None:
        """Write or replace a file; it is there whole or not at all if this process is killed.

        `durable` holds that for the loss of power, too, which takes some milliseconds on a disk.

        Raises SetupError: it cannot be written (code cannot_write).
        """
        ...

    def take(self, source: Path, path: str) -> None:
        """Move a finished local file here, as `write` would."""
        ...

    def fetch(self, path: str, target: Path) -> None:
        """Copy a file to a local path that is free."""
        ...

    def size(self, path: str) -> int | None:
        """Return the bytes of a file; None if there is none."""
        ...

    def find(self, path: str) -> StoredFile | None:
        """Return a file's facts; None if there is none."""
        ...

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        """Yield all files below a prefix that ends in ``/`` or is empty, in no particular order."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        ...
