"""Operations of the API: one declaration each, from which the route, the checks and the OpenAPI document follow."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from mediaan.server.identity import Company, identify
from mediaan.server.request_error import RequestError
from mediaan.server.schemas import Detail
from mediaan.server.services import Services

PREFIX = "/predict/v2"

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer other than the usual one."""

    status: int
    body: BaseModel


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
        By status; the first is the usual one. 401 and 500, and 422 where there is anything to check, are added.
    tag : str
        Under which it is listed.
    query, body : type of BaseModel or None
    upload : bool
        Whether the body is multipart/form-data with a field ``file`` instead, which the handler reads itself.
    """

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    name: str
    summary: str
    handler: Handler
    answers: Mapping[int, tuple[type[BaseModel], str]]
    tag: str
    query: type[BaseModel] | None = None
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
    path = {name: _uuid(name, value) for name, value in request.path_params.items()}
    query = checked(operation.query, dict(request.query_params), "query") if operation.query else None
    body = checked(operation.body, await _json(request), "body") if operation.body else None
    found = await operation.handler(Call(request, services, company, path, query, body))
    answer = found if isinstance(found, Answer) else Answer(operation.usual_status, found)
    return reply(answer.status, answer.body)


def reply(status: int, body: BaseModel, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A JSON answer."""
    return JSONResponse(body.model_dump(mode="json"), status, headers=dict(headers or {}))


def refusal(problem: RequestError) -> JSONResponse:
    """The answer that a problem becomes."""
    return reply(problem.status, Detail(detail=problem.message), problem.headers)


def checked(model: type[Model], value: Any, where: str) -> Model:
    """A valid body or query.

    Raises
    ------
    RequestError
        422, naming every field that must change.
    """
    try:
        return model.model_validate(value, strict=where == "body")
    except ValidationError as error:
        raise RequestError(422, complaints(error, where)) from error


def complaints(error: ValidationError, where: str) -> str:
    """What is wrong, field by field, in one line."""
    parts = []
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        key = ".".join(str(part) for part in one["loc"])
        parts.append(f"{key or where}: {one['msg'].removeprefix('Value error, ')}")
    return "; ".join(parts)


def _uuid(name: str, value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError as error:
        raise RequestError(422, f"{name}: {value!r} is no UUID") from error


async def _json(request: Request) -> Any:
    content_type = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if content_type != "application/json" and not content_type.endswith("+json"):
        raise RequestError(415, f"The body must be application/json, not {content_type}")
    try:
        return json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise RequestError(400, f"The body is not valid JSON: {error}") from error
