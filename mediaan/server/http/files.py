"""Result files under signed addresses, which lead to them for a few minutes: whole, in ranges, or not sent again.

A token in such an address is the medium's id, the moment at which it expires, the run and the name of the result, with
an HMAC-SHA256 of these (RFC 2104, cut to 128 bits). A media list of thousands of addresses is signed on the way to its
client: one HMAC each, and no derivation of keys.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import stat
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote
from uuid import UUID

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from mediaan.server.http.errors import RequestError
from mediaan.server.http.identity import base_url, service_of
from mediaan.server.service.errors import NotFoundError
from mediaan.server.service.folder import DataFolder, file_name
from mediaan.server.service.media import StoredMedium
from mediaan.server.service.service import Service
from mediaan.server.settings import LONGEST_LINK_S

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
"""A token stays the same for a fifth of its lifetime, so that caches work, and is then valid for the other four."""
_MAC_BYTES = 16
_TIME_BYTES = 6
_GONE = "This file is gone: it was deleted or analyzed again"
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?("[^"]*")')


def file_url(request: Request, medium: StoredMedium, result: str) -> str:
    """Return the address of a result's file, good for a few minutes; empty where there is no such result."""
    if medium.run is None or result not in medium.results:
        return ""
    return f"{base_url(request)}/files/{file_token(service_of(request), medium, medium.run, result)}"


def file_token(service: Service, medium: StoredMedium, run: str, result: str) -> str:
    """Return the token of a result's file, which this server alone can have made."""
    lifetime_ms = 1000 * min(service.settings.link_lifetime_s, LONGEST_LINK_S)
    step_ms = max(1, lifetime_ms // _STEPS)
    expires = time.time_ns() // 1_000_000 // step_ms * step_ms + lifetime_ms  # ms since 1970
    content = medium.media_id.bytes + expires.to_bytes(_TIME_BYTES, "big") + f"{run}\0{result}".encode()
    return urlsafe_b64encode(content + _mac(service, content)).rstrip(b"=").decode()


class LinkedFile(NamedTuple):
    """The file that a token leads to."""

    path: Path
    medium: StoredMedium
    run: str  # that the token was signed for, which may have been replaced since
    result: str  # its name in the media object
    seconds_left: float  # of the token


def linked_file(service: Service, token: str) -> LinkedFile:
    """Return the file that a token leads to.

    Raises RequestError: 403: it was not signed here, or has expired.
    Raises NotFoundError: the medium or its result is gone.
    """
    try:
        signed = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except ValueError:
        signed = b""
    content, mac = signed[:-_MAC_BYTES], signed[-_MAC_BYTES:]
    # one content has one token: what base64 reads generously, such as strange signs, was not made here either
    canonical = urlsafe_b64encode(signed).rstrip(b"=")
    if not hmac.compare_digest(mac, _mac(service, content)) or canonical != token.encode(errors="replace"):
        raise RequestError(403, "This address was not made by this server")
    split = 16 + _TIME_BYTES
    seconds_left = int.from_bytes(content[16:split], "big") / 1000 - time.time()
    if seconds_left <= 0:
        raise RequestError(403, "This address has expired; fetch the medium again for a new one")
    run, _, result = content[split:].decode().partition("\0")
    medium = service.media.get(UUID(bytes=content[:16]))
    if medium is None or result not in medium.results:
        raise NotFoundError(_GONE)
    # in the run that it was signed for, also where a newer one has replaced that: files of two never mix on a page
    path = service.folder.run(medium.media_id, run) / medium.results[result]
    return LinkedFile(path, medium, run, result, seconds_left)


def _mac(service: Service, content: bytes) -> bytes:
    return hmac.digest(_signing_key(service.folder), content, "sha256")[:_MAC_BYTES]


@lru_cache(maxsize=8)
def _signing_key(folder: DataFolder) -> bytes:
    """Derive a key for this purpose alone: a signature made for another is none here."""
    return hmac.digest(folder.secret(), b"mediaan result files", "sha256")


async def serve_file(request: Request) -> Response:
    """Answer GET and HEAD of ``/files/<token>``; 403, 404, and 416 where the file has no such range."""
    linked = linked_file(service_of(request), request.path_params["token"])
    try:
        facts = await run_in_threadpool(linked.path.stat)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError(_GONE) from error
    if not stat.S_ISREG(facts.st_mode):
        raise NotFoundError(_GONE)
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
        request.scope["headers"] = [header for header in request.scope["headers"] if header[0] != b"range"]
    return FileResponse(linked.path, headers=headers, stat_result=facts)


def _disposition(linked: LinkedFile, suffix: str) -> str:
    """Return the header by which a browser shows the file and, when it saves it, names it after the medium."""
    name = file_name(f"{Path(file_name(linked.medium.name, 'medium')).stem}-{linked.result}{suffix}", linked.result)
    plain = re.sub(r'[^\x20-\x7e]|["\\%]', "_", name)
    return f"inline; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _has_range(request: Request, size: int, tag: str) -> bool:
    """Tell whether a request asks for a part of a file (RFC 9110, 14).

    A range that is written wrongly, more than one, or one of another version of the file (``If-Range``) means all;
    416 where nothing of the range is in the file.
    """
    match = _RANGE.fullmatch(request.headers.get("range", ""))
    if match is None or match[0].endswith("=-") or request.headers.get("if-range", tag) != tag:
        return False
    first, last = match.groups()
    if first and last and int(last) < int(first):
        return False
    if (int(first) if first else size - int(last)) >= size:
        detail = f"Range {match[0]}: the file has {size} bytes"
        raise RequestError(416, detail, {"Content-Range": f"bytes */{size}"})
    return True
