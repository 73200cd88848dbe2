"""Resumable uploads of videos and mixed media: files that grow until they are complete."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath
from uuid import UUID

from anyio import to_thread

from mediaan.media.probe import HEAD_BYTES, sniff
from mediaan.server.service.database import Database, now
from mediaan.server.service.errors import ConflictError, DiskFullError, ExpiredError, NotFoundError, WrongFormatError
from mediaan.server.service.folder import DataFolder, file_name, full_disk_refused
from mediaan.server.service.media import Media, StoredMedium
from mediaan.server.settings import ServerSettings

_TOKEN_BYTES = 32
_ISO = frozenset({"mp4", "quicktime"})  # one family, in which names are often mixed up
_MATROSKA = frozenset({"matroska"})  # WebM too, by its signature


@dataclass(frozen=True, slots=True)
class ContentType:
    """A format that can be uploaded."""

    name: str  # as it is stored, in lower case
    also: frozenset[str]  # other names of the same
    formats: frozenset[str]  # what `mediaan.media.probe.sniff` may say of it
    suffixes: tuple[str, ...]  # usual ends of such files' names; the first is added to names that have none of them


VIDEOS = (
    ContentType("video/mp4", frozenset({"video/x-m4v"}), _ISO, (".mp4", ".m4v")),
    ContentType("video/webm", frozenset(), _MATROSKA, (".webm",)),
    ContentType("video/quicktime", frozenset(), _ISO, (".mov", ".qt")),
    # The specification writes matroskaa; RFC 9559 registered video/matroska.
    ContentType("video/x-matroska", frozenset({"video/x-matroskaa", "video/matroska"}), _MATROSKA, (".mkv",)),
    ContentType("video/avi", frozenset({"video/x-msvideo", "video/vnd.avi"}), frozenset({"avi"}), (".avi",)),
)
MIXED_MEDIA = (*VIDEOS, ContentType("image/gif", frozenset(), frozenset({"gif"}), (".gif",)))


def find_content_type(mime_type: str, allowed: Iterable[ContentType] = MIXED_MEDIA) -> ContentType | None:
    """Return the format that a client means; case and parameters do not matter.

    >>> find_content_type("Video/X-MatroskaA; codecs=vp9").name
    'video/x-matroska'
    >>> find_content_type("image/gif", VIDEOS) is None
    True
    """
    name = mime_type.partition(";")[0].strip().lower()
    return next((format for format in allowed if name == format.name or name in format.also), None)


def source_name(name: str, content_type: ContentType) -> str:
    """Return a safe name for a medium's file, with a suffix that says what it is.

    >>> source_name("../Spring/final.v2", VIDEOS[0]), source_name("a.MOV", VIDEOS[2])
    ('final.v2.mp4', 'a.MOV')
    """
    safe = file_name(name, "medium")
    return safe if PurePath(safe).suffix.lower() in content_type.suffixes else safe + content_type.suffixes[0]


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload that was announced."""

    medium: StoredMedium
    content_type: ContentType
    total_bytes: int

    @property
    def complete(self) -> bool:
        """True since the medium has its file."""
        return self.medium.file is not None


