"""A file that grows by what is uploaded; its size is how much has come."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from mediaan.media.probe import HEAD_BYTES, sniff
from mediaan.server.request_error import RequestError
from mediaan.server.storage.disk_space import full_disk_refused


class GrowingFile:
    """A file under way, open for writing; made if it is not there.

    Parameters
    ----------
    path : Path
    total_bytes : int
        Its size when it is complete; what lies beyond is cut.
    formats : collection of str
        What it may be, as `sniff` says.

    Attributes
    ----------
    size : int
        How much has come, bytes.
    """

    def __init__(self, path: Path, total_bytes: int, formats: Collection[str]) -> None:
        self.path, self.total_bytes, self._formats = path, total_bytes, formats
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.size = os.fstat(self._handle).st_size
        if self.size > total_bytes:
            self._cut(total_bytes)

    @property
    def complete(self) -> bool:
        """Whether all has come."""
        return self.size == self.total_bytes

    def write(self, data: bytes, at: int) -> None:
        """Take bytes that belong at a place which the file has reached; those that it has already stay as they are.

        Raises
        ------
        RequestError
            409: it has other bytes there; 415: it is not what it was said to be, and is empty again; 507: the disk is
            full.
        FileNotFoundError
            It was removed meanwhile.
        """
        if os.fstat(self._handle).st_nlink == 0:
            raise FileNotFoundError(self.path)
        known = min(self.size - at, len(data))
        if os.pread(self._handle, known, at) != data[:known]:
            where = f"Bytes {at}-{at + known - 1} came before, and were others"
            raise RequestError(409, f"{where}; send the whole file again without Content-Range")
        before = self.size
        self._append(memoryview(data)[known:])
        if before < HEAD_BYTES <= self.size or self.complete:
            self._check_kind()

    def restart(self) -> None:
        """Forget all that has come."""
        self._cut(0)

    def sync(self) -> None:
        """Return when all is on the disk itself."""
        with full_disk_refused():
            os.fsync(self._handle)

    def close(self) -> None:
        """Keep what has come."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _append(self, data: memoryview) -> None:
        with full_disk_refused():
            while data:
                written = os.pwrite(self._handle, data, self.size)
                self.size += written
                data = data[written:]

    def _check_kind(self) -> None:
        found = sniff(os.pread(self._handle, HEAD_BYTES, 0))
        if found not in self._formats:
            self._cut(0)
            what = found or "in a format that is not known"
            message = f"The file is {what}, not {' or '.join(sorted(self._formats))} as declared; nothing of it is kept"
            raise RequestError(415, message)

    def _cut(self, size: int) -> None:
        os.ftruncate(self._handle, size)
        self.size = size
