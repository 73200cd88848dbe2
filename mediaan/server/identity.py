"""Who sends a request."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from mediaan.server.request_error import RequestError
from mediaan.server.services import Services

KEY_HEADER = "X-API-Key"


@dataclass(frozen=True, slots=True)
class Company:
    """Owner of media.

    Attributes
    ----------
    company_id : int
    name : str
    """

    company_id: int
    name: str


async def identify(request: Request, services: Services) -> Company:
    """The company whose key a request carries.

    Raises
    ------
    RequestError
        401: no key, or none that is valid.
    """
    raise RequestError(401, "The API key is missing or invalid; send it in the header X-API-Key")
