"""Both sides of a request: the names and addresses of this server, and who asks.

Who asks is the holder of an API key, or who is signed in at the web page, known by a cookie.
"""

from __future__ import annotations

import hashlib
import re
import socket
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from mediaan.server.http.errors import RequestError
from mediaan.server.service.folder import DataFolder
from mediaan.server.service.keys import SESSION_S, Company, key_id
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

KEY_HEADER = "X-API-Key"
_HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")


def service_of(request: Request) -> Service:
    """Return the service that the application of a request works with."""
    service: Service = request.app.state.service
    return service


def base_url(request: Request) -> str:
    """Return the address of this server as its client sees it, without a slash at the end.

    That is `ServerSettings.public_url`, else the request's ``Host`` if that is this server's own name, else the address
    that the request came to.
    """
    settings = service_of(request).settings
    if settings.public_url is not None:
        return settings.public_url.rstrip("/")
    host = request.headers.get("host", "")
    if not is_own_host(request):
        address, port = _local_address(request, settings)
        host = f"[{address}]" if ":" in address else address
        host += f":{port}" if port else ""
    return f"{request.scope['scheme']}://{host}"


def root_path(request: Request) -> str:
    """Return the path of the public address, which a proxy strips: links must begin with it."""
    return urlsplit(service_of(request).settings.public_url or "").path.rstrip("/")


def is_own_host(request: Request) -> bool:
    """Tell whether a request is addressed to this server by a name of its own.

    These are loopback names, the address that the request came to, what the server was told to listen on, the
    machine's name, and the host of `ServerSettings.public_url`. Others can be anybody's: a client may write what it
    likes, and a page may have its own name lead here (DNS rebinding).
    """
    match = _HOST.fullmatch(request.headers.get("host", ""))
    if match is None:
        return False
    settings = service_of(request).settings
    name, machine = match[1].strip("[]").lower(), socket.gethostname().lower()
    local, public = _local_address(request, settings)[0].lower(), urlsplit(settings.public_url or "").hostname
    names = {local, settings.host.lower(), machine, f"{machine.partition('.')[0]}.local", public}
    return is_loopback(name) or name in names


def is_loopback(host: str) -> bool:
    """Tell whether a name or address means this machine.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "a.localhost", "10.0.0.1", "evil.example")]
    [True, True, True, True, False, False]
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _local_address(request: Request, settings: ServerSettings) -> tuple[str, int | None]:
    """Return the address and port that a request came to."""
    address, port = request.scope.get("server") or (settings.host, settings.port)
    return str(address).partition("%")[0], port


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
