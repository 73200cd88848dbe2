"""Who sends a request: the holder of an API key, or who is signed in at the web page, known by a cookie."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from mediaan.server.http.addresses import base_url, is_own_host, root_path, service_of
from mediaan.server.http.errors import RequestError
from mediaan.server.service.folder import DataFolder
from mediaan.server.service.keys import SESSION_S, Company, key_id

KEY_HEADER = "X-API-Key"


def identify(request: Request) -> Company | None:
    """Return the company whose key a request carries, or who is signed in at the browser that sends it.

    A key that is wrong counts as none, whether or not somebody is signed in. A session counts only where the request
    was sent by a page of this server: what changes anything must say so itself (``Sec-Fetch-Site``, ``Origin``),
    because other pages on this machine count as the same site, and their requests carry the cookie too.
    `request.state.company` then has the company's name, for the log. Each is one indexed read: a key that is revoked
    is refused from that moment on, and a session that was signed out.

    Raises RequestError: 401: there are several keys, of which a proxy may have checked another than this server would.
    """
    service, company = service_of(request), None
    if keys := request.headers.getlist(KEY_HEADER):
        if len(keys) > 1:
            raise _no_key(f"The header {KEY_HEADER} is sent more than once; send one key")
        company = service.keys.company(keys[0])
    elif (cookie := request.cookies.get(cookie_name(service.folder))) is not None:
        safe = request.method in ("GET", "HEAD") or is_own_page(request)
        if safe and is_own_host(request):
            company = service.keys.session_company(cookie)
    if company is not None:
        request.state.company = company.name
    return company


def require_company(request: Request) -> Company:
    """Return the company as `identify` does; 401 where there is no key, or none that is valid."""
    company = identify(request)
    if company is None:
        raise _no_key(f"The API key is missing or invalid; send it in the header {KEY_HEADER}")
    return company


def _no_key(detail: str) -> RequestError:
    return RequestError(401, detail, {"WWW-Authenticate": "ApiKey"})


def begin_session(response: Response, request: Request, key: str) -> bool:
    """Sign in: set the cookie; False, and no cookie, where the key is not valid."""
    service = service_of(request)
    if service.keys.company(key) is None:
        return False
    response.set_cookie(
        cookie_name(service.folder),
        service.keys.begin_session(key_id(key)),
        max_age=SESSION_S,
        path=f"{root_path(request)}/",
        secure=base_url(request).startswith("https:"),
        httponly=True,
        samesite="strict",
    )
    return True


def end_session(response: Response, request: Request) -> None:
    """Sign out: end the session on the server, and delete the cookie."""
    service = service_of(request)
    name = cookie_name(service.folder)
    if (cookie := request.cookies.get(name)) is not None:
        service.keys.end_session(cookie)
    response.delete_cookie(name, path=f"{root_path(request)}/", httponly=True, samesite="strict")


def is_own_page(request: Request) -> bool:
    """Tell whether the browser says that a page of this server sent a request."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    url = urlsplit(base_url(request))
    return request.headers.get("origin") == f"{url.scheme}://{url.netloc}"


def is_foreign(request: Request) -> bool:
    """Tell whether the browser says that somebody else's page sent a request; programs say nothing of the kind."""
    from_browser = "sec-fetch-site" in request.headers or "origin" in request.headers
    return from_browser and not is_own_page(request)


@lru_cache(maxsize=8)
def cookie_name(folder: DataFolder) -> str:
    """Return the name of a data folder's own cookie: browsers keep cookies apart by name and host, not by port."""
    return f"mediaan_{hashlib.sha256(b'cookie' + folder.secret()).hexdigest()[:8]}"
