"""Operations of the API: one declaration each, from which the route, the checks and the OpenAPI document follow."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, NoReturn, TypeVar
from urllib.parse import quote
from uuid import UUID

from anyio import CapacityLimiter, to_thread
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from mediaan.errors import shorten
from mediaan.server.api.schemas import Detail, NoQuery
from mediaan.server.errors import RequestError, no_such_medium
from mediaan.server.services import Services
from mediaan.server.sessions import require_company
from mediaan.server.storage.keys import Company
from mediaan.server.storage.media import IdempotencyKey, Kind, StoredMedium

PREFIX = "/predict/v2"
DOCUMENT_PATH = f"{PREFIX}/openapi.json"
"""The one address under `PREFIX` that needs no key."""
NO_SUCH_MEDIUM = "No medium with this media_id exists for the caller's company."
NOT_UPLOADED = "The medium's file is not uploaded yet."
TOO_MANY_CHANGES = "Too many changes of the medium, or of the company's media, wait to be made."
NOT_PREDICTED = "The medium was never predicted."

_OTHER_KIND: Mapping[Kind, str] = {
    "image": "Media is not an image",
    "video": "Media is not a video",
    "mixed": "Media is not mixed media",
}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}", re.ASCII)
_MOST_NAMED = 20
"""Faults, or unknown fields, that an answer names."""
_MOST_HEADER = 1000
"""Characters of the header X-Ignored-Fields: clients refuse answers with long headers."""
_MOST_IGNORED = 1000
"""Unknown fields of a body; nobody means to send more."""
_MOST_VALUES = 200_000
"""Of a body, counted by its commas, colons and brackets before it is parsed; areas may have more."""
_AT_ONCE_BYTES = 16 << 10
"""A body up to this size is checked in a millisecond; a larger one in a thread, one of a company at a time."""
_LONGEST_FAULT = 400
"""Characters of a fault that an answer names: what a client sent may be quoted in it."""
_LONGEST_WORD = 64
"""Of fields that are compared with known ones."""
_JSON = re.compile(r"application/([a-z0-9.-]+\+)?json", re.ASCII)

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer other than the usual one; `body` may be a model's JSON as it is to be sent."""

    status: int
    body: BaseModel | bytes


@dataclass(frozen=True, slots=True)
class Call:
    """A request whose sender is known and whose parts are valid."""

    request: Request
    services: Services
    company: Company
    path: Mapping[str, UUID]  # parameters of the path
    query: Any = None  # as the operation declares it
    body: Any = None

    def idempotency_key(self, *sent: bytes) -> IdempotencyKey | None:
        """Return the header Idempotency-Key with a hash of what the request sends; None: there is none.

        It follows the draft of the IETF's HTTPAPI group (draft-ietf-httpapi-idempotency-key-header).

        Raises
        ------
        RequestError
            400: it is no key.
        """
        headers = self.request.headers.getlist("Idempotency-Key")
        if not headers:
            return None
        key = headers[0].strip().strip('"')
        if len(headers) > 1 or not _IDEMPOTENCY_KEY.fullmatch(key):
            raise RequestError(400, "Idempotency-Key: send one, of 1 to 255 letters, digits and signs, such as a UUID")
        parts = (self.request.url.path.encode(), *sent)
        return IdempotencyKey(key, sha256(b"\0".join(sha256(part).digest() for part in parts)).digest())

    def medium(self, kind: Kind | None = None, *, media_id: UUID | None = None) -> StoredMedium:
        """Return the medium in the path, or another of the caller's.

        Raises
        ------
        RequestError
            404: the caller's company has none with this id; 400: it is of another kind.
        """
        medium = self.services.media.find(self.company.company_id, media_id or self.path["media_id"])
        if medium is None:
            raise no_such_medium()
        if kind is not None and medium.kind != kind:
            raise RequestError(400, _OTHER_KIND[kind])
        return medium

    async def run_answer(self, medium: StoredMedium, name: str) -> dict[str, Any]:
        """Return what a worker has written for clients beside the run that holds a medium's results.

        A run that is replaced meanwhile stays for minutes (`mediaan.server.work.worker`), so that its files are there.

        Raises
        ------
        RequestError
            412: the medium was never predicted.
        """
        run = self.services.folder.run(medium.media_id, require_prediction(medium))

        def read() -> dict[str, Any]:
            content: dict[str, Any] = json.loads((run / "answers" / f"{name}.json").read_bytes())
            return content

        return await run_in_threadpool(read)


def require_prediction(medium: StoredMedium) -> str:
    """Return the run that holds the medium's results, also while a later prediction runs, or if it failed.

    Raises
    ------
    RequestError
        412: the medium was never predicted.
    """
    if medium.run is None:
        raise RequestError(412, "Media is not predicted")
    return medium.run


