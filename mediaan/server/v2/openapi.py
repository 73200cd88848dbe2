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
from mediaan.server.http.identity import KEY_HEADER, base_url
from mediaan.server.v2.operations import DOCUMENT_PATH, PREFIX, Answers, Detail, Operation

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
_REFERENCE = re.compile(rf'"{_SCHEMAS}([\w-]+)"')
_TAGS = {
    "images": "Images: uploaded and predicted in one call.",
    "videos": "Videos: created, uploaded, predicted.",
    "mixed-media": "Mixed media: videos and animated GIFs; created, uploaded, predicted.",
    "media": "Media of every kind.",
    "account": "Whose key this is, and what was used.",
}

_ANYWHERE: Answers = {
    401: "The API key is missing or invalid.",
    422: "A parameter, or a field of the body, is not as described here; each is named.",
    500: "The server failed; its log has the cause.",
    503: "The server lacks something, such as a model, or is being stopped.",
}
_WITH_A_BODY: Answers = {
    400: "The body cannot be parsed.",
    413: "The body is too large.",
    415: "The body is of another media type.",
}

_FILE: Json = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary", "description": "The image's file."}},
            "required": ["file"],
        }
    }
}


def document_route(operations: Iterable[Operation]) -> Route:
    """Return the route of the document, which is served to anyone."""
    content = document(tuple(operations))

    async def endpoint(request: Request) -> Response:
        base = base_url(request)
        return JSONResponse({**content, "servers": [{"url": base}]})

    return Route(DOCUMENT_PATH, endpoint, methods=["GET"])


def document(operations: tuple[Operation, ...]) -> Json:
    """Return the OpenAPI 3.1 document of operations, without `servers`, which depend on the request."""
    models: list[tuple[type[BaseModel], _Mode]] = [(Detail, "serialization")]
    for operation in operations:
        models += [(model, "serialization") for model, _ in _described(operation).values()]
        if operation.body is not None:
            models.append((operation.body.model, "validation"))
    references, defined = models_json_schema(list(dict.fromkeys(models)), ref_template=_SCHEMAS + "{model}")
    paths: Json = {}
    for operation in operations:
        paths.setdefault(PREFIX + operation.path, {})[operation.method.lower()] = _operation(operation, references)
    schemas: Json = {}  # those that a path refers to, or that these refer to
    waiting = set(_REFERENCE.findall(json.dumps(paths)))
    while waiting:
        schemas |= {name: defined["$defs"][name] for name in waiting}
        waiting = set(_REFERENCE.findall(json.dumps(schemas))) - schemas.keys()
    for operation in operations:
        if operation.body is not None:  # fields that it does not know are ignored
            name = references[operation.body.model, "validation"]["$ref"].rpartition("/")[2]
            schemas[name].pop("additionalProperties", None)
    tags = {operation.tag for operation in operations}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Media Analysis Service",
            "version": API_VERSION,
            "description": _ABOUT,
            "x-mediaan-version": mediaan.__version__,
        },
        "security": [{"ApiKeyAuth": []}],
        "tags": [{"name": tag, "description": about} for tag, about in _TAGS.items() if tag in tags],
        "paths": paths,
        "components": {
            "securitySchemes": {"ApiKeyAuth": {"type": "apiKey", "in": "header", "name": KEY_HEADER}},
            "schemas": dict(sorted(schemas.items())),
        },
    }


def _described(operation: Operation) -> dict[int, tuple[type[BaseModel], str]]:
    """Return the model and the description of each status that an operation can answer with."""
    answers: dict[int, tuple[type[BaseModel], str] | str] = {**_ANYWHERE}
    if operation.body is not None or operation.upload:
        answers |= _WITH_A_BODY
    if "{media_id}" in operation.path:
        answers[404] = "No medium with this media_id exists for the caller's company."
        if operation.collection.kind is not None:
            before = f"{answers[400]} Or: " if 400 in answers else ""
            answers[400] = f"{before}The medium is not {operation.collection.medium}."
    answers |= operation.answers
    return {
        status: (Detail, answer) if isinstance(answer, str) else answer for status, answer in sorted(answers.items())
    }


def _operation(operation: Operation, references: _References) -> Json:
    path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
        for name in re.findall(r"\{(\w+)\}", operation.path)
    ]
    query = operation.query.model_json_schema().get("properties", {})
    described: Json = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": [*path, *(_query_parameter(name, schema) for name, schema in query.items())],
        "responses": {
            str(status): {
                "description": sentence,
                "content": {"application/json": {"schema": references[model, "serialization"]}},
            }
            for status, (model, sentence) in _described(operation).items()
        },
    }
    if operation.description:
        described["description"] = operation.description
    if operation.upload:
        described["requestBody"] = {"required": True, "content": _FILE}
    elif operation.body is not None:
        content = {"application/json": {"schema": references[operation.body.model, "validation"]}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _query_parameter(name: str, schema: Json) -> Json:
    """Return one optional parameter of a query, which cannot be null."""
    shape = {key: value for key, value in schema.items() if key not in ("title", "description", "default", "anyOf")}
    if "anyOf" in schema:
        (shape,) = [{**shape, **option} for option in schema["anyOf"] if option != {"type": "null"}]
    if schema.get("default") is not None:
        shape["default"] = schema["default"]
    return {"name": name, "in": "query", "required": False, "schema": shape, "description": schema["description"]}
