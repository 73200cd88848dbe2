"""Who sends a request: the holder of an API key, or who is signed in at the web page, known by a cookie."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from mediaan.server.errors import RequestError
from mediaan.server.services import Services
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.keys import SESSION_S, Company, key_id

KEY_HEADER = "X-API-Key"


def identify(request: Request, services: Services) -> Company | None:
    """Return the company whose key a request carries, or who is signed in at the browser that sends it.

    A key that is wrong counts as none, whether or not somebody is signed in. A session counts only where the request
    was sent by a page of this server: what changes anything must say so itself (``Sec-Fetch-Site``, ``Origin``),
    because other pages on this machine count as the same site, and their requests carry the cookie too.
    `request.state.company` then has the company's name, for the log. Each is one indexed read: a key that is revoked
    is refused from that moment on, and a session that was signed out.

    Raises
    ------
    RequestError
        401: there are several keys, of which a proxy may have checked another than this server would.
    """
    found = None
    if keys := request.headers.getlist(KEY_HEADER):
        if len(keys) > 1:
            raise _no_key(f"The header {KEY_HEADER} is sent more than once; send one key")
        found = services.keys.company(keys[0])
    elif (cookie := request.cookies.get(cookie_name(services.folder))) is not None:
        safe = request.method in ("GET", "HEAD") or is_own_page(request, services)
        if safe and services.links.is_own_host(request):
            found = services.keys.session_company(cookie)
    if found is not None:
        request.state.company = found.name
    return found


def require_company(request: Request, services: Services) -> Company:
    """Return the company as `identify` does.

    Raises
    ------
    RequestError
        401: no key, or none that is valid.
    """
    found = identify(request, services)
    if found is None:
        raise _no_key(f"The API key is missing or invalid; send it in the header {KEY_HEADER}")
    return found


def _no_key(detail: str) -> RequestError:
    return RequestError(401, detail, {"WWW-Authenticate": "ApiKey"})


def begin_session(response: Response, request: Request, services: Services, key: str) -> bool:
    """Sign in: set the cookie; False, and no cookie, where the key is not valid."""
    if services.keys.company(key) is None:
        return False
    response.set_cookie(
        cookie_name(services.folder),
        services.keys.begin_session(key_id(key)),
        max_age=SESSION_S,
        path=f"{root_path(services)}/",
        secure=services.links.base_url(request).startswith("https:"),
        httponly=True,
        samesite="strict",
    )
    return True


def end_session(response: Response, request: Request, services: Services) -> None:
    """Sign out: end the session on the server, and delete the cookie."""
    if (cookie := request.cookies.get(cookie_name(services.folder))) is not None:
        services.keys.end_session(cookie)
    path = f"{root_path(services)}/"
    response.delete_cookie(cookie_name(services.folder), path=path, httponly=True, samesite="strict")


def is_own_page(request: Request, services: Services) -> bool:
    """Tell whether the browser says that a page of this server sent a request."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    own = urlsplit(services.links.base_url(request))
    return request.headers.get("origin") == f"{own.scheme}://{own.netloc}"


def is_foreign(request: Request, services: Services) -> bool:
    """Tell whether the browser says that somebody else's page sent a request; programs say nothing of the kind."""
    says = "sec-fetch-site" in request.headers or "origin" in request.headers
    return says and not is_own_page(request, services)


def root_path(services: Services) -> str:
    """Return the path of the public address, which a proxy cuts off: it goes before the path of every address."""
    return urlsplit(services.settings.public_url or "").path.rstrip("/")


@lru_cache(maxsize=8)
def cookie_name(folder: DataFolder) -> str:
    """Return the name of a data folder's own cookie: browsers keep cookies apart by name and host, not by port."""
    return f"mediaan_{hashlib.sha256(b'cookie' + folder.secret()).hexdigest()[:8]}"
