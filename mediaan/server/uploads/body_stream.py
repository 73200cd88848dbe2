"""Bodies of requests that are too large for memory, piece by piece."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator

from starlette.requests import Request

BLOCK_BYTES = 1 << 20
"""Worth a thread that writes it: handing 64 KiB over costs as much as writing them."""

_PATIENCE_S = 1.0


async def blocks(request: Request) -> AsyncGenerator[bytes]:
    """Give a body in blocks of about `BLOCK_BYTES`, or of what a slow client sends in a second.

    What came before a connection broke is given before the error is raised.
    """
    pieces: list[bytes] = []
    gathered, since = 0, time.monotonic()
    try:
        async for piece in request.stream():
            pieces.append(piece)
            gathered += len(piece)
            if gathered >= BLOCK_BYTES or time.monotonic() - since > _PATIENCE_S:
                yield b"".join(pieces)
                pieces.clear()
                gathered, since = 0, time.monotonic()
    except Exception:
        if gathered:
            yield b"".join(pieces)
        raise
    if gathered:
        yield b"".join(pieces)


def declared_bytes(request: Request) -> int | None:
    """How long a request says that its body is; None: it does not say (chunked transfer)."""
    if "transfer-encoding" in request.headers:
        return None
    return int(request.headers.get("content-length", 0))
