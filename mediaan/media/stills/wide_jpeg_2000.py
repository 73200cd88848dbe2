"""Read JPEG 2000 with more than 8 bits a channel, of which Pillow makes white black."""

from __future__ import annotations

from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter
from PIL import Image, Jpeg2KImagePlugin

from mediaan.media.stills.jpeg_2000 import depths
from mediaan.types.arrays import UInt8

_PACKED = {"gray": 1, "gray16le": 1, "ya8": 2, "ya16le": 2, "rgb24": 3, "rgb48le": 3, "rgba": 4, "rgba64le": 4}
"""Channels of the layouts in which FFmpeg leaves samples as they are stored."""

_AT_THE_TOP = frozenset({"gray16le", "rgb48le", "rgba64le"})
"""Layouts in which it moves them to the highest of 16 bits."""


class Jpeg2000ImageFile(Jpeg2KImagePlugin.Jpeg2KImageFile):
    """A JPEG 2000 file as Pillow reads it, and one with more than 8 bits by FFmpeg's decoder.

    Pillow 13.0 rounds to 8 bits without a limit, so that the brightest samples become 0.
    """

    def _open(self) -> None:
        super()._open()
        assert self.fp is not None
        begin = self.fp.tell()
        self.fp.seek(0)
        self._data = self.fp.read()
        self.fp.seek(begin)
        self._depths = depths(self._data)
        if self._is_wide and self.mode == "I;16":
            self._mode = "L"

    @property
    def _is_wide(self) -> bool:
        return max(self._depths, default=0) > 8

    def load(self) -> Any:
        """Decode the pixels."""
        if self._is_wide and self._im is None:
            self.im = Image.fromarray(self._decoded(), self.mode).im
            self.tile = []
        return super().load()

    def _decoded(self) -> UInt8:
        """Decode and round to 8 bits: (h, w) or (h, w, channels)."""
        decoder = av.CodecContext.create("jpeg2000", "r")
        assert isinstance(decoder, av.VideoCodecContext)
        decoder.thread_count = 1
        decoder.options = {"max_pixels": str(2 * self.width * self.height + 1024)}  # it counts its margins
        try:
            frames = [*decoder.decode(av.Packet(self._data)), *decoder.decode(None)]
        except av.error.FFmpegError as error:
            raise OSError(error.strerror) from error
        if not frames or (frames[0].width, frames[0].height) != self.size:
            raise OSError("no picture of the stated size can be decoded")
        layout = frames[0].format.name
        if layout in _PACKED:
            samples = _samples(frames[0], 0, _PACKED[layout])
            top = 16 if layout in _AT_THE_TOP else max(self._depths)
            bits = np.array(self._depths)
            eight = _eight_bits(samples >> (top - bits), 2.0**bits - 1)
        else:  # luma and chroma (sYCC), or the XYZ of digital cinema
            scaled = VideoReformatter().reformat(
                frames[0],
                format="gbrp16le",
                src_colorspace=Colorspace.ITU601,
                src_color_range=ColorRange.JPEG,
                dst_color_range=ColorRange.JPEG,
                interpolation=Interpolation.BICUBIC | Interpolation.FULL_CHR_H_INT,
                threads=1,
            )
            eight = _eight_bits(np.dstack([_samples(scaled, plane, 1) for plane in (2, 0, 1)]), 65535.0)
            if self.mode == "RGBA":
                alpha = _eight_bits(_samples(frames[0], 3, 1), 2.0 ** self._depths[3] - 1)
                eight = np.dstack([eight, alpha])
        channels = len(self.getbands())
        if eight.shape[2] != channels:
            raise OSError(f"{channels} channels are stated, and {eight.shape[2]} can be decoded")
        return np.ascontiguousarray(eight[..., 0] if channels == 1 else eight)


def _samples(frame: av.VideoFrame, plane: int, channels: int) -> npt.NDArray[np.uint16]:
    """Return the samples of a plane: (h, w, channels)."""
    kind = np.uint16 if frame.format.components[0].bits > 8 else np.uint8
    rows = np.frombuffer(memoryview(frame.planes[plane]), np.uint8).reshape(-1, frame.planes[plane].line_size)
    samples = rows[: frame.height].view(kind)[:, : frame.width * channels]
    return samples.reshape(frame.height, frame.width, channels).astype(np.uint16)


def _eight_bits(samples: npt.NDArray[np.uint16], white: npt.ArrayLike) -> UInt8:
    eight: UInt8 = np.rint(np.clip(samples / np.asarray(white) * 255, 0, 255)).astype(np.uint8)
    return eight
