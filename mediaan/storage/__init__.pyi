from .address import is_url
from .base import Storage, StoredFile
from .lease import hold_lease
from .local import LocalStorage
from .object_store import ObjectStorage
from .open import open_storage
from .prefetch import prefetch_map, read_many

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
