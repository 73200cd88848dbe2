"""Resumable uploads of videos and mixed media: the PUT protocol of cloud object stores."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path, PurePath
from typing import NamedTuple
from uuid import UUID

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from mediaan.media.probe import HEAD_BYTES, sniff
from mediaan.server.errors import RequestError
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.database import Database, now
from mediaan.server.storage.folder import DataFolder, file_name, full_disk_refused
from mediaan.server.storage.media import Media, StoredMedium

BLOCK_BYTES = 1 << 20
"""Worth a thread that writes it: to hand 64 KiB over costs as much as to write them."""

_GATHER_S = 1.0
_TOKEN_BYTES = 32
_ISO = frozenset({"mp4", "quicktime"})  # one family, in which names are often mixed up
_MATROSKA = frozenset({"matroska"})  # WebM too, by its signature
_CONTENT_RANGE = re.compile(r"\s*bytes\s+(?:(\d{1,18})-(\d{1,18})|\*)/(\d{1,18}|\*)\s*", re.ASCII | re.IGNORECASE)
_NO_CLAIM = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-www-form-urlencoded"})
"""Content types that say nothing of a file: curl --data-binary calls every body a form."""


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


def find_content_type(said: str, allowed: Iterable[ContentType] = MIXED_MEDIA) -> ContentType | None:
    """Return the format that a client means; case and parameters do not matter.

    Examples
    --------
    >>> find_content_type("Video/X-MatroskaA; codecs=vp9").name
    'video/x-matroska'
    >>> find_content_type("image/gif", VIDEOS) is None
    True
    """
    name = said.partition(";")[0].strip().lower()
    return next((one for one in allowed if name == one.name or name in one.also), None)


def source_name(name: str, content_type: ContentType) -> str:
    """Return a safe name for a medium's file, with a suffix that says what it is.

    Examples
    --------
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
    """The table of uploads, and the files that grow.

    Of several requests that send the same file the last one writes; those before it, whose clients are gone although
    their connections are not, are told so if they ever send more.
    """

    def __init__(self, database: Database, folder: DataFolder, media: Media, settings: ServerSettings) -> None:
        self._database, self._folder, self._media, self._settings = database, folder, media, settings
        self._turns: dict[UUID, Turn] = {}

    def create(self, media_id: UUID, content_type: str, total_bytes: int) -> str:
        """Return a token that allows to upload a medium's file: the last part of its address, kept only as a hash."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO uploads (token_hash, media_id, content_type, total_bytes, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (_hash(token), str(media_id), content_type, total_bytes, now()),
            )
        return token

    def check_room(self, size_bytes: int) -> None:
        """Refuse bytes that would leave too little of the disk: 507."""
        self._folder.refuse_without_room(size_bytes, self._settings.min_free_bytes)

    def find(self, token: str) -> Upload:
        """Return the upload that a token allows.

        Raises
        ------
        RequestError
            404: there is none, or its medium was deleted; 410: it was not completed in time.
        """
        query = "SELECT * FROM uploads WHERE token_hash = ?"
        row = self._database.connection.execute(query, (_hash(token),)).fetchone()
        medium = None if row is None else self._media.get(UUID(row["media_id"]))
        content_type = None if row is None else find_content_type(row["content_type"])
        if medium is None or content_type is None:
            raise _no_such_upload()
        until = datetime.fromisoformat(row["created_at"]) + timedelta(seconds=self._settings.upload_lifetime_s)
        if medium.file is None and datetime.now(UTC) > until:
            raise RequestError(410, "The upload was not completed in time; create the medium again")
        return Upload(medium, content_type, row["total_bytes"])

    def received(self, upload: Upload) -> int:
        """Return how many bytes of an upload have come."""
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
        """Open the file that grows; None: it is complete.

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
            raise _no_such_upload()
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
        medium = upload.medium
        source = self._folder.make_source(medium.media_id, source_name(medium.name, upload.content_type))
        try:
            file.path.replace(source)
        except FileNotFoundError:  # deleted meanwhile, and its folder with it, before this one was made again
            self._folder.discard(upload.medium.media_id)
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
            self._folder.discard(media_id)
            raise _no_such_upload()
        with self._database.transaction() as connection:
            connection.execute("UPDATE uploads SET finished_at = ? WHERE media_id = ?", (now(), str(media_id)))

    def _source(self, upload: Upload) -> Path:
        medium = upload.medium
        return self._folder.source(medium.media_id, source_name(medium.name, upload.content_type))


