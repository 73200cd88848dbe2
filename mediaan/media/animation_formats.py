"""Read which frames GIF, WebP and APNG files hold, and compose them on a canvas."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from PIL import Image

from mediaan.errors import MediumError
from mediaan.media.colour import separate
from mediaan.media.views import Size

Box = tuple[int, int, int, int]
Disposal = Literal["keep", "clear", "restore"]

DEFAULT_DELAY_S = 0.1
"""Browsers show frames of 10 ms or less for 100 ms: many old GIFs state 0 and were drawn for slow machines.
Firefox (image/FrameTimeout.h) and Chromium do so for GIF, WebP and PNG alike."""

_SHORTEST_DELAY_S = 0.010


@dataclass(frozen=True, slots=True)
class FramePatch:
    """The change that one frame of an animation makes."""

    box: Box
    """Left, top, right, bottom on the canvas, px; may exceed it."""
    delay_s: float
    """Stated duration of the frame, s."""
    disposal: Disposal
    """Treatment of the box before the next frame draws: kept, made transparent, or put back as it was."""
    blends: bool
    """True if pixels below show through where the patch is transparent; else they are replaced."""
    size_bytes: int
    """Bytes that it takes in the file."""
    still: Callable[[], bytes]
    """Returns the patch alone as a still image file in the animation's format; reads it when called."""

    @property
    def shown_s(self) -> float:
        """Duration for which a browser shows the frame, s."""
        return self.delay_s if self.delay_s > _SHORTEST_DELAY_S else DEFAULT_DELAY_S


class AnimationFile(Protocol):
    """The file of an animation, read a frame at a time."""

    @property
    def size(self) -> Size:
        """Width and height of the canvas, px."""
        ...

    @property
    def is_grey(self) -> bool:
        """True if its pixels have no colour, so that a grey profile applies."""
        ...

    @property
    def share_held(self) -> float:
        """Share of the animation that the file holds, 0-1; known once the patches are exhausted."""
        ...

    @property
    def is_animated(self) -> bool:
        """True if there are several frames, as far as can be told without reading further."""
        ...

    def patches(self) -> Iterator[FramePatch]:
        """Yield all complete frames, from the first; no pixels are decoded.

        Raises MediumError: the file ends too early to tell how much is missing.
        """
        ...


class AnimationCanvas:
    """Pixels on which the frames of an animation are drawn one after the other; transparent at first.

    `size` (int, int): width and height, px.
    `image`: the pixels on display, in mode RGBA.
    """

    def __init__(self, size: Size) -> None:
        self.image = Image.new("RGBA", size)
        self._pending: tuple[Image.Image, Box] | None = None

    def draw(self, pixels: Image.Image | None, patch: FramePatch) -> None:
        """Draw a patch, once the one before has been disposed of.

        `pixels`: the decoded patch, in a mode that `scalable` returns; None where the patch lies outside.
        """
        if self._pending:
            self.image.paste(*self._pending)
            self._pending = None
        if pixels is None:
            return
        left, top, right, bottom = patch.box
        box = (left, top, min(right, self.image.width), min(bottom, self.image.height))
        below = self.image.crop(box)
        if patch.disposal != "keep":
            self._pending = (below if patch.disposal == "restore" else Image.new("RGBA", below.size), box)
        # Opaque patches, which most are, need no blending: a third of the time of a frame.
        blends = patch.blends and pixels.has_transparency_data
        drawn = separate(pixels).convert("RGBA").crop((0, 0, *below.size))
        self.image.paste(Image.alpha_composite(below, drawn) if blends else drawn, box)

    def shows(self, patch: FramePatch) -> bool:
        """Return True if any of a patch lies on the canvas."""
        left, top, right, bottom = patch.box
        return left < min(right, self.image.width) and top < min(bottom, self.image.height)


_EXTENSION, _IMAGE, _TRAILER = b"!", b",", b";"
_GRAPHIC_CONTROL = 0xF9
_HAS_PALETTE, _PALETTE_BITS = 0x80, 0x07
_HAS_TRANSPARENCY = 0x01
_GIF_DISPOSALS: dict[int, Disposal] = {2: "clear", 3: "restore", 4: "restore"}
"""The specification has no 4, but browsers take it for 3, which some encoders mean by it."""


@dataclass(frozen=True, slots=True)
class _Control:
    """A graphic control extension, which applies to the next image."""

    delay_s: float = 0.0
    disposal: Disposal = "keep"
    block: bytes = b""


