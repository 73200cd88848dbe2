"""Resumable uploads: the PUT protocol of cloud object stores."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from starlette.concurrency import run_in_threadpool

from mediaan.server.request_error import RequestError
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.database import Database, now
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.media import Media, StoredMedium
from mediaan.server.uploads.content_types import ContentType, find_content_type, source_name
from mediaan.server.uploads.growing_file import GrowingFile

_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload that was announced.

    Attributes
    ----------
    medium : StoredMedium
    content_type : ContentType
    total_bytes : int
    """

    medium: StoredMedium
    content_type: ContentType
    total_bytes: int

    @property
    def complete(self) -> bool:
        """Whether the medium has its file."""
        return self.medium.file is not None


class Uploads:
    """The table of uploads, and the files that grow.

    Of several requests that send the same file the last one writes; those before it, whose clients are gone although
    their connections are not, are told so if they ever send more.
    """

    def __init__(self, database: Database, folder: DataFolder, media: Media, settings: ServerSettings) -> None:
        self._database, self._folder, self._media, self._settings = database, folder, media, settings
        self._turns: dict[UUID, Turn] = {}

    def create(self, media_id: UUID, content_type: str, total_bytes: int) -> str:
        """A token that allows to upload a medium's file: the last part of its address, kept only as a hash."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO uploads (token_hash, media_id, content_type, total_bytes, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (_hash(token), str(media_id), content_type, total_bytes, now()),
            )
        return token

    def find(self, token: str) -> Upload:
        """The upload that a token allows.

        Raises
        ------
        RequestError
            404: there is none, or its medium was deleted; 410: it was not completed in time.
        """
        row = self._database.connection.execute(
            "SELECT * FROM uploads WHERE token_hash = ?", (_hash(token),)
        ).fetchone()
        medium = None if row is None else self._media.get(UUID(row["media_id"]))
        content_type = None if row is None else find_content_type(row["content_type"])
        if medium is None or content_type is None:
            raise no_such_upload()
        until = datetime.fromisoformat(row["created_at"]) + timedelta(seconds=self._settings.upload_lifetime_s)
        if medium.file is None and datetime.now(UTC) > until:
            raise RequestError(410, "The upload was not completed in time; create the medium again")
        return Upload(medium, content_type, row["total_bytes"])

    def received(self, upload: Upload) -> int:
        """How many bytes of an upload have come."""
        if upload.complete or self._source(upload).exists():
            return upload.total_bytes
        try:
            return min(self._folder.upload(upload.medium.media_id).stat().st_size, upload.total_bytes)
        except FileNotFoundError:
            return 0

    @asynccontextmanager
    async def turn(self, upload: Upload) -> AsyncIterator[Turn]:
        """Be the one who writes, until another wants to."""
        media_id = upload.medium.media_id
        turn, before = Turn(self, upload), self._turns.get(media_id)
        self._turns[media_id] = turn
        try:
            await turn.begin(before)
            yield turn
        finally:
            turn.close()
            if self._turns.get(media_id) is turn:
                del self._turns[media_id]

    def open(self, upload: Upload) -> GrowingFile | None:
        """The file that grows; None: it is complete.

        Raises
        ------
        RequestError
            404: the medium was deleted.
        """
        media_id = upload.medium.media_id
        file = GrowingFile(self._folder.upload(media_id), upload.total_bytes, upload.content_type.formats)
        # Asked only now: what is deleted from here on takes the open file with it.
        medium = self._media.get(media_id)
        if medium is not None and medium.file is None and not self._source(upload).exists():
            if file.complete:  # ended between its last byte and its new name
                self.finish(upload, file)
                return None
            return file
        file.close()
        file.path.unlink(missing_ok=True)
        if medium is None:
            raise no_such_upload()
        self._note(upload)
        return None

    def finish(self, upload: Upload, file: GrowingFile) -> None:
        """Make a complete file the medium's own; it is there whole or not at all, whatever happens.

        Raises
        ------
        RequestError
            404: the medium was deleted.
        FileNotFoundError
            It was, and its files are gone.
        """
        file.sync()
        file.close()
        source = self._source(upload)
        source.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.path.replace(source)
        for folder in source.parents[:3]:  # its own, the medium's, that of all media
            _sync_folder(folder)
        self._note(upload)

    def _note(self, upload: Upload) -> None:
        media_id = upload.medium.media_id
        if not self._media.has_file(media_id, self._source(upload).name):
            self._folder.discard(media_id)
            raise no_such_upload()
        with self._database.transaction() as connection:
            connection.execute("UPDATE uploads SET finished_at = ? WHERE media_id = ?", (now(), str(media_id)))

    def _source(self, upload: Upload) -> Path:
        medium = upload.medium
        return self._folder.source(medium.media_id, source_name(medium.name, upload.content_type))


class Turn:
    """One request's right to write to an upload.

    Parameters
    ----------
    uploads : Uploads
    upload : Upload

    Attributes
    ----------
    complete : bool
        Whether the medium has its file.
    """

    def __init__(self, uploads: Uploads, upload: Upload) -> None:
        self.complete = upload.complete
        self._uploads, self._upload = uploads, upload
        self._lock = asyncio.Lock()
        self._over = False
        self._file: GrowingFile | None = None

    @property
    def received(self) -> int:
        """How many bytes have come, those of earlier requests included."""
        return self._upload.total_bytes if self.complete else self._writable().size

    async def begin(self, before: Turn | None) -> None:
        """Open the file, when the one before has written what it was writing."""
        async with self._lock:
            if before is not None:
                await before.end()
            self._file = await run_in_threadpool(self._uploads.open, self._upload)
            self.complete = self._file is None

    async def end(self) -> None:
        """Write no more."""
        self._over = True
        async with self._lock:
            self.close()

    def close(self) -> None:
        """Keep what has come."""
        if self._file is not None:
            self._file.close()

    async def write(self, data: bytes, at: int, *, anew: bool = False) -> None:
        """Write bytes that belong at a place which the file has reached; with the last one the medium has its file.

        Parameters
        ----------
        data : bytes
        at : int
            Place of the first, from 0.
        anew : bool
            Forget first what has come before.

        Raises
        ------
        RequestError
            As `GrowingFile.write`; 404: the medium was deleted; 409: another request writes now.
        """
        async with self._lock:
            file = self._writable()
            try:
                await run_in_threadpool(self._write, file, data, at, anew)
            except FileNotFoundError as error:
                raise no_such_upload() from error

    def _write(self, file: GrowingFile, data: bytes, at: int, anew: bool) -> None:
        if anew:
            file.restart()
        file.write(data, at)
        if file.complete:
            self._uploads.finish(self._upload, file)
            self.complete = True

    def _writable(self) -> GrowingFile:
        if self._over or self._file is None:
            raise RequestError(409, "Another request has taken this upload over")
        return self._file


def no_such_upload() -> RequestError:
    """There is no such upload any more, or there never was."""
    return RequestError(404, "There is no such upload; create the medium again")


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _sync_folder(folder: Path) -> None:
    """A new name is on the disk only with the folder that it is in."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
