"""Requests that cannot be met; each is answered with ``{"detail": sentence}``."""

from __future__ import annotations

from collections.abc import Mapping

from mediaan.errors import MediaanError


class RequestError(MediaanError):
    """A request that cannot be met.

    Parameters
    ----------
    status : int
        HTTP status of the answer.
    detail : str
        One sentence for the client.
    headers : mapping of str to str, optional
    """

    default_code = "request"

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = dict(headers or {})


def no_such_medium() -> RequestError:
    """Return the 404 for a medium that the caller's company does not have."""
    return RequestError(404, "No medium with this media_id exists for your company")
