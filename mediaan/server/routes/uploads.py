"""Where files are uploaded to: resumable, without a key, for whoever knows the address."""

from __future__ import annotations

from contextlib import aclosing
from uuid import UUID

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mediaan.server.api.operations import reply
from mediaan.server.api.schemas import Body
from mediaan.server.request_error import RequestError
from mediaan.server.services import Services
from mediaan.server.uploads.body_stream import blocks, declared_bytes
from mediaan.server.uploads.content_range import ContentRange, content_range
from mediaan.server.uploads.content_types import find_content_type
from mediaan.server.uploads.uploads import Turn, Upload

PATH = "/uploads"

# What clients send that say nothing of a file: curl --data-binary calls every body a form.
_NO_CLAIM = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-www-form-urlencoded"})


class UploadedFile(Body):
    """A file that has come whole."""

    media_id: UUID
    name: str
    content_type: str
    size_bytes: int = Field(description="As it was declared.")


async def put_upload(request: Request) -> Response:
    """Take a file, or a part of it, or say how much of it is here.

    Raises
    ------
    RequestError
        400: headers or length contradict what was declared; 404: no such upload; 409: other bytes were sent before, or
        another request took over; 410: too late; 415: another kind of file; 507: the disk is full.
    """
    services: Services = request.app.state.services
    upload = services.uploads.find(request.path_params["token"])
    if upload.complete:
        return _finished(upload)
    _check_kind(request, upload)
    part = content_range(request.headers.get("content-range"), upload.total_bytes)
    _check_length(request, part)
    if part is None or declared_bytes(request) == 0:
        received = services.uploads.received(upload)
        if received < upload.total_bytes:  # who asks takes nothing from whoever sends
            return _unfinished(received)
    async with services.uploads.turn(upload) as turn:
        if part is not None and not turn.complete and part.start <= turn.received:
            await _receive(request, turn, part)
        return _finished(upload) if turn.complete else _unfinished(turn.received)


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
            await turn.write(block, at, anew=whole and at == 0)
            at += len(block)
    if last:
        await turn.write(last, at, anew=whole and at == 0)
    elif whole and at:
        raise RequestError(400, f"The body ended after {at} bytes; total_bytes was {part.end}")


def _check_kind(request: Request, upload: Upload) -> None:
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise RequestError(415, f"Content-Encoding: {encoding} is not taken; send the file as it is")
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if said not in _NO_CLAIM and find_content_type(said) is not upload.content_type:
        name = upload.content_type.name
        raise RequestError(415, f"Content-Type: {said}, but the upload was declared as {name}; send that, or none")


def _check_length(request: Request, part: ContentRange | None) -> None:
    found = declared_bytes(request)
    if not found:  # not known yet; or nothing: then it only asks
        return
    if part is None:
        raise RequestError(400, "Content-Range asks how far the upload is, which has no body")
    if found != part.end - part.start:
        what = "total_bytes was" if "content-range" not in request.headers else "Content-Range has"
        raise RequestError(400, f"Content-Length: the body has {found} bytes, but {what} {part.end - part.start}")


def _finished(upload: Upload) -> Response:
    medium = upload.medium
    body = UploadedFile(
        media_id=medium.media_id,
        name=medium.name,
        content_type=upload.content_type.name,
        size_bytes=upload.total_bytes,
    )
    return reply(200, body)


def _unfinished(received: int) -> Response:
    return Response(status_code=308, headers={"Range": f"bytes=0-{received - 1}"} if received else {})


UPLOAD_ROUTE = Route(f"{PATH}/{{token}}", put_upload, methods=["PUT"])
