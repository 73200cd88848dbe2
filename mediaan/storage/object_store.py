"""Read and write files below a prefix of an object store."""

from __future__ import annotations

import ctypes
import mimetypes
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mediaan.errors import SetupError
from mediaan.storage.base import LocalStorage, Storage, StoredFile, prefetch_map
from mediaan.storage.connection import (
    AZURE_SCHEMES,
    Address,
    StoreConnection,
    connect_store,
    is_contained_path,
    is_url,
    parse_address,
    translate_store_errors,
)
from mediaan.types.arguments import as_path

if TYPE_CHECKING:
    from pyarrow import Buffer, NativeFile
    from pyarrow.fs import FileInfo


_BLOCK_BYTES = 8 << 20
_TIMES_OF_CHANGE = ("mtime", "LastModified", "last_modified", "updated", "created")
"""Names that the libraries behind fsspec have for the time of change, which pyarrow does not pass on."""


@dataclass(frozen=True, slots=True)
class ObjectStorage(Storage):
    """A prefix of an object store; see `Storage`. It is opened when it is first used in a process.

    A file appears when its upload ends, at once, as object stores do it. Lost answers and busy servers are tried again
    a few times by the library that speaks to the store; what fails after that is a SetupError.

    `url`: such as ``s3://bucket/folder?endpoint_override=http://127.0.0.1:9000``; may hold credentials, so it is shown
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
        """None: it is not local."""
        return None

    def parent(self) -> tuple[ObjectStorage, str]:
        """Return the storage that this one would be a file of, and its name there; empty for a whole bucket."""
        folder, _, name = self.address.path.rpartition("/")
        return ObjectStorage(self.address.at(folder)), name

    def read(self, path: str, *, limit: int | None = None) -> bytes:
        """Read a file, or its first `limit` bytes."""
        with translate_store_errors(self.address, f"read {path}"), self._open(path) as stream:
            data: bytes = stream.read(limit)
            return data

    def write(self, path: str, data: bytes, *, durable: bool = False) -> None:
        """Write or replace a file; stores keep what they have taken, so `durable` adds nothing."""
        del durable
        import pyarrow as pa

        self._upload(path, pa.py_buffer(data))

    def take(self, source: Path, path: str) -> None:
        """Upload a local file, then remove it."""
        self.send(source, path)
        source.unlink()

    def send(self, source: Path, path: str) -> None:
        """Upload a local file, which stays."""
        import pyarrow as pa

        if source.stat().st_size:
            with pa.memory_map(str(source)) as file:
                self._upload(path, file.read_buffer())
        else:  # nothing that could be mapped
            self._upload(path, pa.py_buffer(b""))

    def fetch(self, path: str, target: Path) -> None:
        """Copy a file to a local path that is free, a piece at a time; it is removed if it cannot be fetched whole."""
        with translate_store_errors(self.address, f"fetch {path}"):
            stream = self._open(path)
        with stream, target.open("xb") as file:
            try:
                while True:
                    with translate_store_errors(self.address, f"fetch {path}"):
                        block: bytes = stream.read(_BLOCK_BYTES)
                    if not block:
                        break
                    file.write(block)
                file.flush()
            except BaseException as error:
                target.unlink()
                if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
                    why = error.strerror or error
                    advice = "make room for downloaded files, then run it again"
                    raise SetupError(f"{target} cannot be written ({why}); {advice}", code="cannot_write") from error
                raise

    def find(self, path: str) -> StoredFile | None:
        """Return a file's facts; None if there is none."""
        store = self._connect()
        with translate_store_errors(self.address, f"look for {path}"), suppress(FileNotFoundError):
            if self.address.is_foreign:
                facts = _fsspec(store).info(store.root + _checked(path))
                return StoredFile(path, facts["size"], _fsspec_stamp(facts)) if facts["type"] == "file" else None
            (info,) = store.filesystem.get_file_info([store.root + _checked(path)])
            return StoredFile(path, info.size, _stamp(info)) if info.is_file else None
        return None

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        """Yield all files below a prefix, listed folder by folder: only the files of some folders lie in memory.

        A folder whose name leads elsewhere, such as ``..``, is given as if it were an empty file.
        """
        store = self._connect()
        if self.address.is_foreign:
            with translate_store_errors(self.address, "list it"):
                entries = _fsspec(store).find((store.root + prefix).rstrip("/"), detail=True)
            for key, facts in entries.items():
                if facts["type"] == "file":
                    yield StoredFile(key[len(store.root) :], facts["size"], _fsspec_stamp(facts))
            return
        folders = [prefix.rstrip("/")]
        while folders:
            deeper = []
            for folder, infos in prefetch_map(self._list_folder, folders):
                for info in infos:
                    path = f"{folder}/{info.base_name}" if folder else info.base_name
                    if info.is_file or not is_contained_path(path):
                        yield StoredFile(path, info.size or 0, _stamp(info))
                    else:
                        deeper.append(path)
            folders = deeper

    def names(self) -> set[str]:
        """Return the names of files and folders at the top of the storage."""
        return {info.base_name for info in self._list_folder("")}

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        store = self._connect()
        with translate_store_errors(self.address, f"remove {path}"), suppress(FileNotFoundError):
            store.filesystem.delete_file(store.root + _checked(path))

    def _connect(self) -> StoreConnection:
        return connect_store(self.url)

    def _list_folder(self, path: str) -> Sequence[FileInfo]:
        """List a single folder; a listing of all below would hold all of it in memory at once."""
        from pyarrow.fs import FileSelector

        store = self._connect()
        with translate_store_errors(self.address, f"list {path}".rstrip()), suppress(FileNotFoundError):
            # unlike `allow_not_found`, this tells a prefix from a bucket that is not there
            infos: Sequence[FileInfo] = store.filesystem.get_file_info(FileSelector((store.root + path).rstrip("/")))
            return infos
        return ()

    def _open(self, path: str) -> NativeFile:
        store = self._connect()
        if self.address.scheme in AZURE_SCHEMES:
            store.filesystem.get_file_info(store.root + path)  # raises where opening would abort the whole process
        # left to itself, pyarrow unpacks what is named .gz, and packs it when it writes
        return store.filesystem.open_input_stream(store.root + _checked(path), compression=None)

    def _upload(self, path: str, data: Buffer) -> None:
        """Upload in one piece, under another name first where a file under way can be seen."""
        store = self._connect()
        key = store.root + _checked(path)

        def upload() -> None:
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

        with translate_store_errors(self.address, f"write {path}"):
            try:
                # Signals interrupt the main thread only, so that none comes between opening a stream and its `try`.
                with ThreadPoolExecutor(1) as thread:
                    thread.submit(upload).result()
            except FileNotFoundError as error:  # stores have no folders that could be missing, but for their first
                raise OSError(f"no such bucket: {error}") from None


