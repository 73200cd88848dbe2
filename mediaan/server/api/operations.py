"""Operations of the API: one declaration each, from which the route, the checks and the OpenAPI document follow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from mediaan.server.api.checks import checked_body, checked_query, checked_uuid
from mediaan.server.api.identity import Company, identify
from mediaan.server.api.schemas import Detail, NoQuery
from mediaan.server.request_error import RequestError
from mediaan.server.services import Services

PREFIX = "/predict/v2"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer other than the usual one; `body` may be a model's JSON as it is to be sent."""

    status: int
    body: BaseModel | bytes


@dataclass(frozen=True, slots=True)
class Call:
    """A request whose sender is known and whose parts are valid.

    Attributes
    ----------
    request : Request
    services : Services
    company : Company
    path : mapping of str to UUID
        Parameters of the path.
    query, body : BaseModel or None
        As the operation declares them.
    """

    request: Request
    services: Services
    company: Company
    path: Mapping[str, UUID]
    query: Any = None
    body: Any = None

    @property
    def media_id(self) -> UUID:
        """Of the medium in the path."""
        return self.path["media_id"]


Handler = Callable[[Call], Awaitable[BaseModel | Answer]]


@dataclass(frozen=True, slots=True)
class Operation:
    """What clients can ask for.

    Attributes
    ----------
    method, path : str
        Path under `PREFIX`, with ``{media_id}`` where a medium is meant.
    name : str
        operationId.
    summary : str
        One sentence.
    handler : callable
        Gets a `Call`; returns the body of the first of `answers`, or an `Answer`; raises `RequestError` for errors.
    answers : mapping of int to (model, sentence)
        By status; the first is the usual one. What any operation with its parts can come to is added:
        401, 422, 500 and 503, and with a body 400, 413 and 415.
    tag : str
        Under which it is listed.
    query : type of BaseModel
    body : type of BaseModel or None
        Of JSON.
    upload : bool
        Whether the body is multipart/form-data with a field ``file`` instead, which the handler reads itself.
    description : str
        What the summary does not say.
    """

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    name: str
    summary: str
    handler: Handler
    answers: Mapping[int, tuple[type[BaseModel], str]]
    tag: str
    query: type[BaseModel] = NoQuery
    body: type[BaseModel] | None = None
    upload: bool = False
    description: str = field(default="")

    @property
    def usual_status(self) -> int:
        """Of the answer that a handler's plain body gets."""
        return next(iter(self.answers))


async def perform(operation: Operation, services: Services, request: Request) -> Response:
    """Check a request, carry the operation out, and answer."""
    company = await identify(request, services)
    path = {name: checked_uuid(name, value) for name, value in request.path_params.items()}
    query = checked_query(operation.query, request)
    body = await checked_body(operation.body, request) if operation.body else None
    found = await operation.handler(Call(request, services, company, path, query, body))
    answer = found if isinstance(found, Answer) else Answer(operation.usual_status, found)
    return reply(answer.status, answer.body)


def reply(status: int, body: BaseModel | bytes, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer."""
    content = body if isinstance(body, bytes) else body.model_dump_json()
    return Response(content, status, headers=headers, media_type="application/json")


def refusal(problem: RequestError) -> Response:
    """The answer that a problem becomes."""
    return reply(problem.status, Detail(detail=problem.message), problem.headers)
