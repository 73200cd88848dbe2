"""Go through the boxes of a file in the container that JPEG 2000, AVIF and HEIC share (ISO/IEC 14496-12)."""

from __future__ import annotations

from collections.abc import Iterator

_MAX_BOXES = 10_000


def boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and content of each box; damage ends them."""
    at = 0
    for _ in range(_MAX_BOXES):
        head = data[at : at + 16]
        length, begin = int.from_bytes(head[:4], "big"), 8
        if length == 1:
            length, begin = int.from_bytes(head[8:], "big"), 16
        if not length:
            length = len(data) - at
        if len(head) < 8 or length < begin:
            return
        yield head[4:8], data[at + begin : at + length]
        at += length
