"""The picture as the predictor wants it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from mediaan.types.arrays import UInt8
from mediaan.types.media import ViewSpec


def read_frame(path: Path, view: ViewSpec) -> UInt8:
    """Open a picture in the size of a view, (1, H, W, 3) uint8 RGB."""
    with Image.open(path) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
    width, height = upright.size
    if view.pixels is not None:
        scale = (view.pixels / (width * height)) ** 0.5
    else:
        scale = (view.long_side or max(width, height)) / max(width, height)
    if not view.upscale:
        scale = min(scale, 1.0)
    size = tuple(max(view.multiple, round(side * scale / view.multiple) * view.multiple) for side in (width, height))
    return np.asarray(upright.resize((size[0], size[1]), Image.Resampling.BOX))[None]
