"""Whether the parts of a request are what an operation takes."""

from __future__ import annotations

import json
import re
from typing import NoReturn, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from mediaan.server.request_error import RequestError

Model = TypeVar("Model", bound=BaseModel)

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_JSON = re.compile(r"application/([a-z0-9.-]+\+)?json", re.ASCII)


def checked_uuid(name: str, value: str) -> UUID:
    """The UUID in a path.

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
        raise RequestError(422, f"{name}: {value!r} is no UUID")
    return UUID(value)


def checked_query(model: type[Model], request: Request) -> Model:
    """The parameters of a query.

    Raises
    ------
    RequestError
        422, naming every parameter that must change.
    """
    pairs = request.query_params.multi_items()
    found = dict(pairs)
    if len(found) < len(pairs):
        names = sorted({name for name, _ in pairs if len(request.query_params.getlist(name)) > 1})
        raise RequestError(422, "; ".join(f"{name}: is given more than once" for name in names))
    try:
        return model.model_validate_strings(found, strict=True)
    except ValidationError as error:
        raise RequestError(422, complaints(error, "query")) from error


async def checked_body(model: type[Model], request: Request) -> Model:
    """A body of JSON: numbers are numbers and strings strings there; UUIDs and dates are strings.

    Raises
    ------
    RequestError
        400: it is no JSON; 415: said to be something else, or compressed; 422, naming every field that must change.
    """
    content_type = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if not _JSON.fullmatch(content_type):
        raise RequestError(415, f"The body must be application/json, not {content_type or 'nameless'}")
    if (encoding := request.headers.get("content-encoding", "identity").strip().lower()) != "identity":
        raise RequestError(415, f"The body must be sent as it is, not encoded as {encoding}")
    raw = await request.body()  # of a bounded size: mediaan.server.http.limits
    try:
        json.loads(raw, parse_constant=_no_number)
        return model.model_validate_json(raw, strict=True)
    except ValidationError as error:
        status = 400 if error.errors()[0]["type"] == "json_invalid" else 422
        raise RequestError(status, complaints(error, "body")) from error
    except (ValueError, RecursionError) as error:
        raise RequestError(400, f"The body is not valid JSON: {error}") from error


def complaints(error: ValidationError, where: str) -> str:
    """What is wrong, field by field, in one line."""
    parts = []
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        key = ".".join(str(part) for part in one["loc"])
        parts.append(f"{key or where}: {one['msg'].removeprefix('Value error, ')}")
    return "; ".join(parts)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")
