"""The ASGI application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mediaan.server.database import Database
from mediaan.server.folder import DataFolder
from mediaan.server.jobs import Jobs
from mediaan.server.keys import Keys
from mediaan.server.links import Links
from mediaan.server.media import Media
from mediaan.server.operations import PREFIX, Operation, perform, refusal
from mediaan.server.request_error import RequestError
from mediaan.server.routes import media
from mediaan.server.services import Services
from mediaan.server.settings import ServerSettings
from mediaan.server.uploads import Uploads
from mediaan.server.usage import Usage
from mediaan.server.waiting import Waiting

OPERATIONS: tuple[Operation, ...] = (*media.OPERATIONS,)


def open_services(settings: ServerSettings) -> Services:
    """Open, or make, the data folder of a server and all that works on it.

    Raises
    ------
    UsageError, SetupError
        The folder cannot be made, or holds something else.
    """
    folder = DataFolder(settings.data)
    folder.make()
    database = Database(folder.database)
    found = Media(database)
    jobs = Jobs(database, lease_s=settings.lease_s, tries=settings.tries)
    return Services(
        settings,
        folder,
        database,
        Keys(database),
        found,
        jobs,
        Usage(database),
        Uploads(database, folder, found, settings),
        Links(folder, found, settings),
        Waiting(jobs),
    )


def create_app(services: Services) -> Starlette:
    """The application over opened services; workers are another's business (`mediaan.server.supervisor`)."""
    routes = [_route(operation, services) for operation in OPERATIONS]
    handlers: dict[Any, Any] = {RequestError: _refused, HTTPException: _http_refused}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.state.services = services
    return app


def _route(operation: Operation, services: Services) -> Route:
    return Route(PREFIX + operation.path, _endpoint(operation, services), methods=[operation.method])


def _endpoint(operation: Operation, services: Services) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        return await perform(operation, services, request)

    return endpoint


async def _refused(request: Request, error: RequestError) -> Response:
    return refusal(error)


async def _http_refused(request: Request, error: HTTPException) -> Response:
    return refusal(RequestError(error.status_code, error.detail, error.headers))
