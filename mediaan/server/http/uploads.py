"""Resumable uploads as cloud object stores take them: PUT of a file, or of a part of it with Content-Range."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from mediaan.server.http.errors import RequestError
from mediaan.server.http.identity import service_of
from mediaan.server.service.uploads import Upload, UploadWriter, find_content_type

BLOCK_BYTES = 1 << 20
"""Written by a thread at a time: handing 64 KiB over costs as much as writing them."""

_GATHER_S = 1.0
_CONTENT_RANGE = re.compile(r"\s*bytes\s+(?:(\d{1,18})-(\d{1,18})|\*)/(\d{1,18}|\*)\s*", re.ASCII | re.IGNORECASE)
_NO_CLAIM = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-www-form-urlencoded"})
"""Content types that say nothing of a file: curl --data-binary calls every body a form."""


def content_range(header: str | None, total_bytes: int) -> range | None:
    """Return the part of a file of `total_bytes` that the header Content-Range of an upload names; None: it only asks.

    It is ``bytes FIRST-LAST/TOTAL``, where TOTAL may be ``*``, or ``bytes */TOTAL``, which asks how far the upload is;
    without it the body is the whole file. 400: it is not of that form, or contradicts what was declared.

    >>> content_range("bytes 0-524287/*", 1000000)
    range(0, 524288)
    >>> content_range("bytes */1000000", 1000000) is None
    True
    """
    if header is None:
        return range(total_bytes)
    match = _CONTENT_RANGE.fullmatch(header)
    if match is None:
        forms = f"'bytes FIRST-LAST/{total_bytes}' or 'bytes */{total_bytes}'"
        raise RequestError(400, f"Content-Range: {header!r} is not understood; send {forms}")
    first, last, total = match.groups()
    if total not in ("*", None) and int(total) != total_bytes:
        raise RequestError(400, f"Content-Range: the file has {total} bytes here, but total_bytes was {total_bytes}")
    if first is None:
        return None
    if int(last) < int(first) or int(last) >= total_bytes:
        raise RequestError(400, f"Content-Range: {first}-{last} is no part of {total_bytes} bytes")
    return range(int(first), int(last) + 1)


async def put_upload(request: Request) -> Response:
    """Answer PUT of ``/uploads/<token>``, without a key: take a file or a part of it, or say how much of it is here.

    400 where headers or length contradict what was declared.
    """
    uploads = service_of(request).uploads
    upload = uploads.find(request.path_params["token"])
    if upload.complete:
        return _finished(upload)
    part = content_range(request.headers.get("content-range"), upload.total_bytes)
    _check_claims(request, upload, part)
    if part is None or declared_bytes(request) == 0:
        received = uploads.received(upload)
        if received < upload.total_bytes:  # who asks takes nothing from whoever sends
            return _unfinished(received)
    async with uploads.writer(upload) as writer:
        if part is not None and not writer.complete and part.start <= writer.received:
            await _receive(request, writer, part)
        return _finished(upload) if writer.complete else _unfinished(writer.received)


def _check_claims(request: Request, upload: Upload, part: range | None) -> None:
    """Refuse a body whose headers contradict the upload that was announced."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise RequestError(415, f"Content-Encoding: {encoding} is not taken; send the file as it is")
    claim = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if claim not in _NO_CLAIM and find_content_type(claim) is not upload.content_type:
        name = upload.content_type.name
        raise RequestError(415, f"Content-Type: {claim}, but the upload was declared as {name}; send that, or none")
    size = declared_bytes(request)
    if not size:  # not known yet; or nothing: then it only asks
        return
    if part is None:
        raise RequestError(400, "Content-Range asks how far the upload is, which has no body")
    if size != len(part):
        what = "total_bytes was" if "content-range" not in request.headers else "Content-Range has"
        raise RequestError(400, f"Content-Length: the body has {size} bytes, but {what} {len(part)}")


async def _receive(request: Request, writer: UploadWriter, part: range) -> None:
    """Write a body to the upload.

    The last block waits for the end of the body: a file that has all its bytes on disk is one that had no more.
    """
    entire = "content-range" not in request.headers
    at, last = part.start, b""
    async with aclosing(blocks(request)) as body:
        async for block in body:
            if at + len(last) + len(block) > part.stop:
                raise RequestError(400, f"The body has more than the {len(part)} bytes that were declared")
            if at + len(block) == part.stop:
                last = block
                continue
            await writer.write(block, at, restart=entire and at == 0)
            at += len(block)
    if last:
        await writer.write(last, at, restart=entire and at == 0)
    elif entire and at:
        raise RequestError(400, f"The body ended after {at} bytes; total_bytes was {part.stop}")


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
    """Return the declared length of a body; None if it is sent in chunks."""
    if "transfer-encoding" in request.headers:
        return None
    return int(request.headers.get("content-length", 0))


def _finished(upload: Upload) -> Response:
    medium = upload.medium
    body = {"media_id": str(medium.media_id), "name": medium.name, "content_type": upload.content_type.name}
    return JSONResponse({**body, "size_bytes": upload.total_bytes})


def _unfinished(received: int) -> Response:
    return Response(status_code=308, headers={"Range": f"bytes=0-{received - 1}"} if received else {})
