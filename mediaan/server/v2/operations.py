"""Operations of the API: one declaration each, from which the route, the checks and the OpenAPI document follow.

The models of bodies are the one source of what is checked, sent and documented.
"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple, TypeVar
from uuid import UUID

from anyio import CapacityLimiter
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from mediaan.config.aoi_formats.record import check_aoi_type
from mediaan.errors import shorten
from mediaan.server.http.bodies import JsonBody, checked_query, checked_uuid, ignored_fields
from mediaan.server.http.errors import RequestError
from mediaan.server.http.identity import require_company, service_of
from mediaan.server.service.keys import Company
from mediaan.server.service.media import IdempotencyKey, Kind, StoredMedium
from mediaan.server.service.service import Service
from mediaan.types.aoi import AOI_TYPES

PREFIX = "/predict/v2"
DOCUMENT_PATH = f"{PREFIX}/openapi.json"
"""The one address under `PREFIX` that needs no key."""
NOT_PREDICTED = "The medium was never predicted."
TOO_MANY_CHANGES = "Too many changes of the medium, or of the company's media, wait to be made."
IN_PROGRESS = "A prediction is in progress already; no other is started."
NOT_UPLOADED = "The medium's file is not uploaded yet."
MADE_BEFORE = "An earlier request with the same Idempotency-Key made a file that was deleted since."
UNDER_WAY = "A request with the same Idempotency-Key is under way."

_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}", re.ASCII)


class Collection(NamedTuple):
    """A group of paths for media, and how operation ids and sentences call these media."""

    path: str
    kind: Kind | None  # None: any
    noun: str
    medium: str
    its: str = "its"


EVERY = Collection("media", None, "", "a medium")
IMAGE = Collection("images", "image", "Image", "an image")
VIDEO = Collection("videos", "video", "Video", "a video")
MIXED = Collection("mixed-media", "mixed", "MixedMedia", "mixed media", "their")


class Body(BaseModel):
    """Base of all bodies: an unknown key is refused, so that nobody believes that it was heard."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


AoiTypeName = Annotated[
    str, BeforeValidator(check_aoi_type), WithJsonSchema({"enum": list(AOI_TYPES), "type": "string"})
]


def _text(pattern: str, expected: str, read: Callable[[str], object]) -> BeforeValidator:
    def check(value: object) -> object:
        if not isinstance(value, str):
            return value
        if not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError(f"Input should be {expected}")
        return read(value)

    return BeforeValidator(check)


IN_DIGITS = _text(r"-?\d{1,18}", "an integer in digits", int)
"""An integer of a query: ``Annotated[int, Field(ge=0), IN_DIGITS]``. What pydantic takes too (1_0, 1.0) is refused."""
AS_DAY = _text(r"\d{4}-\d\d-\d\d", "a date as YYYY-MM-DD", date.fromisoformat)
"""A date of a query: ``Annotated[date, AS_DAY]``. What pydantic takes too (seconds since 1970) is refused."""


Timestamp = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time", "description": "ISO 8601, UTC."})]


class Detail(Body):
    """Every error, and the few answers that only say something."""

    detail: str = Field(description="One sentence for people.")


class MediaId(Body):
    """Which medium it is about."""

    media_id: UUID


class NoQuery(Body):
    """Of operations that take no parameters."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with a status of its own; `body` is a model, or JSON that is sent as it is."""

    status: int
    body: BaseModel | bytes


@dataclass(frozen=True, slots=True)
class Call:
    """A request whose sender is known and whose parts are valid."""

    request: Request
    company: Company
    collection: Collection
    path: Mapping[str, UUID]  # parameters of the path
    query: Any = None  # as the operation declares it
    body: Any = None

    @property
    def service(self) -> Service:
        """The service that the application works with."""
        return service_of(self.request)

    def idempotency_key(self, *content: bytes) -> IdempotencyKey | None:
        """Return the header Idempotency-Key with a hash of what the request sends; None: there is none.

        It follows the draft of the IETF's HTTPAPI group (draft-ietf-httpapi-idempotency-key-header); 400: it is no key.
        """
        headers = self.request.headers.getlist("Idempotency-Key")
        if not headers:
            return None
        key = headers[0].strip().strip('"')
        if len(headers) > 1 or not _IDEMPOTENCY_KEY.fullmatch(key):
            raise RequestError(400, "Idempotency-Key: send one, of 1 to 255 letters, digits and signs, such as a UUID")
        parts = (self.request.url.path.encode(), *content)
        return IdempotencyKey(key, sha256(b"\0".join(sha256(part).digest() for part in parts)).digest())

    def medium(self) -> StoredMedium:
        """Return the medium in the path; 404: the caller's company has none such, 400: it is of another kind."""
        medium = self.service.medium(self.company.company_id, self.path["media_id"])
        if self.collection.kind not in (None, medium.kind):
            raise RequestError(400, f"Media is not {self.collection.medium}")
        return medium

    def uploaded(self) -> StoredMedium:
        """Return the medium in the path as `medium`; 412: its file is not there yet."""
        medium = self.medium()
        if medium.file is None:
            raise RequestError(412, "Media is not uploaded")
        return medium


