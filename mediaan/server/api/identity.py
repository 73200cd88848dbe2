"""Who sends a request."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from mediaan.server.pages.session import session_company
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
    """The company whose key a request carries, or who is signed in at the web page that sends it.

    `request.state.company` has its name from then on.

    Raises
    ------
    RequestError
        401: no key, or none that is valid, whether or not somebody is signed in.
    """
    key = request.headers.get(KEY_HEADER)
    # one indexed read each: a key that is revoked is refused from that moment on
    found = session_company(request, services) if key is None else services.keys.company(key)
    if found is None:
        detail = f"The API key is missing or invalid; send it in the header {KEY_HEADER}"
        raise RequestError(401, detail, {"WWW-Authenticate": "ApiKey"})
    company = Company(*found)
    request.state.company = company.name
    return company
