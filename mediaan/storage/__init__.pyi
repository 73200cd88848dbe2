from .base import LocalStorage, Storage, StoredFile, prefetch_map, read_many
from .connection import is_url
from .lease import hold_lease
from .object_store import ObjectStorage, open_storage

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
