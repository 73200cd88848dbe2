"""Result files under signed addresses, which expire: whole, in ranges, or not again where the client has them."""

from __future__ import annotations

import hashlib
import hmac
import re
import socket
import stat
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote, urlsplit
from uuid import UUID

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from mediaan.server.errors import RequestError
from mediaan.server.settings import LONGEST_LINK_S, ServerSettings
from mediaan.server.storage.folder import DataFolder, file_name
from mediaan.server.storage.media import Media, StoredMedium

CONTENT_TYPES = {
    ".webp": "image/webp",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
}
"""By suffix, whatever the system's own list says: what a file is must not depend on the machine."""

_STEPS = 5
"""An address stays the same for a fifth of its life, so that caches are of use, and is good for the other four."""
_MAC_BYTES = 16
_TIME_BYTES = 6
_HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """The file that a signed address leads to."""

    path: Path
    medium: StoredMedium
    run: str  # that the address was signed for, which may have been replaced since
    result: str  # its name in the media object
    seconds_left: float  # of the address


class Links:
    """Makes addresses that this server alone can have made, and reads them back.

    A token is the medium's id, the moment at which it expires, the run and the name of the result, with an
    HMAC-SHA256 of these (RFC 2104, cut to 128 bits). A media list of thousands of addresses is signed on the way to
    its client: one HMAC each, and no derivation of keys.
    """

    def __init__(self, folder: DataFolder, media: Media, settings: ServerSettings) -> None:
        self._folder, self._media, self._settings = folder, media, settings
        self._lifetime_ms = 1000 * min(settings.link_lifetime_s, LONGEST_LINK_S)
        # a key for this purpose alone: a signature made for another is none here
        self._key = hmac.digest(folder.secret(), b"mediaan result files", "sha256")

    def base_url(self, request: Request) -> str:
        """Return the address of this server as its client sees it, without a slash at the end.

        That is `ServerSettings.public_url`, or what the request's header ``Host`` says if it is this server's own name;
        otherwise the address that the request came to.
        """
        if self._settings.public_url is not None:
            return self._settings.public_url.rstrip("/")
        host = request.headers.get("host", "")
        if not self.is_own_host(request):
            address, port = _came_to(request, self._settings)
            host = f"[{address}]" if ":" in address else address
            host += f":{port}" if port else ""
        return f"{request.scope['scheme']}://{host}"

    def is_own_host(self, request: Request) -> bool:
        """Tell whether a request is addressed to this server by a name of its own.

        These are loopback names, the address that the request came to, what the server was told to listen on, the
        machine's name, and the host of `ServerSettings.public_url`. Others can be anybody's: a client may write what it
        likes, and a page may have its own name lead here (DNS rebinding).
        """
        match = _HOST.fullmatch(request.headers.get("host", ""))
        if match is None:
            return False
        name, machine = match[1].strip("[]").lower(), socket.gethostname().lower()
        listens = self._settings.host.lower()
        own = {_came_to(request, self._settings)[0].lower(), listens, machine, f"{machine.partition('.')[0]}.local"}
        public = urlsplit(self._settings.public_url or "").hostname
        return is_loopback(name) or name == public or name in own

    def file_url(self, request: Request, medium: StoredMedium, result: str) -> str:
        """Return the address of a result's file, good for a few minutes; empty where there is no such result."""
        if medium.run is None or result not in medium.results:
            return ""
        return f"{self.base_url(request)}/files/{self.token(medium, medium.run, result)}"

    def token(self, medium: StoredMedium, run: str, result: str) -> str:
        """Return the last part of a file's address."""
        step_ms = max(1, self._lifetime_ms // _STEPS)
        expires = time.time_ns() // 1_000_000 // step_ms * step_ms + self._lifetime_ms  # ms since 1970
        content = medium.media_id.bytes + expires.to_bytes(_TIME_BYTES, "big") + f"{run}\0{result}".encode()
        return urlsafe_b64encode(content + self._mac(content)).rstrip(b"=").decode()

    def file(self, token: str) -> LinkedFile:
        """Return the file that an address leads to.

        Raises
        ------
        RequestError
            403: not signed here, or expired; 404: the medium or its result is gone.
        """
        try:
            whole = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except ValueError:
            whole = b""
        content, mac = whole[:-_MAC_BYTES], whole[-_MAC_BYTES:]
        # one content has one address: what base64 reads generously, such as strange signs, was not made here either
        written = urlsafe_b64encode(whole).rstrip(b"=")
        if not hmac.compare_digest(mac, self._mac(content)) or written != token.encode(errors="replace"):
            raise RequestError(403, "This address was not made by this server")
        split = 16 + _TIME_BYTES
        seconds_left = int.from_bytes(content[16:split], "big") / 1000 - time.time()
        if seconds_left <= 0:
            raise RequestError(403, "This address has expired; fetch the medium again for a new one")
        run, _, result = content[split:].decode().partition("\0")
        medium = self._media.get(UUID(bytes=content[:16]))
        if medium is None or result not in medium.results:
            raise _no_such_file()
        # in the run that it was signed for, also where a newer one has replaced that: files of two never mix on a page
        path = self._folder.run(medium.media_id, run) / medium.results[result]
        return LinkedFile(path, medium, run, result, seconds_left)

    def _mac(self, content: bytes) -> bytes:
        return hmac.digest(self._key, content, "sha256")[:_MAC_BYTES]


def is_loopback(host: str) -> bool:
    """Tell whether a name or address means this machine.

    Examples
    --------
    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "a.localhost", "10.0.0.1", "evil.example")]
    [True, True, True, True, False, False]
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _came_to(request: Request, settings: ServerSettings) -> tuple[str, int | None]:
    address, port = request.scope.get("server") or (settings.host, settings.port)
    return str(address).partition("%")[0], port


async def serve_file(request: Request) -> Response:
    """Answer GET and HEAD of ``/files/<token>``.

    Raises
    ------
    RequestError
        403: the address was not made here, or has expired; 404: the file is gone; 416: it has no such range.
    """
    links: Links = request.app.state.services.links
    linked = links.file(request.path_params["token"])
    try:
        facts = await run_in_threadpool(linked.path.stat)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _no_such_file() from error
    if not stat.S_ISREG(facts.st_mode):
        raise _no_such_file()
    suffix = linked.path.suffix.lower()
    content = f"{linked.medium.media_id} {linked.run} {linked.result} {facts.st_size} {facts.st_mtime_ns}"
    tag = f'"{hashlib.sha256(content.encode()).hexdigest()[:32]}"'
    headers = {
        "Content-Type": CONTENT_TYPES.get(suffix, "application/octet-stream"),
        "Content-Disposition": _disposition(linked, suffix),
        "Cache-Control": f"private, max-age={int(linked.seconds_left)}",
        "ETag": tag,
        "X-Content-Type-Options": "nosniff",
        # a page among the results is shown as somebody else's: it reaches neither the session nor the API
        "Content-Security-Policy": "sandbox allow-scripts" if suffix == ".html" else "sandbox",
    }
    if tag in _TAG.findall(request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    if not _has_range(request, facts.st_size, tag):
        request.scope["headers"] = [one for one in request.scope["headers"] if one[0] != b"range"]
    return FileResponse(linked.path, headers=headers, stat_result=facts)


def _no_such_file() -> RequestError:
    return RequestError(404, "This file is gone: it was deleted or analyzed again")


def _disposition(linked: LinkedFile, suffix: str) -> str:
    """Return the header by which a browser shows the file and, when it saves it, names it after the medium."""
    name = file_name(f"{Path(file_name(linked.medium.name, 'medium')).stem}-{linked.result}{suffix}", linked.result)
    plain = re.sub(r'[^\x20-\x7e]|["\\%]', "_", name)
    return f"inline; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _has_range(request: Request, size: int, tag: str) -> bool:
    """Tell whether a request asks for a part of a file (RFC 9110, 14).

    A range that is written wrongly, more than one, or one of another version of the file (``If-Range``) means all.

    Raises
    ------
    RequestError
        416: nothing of the range is in the file.
    """
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    if found is None or found[0].endswith("=-") or request.headers.get("if-range", tag) != tag:
        return False
    first, last = found.groups()
    if first and last and int(last) < int(first):
        return False
    if (int(first) if first else size - int(last)) >= size:
        detail = f"Range {found[0]}: the file has {size} bytes"
        raise RequestError(416, detail, {"Content-Range": f"bytes */{size}"})
    return True