def _send(store: StoreConnection, key: str, data: Buffer) -> None:
    """Write an object with the content type that makes browsers show it."""
    content_type, packed = mimetypes.guess_type(key)
    metadata = {"Content-Type": "application/gzip" if packed else content_type or "application/octet-stream"}
    stream = store.filesystem.open_output_stream(key, compression=None, metadata=metadata)
    try:
        stream.write(data)
        stream.close()
    except BaseException:
        # Whatever closes a stream after a failure makes a file of the half that was written, `with` as its destructor;
        # and it tries for a minute. So this one is never destroyed; its store forgets what has arrived.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(stream))
        raise


def _checked(path: str) -> str:
    """Refuse a path that leads out of its storage: HTTP libraries resolve ``..``, and would reach another object."""
    if not is_contained_path(path):
        raise FileNotFoundError(f"no file of a place: {path!r}")
    return path


def _stamp(info: FileInfo) -> str:
    """Return the time of change in whole seconds, since some stores tell less of one file than in a listing."""
    return "" if info.mtime_ns is None else str(info.mtime_ns // 1_000_000_000)


def _fsspec(store: StoreConnection) -> Any:
    return store.filesystem.handler.fs


def _fsspec_stamp(facts: dict[str, Any]) -> str:
    tag = facts.get("ETag") or facts.get("etag") or facts.get("md5Hash")
    changed = next((facts[name] for name in _TIMES_OF_CHANGE if facts.get(name)), "")
    return str(tag or (changed.timestamp() if isinstance(changed, datetime) else changed))


def open_storage(location: str | Path) -> Storage:
    """Return the storage of a path or URL, which need not exist; a store is asked nothing before it is used.

    Raises UsageError: the URL is not understood.
    """
    if not is_url(str(location)):
        return LocalStorage(as_path(location))
    address = parse_address(str(location))
    return LocalStorage(Path(f"/{address.path}")) if address.scheme == "file" else ObjectStorage(str(location))
