"""What is logged of requests: a line each, without keys, tokens or queries."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mediaan.server.log import REQUESTS

_TOKENS = re.compile(r"(/(?:files|uploads)/)([^/]+)")
"""They are permissions; a hash of one is enough to see that two requests are about one file."""


@dataclass(frozen=True, slots=True)
class AccessLog:
    """Wraps an application, and writes a line when an answer is complete or a client has gone.

    Parameters
    ----------
    app : ASGIApp
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not REQUESTS.isEnabledFor(logging.INFO):
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status, size = None, 0

        async def send_counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, send_counted)
        finally:
            ms = 1000 * (time.perf_counter() - began)
            REQUESTS.info("request", extra={"facts": _facts(scope, status, size, ms)})


def log_refusal(client: tuple[str, int] | None, status: int, detail: str) -> None:
    """Write about a connection that was refused before there was a request."""
    facts = {"status": status, "client": client[0] if client else None, "detail": detail}
    REQUESTS.info("refusal", extra={"facts": facts})


def shown_path(path: str) -> str:
    """A path as it may be written down.

    Examples
    --------
    >>> shown_path("/predict/v2/media"), shown_path("/files/secret"), shown_path("//uploads/secret/")
    ('/predict/v2/media', '/files/~2bb80d53', '//uploads/~2bb80d53/')
    """
    return _TOKENS.sub(lambda found: f"{found[1]}~{sha256(found[2].encode()).hexdigest()[:8]}", path)


def _facts(scope: Scope, status: int | None, size: int, ms: float) -> dict[str, Any]:
    state = scope.get("state", {})
    return {
        "method": scope["method"],
        "path": shown_path(scope["path"]),
        "status": status,  # null: the client went before there was an answer
        "bytes": size,
        "ms": round(ms, 1),
        "company": state.get("company"),
        "client": scope["client"][0] if scope["client"] else None,
        "request_id": state.get("request_id"),
    }
