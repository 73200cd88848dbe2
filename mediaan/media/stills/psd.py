"""Read the flattened picture of a Photoshop document (Adobe Photoshop File Formats Specification, 2019)."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np
from PIL import Image, ImageFile, ImagePalette

from mediaan.errors import MediumError

_HEADER = struct.Struct(">4sH6xHIIHH")
_BITMAP, _GREY, _INDEXED, _RGB, _CMYK, _DUOTONE = 0, 1, 2, 3, 4, 8
_MODES = {_BITMAP: "1", _GREY: "L", _INDEXED: "P", _RGB: "RGB", _CMYK: "RGBA", _DUOTONE: "L"}
"""Pillow's mode for Photoshop's; a duotone is stored as grey, and of ink the complement."""

_MODES_REFUSED = {7: "multichannel", 9: "Lab"}
_DEPTHS = {_BITMAP: (1,), _INDEXED: (8,)}
_RAW_MODES = {1: ";I", 8: "", 16: ";16B"}
"""What Pillow calls samples of so many bits; of a bitmap 1 is black."""

_ICC_PROFILE, _VERSION_INFO = 1039, 1057
_CODECS = {0: "raw", 1: "packbits"}


class PsdImageFile(ImageFile.ImageFile):
    """The flattened picture of a PSD or PSB, which Photoshop writes behind the layers unless it is told not to.

    It is stored on white already, so channels of opacity are left out. Pillow's own reader takes any fourth channel for
    opacity, and knows neither 16 bits nor PSB; its decoders are used here.
    """

    format = "PSD"
    format_description = "Adobe Photoshop"

    def _open(self) -> None:
        assert self.fp is not None
        _, version, channels, height, width, depth, self._kind = _HEADER.unpack(self.fp.read(_HEADER.size))
        if version not in {1, 2} or self._kind not in {*_MODES, *_MODES_REFUSED}:
            raise SyntaxError("the header of a PSD is damaged")
        if self._kind in _MODES_REFUSED:
            message = f"is a PSD in {_MODES_REFUSED[self._kind]} colours; export it as PNG or JPEG"
            raise MediumError(message, code="unsupported_format")
        if depth not in _DEPTHS.get(self._kind, (8, 16)):
            message = f"is a PSD with {depth} bits in a channel; export it as PNG or JPEG"
            raise MediumError(message, code="unsupported_format")
        self._size, self._mode = (width, height), _MODES[self._kind]
        if channels < len(self.getbands()):
            raise SyntaxError(f"{channels} channels are too few")
        palette = self._section()
        if self._kind == _INDEXED:
            if len(palette) != 768:
                raise SyntaxError("its palette is damaged")
            self.palette = ImagePalette.raw("RGB;L", palette)
        for number, resource in _resources(self._section()):
            if number == _ICC_PROFILE:
                self.info["icc_profile"] = resource
            elif number == _VERSION_INFO and resource[4:5] == b"\0":
                message = "is a PSD of layers without a flattened picture; save it with Maximize Compatibility"
                raise MediumError(f"{message}, or export it as PNG or JPEG", code="unsupported_format")
        is_psb = version == 2
        self._begin = int.from_bytes(self._read(8 if is_psb else 4), "big") + self.fp.tell()  # behind the layers
        if self._begin + 2 > self.fp.seek(0, os.SEEK_END):
            raise _too_short()
        self._channels, self._depth, self._count_type = channels, depth, np.dtype(">u4" if is_psb else ">u2")

    def load(self) -> Any:
        """Decode the pixels."""
        if self._im is not None:
            return super().load()
        self.tile = self._tiles()
        pixels = super().load()
        if self._kind == _CMYK:
            self.im = Image.fromarray(~np.asarray(self), "CMYK").im
            self._mode = "CMYK"
            pixels = super().load()
        return pixels

    def _tiles(self) -> list[ImageFile._Tile]:
        """Say where each channel that carries colours lies, which follow one after the other, and what decodes it."""
        assert self.fp is not None
        self.fp.seek(self._begin)
        codec = _CODECS.get(int.from_bytes(self._read(2), "big"))
        if codec is None:
            message = "is a PSD whose flattened picture is packed in a rare way; export it as PNG or JPEG"
            raise MediumError(message, code="unsupported_format")
        if codec == "raw":
            channel_bytes = [-(-self.width * self._depth // 8) * self.height] * self._channels
        else:
            rows = self._channels * self.height
            row_bytes = np.frombuffer(self._read(rows * self._count_type.itemsize), self._count_type)
            channel_bytes = row_bytes.reshape(self._channels, self.height).sum(axis=1, dtype=np.int64).tolist()
        offsets = accumulate(channel_bytes, initial=self.fp.tell())
        raw_mode = _RAW_MODES[self._depth]
        return [
            ImageFile._Tile(codec, (0, 0, *self.size), offset, band + raw_mode)
            for band, offset in zip(self.getbands(), offsets, strict=False)
        ]

    def _section(self) -> bytes:
        return self._read(int.from_bytes(self._read(4), "big"))

    def _read(self, length: int) -> bytes:
        assert self.fp is not None
        data = self.fp.read(length)
        if len(data) < length:
            raise _too_short()
        return data


def _resources(section: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of each image resource; damage ends them."""
    at = 0
    while at + 12 <= len(section):
        number = int.from_bytes(section[at + 4 : at + 6], "big")
        name_bytes = 1 + section[at + 6]
        at += 6 + name_bytes + name_bytes % 2
        length = int.from_bytes(section[at : at + 4], "big")
        yield number, section[at + 4 : at + 4 + length]
        at += 4 + length + length % 2


def _too_short() -> MediumError:
    return MediumError("the file ends too early; fetch or export it again", code="truncated")
