"""The folder in which a server keeps everything: database, secret, media with their runs, uploads under way.

And what clients are told when its disk is full, whoever notices it first.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from mediaan.errors import SetupError, UsageError
from mediaan.server.service.errors import DiskFullError

_SECRET_BYTES = 32
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Paths inside a data folder; no path is ever made of what a client sent.

    ::

        DATA/  server.sqlite      companies, keys, media, uploads, jobs, usage
               secret             signs addresses of files and sessions
               serving.sqlite     held by the one server that runs here
               incoming/          uploads under way
               media/<media_id>/  source/<file>, runs/<name>/: run directories of the library
    """

    path: Path

    @property
    def database(self) -> Path:
        """File of the database."""
        return self.path / "server.sqlite"

    @property
    def incoming(self) -> Path:
        """Folder of files that are not complete yet."""
        return self.path / "incoming"

    def upload(self, media_id: UUID) -> Path:
        """Return the file into which a medium's upload grows."""
        return self.incoming / f"{media_id}.part"

    def medium(self, media_id: UUID) -> Path:
        """Return the folder of a medium."""
        return self.path / "media" / str(media_id)

    def source(self, media_id: UUID, file: str) -> Path:
        """Return the medium's own file; `file` as `file_name` made it."""
        return self.medium(media_id) / "source" / file

    def make_source(self, media_id: UUID, file: str) -> Path:
        """Return the medium's own file, with its folders made, for this user alone."""
        source = self.source(media_id, file)
        for folder in (source.parent.parent, source.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        return source

    def run(self, media_id: UUID, name: str) -> Path:
        """Return a run directory of the library over this medium alone."""
        return self.medium(media_id) / "runs" / name

    def report(self, media_id: UUID, run: str, file_format: str = "html") -> Path:
        """Return the report of a run, for the web page or as a PDF or slides; written when it is first asked for."""
        return self.run(media_id, run) / "answers" / f"report.{file_format}"

    def comparison(self, media_id: UUID, run: str, other_id: UUID, other_run: str) -> Path:
        """Return the page that compares a run with another medium's; it is sent once, and not kept."""
        return self.run(media_id, run) / "answers" / f"compare-{other_id}-{other_run}.html"

    def make(self) -> None:
        """Make the folders that are missing, for this user alone; `UsageError` where they cannot be made."""
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self.incoming, self.path / "media"):
                folder.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            message = f"--data {self.path}: cannot be made ({error.strerror}); name another folder"
            raise UsageError(message, code="bad_data_folder") from error

    def secret(self) -> bytes:
        """Return the secret of this folder, made when first asked for; `SetupError` where it cannot be had."""
        file = self.path / "secret"
        try:
            if not file.exists():  # written whole or not at all; of two processes that do, the first one's stays
                handle, written = tempfile.mkstemp(dir=self.path, prefix="secret.")  # readable by this user alone
                try:
                    with os.fdopen(handle, "wb") as stream:
                        stream.write(secrets.token_bytes(_SECRET_BYTES))
                        stream.flush()
                        os.fsync(stream.fileno())
                    with contextlib.suppress(FileExistsError):
                        os.link(written, file)
                finally:
                    Path(written).unlink()
            secret = file.read_bytes()
        except OSError as error:
            message = f"{file}: cannot be read or made ({error.strerror}); make it a file that this user may write"
            raise SetupError(message, code="bad_secret") from error
        if len(secret) != _SECRET_BYTES:
            message = f"{file}: is damaged; remove it, which ends all sessions and addresses of files that are in use"
            raise SetupError(message, code="bad_secret")
        return secret

    def hold(self) -> sqlite3.Connection:
        """Keep every other server out of this folder for as long as the connection is open, or this process lives.

        The lock is the operating system's, so it goes with the process, however that ends. `SetupError` where another
        server has it, or the folder cannot be written.
        """
        file = self.path / "serving.sqlite"
        connection: sqlite3.Connection | None = None
        try:
            file.touch(mode=0o600)  # who may read it may lock it
            connection = sqlite3.connect(file, timeout=1.0, isolation_level=None, check_same_thread=False)
            connection.execute("BEGIN EXCLUSIVE")
        except (OSError, sqlite3.DatabaseError) as error:
            if connection is not None:
                connection.close()
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                message = f"--data {self.path}: another server runs on this folder; stop it, or name another folder"
                raise SetupError(message, code="data_folder_in_use") from error
            message = f"--data {self.path}: cannot be locked ({error}); make it writable, or name another folder"
            raise SetupError(message, code="bad_data_folder") from error
        return connection

    def refuse_without_room(self, size_bytes: int, min_free_bytes: int) -> None:
        """Raise `DiskFullError` if a file would leave too little for deletions and for results of running jobs."""
        free = shutil.disk_usage(self.path).free
        if free - size_bytes < min_free_bytes:
            message = f"The server has no room for the file: {free} bytes are free, of which {min_free_bytes} are kept"
            raise DiskFullError(f"{message}; nothing of it is kept, delete media or try again later")

    def discard(self, media_id: UUID) -> None:
        """Remove all files of a medium."""
        self.upload(media_id).unlink(missing_ok=True)
        shutil.rmtree(self.medium(media_id), ignore_errors=True)


def file_name(name: str, fallback: str) -> str:
    """Return a safe name for a client's file, without path and special characters; the suffix stays.

    >>> file_name("../../etc/passwd", "image"), file_name("Sommer 2026.png", "image"), file_name("..", "image.png")
    ('passwd', 'Sommer 2026.png', 'image.png')
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(sign for sign in last if sign.isprintable() and sign not in '<>:"|?*').strip(" .")
    stem, dot, suffix = kept.rpartition(".")
    if dot and len(suffix) <= 8:
        kept = f"{_cut(stem, 100)}.{_cut(suffix, 16)}" if stem else ""
    return _cut(kept, 120).rstrip(" .") or fallback


def _cut(text: str, most_bytes: int) -> str:
    return text.encode()[:most_bytes].decode(errors="ignore")


def is_full_disk(error: BaseException | None) -> bool:
    """Tell whether a full disk, a used-up quota or a limit on file sizes caused an error, directly or not.

    >>> is_full_disk(OSError(errno.ENOSPC, "No space left on device")), is_full_disk(OSError(errno.EACCES, "no"))
    (True, False)
    """
    if error is None:
        return False
    database = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    copy = isinstance(error, shutil.Error) and any(os.strerror(code) in str(error) for code in _FULL)
    file = isinstance(error, OSError) and error.errno in _FULL
    return database or copy or file or is_full_disk(error.__cause__)


@contextmanager
def full_disk_refused(kept: str = "what has come so far is kept") -> Iterator[None]:
    """Turn errors of a full disk into `DiskFullError`; `kept` says what becomes of the bytes that have come."""
    try:
        yield
    except OSError as error:
        if not is_full_disk(error):
            raise
        message = f"The server has no room for the file ({error.strerror}); {kept}, try again later"
        raise DiskFullError(message) from error
