"""Put pictures into other pictures: fit, crop, paste, cut out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from mediaan.errors import UsageError
from mediaan.media import is_moving, open_image, resize
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8
from mediaan.types.media import Medium, Problem, ViewSpec

_FORMATS_WITH_ALPHA = ("PNG", "WEBP", "GIF", "TIFF", "AVIF", "BMP")
"""Others are shown as they are on white: a fourth channel of a PSD, say, may be any selection."""

_WHITE = 10
"""Levels below 255 that still count as white where a white background is cut away."""

_SMALLEST_PART = 0.02
"""Share of a picture that must remain when its white background is cut away."""


@dataclass(frozen=True, slots=True)
class ComposedPicture:
    """A picture with an ad in it.

    Attributes
    ----------
    rgb : (H, W, 3) uint8
    box : Box
        Where the ad is, the part of it that is on the screen.
    """

    rgb: UInt8
    box: Box


@dataclass(frozen=True, slots=True)
class ContextPicture:
    """A picture whose background may be transparent.

    Attributes
    ----------
    path : str
    medium : Medium
    rgb : (H, W, 3) uint8
        On white.
    alpha : (H, W) uint8 or None
        255 where it is opaque; None where it is opaque throughout.
    problems : tuple of Problem
    """

    path: str
    medium: Medium
    rgb: UInt8
    alpha: UInt8 | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def aspect(self) -> float:
        """Width over height."""
        return float(self.rgb.shape[1] / self.rgb.shape[0])


def read_picture(
    path: str | Path, long_side: int, *, cut_out: bool = False, trim_white: bool = False
) -> ContextPicture:
    """Read a still picture.

    Parameters
    ----------
    path : str or Path
    long_side : int
        Most pixels of the long side.
    cut_out : bool
        Read its transparency, and crop it to what is not transparent; otherwise it is put on white.
    trim_white : bool
        Of a cut-out, take white that is connected with the border for transparent.

    Returns
    -------
    ContextPicture

    Raises
    ------
    UsageError
        The file moves.
    MediumError
        The file is bad.
    """
    path = Path(path)
    if is_moving(path):
        message = f"{path.name}: is a video or an animation; only still images can be shown in context: export a frame"
        raise UsageError(message, code="moving_medium")
    view = ViewSpec("context", long_side=long_side)
    opened = open_image(path, [view])
    rgb = opened.chunks[0].views[view.name][0]
    if not cut_out:
        return ContextPicture(str(path), opened.medium, rgb, None, opened.problems)
    alpha = _read_alpha(path, (rgb.shape[1], rgb.shape[0]))
    if trim_white:
        white = _border_white(rgb)
        alpha = np.where(white, 0, 255 if alpha is None else alpha).astype(np.uint8)
        alpha = cv2.erode(alpha, np.ones((3, 3), np.uint8)).astype(np.uint8)  # the pale rim of the white
    problems = opened.problems
    if alpha is not None:
        rows, columns = np.flatnonzero(alpha.max(axis=1) > 8), np.flatnonzero(alpha.max(axis=0) > 8)
        if not len(rows) or len(rows) * len(columns) < _SMALLEST_PART * alpha.size:
            message = f"{path.name}: nothing of the image is left without its background; it is shown whole"
            return ContextPicture(str(path), opened.medium, rgb, None, (*problems, Problem("no_cutout", message)))
        kept = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        rgb, alpha = np.ascontiguousarray(rgb[kept]), np.ascontiguousarray(alpha[kept])
        if alpha.min() == 255:
            alpha = None
    return ContextPicture(str(path), opened.medium, rgb, alpha, problems)


def _read_alpha(path: Path, size: tuple[int, int]) -> UInt8 | None:
    """Read the transparency of a file that could be decoded; None where it has none, or is of another format."""
    try:
        opened = Image.open(path, formats=_FORMATS_WITH_ALPHA)
    except UnidentifiedImageError:
        return None
    with opened as image:
        if not image.has_transparency_data:
            return None
        upright = ImageOps.exif_transpose(image)
        alpha = np.asarray(resize(upright.convert("RGBA").getchannel("A"), size), np.uint8)
    return None if alpha.min() == 255 else alpha


def _border_white(rgb: UInt8) -> UInt8:
    """Return where a picture is white and connected with its border, (H, W), 1 or 0."""
    white = (rgb.min(axis=2) >= 255 - _WHITE).astype(np.uint8)
    framed = np.pad(white, 1, constant_values=1)
    count, labels = cv2.connectedComponents(framed, connectivity=4)
    assert count
    return np.asarray((labels == labels[0, 0])[1:-1, 1:-1] & (white == 1), np.uint8)


def scale_image(rgb: UInt8, width: int, height: int) -> UInt8:
    """Scale to a size, anti-aliased; also (H, W) arrays."""
    return np.asarray(resize(Image.fromarray(rgb), (max(1, width), max(1, height))), np.uint8)


def crop_to_aspect(rgb: UInt8, aspect: float) -> UInt8:
    """Cut equal parts off two opposite sides, so that width over height is `aspect`."""
    height, width = rgb.shape[:2]
    if width / height > aspect:
        kept = max(1, round(height * aspect))
        left = (width - kept) // 2
        return rgb[:, left : left + kept]
    kept = max(1, round(width / aspect))
    top = (height - kept) // 2
    return rgb[top : top + kept]


def crop_loss(aspect: float, wanted: float) -> float:
    """Return the share of a picture that `crop_to_aspect` cuts off, 0-1.

    Examples
    --------
    >>> crop_loss(2.0, 1.0), crop_loss(1.0, 1.0)
    (0.5, 0.0)
    """
    return 1 - min(aspect, wanted) / max(aspect, wanted)


def paste(canvas: UInt8, rgb: UInt8, x: int, y: int, alpha: UInt8 | None = None) -> Box:
    """Put a picture onto a canvas, in place; what lies outside is cut off.

    Parameters
    ----------
    canvas : (H, W, 3) uint8
        Is changed.
    rgb : (h, w, 3) uint8
        On white where `alpha` is given.
    x, y : int
        Its top-left corner on the canvas.
    alpha : (h, w) uint8, optional

    Returns
    -------
    Box
        The part of the canvas that it covers.

    Raises
    ------
    ValueError
        It lies outside entirely.
    """
    height, width = canvas.shape[:2]
    x0, y0, x1, y1 = max(0, x), max(0, y), min(width, x + rgb.shape[1]), min(height, y + rgb.shape[0])
    if x0 >= x1 or y0 >= y1:
        raise ValueError("the image lies outside the canvas")
    part = rgb[y0 - y : y1 - y, x0 - x : x1 - x]
    if alpha is not None:
        # on white: alpha * F + (1 - alpha) * 255, so that another background takes the place of the white
        share = 1 - alpha[y0 - y : y1 - y, x0 - x : x1 - x, None].astype(np.float32) / 255
        below = canvas[y0:y1, x0:x1].astype(np.float32)
        part = np.clip(part - share * (255 - below) + 0.5, 0, 255).astype(np.uint8)
    canvas[y0:y1, x0:x1] = part
    return Box(x0 / width, y0 / height, x1 / width, y1 / height)


def outline(rgb: UInt8, box: Box, colour: tuple[int, int, int] = (67, 56, 202)) -> UInt8:
    """Return a copy of a picture with a frame around a box, (H, W, 3) uint8."""
    drawn, thick = rgb.copy(), max(2, max(rgb.shape[:2]) // 350)
    height, width = rgb.shape[:2]
    start = round(box.x0 * width), round(box.y0 * height)
    end = round(box.x1 * width) - 1, round(box.y1 * height) - 1
    cv2.rectangle(drawn, start, end, (255, 255, 255), 3 * thick)
    cv2.rectangle(drawn, start, end, colour, thick)
    return drawn
