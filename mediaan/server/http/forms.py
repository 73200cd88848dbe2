"""Forms with one file (multipart/form-data, RFC 7578)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.message import Message

from python_multipart.multipart import parse_options_header
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from mediaan.errors import shorten
from mediaan.server.http.errors import RequestError


@asynccontextmanager
async def sent_file(request: Request, max_bytes: int) -> AsyncIterator[UploadFile]:
    """Read the form of a request, whose one field is ``file``; its file is closed in the end.

    Raises RequestError: 400: it cannot be parsed; 413: the file is too large; 415: the body is no form; 422: there is
        no file, or more.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "multipart/form-data":
        message = f"The body must be multipart/form-data with the field file, not {shorten(content_type) or 'nothing'}"
        raise RequestError(415, message)
    try:
        form = await _Parser(request.headers, request.stream(), max_files=2, max_fields=1).parse()
    except MultiPartException as error:
        raise RequestError(400, error.message) from error
    try:
        parts = form.multi_items()
        if unknown := [field for field, _ in parts if field != "file"]:
            raise RequestError(422, f"{shorten(unknown[0])}: is not known; the one field is file")
        if len(parts) != 1:
            what = "comes more than once; send one image at a time" if parts else "is missing; send the image in it"
            raise RequestError(422, f"file: {what}")
        file = parts[0][1]
        if isinstance(file, str) or not file.size:
            raise RequestError(422, "file: is empty, or no file; send the image with its name")
        if file.size > max_bytes:
            raise RequestError(413, f"Max file bytes size: {max_bytes}")
        yield file
    finally:
        await form.close()


def sent_name(file: UploadFile) -> str:
    """Return the name of a file with the characters that browsers escape in forms."""
    name = file.filename or ""
    for escaped, sign in (("%22", '"'), ("%0D", "\r"), ("%0A", "\n")):
        name = name.replace(escaped, sign)
    return name


class _Parser(MultiPartParser):
    def on_headers_finished(self) -> None:
        """Recognize a part that only has ``filename*`` as a file."""
        self._current_part.content_disposition = with_plain_name(self._current_part.content_disposition or b"")
        super().on_headers_finished()


def with_plain_name(disposition: bytes) -> bytes:
    """Write the name of a file plainly in a header Content-Disposition that has only ``filename*`` (RFC 8187).

    Forms should not use it (RFC 7578, 4.2), and some clients do; where both are there, the plain name counts.

    >>> with_plain_name(b"form-data; name=file; filename*=UTF-8''n%C3%A4h.png").partition(b"png; ")[2].decode()
    'filename="näh.png"'
    >>> with_plain_name(b'form-data; name="file"; filename="a.png"')
    b'form-data; name="file"; filename="a.png"'
    """
    message = Message()
    message["Content-Disposition"] = disposition.decode("latin-1")
    names = [name.lower() for name, _ in message.get_params([], "content-disposition", unquote=False) or []]
    if b"filename" in parse_options_header(disposition)[1] or "filename" not in names:
        return disposition
    name = (message.get_filename() or "").replace("\\", "\\\\").replace('"', '\\"')
    return disposition + f'; filename="{name}"'.encode(errors="replace")
