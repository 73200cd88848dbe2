"""Read the flattened picture of a Photoshop document (Adobe Photoshop File Formats Specification, 2019)."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from PIL import Image, ImageFile

from mediaan.errors import MediumError
from mediaan.types.arrays import UInt8

_HEADER = struct.Struct(">4sH6xHIIHH")
_BITMAP, _GREY, _INDEXED, _RGB, _CMYK, _DUOTONE = 0, 1, 2, 3, 4, 8
_MODES = {_BITMAP: "L", _GREY: "L", _INDEXED: "RGB", _RGB: "RGB", _CMYK: "CMYK", _DUOTONE: "L"}
"""Pillow's mode for Photoshop's; a duotone is stored as grey."""

_MODES_REFUSED = {7: "multichannel", 9: "Lab"}
_STORED_CHANNELS = {_RGB: 3, _CMYK: 4}
_DEPTHS = {_BITMAP: (1,), _INDEXED: (8,)}
_ICC_PROFILE, _VERSION_INFO = 1039, 1057
_RAW, _PACKBITS = 0, 1


class PsdImageFile(ImageFile.ImageFile):
    """The flattened picture of a PSD or PSB, which Photoshop writes behind the layers unless it is told not to.

    It is stored on white already, so channels of opacity are left out. Pillow's own reader takes any fourth channel for
    opacity, and knows neither 16 bits nor PSB.
    """

    format = "PSD"
    format_description = "Adobe Photoshop"

    def _open(self) -> None:
        assert self.fp is not None
        _, version, channels, height, width, self._depth, self._kind = _HEADER.unpack(self.fp.read(_HEADER.size))
        if version not in {1, 2} or self._kind not in {*_MODES, *_MODES_REFUSED}:
            raise SyntaxError("the header of a PSD is damaged")
        if self._kind in _MODES_REFUSED:
            message = f"is a PSD in {_MODES_REFUSED[self._kind]} colours; export it as PNG or JPEG"
            raise MediumError(message, code="unsupported_format")
        if self._depth not in _DEPTHS.get(self._kind, (8, 16)):
            message = f"is a PSD with {self._depth} bits in a channel; export it as PNG or JPEG"
            raise MediumError(message, code="unsupported_format")
        self._channels, self._is_psb = channels, version == 2
        if channels < _STORED_CHANNELS.get(self._kind, 1):
            raise SyntaxError(f"{channels} channels are too few")
        self._size, self._mode = (width, height), _MODES[self._kind]
        self._palette = np.frombuffer(self._section(), np.uint8)
        for number, resource in _resources(self._section()):
            if number == _ICC_PROFILE:
                self.info["icc_profile"] = resource
            elif number == _VERSION_INFO and resource[4:5] == b"\0":
                message = "is a PSD of layers without a flattened picture; save it with Maximize Compatibility"
                raise MediumError(f"{message}, or export it as PNG or JPEG", code="unsupported_format")
        length_bytes = 8 if self._is_psb else 4
        layers = int.from_bytes(self._read(length_bytes), "big")
        self._begin = self.fp.tell() + layers
        if self._begin + 2 > self.fp.seek(0, os.SEEK_END):
            raise _too_short()

    def load(self) -> Any:
        """Decode the pixels."""
        if self._im is None:
            assert self.fp is not None
            self.fp.seek(self._begin)
            compression = int.from_bytes(self._read(2), "big")
            if compression not in {_RAW, _PACKBITS}:
                message = "is a PSD whose flattened picture is packed in a rare way; export it as PNG or JPEG"
                raise MediumError(message, code="unsupported_format")
            bands = [self._band(plane) for plane in self._planes(is_packed=compression == _PACKBITS)]
            if self._kind == _INDEXED:
                if len(self._palette) != 768:
                    raise SyntaxError("its palette is damaged")
                image = Image.fromarray(self._palette.reshape(3, 256).T[bands[0]])
            else:
                image = (
                    Image.fromarray(bands[0])
                    if len(bands) == 1
                    else Image.merge(self.mode, [*map(Image.fromarray, bands)])
                )
            self.im = image.im
        return super().load()

    def _planes(self, *, is_packed: bool) -> Iterator[bytes]:
        """Yield the rows of each channel that carries colours, one channel after the other."""
        count, row_bytes = _STORED_CHANNELS.get(self._kind, 1), -(-self.width * self._depth // 8)
        if not is_packed:
            for _ in range(count):
                yield self._read(row_bytes * self.height)
            return
        kind = np.dtype(">u4" if self._is_psb else ">u2")
        lengths = np.frombuffer(self._read(self._channels * self.height * kind.itemsize), kind)
        for lengths_of_rows in lengths.reshape(self._channels, self.height)[:count]:
            packed = self._read(int(lengths_of_rows.sum(dtype=np.int64)))
            yield Image.frombytes("L", (row_bytes, self.height), packed, "packbits", "L").tobytes()

    def _band(self, plane: bytes) -> UInt8:
        """Return the samples of a channel, (h, w) uint8; of 16 bits the upper 8, of ink its amount."""
        rows = np.frombuffer(plane, np.uint8).reshape(self.height, -1)
        if self._kind == _BITMAP:
            return (1 - np.unpackbits(rows, axis=1, count=self.width)) * np.uint8(255)  # 1 is black
        samples = rows if self._depth == 8 else rows[:, ::2]
        return np.ascontiguousarray(255 - samples if self._kind == _CMYK else samples)

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
