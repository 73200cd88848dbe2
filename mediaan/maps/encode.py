"""Encode rendered maps as the bytes of files."""

from __future__ import annotations

from typing import Literal, get_args

import cv2
import numpy as np

from mediaan.types.arrays import UInt8

ImageFormat = Literal["jpeg", "webp", "png"]
IMAGE_FORMATS: tuple[ImageFormat, ...] = get_args(ImageFormat)
SUFFIXES: dict[ImageFormat, str] = {"jpeg": ".jpg", "webp": ".webp", "png": ".png"}

_QUALITY_FLAG = {"jpeg": cv2.IMWRITE_JPEG_QUALITY, "webp": cv2.IMWRITE_WEBP_QUALITY}


def encode_image(rgb: UInt8, format: ImageFormat = "jpeg", quality: int = 85) -> bytes:
    """Encode an image.

    `rgb` (H, W, 3) uint8: sRGB.
    `format`: JPEG is some thirty times faster to write than WebP; PNG is exact.
    `quality`: 1-100; PNG ignores it.
    Returns: a whole file, without metadata: the same pixels give the same bytes.
    Raises ValueError: if the format is unknown or the image does not fit into it (65,535 px a side, WebP 16,383).

    >>> encode_image(np.zeros((8, 8, 3), np.uint8), "png")[:4]
    b'\x89PNG'
    """
    if format not in IMAGE_FORMATS:
        raise ValueError(f"no such image format: {format!r}; there are {', '.join(IMAGE_FORMATS)}")
    flags = [_QUALITY_FLAG[format], quality] if format in _QUALITY_FLAG else []
    try:
        done, data = cv2.imencode(SUFFIXES[format], cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), flags)
    except cv2.error as error:
        raise ValueError(f"cannot write an image of shape {rgb.shape} as {format}: {error.err}") from error
    if not done:
        raise ValueError(f"cannot write an image of shape {rgb.shape} as {format}")
    return np.asarray(data).tobytes()
