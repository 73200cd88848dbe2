"""Read the frames of a GIF block by block, without decoding them (GIF89a specification, CompuServe 1990)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import BinaryIO

from mediaan.errors import MediumError
from mediaan.media.animation.frames import Disposal, FramePatch
from mediaan.media.views import Size

_EXTENSION, _IMAGE, _TRAILER = b"!", b",", b";"
_GRAPHIC_CONTROL = 0xF9
_HAS_PALETTE, _PALETTE_BITS = 0x80, 0x07
_HAS_TRANSPARENCY = 0x01
_DISPOSALS: dict[int, Disposal] = {2: "clear", 3: "restore", 4: "restore"}
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
                    control = _Control(delay_s, _DISPOSALS.get(flags >> 2 & 7, "keep"), only_transparency)
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
