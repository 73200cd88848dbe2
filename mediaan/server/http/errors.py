"""Errors as HTTP answers: the status of each, with the body ``{"detail": sentence}``."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from mediaan.errors import MediaanError, MediumError, SetupError, UsageError
from mediaan.server.service import errors

_LONGEST_DETAIL = 4000
"""Characters of a sentence: it may quote what a client sent, which may be as long as a body."""
_STATUS: Mapping[type[MediaanError], int] = {
    errors.NotFoundError: 404,
    errors.ConflictError: 409,
    errors.ExpiredError: 410,
    errors.NotPredictedError: 412,
    errors.CompanyFullError: 413,
    errors.WrongFormatError: 415,
    errors.RefusedError: 422,
    errors.QueueFullError: 429,
    errors.WorkFailedError: 500,
    errors.UnavailableError: 503,
    errors.DiskFullError: 507,
    UsageError: 422,
    MediumError: 422,
    SetupError: 503,
}
_PASSING: Mapping[int, str] = {
    sqlite3.SQLITE_FULL: "The server's disk is full",
    sqlite3.SQLITE_BUSY: "Another program holds the server's database",
}
"""Messages for errors of the database that pass."""
_HEADERS: Mapping[type[MediaanError], Mapping[str, str]] = {errors.QueueFullError: {"Retry-After": "5"}}


_LOG = logging.getLogger("mediaan.server")


class RequestError(MediaanError):
    """A request that is refused for a reason of HTTP or of the API, with one sentence for the client."""

    default_code = "request"

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = dict(headers or {})


def status_of(error: MediaanError) -> int | None:
    """Return the HTTP status of an error; None if it is unexpected."""
    if isinstance(error, RequestError):
        return error.status
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), None)


def refusal(error: MediaanError) -> JSONResponse:
    """Return the answer for an error that has a status; a long message is cut."""
    detail = error.message
    if len(detail) > _LONGEST_DETAIL:
        detail = f"{detail[:_LONGEST_DETAIL]}… ({len(detail) - _LONGEST_DETAIL} more characters are left out)"
    headers = error.headers if isinstance(error, RequestError) else _HEADERS.get(type(error))
    return JSONResponse({"detail": detail}, status_of(error) or 500, headers)


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


EXCEPTION_HANDLERS: dict[Any, Any] = {
    MediaanError: _refuse,
    HTTPException: _refuse_http,
    ClientDisconnect: _refuse_disconnected,
    sqlite3.OperationalError: _refuse_unwritten,
}
