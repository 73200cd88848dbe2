"""Result files under signed addresses: whole, in ranges, or not again where the client has them."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from mediaan.server.links import LinkedFile, Links, no_such_file
from mediaan.server.request_error import RequestError
from mediaan.server.storage.folder import file_name

_BLOCK_BYTES = 256 << 10
TYPES = {
    ".webp": "image/webp",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
}
"""Not the system's list: what a file is must not depend on the machine."""
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?("[^"]*")')


class _Part(NamedTuple):
    """Bytes of a file, from `start` up to, but not including, `end`."""

    start: int
    end: int


async def serve_file(request: Request) -> Response:
    """Answer GET and HEAD of ``/files/<token>``.

    Raises
    ------
    RequestError
        403: the address was not made here, or has expired; 404: the file is gone; 416: it has no such range.
    """
    links: Links = request.app.state.services.links
    linked = links.file(request.path_params["token"])
    stream = await run_in_threadpool(_open, linked.path)
    try:
        return _answer(request, linked, stream)
    except BaseException:
        stream.close()
        raise


def _answer(request: Request, linked: LinkedFile, stream: BinaryIO) -> Response:
    facts = os.fstat(stream.fileno())
    headers = _headers(linked, facts)
    if headers["ETag"] in _TAG.findall(request.headers.get("if-none-match", "")):
        stream.close()
        return Response(status_code=304, headers=headers)
    part = _asked_part(request, facts.st_size, headers["ETag"])
    status = 200
    if part is None:
        part = _Part(0, facts.st_size)
    else:
        status = 206
        headers["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{facts.st_size}"
    headers["Content-Length"] = str(part.end - part.start)
    return _FileResponse(stream, part if request.method == "GET" else _Part(0, 0), status, headers)


class _FileResponse(StreamingResponse):
    """Sends a part of an open file, which stays whole even where its run is removed meanwhile, and closes it."""

    def __init__(self, stream: BinaryIO, part: _Part, status: int, headers: dict[str, str]) -> None:
        super().__init__(_blocks(stream, part), status, headers)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, called by Starlette."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stream.close()


async def _blocks(stream: BinaryIO, part: _Part) -> AsyncIterator[bytes]:
    await run_in_threadpool(stream.seek, part.start)
    left = part.end - part.start
    while left > 0:
        block = await run_in_threadpool(stream.read, min(_BLOCK_BYTES, left))
        if not block:
            raise OSError("a result file became shorter while it was sent")
        left -= len(block)
        yield block


def _open(path: Path) -> BinaryIO:
    try:
        stream = path.open("rb")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise no_such_file() from error
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise no_such_file()
    return stream


def _headers(linked: LinkedFile, facts: os.stat_result) -> dict[str, str]:
    suffix = linked.path.suffix.lower()
    content = f"{linked.medium.media_id} {linked.run} {linked.result} {facts.st_size} {facts.st_mtime_ns}"
    return {
        "Content-Type": TYPES.get(suffix, "application/octet-stream"),
        "Content-Disposition": _disposition(linked, suffix),
        "Accept-Ranges": "bytes",
        "Cache-Control": f"private, max-age={int(linked.seconds_left)}",
        "ETag": f'"{hashlib.sha256(content.encode()).hexdigest()[:32]}"',
        "X-Content-Type-Options": "nosniff",
        # a page among the results is shown as somebody else's: it reaches neither the session nor the API
        "Content-Security-Policy": "sandbox allow-scripts" if suffix == ".html" else "sandbox",
    }


def _disposition(linked: LinkedFile, suffix: str) -> str:
    """Show it in the browser; saved, it is called after the medium."""
    name = file_name(f"{Path(file_name(linked.medium.name, 'medium')).stem}-{linked.result}{suffix}", linked.result)
    plain = re.sub(r'[^\x20-\x7e]|["\\%]', "_", name)
    return f"inline; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _asked_part(request: Request, size: int, tag: str) -> _Part | None:
    """The range that a request asks for (RFC 9110, 14); None: all.

    A range that is written wrongly, more than one, or one of another version of the file (``If-Range``) means all.

    Raises
    ------
    RequestError
        416: nothing of the range is in the file.
    """
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    if found is None or found[0].endswith("=-") or request.headers.get("if-range", tag) != tag:
        return None
    first, last = found[1], found[2]
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if start >= end:
        message = f"Range {found[0]}: the file has {size} bytes"
        raise RequestError(416, message, {"Content-Range": f"bytes */{size}"})
    return _Part(start, end)
