"""Images that are uploaded as a form, streamed to disk."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import BinaryIO, NamedTuple
from uuid import uuid4

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from mediaan.server.errors import RequestError
from mediaan.server.http import FORM_BYTES, blocks, declared_bytes
from mediaan.server.storage.folder import DataFolder, full_disk_refused

FIELD = "file"
"""Name of the form's only field."""


class ReceivedFile(NamedTuple):
    """A file that has come whole.

    Attributes
    ----------
    path : Path
        In `DataFolder.incoming`; whoever asked for it moves or removes it.
    name : str
        Name that the client gave it; not to be trusted, empty where there is none.
    size_bytes : int
    """

    path: Path
    name: str
    size_bytes: int


async def receive_image(request: Request, folder: DataFolder, max_bytes: int) -> ReceivedFile:
    """Write the file of a form to disk while it comes.

    Parameters
    ----------
    request : Request
        multipart/form-data with the one field ``file``.
    folder : DataFolder
    max_bytes : int
        Most that the file may have.

    Raises
    ------
    RequestError
        415: no form; 413: too large; 422: the field is missing, empty or not the only one; 400: the form is damaged;
        507: the disk is full. Nothing stays on disk then.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    if kind != b"multipart/form-data":
        said = kind.decode("latin-1") or "nothing"
        raise RequestError(415, f"The body must be multipart/form-data with the field {FIELD}, not {said}")
    boundary = options.get(b"boundary")
    if not boundary:
        raise RequestError(400, "The Content-Type multipart/form-data names no boundary")
    if (declared_bytes(request) or 0) > max_bytes + FORM_BYTES:
        raise _too_large(max_bytes)
    path = folder.incoming / f"{uuid4()}.form"
    try:
        with full_disk_refused("nothing of it is kept"), path.open("xb", buffering=0) as stream:
            form = _Form(boundary, stream, max_bytes)
            async with aclosing(blocks(request)) as body:
                async for block in body:
                    await run_in_threadpool(form.take, block)
            return ReceivedFile(path, *form.file())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _too_large(max_bytes: int) -> RequestError:
    return RequestError(413, f"Max file bytes size: {max_bytes}")


class _Form:
    """Reads a form, and writes the one file in it to a stream."""

    def __init__(self, boundary: bytes, stream: BinaryIO, max_bytes: int) -> None:
        self._stream, self._max_bytes = stream, max_bytes
        self._header, self._value = b"", b""
        self._disposition = b""
        self._name: str | None = None
        self._size, self._taken, self._ended = 0, 0, False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._part_begins,
                    "on_header_field": self._header_name,
                    "on_header_value": self._header_value,
                    "on_header_end": self._header_ends,
                    "on_headers_finished": self._headers_end,
                    "on_part_data": self._data,
                    "on_end": self._end,
                },
            )
        except FormParserError as error:
            raise RequestError(400, f"The form is damaged: {error}") from error

    def take(self, block: bytes) -> None:
        """Read on."""
        self._taken += len(block)
        if self._taken > self._max_bytes + FORM_BYTES:
            raise _too_large(self._max_bytes)
        try:
            self._parser.write(block)
        except FormParserError as error:
            raise RequestError(400, f"The form is damaged: {error}") from error

    def file(self) -> tuple[str, int]:
        """Return name and size of the file, once all was read."""
        if not self._ended:
            raise RequestError(400, "The form is damaged: it has no end")
        if self._name is None or not self._size:
            what = "is missing" if self._name is None else "is empty"
            raise RequestError(422, f"{FIELD}: {what}; send the picture as the form's field {FIELD}")
        return self._name, self._size

    def _part_begins(self) -> None:
        self._disposition = b""

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_ends(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = self._value
        self._header, self._value = b"", b""

    def _headers_end(self) -> None:
        _, options = parse_options_header(self._disposition)
        field = _text(options.get(b"name", b""))
        if field != FIELD:
            raise RequestError(422, f"{field or 'a field without a name'}: is not known; the one field is {FIELD}")
        if self._name is not None:
            raise RequestError(422, f"{FIELD}: comes more than once; send one picture at a time")
        self._name = _unescaped(_text(options.get(b"filename", b"")))

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        if self._size > self._max_bytes:
            raise _too_large(self._max_bytes)
        rest = memoryview(data)[start:end]
        while rest:
            rest = rest[self._stream.write(rest) :]

    def _end(self) -> None:
        self._ended = True


def _unescaped(name: str) -> str:
    """Return a file's name with the signs that browsers write otherwise in forms (HTML, multipart/form-data encoding).

    Examples
    --------
    >>> _unescaped("Our %22best%22 100%.png")
    'Our "best" 100%.png'
    """
    for escaped, sign in (("%22", '"'), ("%0D", "\r"), ("%0A", "\n")):
        name = name.replace(escaped, sign)
    return name


def _text(value: bytes) -> str:
    """Decode what browsers and tools write as UTF-8, as the standard says, and some old ones as Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
