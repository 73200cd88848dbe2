"""What a request can come to other than what it asked for, and how each is said: ``{"detail": sentence}``."""

from __future__ import annotations

from collections.abc import Mapping

from mediaan.errors import MediaanError


class RequestError(MediaanError):
    """A request that cannot be met.

    Parameters
    ----------
    status : int
        Of HTTP.
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
    """There is no such medium for the caller's company."""
    return RequestError(404, "No medium with this media_id exists for your company")
