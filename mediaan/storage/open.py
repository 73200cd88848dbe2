"""Open the storage that a path or a URL names."""

from __future__ import annotations

from pathlib import Path

from mediaan.storage.address import is_url, parse_address
from mediaan.storage.base import Storage
from mediaan.storage.local import LocalStorage
from mediaan.storage.object_store import ObjectStorage
from mediaan.types.arguments import as_path


def open_storage(location: str | Path) -> Storage:
    """Return the storage of a path or URL, which need not exist; a store is asked nothing before it is used.

    Raises UsageError: the URL is not understood.
    """
    if not is_url(str(location)):
        return LocalStorage(as_path(location))
    address = parse_address(str(location))
    return LocalStorage(Path(f"/{address.path}")) if address.scheme == "file" else ObjectStorage(str(location))
