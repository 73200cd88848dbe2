"""The picture of a logo, cut out of its ground and drawn at any size."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image

from mediaan.errors import UsageError
from mediaan.types.arrays import Float32, Float64, UInt8

_LONGEST_PX = 512
_TRANSPARENT_SHARE = 0.005
_GROUND_STEP, _GROUND_SHARE = 24, 0.9
"""A ground is plain where so large a share of the rim is within so many levels of its median colour."""

_MARK_STEPS = 12.0, 52.0
"""Levels of difference from a plain ground at which the mark begins, and from which on it is wholly the mark."""


class LogoPicture(NamedTuple):
    """A logo without its ground.

    Attributes
    ----------
    grey : (h, w) float32
        Brightness, 0-255, on a ground that it stands out from.
    mask : (h, w) float32
        How much of each pixel the mark covers, 0-1.
    ground : float
        Brightness of that ground.
    """

    grey: Float32
    mask: Float32
    ground: float

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.grey.shape[1], self.grey.shape[0]

    def drawn(self, scale: float, rim: int) -> tuple[UInt8, Float32, Float64]:
        """The logo at another size with a rim of ground.

        Returns
        -------
        grey : (H, W) uint8
        mask : (H, W) float32
        place : (3, 3) float64
            Takes pixels of this picture to pixels of the drawn one.
        """
        width, height = (max(3, round(side * scale)) for side in self.size)
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        grey, mask = (cv2.resize(plane, (width, height), interpolation=way) for plane in (self.grey, self.mask))
        rims = (rim, rim, rim, rim, cv2.BORDER_CONSTANT)
        place = np.array([[width / self.size[0], 0, rim], [0, height / self.size[1], rim], [0, 0, 1]])
        framed = cv2.copyMakeBorder(np.clip(grey, 0, 255).astype(np.uint8), *rims, value=self.ground)
        return np.asarray(framed, np.uint8), np.asarray(cv2.copyMakeBorder(mask, *rims, value=0), np.float32), place


def open_logo(path: Path) -> LogoPicture:
    """Read the picture of a logo: transparent or on a plain ground, cut down to the mark; else all of it.

    Raises
    ------
    UsageError
        If it cannot be read or shows nothing.
    """
    rgba = _pixels(path)
    rgb, alpha = np.ascontiguousarray(rgba[..., :3]), rgba[..., 3].astype(np.float32) / 255
    mask = alpha if float((alpha < 0.98).mean()) > _TRANSPARENT_SHARE else _apart_from_ground(rgb)
    rows, columns = np.flatnonzero((mask > 0.3).any(axis=1)), np.flatnonzero((mask > 0.3).any(axis=0))
    if rows.size < 2 or columns.size < 2:
        raise UsageError(f"{path}: shows no logo; save the mark on a plain or transparent ground", code="logo_empty")
    inside = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    grey, mask = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)[inside].astype(np.float32), mask[inside]
    ground = 255.0 if np.average(grey, weights=mask) < 128 else 0.0
    grey = np.asarray(grey * mask + ground * (1 - mask), np.float32)
    return LogoPicture(grey, np.asarray(mask, np.float32), ground)


def _pixels(path: Path) -> UInt8:
    try:
        with Image.open(path) as picture:
            rgba = picture.convert("RGBA")
    except (OSError, Image.DecompressionBombError) as error:
        raise UsageError(f"{path}: is no picture of a logo that can be read", code="logo_unreadable") from error
    rgba.thumbnail((_LONGEST_PX, _LONGEST_PX), Image.Resampling.LANCZOS)
    return np.asarray(rgba, np.uint8)


def _apart_from_ground(rgb: UInt8) -> Float32:
    """What differs from a plain ground; everything where the ground is not plain."""
    rim = np.concatenate([rgb[0], rgb[-1], rgb[:, 0], rgb[:, -1]]).astype(np.float32)
    ground = np.median(rim, axis=0)
    if float((np.abs(rim - ground).max(axis=1) < _GROUND_STEP).mean()) < _GROUND_SHARE:
        return np.ones(rgb.shape[:2], np.float32)
    start, full = _MARK_STEPS
    steps = np.abs(rgb.astype(np.float32) - ground).max(axis=2)
    return np.asarray(np.clip((steps - start) / (full - start), 0, 1), np.float32)
