"""Addresses of this server as clients see them, and the names by which it knows itself."""

from __future__ import annotations

import re
import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request

from mediaan.server.service.media import StoredMedium
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

_HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")


def service_of(request: Request) -> Service:
    """Return the service that the application of a request works with."""
    service: Service = request.app.state.service
    return service


def base_url(request: Request) -> str:
    """Return the address of this server as its client sees it, without a slash at the end.

    That is `ServerSettings.public_url`, or what the request's header ``Host`` says if it is this server's own name;
    otherwise the address that the request came to.
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


def file_url(request: Request, medium: StoredMedium, result: str) -> str:
    """Return the address of a result's file, good for a few minutes; empty where there is no such result."""
    if medium.run is None or result not in medium.results:
        return ""
    return f"{base_url(request)}/files/{service_of(request).links.token(medium, medium.run, result)}"


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