class Turn:
    """One request's right to write to an upload; `complete` says whether the medium has its file."""

    def __init__(self, uploads: Uploads, upload: Upload) -> None:
        self.complete = upload.complete
        self._uploads, self._upload = uploads, upload
        self._lock = asyncio.Lock()
        self._over = False
        self._file: GrowingFile | None = None

    @property
    def received(self) -> int:
        """Number of bytes that have come, those of earlier requests included."""
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

    async def write(self, data: bytes, at: int, *, restart: bool = False) -> None:
        """Write bytes that belong at a place which the file has reached; with the last one the medium has its file.

        Parameters
        ----------
        data : bytes
        at : int
            Place of the first, from 0.
        restart : bool
            Forget first what has come before.

        Raises
        ------
        RequestError
            As `GrowingFile.write`; 404: the medium was deleted; 409: another request writes now; 507: the disk has no
            room for it, and what has come is removed.
        """

        def write(file: GrowingFile) -> None:
            if restart:
                file.cut(0)
            try:
                self._uploads.check_room(len(data))
                file.write(data, at)
            except RequestError as error:
                if error.status == HTTPStatus.INSUFFICIENT_STORAGE:
                    file.cut(0)
                raise
            if file.complete:
                self._uploads.finish(self._upload, file)
                self.complete = True

        async with self._lock:
            try:
                await run_in_threadpool(write, self._writable())
            except FileNotFoundError as error:
                raise _no_such_upload() from error

    def _writable(self) -> GrowingFile:
        if self._over or self._file is None:
            raise RequestError(409, "Another request has taken this upload over")
        return self._file


class GrowingFile:
    """A file that grows by what is uploaded, open for writing; made if it is not there.

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
            self.cut(total_bytes)

    @property
    def complete(self) -> bool:
        """True since all has come."""
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
        before, rest = self.size, memoryview(data)[known:]
        with full_disk_refused("nothing of it is kept"):
            while rest:
                written = os.pwrite(self._handle, rest, self.size)
                self.size += written
                rest = rest[written:]
        if before < HEAD_BYTES <= self.size or self.complete:
            found = sniff(os.pread(self._handle, HEAD_BYTES, 0))
            if found not in self._formats:
                self.cut(0)
                said = (
                    f"The file is {found or 'in a format that is not known'}, not {' or '.join(sorted(self._formats))}"
                )
                raise RequestError(415, f"{said} as declared; nothing of it is kept")

    def sync(self) -> None:
        """Return when all is on the disk itself."""
        with full_disk_refused():
            os.fsync(self._handle)

    def close(self) -> None:
        """Keep what has come."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def cut(self, size: int) -> None:
        """Forget what has come beyond some bytes."""
        os.ftruncate(self._handle, size)
        self.size = size


class ContentRange(NamedTuple):
    """A part of a file: bytes from `start` up to, but not including, `end`."""

    start: int
    end: int


def content_range(header: str | None, total_bytes: int) -> ContentRange | None:
    """Read the header Content-Range of an upload.

    Parameters
    ----------
    header : str or None
        ``bytes FIRST-LAST/TOTAL``, where TOTAL may be ``*``; ``bytes */TOTAL`` asks how far the upload is; None: there
        is no such header, the body is the whole file.
    total_bytes : int
        Of the file, as it was declared.

    Returns
    -------
    ContentRange or None
        None: it only asks.

    Raises
    ------
    RequestError
        400: it is not of that form, or contradicts what was declared.

    Examples
    --------
    >>> content_range("bytes 0-524287/*", 1000000)
    ContentRange(start=0, end=524288)
    >>> content_range("bytes */1000000", 1000000) is None
    True
    """
    if header is None:
        return ContentRange(0, total_bytes)
    found = _CONTENT_RANGE.fullmatch(header)
    if found is None:
        forms = f"'bytes FIRST-LAST/{total_bytes}' or 'bytes */{total_bytes}'"
        raise RequestError(400, f"Content-Range: {header!r} is not understood; send {forms}")
    first, last, total = found.groups()
    if total not in ("*", None) and int(total) != total_bytes:
        raise RequestError(400, f"Content-Range: the file has {total} bytes here, but total_bytes was {total_bytes}")
    if first is None:
        return None
    if int(last) < int(first) or int(last) >= total_bytes:
        raise RequestError(400, f"Content-Range: {first}-{last} is no part of {total_bytes} bytes")
    return ContentRange(int(first), int(last) + 1)


