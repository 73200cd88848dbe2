"""Where files lie: a folder of this machine, or a prefix of an object store, behind one port."""

from mediaan.storage.address import is_url
from mediaan.storage.base import StoredFile
from mediaan.storage.lease import hold_lease
from mediaan.storage.local import LocalStorage
from mediaan.storage.object_store import ObjectStorage
from mediaan.storage.place import Storage, open_storage
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
