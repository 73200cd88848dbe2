"""All operations on one path of the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from mediaan.server.api.identity import identify
from mediaan.server.api.operations import PREFIX, Operation, perform
from mediaan.server.request_error import RequestError
from mediaan.server.services import Services

DOCUMENT_PATH = f"{PREFIX}/openapi.json"
"""The one address under `PREFIX` that needs no key."""


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
        operation = self._operations.get(request.method)
        if operation is None:
            await identify(request, self._services)
            raise self._not_here(request)
        response = await perform(operation, self._services, request)
        await response(scope, receive, send)

    def _not_here(self, request: Request) -> RequestError:
        if not self._operations:
            return RequestError(404, f"There is nothing at {request.url.path}; the API is described at {DOCUMENT_PATH}")
        allowed = ", ".join(sorted(self._operations))
        return RequestError(405, f"{request.method} is not allowed here; allowed: {allowed}", {"Allow": allowed})


def resources(operations: Iterable[Operation], services: Services) -> list[BaseRoute]:
    """Routes of all operations, and of all else under `PREFIX`, where a stranger does not learn what there is."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    routes: list[BaseRoute] = [Route(PREFIX + path, Resource(found, services)) for path, found in by_path.items()]
    nothing = Resource({}, services)
    return [*routes, Route(PREFIX, nothing), Route(PREFIX + "/{rest:path}", nothing)]
