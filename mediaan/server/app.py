"""The ASGI application."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from mediaan.errors import MediaanError, MediumError, SetupError, UsageError
from mediaan.server.api.health import healthz
from mediaan.server.api.openapi import document_route
from mediaan.server.api.operations import Operation, refusal
from mediaan.server.api.presentation import Renderings
from mediaan.server.api.resource import resources
from mediaan.server.files import serve_file
from mediaan.server.http.absolute_form import AbsoluteForm
from mediaan.server.http.envelope import Envelope
from mediaan.server.http.limits import Limits
from mediaan.server.links import Links
from mediaan.server.pages.routes import PAGES
from mediaan.server.request_error import RequestError
from mediaan.server.routes import (
    account,
    aois,
    benchmark_ranges,
    checks,
    creation,
    images,
    media,
    objectives,
    predictions,
)
from mediaan.server.routes.uploads import UPLOAD_ROUTE
from mediaan.server.services import Services
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.database import Database
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.jobs import Jobs
from mediaan.server.storage.keys import Keys
from mediaan.server.storage.media import Media
from mediaan.server.storage.usage import Usage
from mediaan.server.uploads.uploads import Uploads
from mediaan.server.work.waiting import Waiting

OPERATIONS: tuple[Operation, ...] = (
    *images.OPERATIONS,
    *creation.OPERATIONS,
    *predictions.OPERATIONS,
    *aois.OPERATIONS,
    *media.OPERATIONS,
    *objectives.OPERATIONS,
    *benchmark_ranges.OPERATIONS,
    *checks.OPERATIONS,
    *account.OPERATIONS,
)
"""What the API offers under `PREFIX`: described in the OpenAPI document, only for those who have a key."""

ROUTES: tuple[BaseRoute, ...] = (
    Route("/healthz", healthz, methods=["GET"]),
    UPLOAD_ROUTE,
    Route("/files/{token}", serve_file, methods=["GET"]),
    *PAGES,
)
"""All else; their endpoints find the services at `request.app.state.services`."""

_PASSING: Mapping[int, str] = {
    sqlite3.SQLITE_FULL: "The server's disk is full",
    sqlite3.SQLITE_BUSY: "Another program holds the server's database",
}
"""Troubles of the database that are no fault in it."""
_LOG = logging.getLogger("mediaan.server")

_STATUS: Mapping[type[MediaanError], int] = {UsageError: 422, MediumError: 422, SetupError: 503}


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


def create_app(services: Services, trouble: Callable[[], str | None] | None = None) -> Starlette:
    """The application over opened services.

    Parameters
    ----------
    services : Services
    trouble : callable, optional
        Says, for /healthz, why no work can be done at the moment; None: all is well. Workers are another's business
        (`mediaan.server.work.supervisor`).
    """
    routes = [*ROUTES, document_route(OPERATIONS), *resources(OPERATIONS, services)]
    handlers: dict[Any, Any] = {
        MediaanError: _refused,
        HTTPException: _http_refused,
        ClientDisconnect: _gone,
        sqlite3.OperationalError: _not_written,
    }
    middleware = [Middleware(AbsoluteForm), Middleware(Envelope), Middleware(Limits, services.settings)]
    app = Starlette(routes=routes, exception_handlers=handlers, middleware=middleware)
    app.router.redirect_slashes = False
    app.state.services = services
    app.state.renderings = Renderings()
    app.state.trouble = trouble
    return app


async def _refused(request: Request, error: MediaanError) -> Response:
    if isinstance(error, RequestError):
        return refusal(error)
    status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), None)
    if status is None:
        raise error
    return refusal(RequestError(status, error.message))


async def _http_refused(request: Request, error: HTTPException) -> Response:
    """What Starlette itself refuses, outside of the API's paths."""
    said = {404: f"There is nothing at {request.url.path}", 405: f"{request.method} is not allowed here"}
    return refusal(RequestError(error.status_code, said.get(error.status_code, error.detail), error.headers))


async def _not_written(request: Request, error: sqlite3.OperationalError) -> Response:
    """What was asked for could not be written down, so nothing of it was done: another time it may."""
    reason = _PASSING.get(getattr(error, "sqlite_errorcode", 0))
    if reason is None:
        raise error
    _LOG.error("the database cannot be written: %s", error)
    return refusal(RequestError(503, f"{reason}; nothing was changed, try again later", {"Retry-After": "10"}))


async def _gone(request: Request, error: ClientDisconnect) -> Response:
    return refusal(RequestError(400, "The connection ended before the request did"))
