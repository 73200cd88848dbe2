"""Requests whose target is a whole address, as clients of proxies write them: ``GET http://host/path``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

_ABSOLUTE = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class AbsoluteForm:
    """Wraps an application, which sees such a request as one with a path and the header Host (RFC 9112, 3.2.2).

    Parameters
    ----------
    app : ASGIApp
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            _split(scope)
        await self.app(scope, receive, send)


def _split(scope: Scope) -> None:
    """Change the scope itself, since who logs the request sees the same one."""
    found = _ABSOLUTE.fullmatch(scope["raw_path"])
    if found is None:
        return
    authority, path = found.groups()
    scope["raw_path"] = path or b"/"
    scope["path"] = unquote(scope["raw_path"].decode("ascii"))
    scope["headers"] = [(b"host", authority), *(one for one in scope["headers"] if one[0] != b"host")]
