"""Store files in a local folder or below a prefix of an object store, behind one interface."""

from mediaan.storage.address import is_url
from mediaan.storage.base import Storage, StoredFile
from mediaan.storage.lease import hold_lease
from mediaan.storage.local import LocalStorage
from mediaan.storage.object_store import ObjectStorage
from mediaan.storage.open import open_storage
from mediaan.storage.prefetch import prefetch_map, read_many

__all__ = [
    "LocalStorage",
    "ObjectStorage",
    "Storage",
    "StoredFile",
    "hold_lease",
    "is_url",
    "open_storage",
    "prefetch_map",
    "read_many",
]
