"""The folder in which a server keeps everything: database, secret, media with their runs, uploads under way."""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from mediaan.errors import SetupError, UsageError

_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Paths inside a data folder; no path is ever made of what a client sent.

    ::

        DATA/  server.sqlite      companies, keys, media, uploads, jobs, usage
               secret             signs addresses of files and sessions
               serving.sqlite     held by the one server that runs here
               incoming/          uploads under way
               media/<media_id>/  source/<file>, runs/<name>/: run directories of the library

    Parameters
    ----------
    path : Path
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
        """File into which a medium's upload grows."""
        return self.incoming / f"{media_id}.part"

    def medium(self, media_id: UUID) -> Path:
        """Folder of a medium."""
        return self.path / "media" / str(media_id)

    def source(self, media_id: UUID, file: str) -> Path:
        """The medium's own file; `file` as `file_name` made it."""
        return self.medium(media_id) / "source" / file

    def run(self, media_id: UUID, name: str) -> Path:
        """A run directory of the library over this medium alone."""
        return self.medium(media_id) / "runs" / name

    def make(self) -> None:
        """Make the folders that are missing, for this user alone.

        Raises
        ------
        UsageError
            They cannot be made there.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self.incoming, self.path / "media"):
                folder.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            message = f"--data {self.path}: cannot be made ({error.strerror}); name another folder"
            raise UsageError(message, code="bad_data_folder") from error

    def secret(self) -> bytes:
        """The secret of this folder, made when first asked for; addresses that it signed outlive a restart."""
        file = self.path / "secret"
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return file.read_bytes()
        with os.fdopen(handle, "wb") as stream:
            stream.write(secrets.token_bytes(_SECRET_BYTES))
        return file.read_bytes()

    def hold(self) -> sqlite3.Connection:
        """Keep every other server out of this folder for as long as the connection is open, or this process lives.

        Raises
        ------
        SetupError
            Another server runs here.
        """
        connection = sqlite3.connect(self.path / "serving.sqlite", timeout=1.0, isolation_level=None)
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            connection.close()
            message = f"--data {self.path}: another server runs on this folder; stop it, or name another folder"
            raise SetupError(message, code="data_folder_in_use") from error
        return connection

    def discard(self, media_id: UUID) -> None:
        """Remove all files of a medium."""
        self.upload(media_id).unlink(missing_ok=True)
        shutil.rmtree(self.medium(media_id), ignore_errors=True)


def file_name(name: str, fallback: str) -> str:
    """A safe name for a client's file: what a path or a shell could trip over is gone, the suffix stays.

    Examples
    --------
    >>> file_name("../../etc/passwd", "image"), file_name("Sommer 2026.png", "image"), file_name("..", "image.png")
    ('passwd', 'Sommer 2026.png', 'image.png')
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(sign for sign in last if sign.isprintable() and sign not in '<>:"|?*').strip(" .")
    stem, dot, suffix = kept.rpartition(".")
    if dot and len(suffix) <= 8:
        kept = f"{_cut(stem, 100)}.{_cut(suffix, 16)}" if stem else ""
    return _cut(kept, 120) or fallback


def _cut(text: str, most_bytes: int) -> str:
    return text.encode()[:most_bytes].decode(errors="ignore")
