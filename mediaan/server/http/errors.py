"""Errors as HTTP answers: the status of each, with the body ``{"detail": sentence}``."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

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
_HEADERS: Mapping[type[MediaanError], Mapping[str, str]] = {errors.QueueFullError: {"Retry-After": "5"}}


class RequestError(MediaanError):
    """A request that is refused for a reason of HTTP or of the API.

    `status`: HTTP status of the answer.
    `detail`: one sentence for the client.
    """

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
