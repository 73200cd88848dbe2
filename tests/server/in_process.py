"""A client of the application without a network: it can send what it likes, in any pieces, and leave at any time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message


@dataclass(frozen=True)
class Reply:
    """What the application answered; status 0: nothing."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def detail(self) -> str:
        return str(self.json["detail"])

    @property
    def received(self) -> int:
        """How much of an upload has come, as the header Range says."""
        last = self.headers.get("range", "bytes=0--1").removeprefix("bytes=0-")
        return int(last) + 1


async def send(
    app: ASGIApp,
    method: str,
    path: str,
    pieces: Iterable[bytes | asyncio.Event] = (),
    headers: Mapping[str, str] | None = None,
    *,
    breaks: bool = False,
    chunked: bool = False,
) -> Reply:
    """Send one request.

    `pieces`: the body as it arrives; events are waited for.
    `breaks`: leave after the last piece, before the end of the body.
    `chunked`: do not say how long the body is.
    """
    pieces = list(pieces)
    said = {"host": "test", **{name.lower(): value for name, value in (headers or {}).items()}}
    if chunked:
        said["transfer-encoding"] = "chunked"
    elif pieces:
        said.setdefault("content-length", str(sum(len(piece) for piece in pieces if isinstance(piece, bytes))))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path.partition("?")[0],
        "raw_path": path.partition("?")[0].encode(),
        "query_string": path.partition("?")[2].encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in said.items()],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }
    arriving = iter([*pieces, b""])
    started: list[Message] = []
    body: list[bytes] = []

    async def receive() -> Message:
        piece = next(arriving, None)
        while isinstance(piece, asyncio.Event):
            await piece.wait()
            piece = next(arriving, None)
        if piece is None or (breaks and not piece):
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(piece)}

    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            started.append(message)
        else:
            body.append(message.get("body", b""))

    await app(scope, receive, answer)
    if not started:
        return Reply(0, {}, b"")
    heads = {name.decode().lower(): value.decode() for name, value in started[0]["headers"]}
    return Reply(started[0]["status"], heads, b"".join(body))
