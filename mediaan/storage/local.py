"""Read and write files of a local folder."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from uuid import uuid4

from mediaan.errors import SetupError, cannot_write
from mediaan.storage.base import StoredFile


@dataclass(frozen=True, slots=True)
class LocalStorage:
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

    def size(self, path: str) -> int | None:
        """Return the bytes of a file; None if there is none."""
        file = self.find(path)
        return None if file is None else file.size_bytes

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
