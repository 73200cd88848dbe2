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
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

import mediaan
from mediaan.errors import MediaanError
from mediaan.server.http.errors import RequestError, refusal, status_of
from mediaan.server.http.files import serve_file
from mediaan.server.http.limits import Envelope, RequestLimits
from mediaan.server.http.uploads import put_upload
from mediaan.server.pages.review import REVIEW_PAGES
from mediaan.server.pages.views import PAGES
from mediaan.server.service.errors import DiskFullError
from mediaan.server.service.service import Service
from mediaan.server.v2 import account, aois, benchmark_ranges, images, media, videos
from mediaan.server.v2.openapi import document_route
from mediaan.server.v2.operations import PREFIX, Operation, resources

OPERATIONS: tuple[Operation, ...] = (
    *videos.OPERATIONS,
    *media.OPERATIONS,
    *benchmark_ranges.OPERATIONS,
    *images.OPERATIONS,
    *aois.OPERATIONS,
    *account.OPERATIONS,
)
"""The API: described in the OpenAPI document, only for those who have a key."""

_PASSING: Mapping[int, str] = {
    sqlite3.SQLITE_FULL: "The server's disk is full",
    sqlite3.SQLITE_BUSY: "Another program holds the server's database",
}
"""Messages for errors of the database that pass."""
_LOG = logging.getLogger("mediaan.server")


def create_app(service: Service, trouble: Callable[[], str | None] | None = None) -> Starlette:
    """Return the application over a service.

    `service`: endpoints find it by `mediaan.server.http.identity.service_of`.
    `trouble`: says, for /healthz, why no work can be done at the moment; None: all is well. Workers are started and
        looked after elsewhere (`mediaan.server.service.work.supervisor`).
    """
    routes: list[BaseRoute] = [
        Route("/healthz", healthz),
        Route("/uploads/{token}", put_upload, methods=["PUT"]),
        Route("/files/{token}", serve_file),
        *PAGES,
        *REVIEW_PAGES,
        document_route(OPERATIONS),
        *resources(OPERATIONS),
    ]
    handlers: dict[Any, Any] = {
        MediaanError: _refuse,
        HTTPException: _refuse_http,
        ClientDisconnect: _refuse_disconnected,
        sqlite3.OperationalError: _refuse_unwritten,
    }
    middleware = [Middleware(Envelope), Middleware(RequestLimits, service.settings)]
    app = Starlette(routes=routes, exception_handlers=handlers, middleware=middleware)
    app.router.redirect_slashes = False
    app.state.service = service
    app.state.api_path = PREFIX
    app.state.trouble = trouble or (lambda: None)
    return app


async def healthz(request: Request) -> Response:
    """Answer 200 where the database answers and workers are there, else 503 with the reason; no key is needed.

    With too little room on the disk for further files the status is `degraded`, and `detail` says why: all else works.
    """
    service: Service = request.app.state.service
    try:
        service.database.connection.execute("SELECT 1 FROM media LIMIT 1").fetchone()
        trouble = request.app.state.trouble()
    except sqlite3.Error as error:
        trouble = f"The database does not answer: {error}"
    if trouble is not None:
        return refusal(RequestError(503, trouble))
    try:
        service.check_room(0)
    except DiskFullError as error:
        return JSONResponse({"status": "degraded", "version": mediaan.__version__, "detail": error.message})
    return JSONResponse({"status": "ok", "version": mediaan.__version__})


async def _refuse(request: Request, error: MediaanError) -> Response:
    if status_of(error) is None:
        raise error
    return refusal(error)


async def _refuse_http(request: Request, error: HTTPException) -> Response:
    """Answer what Starlette itself refuses, outside of the API's paths."""
    details = {404: f"There is nothing at {request.url.path}", 405: f"{request.method} is not allowed here"}
    return refusal(RequestError(error.status_code, details.get(error.status_code, error.detail), error.headers))


async def _refuse_unwritten(request: Request, error: sqlite3.OperationalError) -> Response:
    """Answer 503 where the database cannot be written for now; nothing of the request was done."""
    reason = _PASSING.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)  # without details
    if reason is None:
        raise error
    _LOG.error("the database cannot be written: %s", error)
    return refusal(RequestError(503, f"{reason}; nothing was changed, try again later", {"Retry-After": "10"}))


async def _refuse_disconnected(request: Request, error: ClientDisconnect) -> Response:
    return refusal(RequestError(400, "The connection ended before the request did"))