async def put_upload(request: Request) -> Response:
    """Answer PUT of ``/uploads/<token>``, without a key: take a file or a part of it, or say how much of it is here.

    Raises
    ------
    RequestError
        400: headers or length contradict what was declared; 404: no such upload; 409: other bytes were sent before, or
        another request took over; 410: too late; 415: another kind of file; 507: the disk is full.
    """
    uploads: Uploads = request.app.state.services.uploads
    upload = uploads.find(request.path_params["token"])
    if upload.complete:
        return _finished(upload)
    part = content_range(request.headers.get("content-range"), upload.total_bytes)
    _check_claims(request, upload, part)
    if part is None or declared_bytes(request) == 0:
        received = uploads.received(upload)
        if received < upload.total_bytes:  # who asks takes nothing from whoever sends
            return _unfinished(received)
    async with uploads.turn(upload) as turn:
        if part is not None and not turn.complete and part.start <= turn.received:
            await _receive(request, turn, part)
        return _finished(upload) if turn.complete else _unfinished(turn.received)


def _check_claims(request: Request, upload: Upload, part: ContentRange | None) -> None:
    """Refuse a body whose headers contradict the upload that was announced."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise RequestError(415, f"Content-Encoding: {encoding} is not taken; send the file as it is")
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if said not in _NO_CLAIM and find_content_type(said) is not upload.content_type:
        name = upload.content_type.name
        raise RequestError(415, f"Content-Type: {said}, but the upload was declared as {name}; send that, or none")
    size = declared_bytes(request)
    if not size:  # not known yet; or nothing: then it only asks
        return
    if part is None:
        raise RequestError(400, "Content-Range asks how far the upload is, which has no body")
    if size != part.end - part.start:
        what = "total_bytes was" if "content-range" not in request.headers else "Content-Range has"
        raise RequestError(400, f"Content-Length: the body has {size} bytes, but {what} {part.end - part.start}")


async def _receive(request: Request, turn: Turn, part: ContentRange) -> None:
    """Write a body to its place.

    The last block waits for the end of the body: a file that has all its bytes on disk is one that had no more.
    """
    whole = "content-range" not in request.headers
    at, last = part.start, b""
    async with aclosing(blocks(request)) as body:
        async for block in body:
            if at + len(last) + len(block) > part.end:
                raise RequestError(400, f"The body has more than the {part.end - part.start} bytes that were declared")
            if at + len(block) == part.end:
                last = block
                continue
            await turn.write(block, at, restart=whole and at == 0)
            at += len(block)
    if last:
        await turn.write(last, at, restart=whole and at == 0)
    elif whole and at:
        raise RequestError(400, f"The body ended after {at} bytes; total_bytes was {part.end}")


async def blocks(request: Request) -> AsyncGenerator[bytes]:
    """Yield a body in blocks of about `BLOCK_BYTES`, or of what a slow client sends in a second.

    What came before a connection broke is given before the error is raised.
    """
    pieces: list[bytes] = []
    gathered, since = 0, time.monotonic()
    try:
        async for piece in request.stream():
            pieces.append(piece)
            gathered += len(piece)
            if gathered >= BLOCK_BYTES or time.monotonic() - since > _GATHER_S:
                yield b"".join(pieces)
                pieces.clear()
                gathered, since = 0, time.monotonic()
    except Exception:
        if gathered:
            yield b"".join(pieces)
        raise
    if gathered:
        yield b"".join(pieces)


def declared_bytes(request: Request) -> int | None:
    """Return how long a request says that its body is; None where it does not say (chunked transfer)."""
    if "transfer-encoding" in request.headers:
        return None
    return int(request.headers.get("content-length", 0))


def _finished(upload: Upload) -> Response:
    medium = upload.medium
    body = {"media_id": str(medium.media_id), "name": medium.name, "content_type": upload.content_type.name}
    return JSONResponse({**body, "size_bytes": upload.total_bytes})


def _unfinished(received: int) -> Response:
    return Response(status_code=308, headers={"Range": f"bytes=0-{received - 1}"} if received else {})


def _no_such_upload() -> RequestError:
    return RequestError(404, "There is no such upload; create the medium again")


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
