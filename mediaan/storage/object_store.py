"""Read and write files below a prefix of an object store."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from io import BufferedWriter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mediaan.errors import SetupError
from mediaan.storage.address import AZURE_SCHEMES, Address, is_contained_path, parse_address
from mediaan.storage.base import StoredFile
from mediaan.storage.connection import StoreConnection, connect_store, translate_store_errors
from mediaan.storage.prefetch import prefetch_map

if TYPE_CHECKING:
    from pyarrow import Buffer, NativeFile
    from pyarrow.fs import FileInfo

_BLOCK_BYTES = 8 << 20
_TIMES_OF_CHANGE = ("mtime", "LastModified", "last_modified", "updated", "created")
"""What the libraries behind fsspec call the time of change."""


@dataclass(frozen=True, slots=True)
class ObjectStorage:
    """A prefix of an object store; see `Storage`. It is opened when it is first used in a process.

    A file appears when its upload ends, at once, as object stores do it. Lost answers and busy servers are tried again
    a few times by the library that speaks to the store; what fails after that is a SetupError.

    Parameters
    ----------
    url : str
        Such as ``s3://bucket/folder?endpoint_override=http://127.0.0.1:9000``; may hold credentials, so it is shown
        nowhere.
    """

    url: str = field(repr=False)

    @property
    def address(self) -> Address:
        """The address in its parts."""
        return parse_address(self.url)

    @property
    def display_name(self) -> str:
        """The address without credentials and options."""
        return self.address.display_name

    @property
    def folder(self) -> Path | None:
        """None: it is not of this machine."""
        return None

    def above(self) -> tuple[ObjectStorage, str]:
        """The place that this one would be a file of, and its name there; empty for a whole bucket."""
        folder, _, name = self.address.path.rpartition("/")
        return ObjectStorage(self.address.at(folder)), name

    def read(self, path: str, *, limit: int | None = None) -> bytes:
        """Contents of a file, or the first so many bytes."""
        store = self._store()
        with translate_store_errors(self.address, f"read {path}"), self._reader(store, path) as stream:
            data: bytes = stream.read(limit)
            return data

    def write(self, path: str, data: bytes, *, durable: bool = False) -> None:
        """Write a file whole; stores keep what they have taken, so `durable` adds nothing."""
        del durable
        import pyarrow as pa

        self._upload(path, pa.py_buffer(data))

    def take(self, source: Path, path: str) -> None:
        """Upload a file, then remove it from this machine."""
        self.send(source, path)
        source.unlink()

    def send(self, source: Path, path: str) -> None:
        """Upload a file of this machine, which stays."""
        self._upload(path, _mapped(source))

    def fetch(self, path: str, target: Path) -> None:
        """Copy a file to this machine, a piece at a time, under a name that is free."""
        doing, store = f"fetch {path}", self._store()
        with translate_store_errors(self.address, doing):
            stream = self._reader(store, path)
        with stream, _written(target) as file:
            while block := self._block(stream, doing):
                file.write(block)

    def size(self, path: str) -> int | None:
        """Bytes of a file."""
        found = self.find(path)
        return None if found is None else found.size_bytes

    def find(self, path: str) -> StoredFile | None:
        """What is known of a file."""
        store = self._store()
        with translate_store_errors(self.address, f"look for {path}"), suppress(FileNotFoundError):
            if self.address.is_foreign:
                facts = _behind(store).info(store.root + _checked(path))
                return StoredFile(path, facts["size"], _foreign_stamp(facts)) if facts["type"] == "file" else None
            (info,) = store.filesystem.get_file_info([store.root + _checked(path)])
            return StoredFile(path, info.size, _stamp(info)) if info.is_file else None
        return None

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        """All files below a prefix, listed folder by folder: only the files of some folders lie in memory.

        A folder whose name leads elsewhere, such as ``..``, is given as if it were an empty file.
        """
        store = self._store()
        if self.address.is_foreign:
            with translate_store_errors(self.address, "list it"):
                found = _listed_by_fsspec(store, (store.root + prefix).rstrip("/"))
            yield from (StoredFile(key[len(store.root) :], size_bytes, stamp) for key, size_bytes, stamp in found)
            return
        folders = [prefix.rstrip("/")]
        while folders:
            deeper = []
            for folder, infos in prefetch_map(self._folder, folders):
                for info in infos:
                    path = f"{folder}/{info.base_name}" if folder else info.base_name
                    if info.is_file or not is_contained_path(path):
                        yield StoredFile(path, info.size or 0, _stamp(info))
                    else:
                        deeper.append(path)
            folders = deeper

    def _folder(self, path: str) -> Sequence[FileInfo]:
        """What lies right in a folder; a listing of all below would hold all of it in memory at once."""
        from pyarrow.fs import FileSelector

        store = self._store()
        with translate_store_errors(self.address, f"list {path}".rstrip()), suppress(FileNotFoundError):
            # unlike `allow_not_found`, this tells a prefix from a bucket that is not there
            infos: Sequence[FileInfo] = store.filesystem.get_file_info(FileSelector((store.root + path).rstrip("/")))
            return infos
        return ()

    def names(self) -> set[str]:
        """Names of the files and folders at the top of the place."""
        return {info.base_name for info in self._folder("")}

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        store = self._store()
        with translate_store_errors(self.address, f"remove {path}"), suppress(FileNotFoundError):
            store.filesystem.delete_file(store.root + _checked(path))

    def _store(self) -> StoreConnection:
        return connect_store(self.url)

    def _reader(self, store: StoreConnection, path: str) -> NativeFile:
        """Bytes as they are: left to itself, pyarrow unpacks what is named .gz, and packs it when it writes."""
        if self.address.scheme in AZURE_SCHEMES:
            store.filesystem.get_file_info(store.root + path)  # raises where opening would abort the whole process
        return store.filesystem.open_input_stream(store.root + _checked(path), compression=None)

    def _block(self, stream: NativeFile, doing: str) -> bytes:
        with translate_store_errors(self.address, doing):
            block: bytes = stream.read(_BLOCK_BYTES)
            return block

    def _upload(self, path: str, data: Buffer) -> None:
        store = self._store()
        with translate_store_errors(self.address, f"write {path}"):
            try:
                _uninterrupted(lambda: _put(store, store.root + _checked(path), data))
            except FileNotFoundError as error:  # stores have no folders that could be missing, but for their first
                raise OSError(f"no such bucket: {error}") from None


def _put(store: StoreConnection, key: str, data: Buffer) -> None:
    """Upload in one piece, under another name first where a file under way can be seen."""
    if not store.renames:
        _send(store, key, data)
        return
    folder, _, name = key.rpartition("/")
    partial = f"{folder}/.{name}.part"
    store.filesystem.create_dir(folder, recursive=True)
    try:
        _send(store, partial, data)
        store.filesystem.move(partial, key)
    except BaseException:
        with suppress(OSError):
            store.filesystem.delete_file(partial)
        raise


def _send(store: StoreConnection, key: str, data: Buffer) -> None:
    stream = store.filesystem.open_output_stream(key, compression=None, metadata=_kind(key))
    # Not `with`: that closes the stream after a failure, which would make a file of the half that was written.
    stream.write(data)
    stream.close()


def _kind(key: str) -> dict[str, str]:
    """What a browser is told, so that it shows reports and pictures where they lie."""
    kind, packed = mimetypes.guess_type(key)
    return {"Content-Type": "application/gzip" if packed else kind or "application/octet-stream"}


def _uninterrupted(action: Callable[[], None]) -> None:
    """Carry something out to its end: signals interrupt the main thread only.

    A stream that is left between opening and closing is closed by its destructor, which makes a file of what there is.
    """
    with ThreadPoolExecutor(1) as thread:
        thread.submit(action).result()


def _mapped(source: Path) -> Buffer:
    """A local file's bytes, read as they are needed."""
    import pyarrow as pa

    if not source.stat().st_size:
        return pa.py_buffer(b"")
    with pa.memory_map(str(source)) as file:
        return file.read_buffer()


