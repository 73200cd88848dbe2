"""Read the frames of an animated WebP chunk by chunk, without decoding them (RFC 9649)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import BinaryIO

from mediaan.media.animation.frames import FramePatch
from mediaan.media.views import Size

_RIFF_BYTES, _CHUNK_BYTES, _FRAME_BYTES = 12, 8, 16
_ANIMATED, _HAS_ALPHA, _HAS_PROFILE = 0x02, 0x10, 0x20
_REPLACES, _CLEARED = 0x02, 0x01
_MAX_PROFILE_BYTES = 8 << 20


class WebpFile:
    """A WebP that is read a chunk at a time.

    `file` (binary file): open for reading; it stays the caller's to close.
    `size` (int, int): width and height of the canvas, px; (0, 0) if it is no animation.
    `share_held`: share of its stated bytes that the file holds in whole frames; known once the patches are exhausted.
    """

    is_grey = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._stated = 8 + _u(self._bytes(4, 4))
        self.size: Size = (0, 0)
        self._says_animated, self.share_held = False, 0.0
        self._profile = b""
        for kind, at, length in self._chunks():
            if kind == b"VP8X" and length >= 10:
                header = self._bytes(at, 10)
                self.size = (1 + _u(header[4:7]), 1 + _u(header[7:10]))
                self._says_animated = bool(header[0] & _ANIMATED)
            elif kind == b"ICCP" and length <= _MAX_PROFILE_BYTES:
                self._profile = _chunk(kind, self._bytes(at, length))
            elif kind not in {b"ANIM", b"ALPH"}:
                break

    @property
    def is_animated(self) -> bool:
        """True if the header says so and the file does not hold just one frame."""
        if not self._says_animated:
            return False
        frames = len(list(islice(self.patches(), 2)))
        return frames > 1 or self.share_held < 1

    def patches(self) -> Iterator[FramePatch]:
        """Yield all complete frames, from the first; no pixels are decoded."""
        held = 0
        for kind, at, length in self._chunks():
            held = at + length
            if kind == b"ANMF" and length > _FRAME_BYTES:
                header = self._bytes(at, _FRAME_BYTES)
                left, top = 2 * _u(header[0:3]), 2 * _u(header[3:6])
                width, height = 1 + _u(header[6:9]), 1 + _u(header[9:12])
                yield FramePatch(
                    box=(left, top, left + width, top + height),
                    delay_s=_u(header[12:15]) / 1000,
                    disposal="clear" if header[15] & _CLEARED else "keep",
                    blends=not header[15] & _REPLACES,
                    size_bytes=length,
                    still=partial(self._still, header[6:12], at + _FRAME_BYTES, length - _FRAME_BYTES),
                )
        # The last chunk may go without its byte of padding.
        self.share_held = 1.0 if held >= self._stated - 1 else held / self._stated

    def _still(self, size: bytes, at: int, length: int) -> bytes:
        """Build a WebP of one frame that fills its canvas."""
        flags = _HAS_ALPHA | (_HAS_PROFILE if self._profile else 0)
        header = _chunk(b"VP8X", bytes([flags, 0, 0, 0]) + size)
        body = b"WEBP" + header + self._profile + self._bytes(at, length)
        return b"RIFF" + len(body).to_bytes(4, "little") + body

    def _chunks(self) -> Iterator[tuple[bytes, int, int]]:
        """Yield kind, offset and length of the data of each chunk that is whole."""
        at, end = _RIFF_BYTES, min(self._file.seek(0, 2), self._stated)
        while at + _CHUNK_BYTES <= end:
            head = self._bytes(at, _CHUNK_BYTES)
            at, length = at + _CHUNK_BYTES, _u(head[4:])
            if at + length > end or not head[0]:
                return
            yield head[:4], at, length
            at += length + length % 2

    def _bytes(self, at: int, length: int) -> bytes:
        self._file.seek(at)
        return self._file.read(length)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return kind + len(data).to_bytes(4, "little") + data + bytes(len(data) % 2)


def _u(data: bytes) -> int:
    return int.from_bytes(data, "little")
