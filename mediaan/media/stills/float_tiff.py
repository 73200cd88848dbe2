"""Read TIFF with samples in floating point, as Photoshop writes 32 bits a channel: linear light, 1.0 is white."""

from __future__ import annotations

import threading
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, TiffImagePlugin

from mediaan.errors import MediumError
from mediaan.media.video.tone_mapping import encode_srgb
from mediaan.types.arrays import UInt8

_BITS, _PHOTOMETRIC, _SAMPLES, _ROWS, _TILE_WIDTH, _TILE_LENGTH, _EXTRA, _FORMAT = (
    258,
    262,
    277,
    278,
    322,
    323,
    338,
    339,
)
_RGB, _FLOAT, _ASSOCIATED = 2, 3, 1
_ALL_ROWS = 0xFFFFFFFF

_log_lock = threading.Lock()


class TiffImageFile(TiffImagePlugin.TiffImageFile):
    """A TIFF as Pillow reads it, and RGB in floats, which Pillow does not."""

    is_float_rgb = False

    def _setup(self) -> None:
        try:
            super()._setup()
        except SyntaxError:
            tags = self.tag_v2
            if tags.get(_PHOTOMETRIC) != _RGB or set(tags.get(_FORMAT, ())) != {_FLOAT}:
                raise
            bits, samples = set(tags.get(_BITS, ())), tags.get(_SAMPLES)
            if bits != {32} or samples not in {3, 4}:
                kind = f"{samples} samples of {max(bits, default=0)} bits"
                message = f"is a TIFF with {kind} in floats; export it with 32 or with 16 bits"
                raise MediumError(message, code="unsupported_format") from None
            self._mode, self.is_float_rgb = "RGB" if samples == 3 else "RGBA", True
            self.tile = []

    @property
    def n_frames(self) -> int:
        """Number of pages; of float RGB only the first is looked at."""
        return 1 if self.is_float_rgb else super().n_frames

    def load(self) -> Any:
        """Decode the pixels."""
        if self.is_float_rgb and self._im is None:
            self.im = Image.fromarray(self._decoded()).im
        return super().load()

    def _decoded(self) -> UInt8:
        """Decode with OpenCV, upright: (h, w, 3 or 4) uint8, sRGB."""
        assert self.fp is not None
        width, height = self._tile_size
        tags = self.tag_v2
        # libtiff makes room for a whole tile or strip, whatever the picture is like; the largest number is all in one
        rows = tags.get(_ROWS, _ALL_ROWS)
        most = 4 * max(width, 1024) * max(height, 1024)
        if tags.get(_TILE_WIDTH, 0) * tags.get(_TILE_LENGTH, 0) > most or (rows != _ALL_ROWS and rows * width > most):
            raise SyntaxError("its tiles are larger than the picture")
        self.fp.seek(0)
        data = np.frombuffer(self.fp.read(), np.uint8)
        with _log_lock:  # the level is one for the process
            level = cv2.utils.logging.getLogLevel()
            cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
            try:
                pixels: npt.NDArray[Any] | None = cv2.imdecode(data, cv2.IMREAD_UNCHANGED)
            except cv2.error as error:
                raise OSError(str(error.err)) from error
            finally:
                cv2.utils.logging.setLogLevel(level)
        channels = 3 if self.mode == "RGB" else 4
        if pixels is None or pixels.dtype != np.float32 or pixels.shape != (*self.size[::-1], channels):
            raise OSError("its pixels cannot be decoded")
        if channels == 3:
            return encode_srgb(pixels[..., ::-1])
        alpha = np.clip(np.nan_to_num(pixels[..., 3:]), 0, 1)
        if tags.get(_EXTRA, (0,))[0] == _ASSOCIATED:  # colours multiplied by it
            pixels[..., :3] /= np.maximum(alpha, 1e-6)
        return np.concatenate([encode_srgb(pixels[..., 2::-1]), np.rint(255 * alpha).astype(np.uint8)], axis=2)
