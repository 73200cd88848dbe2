"""Result files under signed addresses: whole, in ranges, or not again where the client has them."""

from __future__ import annotations

import hashlib
import re
import stat
from pathlib import Path
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from mediaan.server.http.addresses import service_of
from mediaan.server.http.errors import RequestError
from mediaan.server.service.folder import file_name
from mediaan.server.service.links import LinkedFile, no_such_file

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

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?("[^"]*")')


async def serve_file(request: Request) -> Response:
    """Answer GET and HEAD of ``/files/<token>``; 403, 404, and 416 where the file has no such range."""
    linked = service_of(request).links.file(request.path_params["token"])
    try:
        facts = await run_in_threadpool(linked.path.stat)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise no_such_file() from error
    if not stat.S_ISREG(facts.st_mode):
        raise no_such_file()
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