class Uploads:
    """The table of uploads, and their incomplete files.

    Of several requests that send the same file the last one writes. Earlier ones, whose clients are usually gone
    although the connections still stand, are refused if they send more.
    """

    def __init__(self, database: Database, folder: DataFolder, media: Media, settings: ServerSettings) -> None:
        self._database, self.folder, self._media, self.settings = database, folder, media, settings
        self._writers: dict[UUID, UploadWriter] = {}

    def create(self, media_id: UUID, content_type: str, total_bytes: int) -> str:
        """Return a new token for the upload of a medium's file; only its hash is stored."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO uploads (token_hash, media_id, content_type, total_bytes, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (_hash(token), str(media_id), content_type, total_bytes, now()),
            )
        return token

    def find(self, token: str) -> Upload:
        """Return the upload that a token allows; `NotFoundError` or `ExpiredError` where there is none any more."""
        query = "SELECT * FROM uploads WHERE token_hash = ?"
        row = self._database.connection.execute(query, (_hash(token),)).fetchone()
        medium = None if row is None else self._media.get(UUID(row["media_id"]))
        content_type = None if row is None else find_content_type(row["content_type"])
        if medium is None or content_type is None:
            raise _no_such_upload()
        until = datetime.fromisoformat(row["created_at"]) + timedelta(seconds=self.settings.upload_lifetime_s)
        if medium.file is None and datetime.now(UTC) > until:
            raise ExpiredError("The upload was not completed in time; create the medium again")
        return Upload(medium, content_type, row["total_bytes"])

    def received(self, upload: Upload) -> int:
        """Return how many bytes of an upload have come."""
        if upload.complete or self._source(upload).exists():
            return upload.total_bytes
        try:
            return min(self.folder.upload(upload.medium.media_id).stat().st_size, upload.total_bytes)
        except FileNotFoundError:
            return 0

    @asynccontextmanager
    async def writer(self, upload: Upload) -> AsyncIterator[UploadWriter]:
        """Hold the right to write to an upload until another request takes it over."""
        media_id = upload.medium.media_id
        writer, before = UploadWriter(self, upload), self._writers.get(media_id)
        self._writers[media_id] = writer
        try:
            async with writer.lock:
                if before is not None:  # it may be in the middle of a write
                    await before.end()
                writer.file = await to_thread.run_sync(self.open, upload)
                writer.complete = writer.file is None
            yield writer
        finally:
            writer.close()
            if self._writers.get(media_id) is writer:
                del self._writers[media_id]

    def open(self, upload: Upload) -> GrowingFile | None:
        """Open the incomplete file; None if the upload is complete, `NotFoundError` if its medium was deleted."""
        media_id = upload.medium.media_id
        file = GrowingFile(self.folder.upload(media_id), upload.total_bytes, upload.content_type.formats)
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
            raise _no_such_upload()
        self._note(upload)
        return None

    def finish(self, upload: Upload, file: GrowingFile) -> None:
        """Move a complete file to its medium, durably and atomically.

        Raises NotFoundError, FileNotFoundError: the medium was deleted, and perhaps its files are gone already.
        """
        file.sync()
        file.close()
        medium = upload.medium
        source = self.folder.make_source(medium.media_id, source_name(medium.name, upload.content_type))
        try:
            file.path.replace(source)
        except FileNotFoundError:  # deleted meanwhile, and its folder with it, before this one was made again
            self.folder.discard(upload.medium.media_id)
            raise
        for folder in source.parents[:3]:  # its own, the medium's, that of all media: a new name is on the disk
            handle = os.open(folder, os.O_RDONLY)  # only with the folder that it is in
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        self._note(upload)

    def _note(self, upload: Upload) -> None:
        media_id = upload.medium.media_id
        if not self._media.has_file(media_id, self._source(upload).name):
            self.folder.discard(media_id)
            raise _no_such_upload()

    def _source(self, upload: Upload) -> Path:
        medium = upload.medium
        return self.folder.source(medium.media_id, source_name(medium.name, upload.content_type))


class UploadWriter:
    """The right of one request to write to an upload; `complete` tells whether the medium has its file."""

    def __init__(self, uploads: Uploads, upload: Upload) -> None:
        self.complete = False
        self.file: GrowingFile | None = None
        self.lock = asyncio.Lock()
        self._uploads, self._upload = uploads, upload
        self._over = False

    @property
    def received(self) -> int:
        """Number of bytes that have come, those of earlier requests included."""
        return self._upload.total_bytes if self.complete else self._writable().size

    async def end(self) -> None:
        """Write no more."""
        self._over = True
        async with self.lock:
            self.close()

    def close(self) -> None:
        """Keep what has come."""
        if self.file is not None:
            self.file.close()

    async def write(self, data: bytes, at: int, *, restart: bool = False) -> None:
        """Write bytes at a position up to the current size; `restart` truncates the file first.

        The last byte completes the upload. Where the disk has no room for it, what has come is removed.
        """

        def write(file: GrowingFile) -> None:
            if restart:
                file.cut(0)
            try:
                self._uploads.folder.refuse_without_room(len(data), self._uploads.settings.min_free_bytes)
                file.write(data, at)
            except DiskFullError:
                file.cut(0)
                raise
            if file.complete:
                self._uploads.finish(self._upload, file)
                self.complete = True

        async with self.lock:
            try:
                await to_thread.run_sync(write, self._writable())
            except FileNotFoundError as error:
                raise _no_such_upload() from error

    def _writable(self) -> GrowingFile:
        if self._over or self.file is None:
            raise ConflictError("Another request has taken this upload over")
        return self.file


class GrowingFile:
    """An incomplete file, open for appending; created if absent.

    `total_bytes`: its size when it is complete; what lies beyond is cut.
    `formats`: what it may be, as `sniff` says.
    `size`: how much has come, bytes.
    """

    def __init__(self, path: Path, total_bytes: int, formats: Collection[str]) -> None:
        self.path, self.total_bytes, self._formats = path, total_bytes, formats
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.size = os.fstat(self._handle).st_size
        if self.size > total_bytes:
            self.cut(total_bytes)

    @property
    def complete(self) -> bool:
        """True since all has come."""
        return self.size == self.total_bytes

    def write(self, data: bytes, at: int) -> None:
        """Append bytes from a position up to the current size.

        Raises ConflictError: bytes that came before were others.
        Raises WrongFormatError: it is not what it was said to be, and is empty again.
        Raises FileNotFoundError: it was removed meanwhile.
        """
        if os.fstat(self._handle).st_nlink == 0:
            raise FileNotFoundError(self.path)
        repeated = min(self.size - at, len(data))
        if os.pread(self._handle, repeated, at) != data[:repeated]:
            where = f"Bytes {at}-{at + repeated - 1} came before, and were others"
            raise ConflictError(f"{where}; send the whole file again without Content-Range")
        before, rest = self.size, memoryview(data)[repeated:]
        with full_disk_refused("nothing of it is kept"):
            while rest:
                written = os.pwrite(self._handle, rest, self.size)
                self.size += written
                rest = rest[written:]
        if before < HEAD_BYTES <= self.size or self.complete:
            format = sniff(os.pread(self._handle, HEAD_BYTES, 0)) or "in a format that is not known"
            if format not in self._formats:
                self.cut(0)
                declared = " or ".join(sorted(self._formats))
                raise WrongFormatError(f"The file is {format}, not {declared} as declared; nothing of it is kept")

    def sync(self) -> None:
        """Flush the file to the disk."""
        with full_disk_refused():
            os.fsync(self._handle)

    def close(self) -> None:
        """Keep what has come."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def cut(self, size: int) -> None:
        """Truncate the file."""
        os.ftruncate(self._handle, size)
        self.size = size


def _no_such_upload() -> NotFoundError:
    return NotFoundError("There is no such upload; create the medium again")


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
