"""Read BMP whose pixels are split by bit masks (Microsoft, BITMAPINFOHEADER to BITMAPV5HEADER): Pillow knows eleven."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import BmpImagePlugin, Image

from mediaan.types.arrays import UInt8

_HEADER = struct.Struct("<2s8xIIiiHHI")
_MASKS_AT = 54
_BITFIELDS, _ALPHA_BITFIELDS = 3, 6
_LONGEST_WITHOUT_MASKS, _SHORTEST_WITH_ALPHA = 40, 56
_USUAL_MASKS = {16: (0x7C00, 0x3E0, 0x1F, 0), 32: (0xFF0000, 0xFF00, 0xFF, 0)}
_ROWS_AT_ONCE = 256


class BmpImageFile(BmpImagePlugin.BmpImageFile):
    """A BMP as Pillow reads it, and one with bit masks, whatever they are."""

    _masks: tuple[int, ...] = ()

    def _open(self) -> None:
        assert self.fp is not None
        head = self.fp.read(_MASKS_AT + 16)
        if len(head) >= _MASKS_AT + 16:
            _, self._begin, length, width, height, _, self._bits, compression = _HEADER.unpack_from(head)
            has_masks = compression in {_BITFIELDS, _ALPHA_BITFIELDS} and self._bits in _USUAL_MASKS
            if has_masks and length >= _LONGEST_WITHOUT_MASKS:
                masks = struct.unpack_from("<4I", head, _MASKS_AT)
                if length < _SHORTEST_WITH_ALPHA and compression != _ALPHA_BITFIELDS:
                    masks = (*masks[:3], 0)
                self._masks = masks if any(masks) else _USUAL_MASKS[self._bits]
                if min(map(_is_contiguous, self._masks)) < 1 or width < 1 or not height:
                    raise SyntaxError("the header of a BMP is damaged")
                self._is_upside_down = height > 0
                self._size, self._mode = (width, abs(height)), "RGBA" if self._masks[3] else "RGB"
                return
        self.fp.seek(0)
        super()._open()

    def load(self) -> Any:
        """Decode the pixels."""
        if self._masks and self._im is None:
            self.im = self._decoded().im
        return super().load()

    def _decoded(self) -> Image.Image:
        assert self.fp is not None
        sample = np.dtype(f"<u{self._bits // 8}")
        row_bytes = -(-self.width * sample.itemsize // 4) * 4
        self.fp.seek(self._begin)
        data = self.fp.read(row_bytes * self.height)
        if len(data) < row_bytes * self.height:
            raise OSError("image file is truncated")
        rows = np.frombuffer(data, np.uint8).reshape(self.height, row_bytes)[:, : self.width * sample.itemsize]
        pixels = np.empty((self.height, self.width, len(self.mode)), np.uint8)
        for begin in range(0, self.height, _ROWS_AT_ONCE):
            part = np.ascontiguousarray(rows[begin : begin + _ROWS_AT_ONCE]).view(sample)
            for channel, mask in enumerate(self._masks[: len(self.mode)]):
                pixels[begin : begin + _ROWS_AT_ONCE, :, channel] = _channel(part, mask)
        if self.mode == "RGBA" and not pixels[..., 3].any():  # left unfilled by those who meant none, as browsers know
            pixels[..., 3] = 255
        return Image.fromarray(pixels[::-1] if self._is_upside_down else pixels)


def _channel(samples: npt.NDArray[Any], mask: int) -> UInt8:
    if not mask:
        return np.zeros(samples.shape, np.uint8)
    lowest = mask & -mask
    values = (samples & samples.dtype.type(mask & (1 << 8 * samples.itemsize) - 1)) // samples.dtype.type(lowest)
    eight: UInt8 = np.rint(values * (255 / (mask // lowest))).astype(np.uint8)
    return eight


def _is_contiguous(mask: int) -> bool:
    return not mask or (mask // (mask & -mask) + 1).bit_count() == 1
