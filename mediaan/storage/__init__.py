"""Where files lie: a folder of this machine, or a prefix of an object store, behind one port."""

from mediaan.storage.address import is_url
from mediaan.storage.ahead import read_many
from mediaan.storage.local import LocalPlace
from mediaan.storage.place import Place, open_place
from mediaan.storage.remote import RemotePlace
from mediaan.storage.stored_file import StoredFile

__all__ = ["LocalPlace", "Place", "RemotePlace", "StoredFile", "is_url", "open_place", "read_many"]