Method = Literal["GET", "POST", "PUT", "DELETE"]
Handler = Callable[[Call], Awaitable[BaseModel | Answer]]
Declared = TypeVar("Declared", bound=Handler)
Answers = Mapping[int, tuple[type[BaseModel], str] | str]
"""Model and description by status; a description alone stands for `Detail`."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API: a method and a path.

    The handler returns the body of the first of `answers`, or an `Answer`. Answers that all operations share are added:
    401, 422, 500 and 503; with a body 400, 413 and 415; with a medium in the path 400 and 404.
    """

    method: Method
    path: str  # under `PREFIX`, with {media_id} where a medium is meant; its first part is the tag
    name: str  # operationId
    summary: str  # one sentence
    handler: Handler
    answers: Answers
    query: type[BaseModel] = NoQuery
    body: JsonBody | None = None
    upload: bool = False  # the body is multipart/form-data with a field `file`, which the handler reads itself
    description: str = ""  # what the summary does not say
    collection: Collection = EVERY

    @property
    def tag(self) -> str:
        """The group of paths that it belongs to."""
        return self.path.split("/")[1]


class Operations(list[Operation]):
    """Operations of one subject, each declared above its handler."""

    def add(
        self, method: Method, path: str, answers: Answers, collections: Sequence[Collection] = (EVERY,), **parts: Any
    ) -> Callable[[Declared], Declared]:
        """Declare the operation that the decorated function carries out; parameters as in `Operation`.

        Its name is the function's in camel case; its summary and description are the function's docstring.

        `collections`: declare one operation for each, with its path for ``{collection}`` in the path, its words for
            ``{medium}`` and ``{its}`` in the docstring, and its noun as the second word of the name.
        """

        def declare(handler: Declared) -> Declared:
            first, *words = handler.__name__.split("_")
            for collection in collections:
                text = (inspect.getdoc(handler) or "").replace("{medium}", collection.medium)
                summary, _, description = text.replace("{its}", collection.its).partition("\n\n")
                here = path.replace("{collection}", collection.path)
                name = "".join([first, collection.noun, *map(str.capitalize, words)])
                facts = {"description": description.replace("\n", " "), "collection": collection} | parts
                self.append(Operation(method, here, name, summary, handler, answers, **facts))
            return handler

        return declare


class Resource:
    """The ASGI application of one path: it authenticates, validates and calls the operation of the method.

    `operations`: by method; empty: nothing is here. Where there is a GET, a HEAD is too.
    `limiters`: by company: one thread at a time checks its long bodies, so that others find threads too.
    """

    def __init__(self, operations: Mapping[str, Operation], limiters: Mapping[int, CapacityLimiter]) -> None:
        self._operations = {**({"HEAD": operations["GET"]} if "GET" in operations else {}), **operations}
        self._limiters = limiters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive, send)
        company = require_company(request)
        operation = self._operations.get(request.method)
        if operation is None and not self._operations:
            where = shorten(request.url.path)
            raise RequestError(404, f"There is nothing at {where}; the API is described at {DOCUMENT_PATH}")
        if operation is None:
            allowed = ", ".join(sorted(self._operations))
            raise RequestError(405, f"{request.method} is not allowed here; allowed: {allowed}", {"Allow": allowed})
        path = {name: checked_uuid(name, value) for name, value in request.path_params.items()}
        query = checked_query(operation.query, request)
        body: BaseModel | None = None
        ignored: Sequence[str] = ()
        if operation.body:
            body, ignored = await operation.body.read(request, self._limiters[company.company_id])
        answer = await operation.handler(Call(request, company, operation.collection, path, query, body))
        if not isinstance(answer, Answer):
            answer = Answer(next(iter(operation.answers)), answer)
        content = answer.body if isinstance(answer.body, bytes) else answer.body.model_dump_json()
        headers = {"X-Ignored-Fields": ignored_fields(ignored)} if ignored else None
        await Response(content, answer.status, headers, media_type="application/json")(scope, receive, send)


def resources(operations: Iterable[Operation]) -> list[BaseRoute]:
    """Return the routes of all operations, and of all else under `PREFIX`, which needs a key as well."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    limiters: defaultdict[int, CapacityLimiter] = defaultdict(lambda: CapacityLimiter(1))
    routes: list[BaseRoute] = [Route(PREFIX + path, Resource(methods, limiters)) for path, methods in by_path.items()]
    nothing = Resource({}, limiters)
    return [*routes, Route(PREFIX, nothing), Route(PREFIX + "/{rest:path}", nothing)]


def detail(status: int, sentence: str) -> Answer:
    """Return an answer that only says something."""
    return Answer(status, Detail(detail=sentence))


PREDICTION_STARTED = detail(202, "Prediction already started")
