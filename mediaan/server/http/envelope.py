"""What every answer has around it: a request id, headers that keep it private, and a sentence where we failed."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mediaan.server.api.operations import refusal
from mediaan.server.request_error import RequestError

REQUEST_ID = "X-Request-Id"

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",  # addresses of files carry their permission
}
_LOG = logging.getLogger("mediaan.server")


@dataclass(frozen=True, slots=True)
class Envelope:
    """Wraps an application; headers that it sets itself stay as they are.

    `scope["state"]["request_id"]` holds the id from then on.

    Parameters
    ----------
    app : ASGIApp
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = scope.setdefault("state", {})["request_id"] = secrets.token_hex(8)
        started = False

        async def send_in_envelope(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                _complete(message, request_id)
            await send(message)

        try:
            await self.app(scope, receive, send_in_envelope)
        except Exception:
            if started:
                raise  # too late for another answer: the server breaks the connection
            _LOG.exception("request %s failed", request_id)
            detail = f"The server failed; its log has the cause under request {request_id}"
            await refusal(RequestError(500, detail))(scope, receive, send_in_envelope)


def _complete(message: Message, request_id: str) -> None:
    headers = MutableHeaders(scope=message)
    headers[REQUEST_ID] = request_id
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)