Method = Literal["GET", "POST", "PUT", "DELETE"]
Handler = Callable[[Call], Awaitable[BaseModel | Answer]]
Answers = Mapping[int, tuple[type[BaseModel], str] | str]
"""Model and sentence of each status that an operation can come to; a sentence alone goes with `Detail`."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What clients can ask for.

    The handler returns the body of the first of `answers`, or an `Answer`. What any operation with its parts can come
    to is added to the answers: 401, 422, 500 and 503, and with a body 400, 413 and 415.
    """

    method: Method
    path: str  # under `PREFIX`, with {media_id} where a medium is meant; its first part is the tag
    name: str  # operationId
    summary: str  # one sentence
    handler: Handler
    answers: Answers
    query: type[BaseModel] = NoQuery
    body: type[BaseModel] | None = None  # of JSON
    most_values: int = _MOST_VALUES  # of the body
    prepare: Callable[[dict[str, Any]], list[str]] | None = None  # of the parsed body, in place: what is wrong with it
    upload: bool = False  # the body is multipart/form-data with a field `file`, which the handler reads itself
    description: str = ""  # what the summary does not say


class Operations(list[Operation]):
    """Operations of one subject, each declared above its handler."""

    def add(
        self, method: Method, path: str, name: str, summary: str, answers: Answers,
        **parts: Any,
    ) -> Callable[[Handler], Handler]:  # fmt: skip
        """Declare the operation that the decorated function carries out; parameters as in `Operation`."""

        def declare(handler: Handler) -> Handler:
            self.append(Operation(method, path, name, summary, handler, answers, **parts))
            return handler

        return declare


class Resource:
    """An ASGI application that carries out what a method asks for; it first asks who is there.

    Parameters
    ----------
    operations : mapping of str to Operation
        By method; empty: nothing is here. Where there is a GET, a HEAD is too.
    services : Services
    """

    def __init__(self, operations: Mapping[str, Operation], services: Services) -> None:
        self._operations = {**({"HEAD": operations["GET"]} if "GET" in operations else {}), **operations}
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive, send)
        company = require_company(request, self._services)
        operation = self._operations.get(request.method)
        if operation is None and not self._operations:
            raise RequestError(
                404, f"There is nothing at {shorten(request.url.path)}; the API is described at {DOCUMENT_PATH}"
            )
        if operation is None:
            allowed = ", ".join(sorted(self._operations))
            raise RequestError(405, f"{request.method} is not allowed here; allowed: {allowed}", {"Allow": allowed})
        path = {name: checked_uuid(name, value) for name, value in request.path_params.items()}
        query = checked_query(operation.query, request)
        ignored: Sequence[str] = ()
        body = None
        if operation.body:
            limiter = self._services.checks_of(company.company_id)
            body, ignored = await checked_body(operation, request, limiter)
        found = await operation.handler(Call(request, self._services, company, path, query, body))
        answer = found if isinstance(found, Answer) else Answer(next(iter(operation.answers)), found)
        content = answer.body if isinstance(answer.body, bytes) else answer.body.model_dump_json()
        headers = {"X-Ignored-Fields": ignored_fields(ignored)} if ignored else None
        await Response(content, answer.status, headers, media_type="application/json")(scope, receive, send)


