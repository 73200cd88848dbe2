"""Parts of requests: ids in paths, queries and bodies of JSON, checked against pydantic models; forms with one file."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import Message
from typing import Any, NoReturn, TypeVar
from urllib.parse import quote
from uuid import UUID

from anyio import CapacityLimiter, to_thread
from pydantic import BaseModel, ValidationError
from python_multipart.multipart import parse_options_header
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from mediaan.errors import shorten
from mediaan.server.http.errors import RequestError

MOST_VALUES = 200_000
"""Of a body, counted by its commas, colons and brackets before it is parsed."""

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_JSON = re.compile(r"application/([a-z0-9.-]+\+)?json", re.ASCII)
_MOST_NAMED = 20
"""Faults, or unknown fields, named in an answer."""
_LONGEST_HEADER = 1000
"""Characters of the header X-Ignored-Fields: clients refuse answers with long headers."""
_MOST_IGNORED = 1000
"""Unknown fields of a body; nobody means to send more."""
_AT_ONCE_BYTES = 16 << 10
"""A body up to this size is checked in a millisecond; a larger one in a thread, one of a company at a time."""
_LONGEST_FAULT = 400
"""Characters of a fault that an answer names: what a client sent may be quoted in it."""
_LONGEST_WORD = 64
"""Characters of an unknown field that is compared with known ones."""

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class JsonBody:
    """The model of a JSON body, and the limits within which it is parsed.

    Unknown fields of the body itself are left out, since clients may send more than is described; those that look like
    a known one misspelled are refused, and so are unknown ones further inside.
    """

    model: type[BaseModel]
    most_values: int = MOST_VALUES
    prepare: Callable[[dict[str, Any]], list[str]] | None = None  # of the parsed body, in place: what is wrong with it

    async def read(self, request: Request, limiter: CapacityLimiter) -> tuple[BaseModel, Sequence[str]]:
        """Return a body of JSON with the names of unknown fields that were left out, such as ``tags``.

        Numbers are numbers and strings strings there; UUIDs and dates are strings. 400: it is no JSON; 413: it has too
        many values; 415: said to be something else, or compressed; 422, naming fields that must change.

        `limiter`: of threads that check long bodies of the caller's company.
        """
        content_type = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        if not _JSON.fullmatch(content_type):
            raise RequestError(415, f"The body must be application/json, not {shorten(content_type) or 'nameless'}")
        if (encoding := request.headers.get("content-encoding", "identity").strip().lower()) != "identity":
            raise RequestError(415, f"The body must be sent as it is, not encoded as {shorten(encoding)}")
        raw = await request.body()  # of a bounded size: mediaan.server.http.limits
        if len(raw) <= _AT_ONCE_BYTES:
            return self.check(raw)
        return await to_thread.run_sync(self.check, raw, limiter=limiter)

    def check(self, raw: bytes) -> tuple[BaseModel, Sequence[str]]:
        """Check a body in time linear in its length.

        The parser holds the interpreter lock, so the number of values is bounded before it runs.
        """
        if sum(map(raw.count, (b",", b":", b"[", b"{"))) > self.most_values:
            raise RequestError(413, f"The body has more than {self.most_values} values; send fewer")
        try:
            content = json.loads(raw.decode(), parse_constant=_refuse_constant, object_pairs_hook=_without_repetition)
        except (ValueError, RecursionError) as error:
            raise RequestError(400, f"The body is not valid JSON: {error}") from error
        if not isinstance(content, dict):
            raise RequestError(422, "body: Input should be an object")
        fields = self.model.model_fields
        unknown = [name for name in content if name not in fields]
        if len(unknown) > _MOST_IGNORED:
            example = shorten(unknown[0])
            raise RequestError(422, f"body: has {len(unknown)} unknown fields, such as {example!r}; leave them out")
        misspelled = [
            name
            for name in unknown
            if len(name) <= _LONGEST_WORD and difflib.get_close_matches(name, fields, n=1, cutoff=0.75)
        ]
        problems = [f"{name}: Extra inputs are not permitted" for name in misspelled]
        for name in unknown:
            del content[name]
        if self.prepare is not None:
            problems += self.prepare(content)
        try:
            body = self.model.model_validate_json(json.dumps(content), strict=True)
        except ValidationError as error:
            if error.errors()[0]["type"] == "json_invalid":  # what Python's parser takes: half of a surrogate pair
                raise RequestError(400, f"The body is not valid JSON: {complaints(error, 'body')[0]}") from error
            raise RequestError(422, listed([*problems, *complaints(error, "body")])) from error
        if problems:
            raise RequestError(422, listed(problems))
        return body, unknown


def checked_uuid(name: str, value: str) -> UUID:
    """Return the UUID in a path; 422: it is none.

    >>> checked_uuid("media_id", "2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d").version
    1
    """
    if not _UUID.fullmatch(value):
        raise RequestError(422, f"{name}: {shorten(value)!r} is no UUID")
    return UUID(value)


def checked_query(model: type[Model], request: Request) -> Model:
    """Return the parameters of a query; 422, naming every parameter that must change."""
    pairs = request.query_params.multi_items()
    parameters = dict(pairs)
    if len(parameters) < len(pairs):
        names = sorted(_repeated(pairs))
        raise RequestError(422, listed([f"{shorten(name)}: is given more than once" for name in names]))
    try:
        return model.model_validate_strings(parameters, strict=True)
    except ValidationError as error:
        raise RequestError(422, listed(complaints(error, "query"))) from error


def ignored_fields(names: Sequence[str]) -> str:
    """Return the header X-Ignored-Fields, which names the fields that were left out, cut to a bounded length.

    >>> ignored_fields(["tags", "x-näme"])
    'tags, x-n%C3%A4me'
    >>> ignored_fields(["0", ""])  # a header must not end with a space
    '0, ""'
    >>> len(ignored_fields(["ä" * 10_000] * 30)) <= 1000
    True
    """
    header = ""
    for name in names[:_MOST_NAMED]:
        encoded_name = quote(shorten(name), safe="") or '""'
        longer = f"{header}, {encoded_name}".removeprefix(", ")
        if len(longer) > _LONGEST_HEADER:
            break
        header = longer
    return header


def complaints(error: ValidationError, where: str) -> list[str]:
    """Return one sentence for each field that is wrong."""
    parts = []
    for fault in error.errors(include_url=False, include_input=False, include_context=False)[: _MOST_NAMED + 1]:
        key = ".".join(shorten(str(part)) for part in fault["loc"])
        parts.append(f"{key or where}: {fault['msg'].removeprefix('Value error, ')}")
    return parts


def listed(problems: Sequence[str]) -> str:
    """Join faults in one line; many or long ones are cut."""
    named = [text if len(text) <= _LONGEST_FAULT else f"{text[:_LONGEST_FAULT]}…" for text in problems[:_MOST_NAMED]]
    return "; ".join([*named, "and more"] if len(problems) > _MOST_NAMED else named)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError(f"the field {shorten(_repeated(pairs)[0])!r} is there more than once in one object")
    return content


def _repeated(pairs: Sequence[tuple[str, Any]]) -> list[str]:
    return [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


@asynccontextmanager
async def sent_file(request: Request, max_bytes: int) -> AsyncIterator[UploadFile]:
    """Read the form of a request, whose one field is ``file``; its file is closed in the end.

    400: it cannot be parsed; 413: the file is too large; 415: the body is no form; 422: there is no file, or more.
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
