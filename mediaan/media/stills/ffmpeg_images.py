"""Read stills by FFmpeg's decoders where Pillow's are slow or wrong: QOI, Netpbm and JPEG 2000 with more than 8 bits.

Pillow 13.0 decodes QOI, plain Netpbm and samples of unusual range in Python, at 3 to 5 s a megapixel, and knows no PAM.
JPEG 2000 it rounds to 8 bits without a limit, so that the brightest samples become 0.
"""

from __future__ import annotations

import re
import struct
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter
from PIL import Image, ImageFile, Jpeg2KImagePlugin

from mediaan.errors import MediumError
from mediaan.media.stills.checks import depths
from mediaan.types.arrays import UInt8

_QOI_HEADER = struct.Struct(">4sIIB")
_QOI_MODES = {3: "RGB", 4: "RGBA"}

_GAP = rb"(?:\s|#[^\r\n]*[\r\n])+"
_PNM_HEADER = re.compile(rb"P([1-6])" + _GAP + rb"(\d{1,9})" + _GAP + rb"(\d{1,9})(?:" + _GAP + rb"(\d{1,5}))?")
"""Of a bitmap the last number, the sample that is white, belongs to the pixels already."""
_PAM_HEADER = re.compile(rb"P7\n(.*?)\nENDHDR\n", re.DOTALL)
_HEADER_BYTES = 1 << 16
_COMMENT = re.compile(rb"#[^\r\n]*")
_PLAIN, _BITMAPS = frozenset({b"P1", b"P2", b"P3"}), frozenset({b"P1", b"P4"})
_PAM_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}

_CHANNELS = {
    "gray": 1, "gray16le": 1, "ya8": 2, "ya16le": 2, "rgb24": 3, "rgb48le": 3, "rgba": 4, "rgba64le": 4,
}  # fmt: skip
"""Channels of the layouts in which FFmpeg leaves samples as they are stored."""

_AT_THE_TOP = frozenset({"gray16le", "rgb48le", "rgba64le"})
"""Layouts in which its decoder of JPEG 2000 moves samples to the highest of 16 bits."""


class _FfmpegImageFile(ImageFile.ImageFile):
    """An image whose header is read here and whose pixels FFmpeg decodes, to 8 bits a channel."""

    codec = ""

    def load(self) -> Any:
        """Decode the pixels."""
        if self._im is None:
            assert self.fp is not None
            self.fp.seek(0)
            self.im = Image.fromarray(self._decoded(self.fp.read())).im
        return super().load()

    def _decoded(self, data: bytes) -> UInt8:
        """Decode a file: (h, w) or (h, w, channels)."""
        samples = _stored_samples(_decode(self.codec, data, self.size))
        eight = _eight_bits(samples, 65535) if samples.dtype == np.uint16 else samples
        return np.ascontiguousarray(eight[..., 0] if self.mode == "L" else eight)


class QoiImageFile(_FfmpegImageFile):
    """A file in the "Quite OK Image" format (https://qoiformat.org/qoi-specification.pdf)."""

    format = "QOI"
    format_description = "Quite OK Image"
    codec = "qoi"

    def _open(self) -> None:
        assert self.fp is not None
        header = self.fp.read(_QOI_HEADER.size)
        if len(header) < _QOI_HEADER.size or header[12] not in _QOI_MODES:
            raise SyntaxError("the header of a QOI file is damaged")
        _, width, height, channels = _QOI_HEADER.unpack(header)
        self._size, self._mode = (width, height), _QOI_MODES[channels]


