"""Read the frames of an animated PNG chunk by chunk, without decoding them (W3C PNG, Third Edition, 11.3.6)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from mediaan.errors import MediumError
from mediaan.media.animation.frames import Disposal, FramePatch
from mediaan.media.views import Size

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SHARED_CHUNKS = frozenset({b"PLTE", b"tRNS", b"cICP", b"iCCP", b"sRGB", b"gAMA", b"cHRM"})
"""Chunks that all frames need to be decoded."""

_MAX_SHARED_BYTES = 8 << 20
_GREY_COLOUR_TYPES = frozenset({0, 4})
_DISPOSALS: dict[int, Disposal] = {1: "clear", 2: "restore"}
_HEADER_BYTES, _CONTROL_BYTES, _SEQUENCE_BYTES = 13, 26, 4


class ApngFile:
    """A PNG with animation chunks that is read a chunk at a time.

    `file` (binary file): open for reading; it stays the caller's to close.
    `size` (int, int): width and height of the canvas, px.
    `is_grey`: True if its pixels have no colour.
    `frames`: stated number of frames; 0 if it is no animation.
    `share_held`: share of those frames that the file holds; known once the patches are exhausted.
    Raises MediumError: the file has no header, or ends before its pixels.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.frames, self.share_held, self._header = 0, 0.0, b""
        shared: list[bytes] = []
        for kind, at, length in self._chunks():
            if kind == b"IHDR" and length == _HEADER_BYTES:
                self._header = self._bytes(at, length)
            elif kind == b"acTL" and length == 8:
                self.frames = int.from_bytes(self._bytes(at, 4), "big")
            elif kind in _SHARED_CHUNKS and sum(map(len, shared)) + length <= _MAX_SHARED_BYTES:
                shared.append(_chunk(kind, self._bytes(at, length)))
            elif kind == b"IDAT":
                break
        else:
            raise MediumError("the PNG ends before its pixels; fetch or export it again", code="truncated")
        if not self._header:
            raise MediumError("the PNG has no header; export it again", code="decode_failed")
        self._shared = b"".join(shared)
        self.size: Size = struct.unpack_from(">II", self._header)
        self.is_grey = self._header[9] in _GREY_COLOUR_TYPES

    @property
    def is_animated(self) -> bool:
        """True if the file states several frames."""
        return self.frames > 1

    def patches(self) -> Iterator[FramePatch]:
        """Yield all complete frames, from the first; no pixels are decoded.

        An image for readers without animation (it has no frame control) is left out.
        """
        control, spans, complete = b"", list[tuple[int, int]](), 0
        for kind, at, length in self._chunks():
            if kind == b"IDAT" and control:
                spans.append((at, length))
            elif kind == b"fdAT" and control:
                spans.append((at + _SEQUENCE_BYTES, length - _SEQUENCE_BYTES))
            elif spans:  # the chunk behind the pixels shows that they are whole
                complete += 1
                width, height, left, top, above, below, disposal, blend = struct.unpack_from(">4I2H2B", control, 4)
                yield FramePatch(
                    box=(left, top, left + width, top + height),
                    delay_s=above / (below or 100),  # of 0 the specification says that it is 1/100 s
                    disposal=_DISPOSALS.get(disposal, "keep"),
                    blends=blend == 1,
                    size_bytes=sum(length for _, length in spans),
                    still=partial(self._still, control[4:12], spans),
                )
                control, spans = b"", []
            if kind == b"fcTL" and length == _CONTROL_BYTES:
                control = self._bytes(at, length)
        self.share_held = min(1.0, complete / self.frames) if self.frames else 1.0

    def _still(self, size: bytes, spans: list[tuple[int, int]]) -> bytes:
        """Build a PNG of one frame that fills its canvas."""
        pixels = b"".join(_chunk(b"IDAT", self._bytes(*span)) for span in spans)
        header = _chunk(b"IHDR", size + self._header[8:])
        return _SIGNATURE + header + self._shared + pixels + _chunk(b"IEND", b"")

    def _chunks(self) -> Iterator[tuple[bytes, int, int]]:
        """Yield kind, offset and length of the data of each chunk that is whole."""
        at, end = len(_SIGNATURE), self._file.seek(0, 2)
        while at + 12 <= end:
            length, kind = struct.unpack(">I4s", self._bytes(at, 8))
            if at + 12 + length > end or not kind.isalpha():
                return
            yield kind, at + 8, length
            if kind == b"IEND":
                return
            at += 12 + length

    def _bytes(self, at: int, length: int) -> bytes:
        self._file.seek(at)
        return self._file.read(length)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
