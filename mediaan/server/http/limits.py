"""What a request may be in size, and how slowly its body may come."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mediaan.server.api.operations import refusal
from mediaan.server.request_error import RequestError
from mediaan.server.settings import ServerSettings

_MOST_TARGET_BYTES = 8192
_MOST_HEADER_BYTES = 16384
_LEAST_BYTES_PER_S = 1024
FORM_BYTES = 64 << 10
"""What a form may add to its file: boundaries, names, headers."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Wraps an application: requests beyond a limit end in 408, 413, 414 or 431, and in 503 when the server ends.

    Sizes here are the most that any handler of such a request takes; handlers may be stricter.

    Parameters
    ----------
    app : ASGIApp
    settings : ServerSettings
    """

    app: ASGIApp
    settings: ServerSettings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = _Body(receive, _most_bytes(scope, self.settings), self.settings.body_timeout_s)
        try:
            _check_head(scope)
            _check_length(scope, body.most_bytes)
        except RequestError as error:
            await refusal(error)(scope, receive, send)
            return
        await self._answer(scope, body.receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer, or say that the server ends before it could."""
        started = False

        async def send_noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        except asyncio.CancelledError:
            if started:
                raise
            await refusal(_stopped())(scope, receive, send)


class _Body:
    """A request's body as it comes; only the time that we wait for the client counts."""

    def __init__(self, receive: Receive, most_bytes: int, timeout_s: float) -> None:
        self.most_bytes = most_bytes
        self._receive = receive
        self._timeout_s = timeout_s
        self._size = 0
        self._waited_s = 0.0
        self._complete = False

    async def receive(self) -> Message:
        """The next piece.

        Raises
        ------
        RequestError
            408: nothing came, or too little for the time; 413: the body is too large.
        """
        if self._complete:
            return await self._receive()
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._patience_s()):
                message = await self._receive()
        except TimeoutError as error:
            raise RequestError(408, f"The body of the request came too slowly: {self._size} bytes so far") from error
        self._waited_s += time.monotonic() - began
        self._size += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._size > self.most_bytes:
            raise _too_large(self.most_bytes)
        return message

    def _patience_s(self) -> float:
        in_all = self._timeout_s + self._size / _LEAST_BYTES_PER_S
        return min(self._timeout_s, in_all - self._waited_s)


def _most_bytes(scope: Scope, settings: ServerSettings) -> int:
    if scope["path"].startswith("/uploads/"):
        return settings.max_video_bytes
    content_type = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    if content_type.lower().startswith(b"multipart/form-data"):
        return settings.max_image_bytes + FORM_BYTES
    return settings.max_body_bytes


def _check_head(scope: Scope) -> None:
    if len(scope["raw_path"]) + len(scope["query_string"]) > _MOST_TARGET_BYTES:
        raise RequestError(414, f"The address is longer than {_MOST_TARGET_BYTES} bytes")
    if sum(len(name) + len(value) + 4 for name, value in scope["headers"]) > _MOST_HEADER_BYTES:
        raise RequestError(431, f"The headers are larger than {_MOST_HEADER_BYTES} bytes")
    if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
        # a proxy may see another end of such a body than we do, and another request after it
        raise RequestError(400, "Content-Length and Transfer-Encoding exclude each other")


def _check_length(scope: Scope, most_bytes: int) -> None:
    said = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if int(said) > most_bytes:
        raise _too_large(most_bytes)


def _too_large(most_bytes: int) -> RequestError:
    return RequestError(413, f"The body is larger than {most_bytes} bytes")


def _stopped() -> RequestError:
    headers = {"Connection": "close", "Retry-After": "5"}
    return RequestError(503, "The server is being stopped; try again soon", headers)
