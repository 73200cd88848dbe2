"""Where files lie: a folder of this machine, or a prefix of an object store, behind one port."""

from mediaan.storage.local import LocalPlace
from mediaan.storage.place import Place, is_url, open_place
from mediaan.storage.stored_file import StoredFile

__all__ = ["LocalPlace", "Place", "StoredFile", "is_url", "open_place"]
