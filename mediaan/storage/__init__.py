"""Where files lie: a folder of this machine, or a prefix of an object store, behind one port."""

from mediaan.storage.address import is_url
from mediaan.storage.ahead import map_ahead, read_many
from mediaan.storage.lease import hold_lease
from mediaan.storage.local import LocalPlace
from mediaan.storage.place import Place, open_place
from mediaan.storage.remote import RemotePlace
from mediaan.storage.stored_file import StoredFile

__all__ = [
    "LocalPlace",
    "Place",
    "RemotePlace",
    "StoredFile",
    "hold_lease",
    "is_url",
    "map_ahead",
    "open_place",
    "read_many",
]
