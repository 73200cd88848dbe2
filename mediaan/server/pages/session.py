"""Sessions of the web page: a signed cookie that stands for an API key, and what may be done with it."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from mediaan.server.services import Services
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.keys import key_id

LIFETIME_S = 12 * 3600
"""A working day; then the key is asked for again."""

_READS = ("GET", "HEAD")


def session_company(request: Request, services: Services) -> tuple[int, str] | None:
    """Id and name of the company that is signed in at the browser which sends a request.

    Parameters
    ----------
    request : Request
    services : Services

    Returns
    -------
    tuple of (int, str) or None
        None where nobody is signed in, the session is over or its key revoked; also where the request was not sent by
        a page of this server: what changes anything must say so itself (``Sec-Fetch-Site``, ``Origin``), because
        other pages on this machine count as the same site, and their requests carry the cookie too.
    """
    if not is_own_host(request, services):
        return None
    if request.method not in _READS and not is_own_page(request, services):
        return None
    signed_in = _signed_in(request, services)
    return None if signed_in is None else services.keys.holder(signed_in)


def begin_session(response: Response, request: Request, services: Services, key: str) -> bool:
    """Sign in: set the cookie; False, and no cookie, where the key is not valid."""
    if services.keys.company(key) is None:
        return False
    response.set_cookie(
        cookie_name(services.folder),
        _serializer(services.folder).dumps(key_id(key)),
        max_age=LIFETIME_S,
        path=f"{root_path(services)}/",
        secure=services.links.base_url(request).startswith("https:"),
        httponly=True,
        samesite="strict",
    )
    return True


def end_session(response: Response, services: Services) -> None:
    """Sign out."""
    path = f"{root_path(services)}/"
    response.delete_cookie(cookie_name(services.folder), path=path, httponly=True, samesite="strict")


def is_own_page(request: Request, services: Services) -> bool:
    """Whether the browser says that a page of this server sent a request."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    own = urlsplit(services.links.base_url(request))
    return request.headers.get("origin") == f"{own.scheme}://{own.netloc}"


def is_foreign(request: Request, services: Services) -> bool:
    """Whether the browser says that somebody else's page sent a request; programs say nothing of the kind."""
    says = "sec-fetch-site" in request.headers or "origin" in request.headers
    return says and not is_own_page(request, services)


def is_own_host(request: Request, services: Services) -> bool:
    """Whether a request is addressed to this server by a name of its own.

    On loopback another name means that somebody made a name of theirs lead here (DNS rebinding).
    """
    if not _is_loopback(services.settings.host):
        return True
    name = _host_name(request.headers.get("host", ""))
    return _is_loopback(name) or name == urlsplit(services.settings.public_url or "").hostname


def root_path(services: Services) -> str:
    """What goes before the path of every address: the path of the public address, which a proxy cuts off."""
    return urlsplit(services.settings.public_url or "").path.rstrip("/")


@lru_cache(maxsize=8)
def cookie_name(folder: DataFolder) -> str:
    """One for each data folder: browsers keep cookies apart by name and host, not by port."""
    return f"mediaan_{hashlib.sha256(b'cookie' + folder.secret()).hexdigest()[:8]}"


@lru_cache(maxsize=8)
def _serializer(folder: DataFolder) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(folder.secret(), salt="mediaan session")


def _signed_in(request: Request, services: Services) -> str | None:
    """Id of the key that the cookie stands for."""
    cookie = request.cookies.get(cookie_name(services.folder))
    if cookie is None:
        return None
    try:
        found = _serializer(services.folder).loads(cookie, max_age=LIFETIME_S)
    except BadSignature:  # also where it is over
        return None
    return found if isinstance(found, str) else None


def _host_name(host: str) -> str:
    """Without the port.

    Examples
    --------
    >>> _host_name("localhost:8000"), _host_name("[::1]:8000"), _host_name("LocalHost"), _host_name("[::1")
    ('localhost', '::1', 'localhost', '')
    """
    if not host.startswith("["):
        return host.partition(":")[0].lower()
    address, closing, _ = host[1:].partition("]")
    return address if closing else ""


def _is_loopback(host: str) -> bool:
    """Whether a name or address means this machine.

    Examples
    --------
    >>> [_is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "a.localhost", "10.0.0.1", "evil.example")]
    [True, True, True, True, False, False]
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