@contextmanager
def _written(target: Path) -> Iterator[BufferedWriter]:
    """A new file of this machine, that is gone again if it cannot be written to its end."""
    with target.open("xb") as file:
        try:
            yield file
            file.flush()
        except BaseException as error:
            target.unlink()
            if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
                why = error.strerror or error
                message = f"{target} cannot be written ({why}); make room for files that are fetched, then run it again"
                raise SetupError(message, code="cannot_write") from error
            raise


def _checked(path: str) -> str:
    """A path that stays below its place: HTTP libraries resolve ``..`` themselves, and would reach another object."""
    if not is_contained_path(path):
        raise FileNotFoundError(f"no file of a place: {path!r}")
    return path


def _stamp(info: FileInfo) -> str:
    """In whole seconds: some stores know less of a file that is asked for than of one that is listed."""
    return "" if info.mtime_ns is None else str(info.mtime_ns // 1_000_000_000)


def _behind(store: StoreConnection) -> Any:
    """The file system of fsspec, which knows times of change that pyarrow does not pass on."""
    return store.filesystem.handler.fs


def _listed_by_fsspec(store: StoreConnection, base: str) -> Iterator[tuple[str, int, str]]:
    found = _behind(store).find(base, detail=True)
    return ((path, info["size"], _foreign_stamp(info)) for path, info in found.items() if info["type"] == "file")


def _foreign_stamp(info: dict[str, Any]) -> str:
    tag = info.get("ETag") or info.get("etag") or info.get("md5Hash")
    changed = next((info[name] for name in _TIMES_OF_CHANGE if info.get(name)), "")
    return str(tag or (changed.timestamp() if isinstance(changed, datetime) else changed))
