"""Define what every storage promises, files by relative path, each there whole or not at all, and store in a folder."""

from __future__ import annotations

import errno
import os
import shutil
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Protocol, TypeVar
from uuid import uuid4

from mediaan.errors import SetupError, cannot_write


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a storage."""

    path: str
    """Relative to the storage, parts divided by ``/``."""
    size_bytes: int
    stamp: str
    """Changes when the file does: its time of change, and what else the storage knows of its content."""


class Storage(Protocol):
    """A local folder or a prefix of an object store. Picklable, so that workers on other machines can write to it."""

    @property
    def display_name(self) -> str:
        """Path or address to show to users: never with credentials."""
        ...

    @property
    def folder(self) -> Path | None:
        """The folder if it is local, else None."""
        ...

    def read(self, path: str, *, limit: int | None = None) -> bytes:
        """Read a file, or its first `limit` bytes.

        Raises FileNotFoundError.
        """
        ...

    def write(self, path: str, data: bytes, *, durable: bool = False) -> None:
        """Write or replace a file; it is there whole or not at all if this process is killed.

        `durable` holds that for the loss of power, too, which takes some milliseconds on a disk.

        Raises SetupError: it cannot be written (code cannot_write).
        """
        ...

    def take(self, source: Path, path: str) -> None:
        """Move a finished local file here, as `write` would."""
        ...

    def fetch(self, path: str, target: Path) -> None:
        """Copy a file to a local path that is free."""
        ...

    def size(self, path: str) -> int | None:
        """Return the bytes of a file; None if there is none."""
        file = self.find(path)
        return None if file is None else file.size_bytes

    def find(self, path: str) -> StoredFile | None:
        """Return a file's facts; None if there is none."""
        ...

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        """Yield all files below a prefix that ends in ``/`` or is empty, in no particular order."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        ...


@dataclass(frozen=True, slots=True)
class LocalStorage(Storage):
    """A folder; see `Storage`. Files are written under another name, then renamed.

    `staging`: folder on the same disk in which files are written first, so that what a killed process leaves is found;
        None: beside their name.
    """

    folder: Path
    staging: Path | None = None

    @property
    def display_name(self) -> str:
        """The folder's path."""
        return str(self.folder)

    def read(self, path: str, *, limit: int | None = None) -> bytes:
        """Read a file, or its first `limit` bytes."""
        if not S_ISREG((self.folder / path).stat().st_mode):  # a FIFO would wait for a writer
            raise FileNotFoundError(errno.ENOENT, "no regular file", path)
        with (self.folder / path).open("rb") as file:
            return file.read(-1 if limit is None else limit)

    def write(self, path: str, data: bytes, *, durable: bool = False) -> None:
        """Write or replace a file."""
        target = self.folder / path
        with self._partial(target) as partial:
            with partial.open("wb") as file:
                file.write(data)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            partial.replace(target)

    def take(self, source: Path, path: str) -> None:
        """Move a file here; from another disk it is copied first."""
        target = self.folder / path
        with self._partial(target) as partial:
            shutil.move(source, partial)
            partial.replace(target)

    def fetch(self, path: str, target: Path) -> None:
        """Copy a file to a local path."""
        shutil.copyfile(self.folder / path, target)

    def find(self, path: str) -> StoredFile | None:
        """Return a file's facts; None if there is none."""
        try:
            status = (self.folder / path).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return StoredFile(path, status.st_size, str(status.st_mtime_ns)) if S_ISREG(status.st_mode) else None

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        """Yield all files below a prefix."""
        for folder, _, names in os.walk(self.folder / prefix):
            for name in names:
                file = Path(folder) / name
                status = file.stat()
                path = file.relative_to(self.folder).as_posix()
                yield StoredFile(path, status.st_size, str(status.st_mtime_ns))

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        (self.folder / path).unlink(missing_ok=True)

    @contextmanager
    def _partial(self, target: Path) -> Iterator[Path]:
        """Give a path to write to, which is removed at the end unless it was renamed to the target."""
        beside = target.with_name(f".{target.name[:80]}.{os.getpid()}.part")
        partial = beside if self.staging is None else self.staging / f"{uuid4().hex}.part"
        try:
            try:
                for folder in {target.parent, partial.parent}:
                    folder.mkdir(parents=True, exist_ok=True)
                yield partial
            finally:
                partial.unlink(missing_ok=True)
        except OSError as error:
            message = f"{cannot_write(target, error)}, then run it again: it continues where it stopped"
            raise SetupError(message, code="cannot_write") from error


Item = TypeVar("Item")
Value = TypeVar("Value")

CONCURRENT_REQUESTS = 16
"""Requests under way at a time: most of the time of one is spent on waiting for the store."""


def prefetch_map(
    function: Callable[[Item], Value], items: Iterable[Item], *, ahead: int = CONCURRENT_REQUESTS
) -> Generator[tuple[Item, Value]]:
    """Call a function on items in threads, and yield items and values in their order.

    `function`: safe in threads; what it raises is raised here.
    `items`: taken as they are needed: no more than `ahead` before their turn.
    `ahead`: calls under way; 1 makes them one after the other in this thread.

    >>> list(prefetch_map(str.upper, ["a", "b"], ahead=2))
    [('a', 'A'), ('b', 'B')]
    """
    if ahead == 1:
        yield from ((item, function(item)) for item in items)
        return
    with ThreadPoolExecutor(ahead) as threads:
        under_way: deque[tuple[Item, Future[Value]]] = deque()
        try:
            for item in items:
                under_way.append((item, threads.submit(function, item)))
                if len(under_way) == ahead:
                    first, call = under_way.popleft()
                    yield first, call.result()
            while under_way:
                first, call = under_way.popleft()
                yield first, call.result()
        finally:
            for _, call in under_way:
                call.cancel()


def read_many(
    storage: Storage, paths: Iterable[str], *, ahead: int = CONCURRENT_REQUESTS, limit: int | None = None
) -> Generator[tuple[str, bytes | None]]:
    """Read files in the order of their paths; no more than `ahead` of them lie in memory.

    `paths`: taken as they are needed.
    `ahead`: see `prefetch_map`.
    `limit`: only the first so many bytes of each.
    Yields tuple of str and (bytes or None): a path and its contents; None where there is no such file.
    """

    def read(path: str) -> bytes | None:
        try:
            return storage.read(path, limit=limit)
        except FileNotFoundError:
            return None

    return prefetch_map(read, paths, ahead=ahead)