def resources(operations: Iterable[Operation], services: Services) -> list[BaseRoute]:
    """Return routes of all operations, and of all else under `PREFIX`: a stranger does not learn what there is."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    routes: list[BaseRoute] = [Route(PREFIX + path, Resource(found, services)) for path, found in by_path.items()]
    nothing = Resource({}, services)
    return [*routes, Route(PREFIX, nothing), Route(PREFIX + "/{rest:path}", nothing)]


def checked_uuid(name: str, value: str) -> UUID:
    """Return the UUID in a path.

    Raises
    ------
    RequestError
        422: it is none.

    Examples
    --------
    >>> checked_uuid("media_id", "2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d").version
    1
    """
    if not _UUID.fullmatch(value):
        raise RequestError(422, f"{name}: {shorten(value)!r} is no UUID")
    return UUID(value)


def checked_query(model: type[Model], request: Request) -> Model:
    """Return the parameters of a query.

    Raises
    ------
    RequestError
        422, naming every parameter that must change.
    """
    pairs = request.query_params.multi_items()
    found = dict(pairs)
    if len(found) < len(pairs):
        names = sorted(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise RequestError(422, listed([f"{shorten(name)}: is given more than once" for name in names]))
    try:
        return model.model_validate_strings(found, strict=True)
    except ValidationError as error:
        raise RequestError(422, listed(complaints(error, "query"))) from error


async def checked_body(
    operation: Operation, request: Request, limiter: CapacityLimiter
) -> tuple[BaseModel, Sequence[str]]:
    """Return a body of JSON: numbers are numbers and strings strings there; UUIDs and dates are strings.

    Unknown fields of the body itself are left out, since clients of v2 may send more than it describes; those that look
    like a known one misspelled are refused, and so are unknown ones further inside.

    Parameters
    ----------
    operation : Operation
        It has a body.
    request : Request
    limiter : CapacityLimiter
        Of threads that check long bodies of the caller's company.

    Returns
    -------
    body : BaseModel
    ignored : sequence of str
        Fields that were left out, such as ``tags``.

    Raises
    ------
    RequestError
        400: it is no JSON; 413: it has too many values; 415: said to be something else, or compressed; 422, naming
        fields that must change.
    """
    content_type = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if not _JSON.fullmatch(content_type):
        raise RequestError(415, f"The body must be application/json, not {shorten(content_type) or 'nameless'}")
    if (encoding := request.headers.get("content-encoding", "identity").strip().lower()) != "identity":
        raise RequestError(415, f"The body must be sent as it is, not encoded as {shorten(encoding)}")
    raw = await request.body()  # of a bounded size: mediaan.server.http
    if len(raw) <= _AT_ONCE_BYTES:
        return _checked(operation, raw)
    return await to_thread.run_sync(_checked, operation, raw, limiter=limiter)


def _checked(operation: Operation, raw: bytes) -> tuple[BaseModel, Sequence[str]]:
    """Check a body as `checked_body` describes, in time that grows with its length and no faster.

    Python's other threads stand still while the parser runs, which is why the number of values is bounded before.
    """
    model = operation.body
    assert model is not None
    if sum(map(raw.count, (b",", b":", b"[", b"{"))) > operation.most_values:
        raise RequestError(413, f"The body has more than {operation.most_values} values; send fewer")
    try:
        content = json.loads(raw.decode(), parse_constant=_refuse_constant, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        raise RequestError(400, f"The body is not valid JSON: {error}") from error
    if not isinstance(content, dict):
        raise RequestError(422, "body: Input should be an object")
    unknown = [name for name in content if name not in model.model_fields]
    if len(unknown) > _MOST_IGNORED:
        raise RequestError(
            422, f"body: has {len(unknown)} unknown fields, such as {shorten(unknown[0])!r}; leave them out"
        )
    problems = [f"{name}: Extra inputs are not permitted" for name in unknown if _is_misspelled(name, model)]
    for name in unknown:
        del content[name]
    if operation.prepare is not None:
        problems += operation.prepare(content)
    try:
        body = model.model_validate_json(json.dumps(content), strict=True)
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":  # what Python's parser takes: half of a surrogate pair
            raise RequestError(400, f"The body is not valid JSON: {complaints(error, 'body')[0]}") from error
        raise RequestError(422, listed([*problems, *complaints(error, "body")])) from error
    if problems:
        raise RequestError(422, listed(problems))
    return body, unknown


def _is_misspelled(name: str, model: type[BaseModel]) -> bool:
    """Tell whether an unknown field looks like a known one."""
    return len(name) <= _LONGEST_WORD and bool(difflib.get_close_matches(name, model.model_fields, 1, 0.75))


def ignored_fields(names: Sequence[str]) -> str:
    """Return the header that names fields which were left out, of a bounded length.

    Examples
    --------
    >>> ignored_fields(["tags", "x-näme"])
    'tags, x-n%C3%A4me'
    >>> len(ignored_fields(["ä" * 10_000] * 30)) <= 1000
    True
    """
    header = ""
    for name in names[:_MOST_NAMED]:
        longer = f"{header}, {quote(shorten(name), safe='')}".removeprefix(", ")
        if len(longer) > _MOST_HEADER:
            break
        header = longer
    return header


def complaints(error: ValidationError, where: str) -> list[str]:
    """Return what is wrong, field by field."""
    parts = []
    for one in error.errors(include_url=False, include_input=False, include_context=False)[: _MOST_NAMED + 1]:
        key = ".".join(shorten(str(part)) for part in one["loc"])
        parts.append(f"{key or where}: {one['msg'].removeprefix('Value error, ')}")
    return parts


def listed(problems: Sequence[str]) -> str:
    """Return faults in one line: the first of them, each cut to what a sentence needs."""
    shown = [text if len(text) <= _LONGEST_FAULT else f"{text[:_LONGEST_FAULT]}…" for text in problems[:_MOST_NAMED]]
    return "; ".join([*shown, "and more"] if len(problems) > _MOST_NAMED else shown)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        name = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"the field {shorten(name)!r} is there more than once in one object")
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def detail(status: int, sentence: str) -> Answer:
    """Return an answer that only says something."""
    return Answer(status, Detail(detail=sentence))