class PnmImageFile(_FfmpegImageFile):
    """The first image of a PBM, PGM, PPM or PAM file (https://netpbm.sourceforge.net/doc/), taken as sRGB.

    Raw samples are scaled here: FFmpeg leaves those of a PAM with opacity as they are, whatever their range.
    """

    format = "PNM"
    format_description = "Netpbm image"
    codec = "ppm"

    def _open(self) -> None:
        assert self.fp is not None
        head = self.fp.read(_HEADER_BYTES)
        self._kind = head[:2]
        if self._kind == b"P7":
            self._read_pam_header(head)
        else:
            match = _PNM_HEADER.match(head)
            if match is None or (match[4] is None and self._kind not in _BITMAPS):
                raise SyntaxError("the header of a PNM file is damaged")
            self._size, self._white = (int(match[2]), int(match[3])), 1 if self._kind in _BITMAPS else int(match[4])
            self._mode, self._begin = "RGB" if self._kind in {b"P3", b"P6"} else "L", match.end() + 1  # one white space
        if not 0 < self._white < 65536:
            raise SyntaxError(f"{self._white} cannot be the largest sample")

    def _read_pam_header(self, head: bytes) -> None:
        match = _PAM_HEADER.match(head)
        lines = [] if match is None else [line.split(None, 1) for line in match[1].split(b"\n")]
        fields = {words[0]: words[1].strip() for words in lines if len(words) == 2 and not words[0].startswith(b"#")}
        try:
            width, height, channels, white = (int(fields[name]) for name in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
        except (KeyError, ValueError) as error:
            raise SyntaxError("the header of a PAM file is damaged") from error
        kind = fields.get(b"TUPLTYPE", b"").decode("latin-1")
        if channels not in _PAM_MODES or "CMYK" in kind:
            raise MediumError(f"is a PAM of {channels} channels ({kind}); export it as PNG", code="unsupported_format")
        assert match is not None
        self._size, self._mode, self._white, self._begin = (width, height), _PAM_MODES[channels], white, match.end()

    def _decoded(self, data: bytes) -> UInt8:
        if self._kind in _PLAIN | _BITMAPS:
            try:
                return super()._decoded(_COMMENT.sub(b"", data) if self._kind in _PLAIN else data)
            except OSError as error:
                # the decoder says the same of a file that is cut and of letters between numbers
                message = "the file ends too early or is damaged; export it again"
                raise MediumError(message, code="truncated") from error
        shape = (self.height, self.width, len(self.mode))
        kind = np.dtype(np.uint8 if self._white < 256 else ">u2")
        if len(data) - self._begin < np.prod(shape) * kind.itemsize:
            raise MediumError("the file ends too early; fetch or export it again", code="truncated")
        samples = np.frombuffer(data, kind, int(np.prod(shape)), self._begin).reshape(shape)
        scaled = _eight_bits(np.arange(65536), self._white)[samples]
        return np.ascontiguousarray(scaled[..., 0] if self.mode == "L" else scaled)


class Jpeg2000ImageFile(Jpeg2KImagePlugin.Jpeg2KImageFile):
    """A JPEG 2000 file as Pillow reads it, and one with more than 8 bits by FFmpeg's decoder."""

    def _open(self) -> None:
        super()._open()
        assert self.fp is not None
        begin = self.fp.tell()
        self.fp.seek(0)
        self._data = self.fp.read()
        self.fp.seek(begin)
        self._depths = depths(self._data)
        self._is_wide = max(self._depths, default=0) > 8
        if self._is_wide and self.mode == "I;16":
            self._mode = "L"

    def load(self) -> Any:
        """Decode the pixels."""
        if self._is_wide and self._im is None:
            self.im = Image.fromarray(self._decoded(), self.mode).im
            self.tile = []
        return super().load()

    def _decoded(self) -> UInt8:
        """Decode and round to 8 bits: (h, w) or (h, w, channels)."""
        frame = _decode("jpeg2000", self._data, self.size)
        layout = frame.format.name
        if layout in _CHANNELS:
            top = 16 if layout in _AT_THE_TOP else max(self._depths)
            bits = np.array(self._depths)
            eight = _eight_bits(_stored_samples(frame).astype(np.uint16) >> (top - bits), 2.0**bits - 1)
        else:  # luma and chroma (sYCC), or the XYZ of digital cinema
            scaled = VideoReformatter().reformat(
                frame,
                format="gbrp16le",
                src_colorspace=Colorspace.ITU601,
                src_color_range=ColorRange.JPEG,
                dst_color_range=ColorRange.JPEG,
                interpolation=Interpolation.BICUBIC | Interpolation.FULL_CHR_H_INT,
                threads=1,
            )
            eight = _eight_bits(np.dstack([_samples(scaled, plane, 1) for plane in (2, 0, 1)]), 65535.0)
            if self.mode == "RGBA":
                alpha = _eight_bits(_samples(frame, 3, 1), 2.0 ** self._depths[3] - 1)
                eight = np.dstack([eight, alpha])
        channels = len(self.getbands())
        if eight.shape[2] != channels:
            raise OSError(f"{channels} channels are stated, and {eight.shape[2]} can be decoded")
        return np.ascontiguousarray(eight[..., 0] if channels == 1 else eight)


def _decode(codec: str, data: bytes, size: tuple[int, int]) -> av.VideoFrame:
    """Decode an image of the stated width and height, px, and raise OSError if it cannot be."""
    decoder = av.CodecContext.create(codec, "r")
    assert isinstance(decoder, av.VideoCodecContext)
    decoder.thread_count = 1
    decoder.options = {"max_pixels": str(2 * size[0] * size[1] + 1024)}  # it counts its margins
    try:
        frames = [*decoder.decode(av.Packet(data)), *decoder.decode(None)]
    except av.error.FFmpegError as error:
        raise OSError(error.strerror) from error
    if not frames or (frames[0].width, frames[0].height) != size:
        raise OSError("no picture of the stated size can be decoded")
    return frames[0]


def _stored_samples(frame: av.VideoFrame) -> npt.NDArray[Any]:
    """Return the samples of a packed frame as decoded, (h, w, channels) uint8 or uint16; of bits black and white."""
    if frame.format.name in {"monow", "monob"}:
        frame = frame.reformat(format="gray")
    return _samples(frame, 0, _CHANNELS[frame.format.name])


def _samples(frame: av.VideoFrame, plane: int, channels: int) -> npt.NDArray[Any]:
    """Return the samples of a plane: (h, w, channels) uint8 or uint16."""
    kind = np.uint16 if frame.format.components[0].bits > 8 else np.uint8
    rows = np.frombuffer(memoryview(frame.planes[plane]), np.uint8).reshape(-1, frame.planes[plane].line_size)
    samples = rows[: frame.height].view(kind)[:, : frame.width * channels]
    return samples.reshape(frame.height, frame.width, channels)


def _eight_bits(samples: npt.NDArray[Any], white: npt.ArrayLike) -> UInt8:
    eight: UInt8 = np.rint(np.clip(samples / np.asarray(white) * 255, 0, 255)).astype(np.uint8)
    return eight
