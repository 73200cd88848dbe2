"""The OpenAPI document, made from the operations and their models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import mediaan
from mediaan.server.api.identity import KEY_HEADER
from mediaan.server.api.operations import PREFIX, Operation
from mediaan.server.api.resource import DOCUMENT_PATH
from mediaan.server.api.schemas import Detail

API_VERSION = "2.0.0"

Json = dict[str, Any]
_Mode = Literal["validation", "serialization"]
_References = Mapping[tuple[Any, _Mode], Json]

_ABOUT = """\
Predicts what people look at in images and videos. Media belong to the company whose key is sent; others get 404.

Videos and mixed media are created first; their file is then sent to `resumable_url` with PUT, whole or in chunks with
`Content-Range`, and needs no key there. Addresses in `results` need no key either and expire after 5 minutes.

Every error is `{"detail": sentence}`. Beside the answers listed here, any request can meet 405 (wrong method), 408
(sent too slowly), 413 (body too large), 414 (address too long) and 431 (headers too large). Every answer has the header
`X-Request-Id`, which the server's log has too."""

_SCHEMAS = "#/components/schemas/"
_TAGS = {
    "images": "Pictures: uploaded and predicted in one call.",
    "videos": "Videos: created, uploaded, predicted.",
    "mixed-media": "Mixed media: videos and animated GIFs; created, uploaded, predicted.",
    "media": "Media of every kind.",
    "account": "Whose key this is, and what was used.",
}

_ANYWHERE = {
    401: "The API key is missing or invalid.",
    422: "A parameter, or a field of the body, is not as described here; each is named.",
    500: "The server failed; its log has the cause.",
    503: "The server lacks something, such as a model, or is being stopped.",
}
_WITH_A_BODY = {
    400: "The body cannot be parsed.",
    413: "The body is too large.",
    415: "The body is of another media type.",
}


def document_route(operations: Iterable[Operation]) -> Route:
    """Where the document is served, to anyone."""
    made = document(tuple(operations))

    async def endpoint(request: Request) -> Response:
        base = request.app.state.services.links.base_url(request)
        return JSONResponse({**made, "servers": [{"url": base}]})

    return Route(DOCUMENT_PATH, endpoint, methods=["GET"])


def document(operations: tuple[Operation, ...]) -> Json:
    """The OpenAPI 3.1 document of some operations.

    Parameters
    ----------
    operations : tuple of Operation

    Returns
    -------
    dict
        Without servers, which depend on who asks.
    """
    references, schemas = _schemas(operations)
    paths: Json = {}
    for operation in operations:
        paths.setdefault(PREFIX + operation.path, {})[operation.method.lower()] = _operation(operation, references)
    used = _reachable(paths, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Media Analysis Service",
            "version": API_VERSION,
            "description": _ABOUT,
            "x-mediaan-version": mediaan.__version__,
        },
        "security": [{"ApiKeyAuth": []}],
        "tags": _tags(operations),
        "paths": paths,
        "components": {
            "securitySchemes": {"ApiKeyAuth": {"type": "apiKey", "in": "header", "name": KEY_HEADER}},
            "schemas": {name: schema for name, schema in schemas.items() if name in used},
        },
    }


def _schemas(operations: tuple[Operation, ...]) -> tuple[_References, Json]:
    """References to the schemas of all bodies, and the schemas by name."""
    asked: list[tuple[type[BaseModel], _Mode]] = [(Detail, "serialization")]
    for operation in operations:
        asked += [(model, "serialization") for model, _ in operation.answers.values()]
        if operation.body is not None:
            asked.append((operation.body, "validation"))
    references, document = models_json_schema(list(dict.fromkeys(asked)), ref_template=_SCHEMAS + "{model}")
    return references, document["$defs"]


def _reachable(said: Any, schemas: Json) -> set[str]:
    """Names of the schemas that something refers to, or that these refer to."""
    found: set[str] = set()
    waiting = [said]
    while waiting:
        names = set(re.findall(rf'"{_SCHEMAS}(\w+)"', json.dumps(waiting))) - found
        found |= names
        waiting = [schemas[name] for name in names]
    return found


def _tags(operations: tuple[Operation, ...]) -> list[Json]:
    used = {operation.tag for operation in operations}
    return [{"name": tag, "description": about} for tag, about in _TAGS.items() if tag in used]


def _operation(operation: Operation, references: _References) -> Json:
    said: Json = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": [*_path_parameters(operation), *_query_parameters(operation)],
        "responses": _responses(operation, references),
    }
    if operation.description:
        said["description"] = operation.description
    if operation.body is not None:
        content = {"application/json": {"schema": references[operation.body, "validation"]}}
        said["requestBody"] = {"required": True, "content": content}
    if operation.upload:
        said["requestBody"] = {"required": True, "content": _FILE}
    return said


_FILE: Json = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary", "description": "The picture's file."}},
            "required": ["file"],
        }
    }
}


def _path_parameters(operation: Operation) -> list[Json]:
    names = re.findall(r"\{(\w+)\}", operation.path)
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}} for name in names
    ]


def _query_parameters(operation: Operation) -> list[Json]:
    schema = operation.query.model_json_schema()
    required = schema.get("required", ())
    return [_query_parameter(name, one, name in required) for name, one in schema.get("properties", {}).items()]


def _query_parameter(name: str, schema: Json, required: bool) -> Json:
    """One parameter; what may be left out is left out, since a query cannot say null."""
    shape = {key: value for key, value in schema.items() if key not in ("title", "description", "default", "anyOf")}
    if "anyOf" in schema:
        (shape,) = [{**shape, **one} for one in schema["anyOf"] if one != {"type": "null"}]
    if schema.get("default") is not None:
        shape["default"] = schema["default"]
    said = {"name": name, "in": "query", "required": required, "schema": shape}
    return {**said, "description": schema["description"]} if "description" in schema else said


def _responses(operation: Operation, references: _References) -> Json:
    general = _ANYWHERE | (_WITH_A_BODY if operation.body is not None or operation.upload else {})
    declared = {status: (Detail, sentence) for status, sentence in general.items()} | dict(operation.answers)
    return {
        str(status): {
            "description": sentence,
            "content": {"application/json": {"schema": references[model, "serialization"]}},
        }
        for status, (model, sentence) in sorted(declared.items())
    }
