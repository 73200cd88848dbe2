"""Read PBM, PGM, PPM and PAM, the Netpbm formats (https://netpbm.sourceforge.net/doc/)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFile

from mediaan.errors import MediumError
from mediaan.types.arrays import UInt8

_GAP = rb"(?:\s|#[^\r\n]*[\r\n])"
_HEADER = re.compile(rb"P([1-6])" + _GAP + rb"+(\d{1,9})" + _GAP + rb"+(\d{1,9})(?:" + _GAP + rb"+(\d{1,5}))?")
"""Of a bitmap the last number, the sample that is white, belongs to the pixels already."""

_PAM_HEADER = re.compile(rb"P7\n(.*?)\nENDHDR\n", re.DOTALL)
_HEADER_BYTES = 1 << 16
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_PLAIN, _BITMAPS, _COLOURS = frozenset({1, 2, 3}), frozenset({1, 4}), frozenset({3, 6})
_NOT_PLAIN = bytes(set(range(256)) - set(b"0123456789 \t\n\v\f\r"))
_SPACES = (b" ", b"\t", b"\n", b"\v", b"\f", b"\r")
_BLOCK_BYTES = 1 << 20


class PnmImageFile(ImageFile.ImageFile):
    """The first image of a file, as 8-bit samples in mode L, LA, RGB or RGBA, taken as sRGB.

    Pillow's own reader decodes text and samples of unusual range in Python, a pixel at a time, and no PAM.
    """

    format = "PNM"
    format_description = "Netpbm image"

    def _open(self) -> None:
        assert self.fp is not None
        head = self.fp.read(_HEADER_BYTES)
        self._kind = int(head[1:2])
        if self._kind == 7:
            self._read_pam_header(head)
        else:
            found = _HEADER.match(head)
            if found is None or (found[4] is None and self._kind not in _BITMAPS):
                raise SyntaxError("the header of a PNM file is damaged")
            self._size = int(found[2]), int(found[3])
            self._white = 1 if self._kind in _BITMAPS else int(found[4])
            self._depth = 3 if self._kind in _COLOURS else 1
            end = found.end(3) if self._kind in _BITMAPS else found.end()
            self._begin = end + 1  # one white space
        if not 0 < self._white < 65536:
            raise SyntaxError(f"{self._white} cannot be the largest sample")
        self._mode = _MODES[self._depth]

    def _read_pam_header(self, head: bytes) -> None:
        found = _PAM_HEADER.match(head)
        lines = [] if found is None else [line.split(None, 1) for line in found[1].split(b"\n")]
        fields = {words[0]: words[1].strip() for words in lines if len(words) == 2 and not words[0].startswith(b"#")}
        try:
            width, height, depth, white = (int(fields[name]) for name in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
        except (KeyError, ValueError) as error:
            raise SyntaxError("the header of a PAM file is damaged") from error
        kind = fields.get(b"TUPLTYPE", b"").decode("latin-1")
        if depth not in _MODES or "CMYK" in kind:
            raise MediumError(f"is a PAM of {depth} channels ({kind}); export it as PNG", code="unsupported_format")
        assert found is not None
        self._size, self._depth, self._white, self._begin = (width, height), depth, white, found.end()

    def load(self) -> Any:
        """Decode the pixels."""
        if self._im is None:
            assert self.fp is not None
            self.fp.seek(self._begin)
            samples = self._plain_samples() if self._kind in _PLAIN else self._raw_samples()
            pixels = samples.reshape(self.height, self.width, self._depth)
            self.im = Image.fromarray(pixels[..., 0] if self._depth == 1 else pixels).im
        return super().load()

    def _raw_samples(self) -> UInt8:
        assert self.fp is not None
        width, height = self.size
        if self._kind == 4:
            row_bytes = -(-width // 8)
            rows = self._whole(np.frombuffer(self.fp.read(row_bytes * height), np.uint8), row_bytes * height)
            bits = np.unpackbits(rows.reshape(height, row_bytes), axis=1, count=width)
            return (1 - bits) * np.uint8(255)  # 1 is black
        count = width * height * self._depth
        kind = np.dtype(np.uint8 if self._white < 256 else ">u2")
        data = self.fp.read(count * kind.itemsize)
        samples = self._whole(np.frombuffer(data, kind, len(data) // kind.itemsize), count)
        return samples if self._white == 255 else self._scale()[samples]

    def _plain_samples(self) -> UInt8:
        """Read samples that are written as text."""
        count = self.width * self.height * self._depth
        samples, got, scale = np.empty(count, np.uint8), 0, self._scale()
        for values in self._plain_blocks():
            values = values[: count - got]
            samples[got : got + len(values)] = scale[np.minimum(values, 65535)]
            got += len(values)
            if got == count:
                break
        self._whole(samples[:got], count)
        return 255 - samples if self._kind == 1 else samples

    def _plain_blocks(self) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the numbers of a text, a block at a time; of a bitmap each digit is one."""
        assert self.fp is not None
        rest = b""
        while block := self.fp.read(_BLOCK_BYTES):
            block = rest + block
            whole = len(block) if self._kind == 1 else max(map(block.rfind, _SPACES)) + 1
            if b"#" in block:  # a comment goes to the end of its line
                whole = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
            if len(block) - whole > _BLOCK_BYTES:
                raise SyntaxError("a number or a comment has no end")
            yield self._numbers(block[:whole])
            rest = block[whole:]
        yield self._numbers(rest)

    def _numbers(self, text: bytes) -> npt.NDArray[np.int64]:
        text = re.sub(rb"#[^\r\n]*", b"", text)
        if len(text.translate(None, _NOT_PLAIN)) < len(text):
            raise SyntaxError("there is something else between the numbers")
        if self._kind == 1:
            return np.frombuffer(text.translate(None, b" \t\n\v\f\r"), np.uint8).astype(np.int64) - ord("0")
        return np.array([], np.int64) if not text.strip() else np.fromstring(text.decode("ascii"), np.int64, sep=" ")

    def _scale(self) -> UInt8:
        """Return the 8-bit value of each sample; those above white are white."""
        samples = np.minimum(np.arange(65536), self._white)
        scaled: UInt8 = np.rint(samples * (255 / self._white)).astype(np.uint8)
        return scaled

    def _whole(self, samples: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
        if len(samples) < count:
            raise MediumError("the file ends too early; fetch or export it again", code="truncated")
        return samples
