"""HTTP around the application: ids, privacy headers, limits, and a line in the log for every request."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from dataclasses import dataclass
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mediaan.server.http.errors import RequestError, refusal
from mediaan.server.log import REQUESTS
from mediaan.server.settings import ServerSettings

_FORM_BYTES = 64 << 10
"""Boundaries, names and headers that a form adds to its file."""
_MOST_TARGET_BYTES = 8192
_MOST_HEADER_BYTES = 16384
_LEAST_BYTES_PER_S = 1024
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",  # addresses of files carry their permission
}
_TOKENS = re.compile(r"(/(?:files|uploads)/)([^/]+)")
_LOG = logging.getLogger("mediaan.server")
_SINGLE = frozenset(
    b"authorization content-encoding content-length content-range content-type cookie host idempotency-key if-range"
    b" origin range sec-fetch-site transfer-encoding".split()
)
"""Headers that may be sent once: a proxy might read the other of two. `identify` checks `X-API-Key`."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """Give every answer an id and headers that keep it private, also where the application fails or is stopped.

    Headers that the application sets itself stay. ``scope["state"]["request_id"]`` holds the id. Each request is logged
    when its answer is complete or its client has gone, without keys, tokens and queries.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        began = time.perf_counter()
        state = scope.setdefault("state", {})
        request_id = state["request_id"] = secrets.token_hex(8)
        status, size = None, 0  # no status: the client went before there was an answer

        async def send_in_envelope(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, send_in_envelope)
        except asyncio.CancelledError:  # the server ends, and time for requests under way is up
            if status is not None:
                raise
            headers = {"Connection": "close", "Retry-After": "5"}
            error = RequestError(503, "The server is being stopped; try again soon", headers)
            await refusal(error)(scope, receive, send_in_envelope)
        except Exception:
            if status is not None:
                raise  # too late for another answer: uvicorn breaks the connection
            _LOG.exception("request %s failed", request_id)
            error = RequestError(500, f"The server failed; its log has the cause under request {request_id}")
            await refusal(error)(scope, receive, send_in_envelope)
        finally:
            client = scope.get("client")
            facts = {
                "method": scope["method"],
                "path": shown_path(scope["path"]),
                "status": status,
                "bytes": size,
                "ms": round(1000 * (time.perf_counter() - began), 1),
                "company": state.get("company"),
                "client": client[0] if client else None,
                "request_id": request_id,
            }
            REQUESTS.info("request", extra={"facts": facts})


def shown_path(path: str) -> str:
    """Replace tokens in a path by hashes for the log: a token is a permission.

    >>> shown_path("/predict/v2/media"), shown_path("/files/secret"), shown_path("//uploads/secret/")
    ('/predict/v2/media', '/files/~2bb80d53', '//uploads/~2bb80d53/')
    """
    return _TOKENS.sub(lambda match: f"{match[1]}~{sha256(match[2].encode()).hexdigest()[:8]}", path)


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Bound the size of requests and the time of their bodies: beyond a limit the answer is 408, 413, 414 or 431.

    A request with a header twice that may be there once is 400: of two, this server and a proxy might each believe
    another, and the limits below follow from headers.

    Sizes are the most that any handler of such a request takes; handlers may be stricter. Slow heads, slow readers and
    numbers of connections are bounded by uvicorn's options and by the proxy, see ``docs/server.md``.
    """

    app: ASGIApp
    settings: ServerSettings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers, timeout_s = dict(scope["headers"]), self.settings.body_timeout_s
        if scope["path"].startswith("/uploads/"):
            most_bytes = self.settings.max_video_bytes
        elif headers.get(b"content-type", b"").lower().startswith(b"multipart/form-data"):
            most_bytes = self.settings.max_image_bytes + _FORM_BYTES
        else:
            most_bytes = self.settings.max_body_bytes
        size, waited_s, complete = 0, 0.0, False

        async def receive_within_limits() -> Message:
            nonlocal size, waited_s, complete
            if complete:
                return await receive()
            began = time.monotonic()
            try:  # only the time that the server waits for the client counts
                async with asyncio.timeout(min(timeout_s, timeout_s + size / _LEAST_BYTES_PER_S - waited_s)):
                    message = await receive()
            except TimeoutError as error:
                detail = f"The body of the request came too slowly: {size} bytes so far"
                raise RequestError(408, detail, {"Connection": "close"}) from error
            waited_s += time.monotonic() - began
            size += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if size > most_bytes:
                raise RequestError(413, f"The body is larger than {most_bytes} bytes")
            return message

        error = None
        names = [name for name, _ in scope["headers"] if name in _SINGLE]
        if len(scope["raw_path"]) + len(scope["query_string"]) > _MOST_TARGET_BYTES:
            error = RequestError(414, f"The address is longer than {_MOST_TARGET_BYTES} bytes")
        elif sum(len(name) + len(value) + 4 for name, value in scope["headers"]) > _MOST_HEADER_BYTES:
            error = RequestError(431, f"The headers are larger than {_MOST_HEADER_BYTES} bytes")
        elif len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1).decode("latin-1").title()
            detail = f"The header {twice} is sent more than once; send it once"
            error = RequestError(400, detail, {"Connection": "close"})
        elif b"content-length" in headers and b"transfer-encoding" in headers:
            # a proxy may see another end of such a body, and what follows it as another request (RFC 9112, 6.1)
            detail = "Content-Length and Transfer-Encoding exclude each other"
            error = RequestError(400, detail, {"Connection": "close"})
        elif int(headers.get(b"content-length", 0)) > most_bytes:
            error = RequestError(413, f"The body is larger than {most_bytes} bytes")
        if error is not None:
            await refusal(error)(scope, receive, send)
        else:
            await self.app(scope, receive_within_limits, send)
