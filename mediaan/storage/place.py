"""What every place promises: files by relative path, each there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from mediaan.storage.address import is_url, parse_address
from mediaan.storage.base import StoredFile
from mediaan.storage.local import LocalStorage
from mediaan.storage.object_store import ObjectStorage


class Storage(Protocol):
    """A folder somewhere. Picklable, so that workers on other machines can write to it too."""

    @property
    def display_name(self) -> str:
        """What it is called in front of users: never with credentials."""
        ...

    @property
    def folder(self) -> Path | None:
        """The folder, where it is one of this machine."""
        ...

    def read(self, path: str, *, limit: int | None = None) -> bytes:
        """Contents of a file, or the first so many bytes.

        Raises
        ------
        FileNotFoundError
        """
        ...

    def write(self, path: str, data: bytes, *, durable: bool = False) -> None:
        """Write a file, in the place of an older one; it is there whole or not at all if this process is killed.

        `durable` holds that for the loss of power, too, which takes some milliseconds on a disk.

        Raises
        ------
        SetupError
            It cannot be written (code cannot_write).
        """
        ...

    def take(self, source: Path, path: str) -> None:
        """Move a finished file of this machine here, as `write` would."""
        ...

    def fetch(self, path: str, target: Path) -> None:
        """Copy a file to this machine, under a name that is free."""
        ...

    def size(self, path: str) -> int | None:
        """Bytes of a file; None where there is none."""
        ...

    def find(self, path: str) -> StoredFile | None:
        """What is known of a file; None where there is none."""
        ...

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        """All files below a prefix that ends in ``/`` or is empty, in no particular order."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        ...


def open_storage(location: str | Path) -> Storage:
    """The place that a path or a URL names; it need not exist.

    Nothing is asked of a store before it is used.

    Raises
    ------
    UsageError
        The URL is not understood.
    """
    if not is_url(str(location)):
        return LocalStorage(Path(location))
    address = parse_address(str(location))
    return LocalStorage(Path(f"/{address.path}")) if address.scheme == "file" else ObjectStorage(str(location))
