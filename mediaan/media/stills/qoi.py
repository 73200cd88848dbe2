"""Read QOI, the "Quite OK Image" format (https://qoiformat.org/qoi-specification.pdf)."""

from __future__ import annotations

import struct
from typing import Any

import av
from PIL import Image, ImageFile

_HEADER_BYTES = 14
_MODES = {3: "RGB", 4: "RGBA"}


class QoiImageFile(ImageFile.ImageFile):
    """A QOI file, decoded by FFmpeg: Pillow's reader takes a pixel at a time, in Python."""

    format = "QOI"
    format_description = "Quite OK Image"

    def _open(self) -> None:
        assert self.fp is not None
        header = self.fp.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or header[12] not in _MODES:
            raise SyntaxError("the header of a QOI file is damaged")
        self._size = struct.unpack(">II", header[4:12])
        self._mode = _MODES[header[12]]

    def load(self) -> Any:
        """Decode the pixels."""
        if self._im is None:
            assert self.fp is not None
            self.fp.seek(0)
            decoder = av.CodecContext.create("qoi", "r")
            assert isinstance(decoder, av.VideoCodecContext)
            decoder.thread_count = 1
            decoder.options = {"max_pixels": str(2 * self.width * self.height + 1024)}  # it counts its margins
            try:
                frames = [*decoder.decode(av.Packet(self.fp.read())), *decoder.decode(None)]
            except av.error.FFmpegError as error:
                raise OSError(error.strerror) from error
            if not frames or (frames[0].width, frames[0].height) != self.size:
                raise OSError("no picture of the stated size can be decoded")
            self.im = Image.fromarray(frames[0].to_ndarray(format="rgb24" if self.mode == "RGB" else "rgba")).im
        return super().load()