class GifFile:
    """A GIF that is read a block at a time.

    `file` (binary file): open for reading, at any place; it stays the caller's to close.
    `size` (int, int): width and height of the canvas, px: the stated screen, or the first frame where that is larger.
    Raises MediumError: the file ends before its first frame.
    """

    is_grey = False
    share_held = 1.0

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        screen = self._bytes(0, 13)
        self._palette = self._bytes(13, _palette_bytes(screen[10]))
        self.size: Size = (_u16(screen, 6), _u16(screen, 8))
        for _, _, descriptor, _ in islice(self._images(), 1):
            left, top, width, height = (_u16(descriptor, at) for at in (1, 3, 5, 7))
            self.size = (max(self.size[0], left + width), max(self.size[1], top + height))

    @property
    def is_animated(self) -> bool:
        """True if a second frame begins."""
        try:
            return len(list(islice(self._images(), 2))) > 1
        except MediumError:  # it is the second that is cut; the first was read when the file was opened
            return True

    def patches(self) -> Iterator[FramePatch]:
        """Yield all frames, from the first; no pixels are decoded.

        What follows the last well-formed block is left out, as browsers do.

        Raises MediumError: the file ends inside a block, ``truncated``: a GIF does not state its length, so that the
            share that is missing is unknown.
        """
        for at, end, descriptor, control in self._images():
            left, top, width, height = (_u16(descriptor, at) for at in (1, 3, 5, 7))
            yield FramePatch(
                box=(left, top, left + width, top + height),
                delay_s=control.delay_s,
                disposal=control.disposal,
                blends=True,
                size_bytes=end - at,
                still=partial(self._still, at, end, descriptor, control),
            )

    def _images(self) -> Iterator[tuple[int, int, bytes, _Control]]:
        """Yield start and end of each image in the file, its descriptor and the control that goes before it."""
        at, control = 13 + len(self._palette), _Control()
        while True:
            self._file.seek(at)
            kind = self._file.read(1)
            if kind == _EXTENSION:
                if self._bytes(at + 1, 1)[0] == _GRAPHIC_CONTROL:
                    block = self._bytes(at, 8)
                    flags, delay_s = block[3], _u16(block, 4) / 100
                    only_transparency = bytes([*b"!\xf9\x04", flags & _HAS_TRANSPARENCY, 0, 0, block[6], 0])
                    control = _Control(delay_s, _GIF_DISPOSALS.get(flags >> 2 & 7, "keep"), only_transparency)
                at = self._after_blocks(at + 2)
            elif kind == _IMAGE:
                descriptor = self._bytes(at, 10)
                end = self._after_blocks(at + 10 + _palette_bytes(descriptor[9]) + 1)
                yield at, end, descriptor, control
                at, control = end, _Control()
            else:
                return

    def _still(self, at: int, end: int, descriptor: bytes, control: _Control) -> bytes:
        """Build a GIF of one frame that fills its screen."""
        body = self._bytes(at + len(descriptor), end - at - len(descriptor))
        flags = _HAS_PALETTE | (len(self._palette) // 3).bit_length() - 2 if self._palette else 0
        screen = b"GIF89a" + descriptor[5:9] + bytes([flags, 0, 0])
        return screen + self._palette + control.block + b",\0\0\0\0" + descriptor[5:] + body + _TRAILER

    def _after_blocks(self, at: int) -> int:
        """Skip sub-blocks, each after its length, to behind the empty one that ends them."""
        while length := self._bytes(at, 1)[0]:
            at += 1 + length
        return at + 1

    def _bytes(self, at: int, length: int) -> bytes:
        self._file.seek(at)
        data = self._file.read(length)
        if len(data) < length:
            message = "the GIF ends too early, and how much is missing it does not say; fetch or export it again"
            raise MediumError(message, code="truncated")
        return data


def _palette_bytes(flags: int) -> int:
    return 3 << (flags & _PALETTE_BITS) + 1 if flags & _HAS_PALETTE else 0


def _u16(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


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


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SHARED_CHUNKS = frozenset({b"PLTE", b"tRNS", b"cICP", b"iCCP", b"sRGB", b"gAMA", b"cHRM"})
"""Chunks that all frames need to be decoded."""

_MAX_SHARED_BYTES = 8 << 20
_GREY_COLOUR_TYPES = frozenset({0, 4})
_PNG_DISPOSALS: dict[int, Disposal] = {1: "clear", 2: "restore"}
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
                shared.append(_png_chunk(kind, self._bytes(at, length)))
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
                    disposal=_PNG_DISPOSALS.get(disposal, "keep"),
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
        pixels = b"".join(_png_chunk(b"IDAT", self._bytes(*span)) for span in spans)
        header = _png_chunk(b"IHDR", size + self._header[8:])
        return _SIGNATURE + header + self._shared + pixels + _png_chunk(b"IEND", b"")

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


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


READERS: Mapping[str, type[GifFile] | type[WebpFile] | type[ApngFile]] = {
    "gif": GifFile,
    "webp": WebpFile,
    "png": ApngFile,
}


def is_animated(path: Path, codec: str) -> bool:
    """Return True if a file has several frames.

    `codec`: a member of `ANIMATED_FORMATS`.
    Returns: False also for a file whose beginning is damaged: as a picture it says best what is wrong.
    Raises OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        try:
            animation = READERS[codec](file)
        except MediumError:
            return False
        return animation.is_animated
