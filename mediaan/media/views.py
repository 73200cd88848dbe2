"""Compute view sizes, scale images to them, anti-aliased, and lay transparent pixels on white."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from PIL import Image

from mediaan.types.arrays import UInt8
from mediaan.types.media import Problem, ViewSpec

Size = tuple[int, int]

_AREA_TOLERANCE = 1.25
"""No view may exceed its target area by more, however far its aspect then moves."""

_REDUCING_GAP = 1.5
"""Shrink by whole factors with a box until this close to the target. On a 12 MP zone plate, with a bicubic after the
box: 9 ms and RMSE 4.9 against an ideal low-pass; cv2.INTER_AREA took 24 ms for 6.2, a plain box 16 ms for 6.7."""


def view_size(width: int, height: int, spec: ViewSpec) -> Size:
    """Compute the size of a view of an image.

    Sides are rounded to the nearest multiple. For a target area and a multiple above 1 the candidates around the
    target are weighed: the distance in log aspect counts four times that in log area. A view never exceeds its target
    area by more than 25 %, so that a very long banner is squeezed rather than huge, unless one tile is larger.

    `width`, `height`: size of the image as displayed, px.
    Returns (int, int): width and height of the view, px; each at least ``spec.multiple``.

    >>> view_size(4000, 3000, ViewSpec("model", pixels=384 * 288, multiple=32))
    (384, 288)
    >>> view_size(1200, 628, ViewSpec("report", long_side=640))
    (640, 335)
    """
    if (spec.pixels is None) == (spec.long_side is None):
        raise ValueError(f"view {spec.name!r} needs exactly one of pixels and long_side")
    if spec.pixels is not None:
        scale = math.sqrt(spec.pixels / (width * height))
    else:
        scale = spec.long_side / max(width, height)  # type: ignore[operator]
    scale = scale if spec.upscale else min(scale, 1.0)
    if spec.pixels is None or spec.multiple == 1:
        return _rounded(width * scale, spec), _rounded(height * scale, spec)
    short, long = min(width, height) * scale, max(width, height) * scale
    area, aspect = short * long, long / short
    below = max(1, math.floor(short / spec.multiple)) * spec.multiple
    candidates = [
        (side, _rounded(target, spec))
        for side in (below, below + spec.multiple)
        for target in (side * aspect, area / side)
    ]
    allowed = [size for size in candidates if math.prod(size) <= _AREA_TOLERANCE * area]

    def misfit(size: Size) -> float:
        return abs(math.log(size[1] / size[0] / aspect)) + abs(math.log(math.prod(size) / area)) / 4

    size = min(allowed or candidates, key=misfit if allowed else math.prod)
    return size if width < height else (size[1], size[0])


def resize(image: Image.Image, size: Size, box: tuple[float, float, float, float] | None = None) -> Image.Image:
    """Scale an image, or the part of it in `box`, anti-aliased; the same size is left untouched.

    Shrinking takes a Hamming window, which has half the support of a bicubic at nearly its sharpness.
    """
    width, height = (box[2] - box[0], box[3] - box[1]) if box else image.size
    shrinks = size[0] <= width and size[1] <= height
    method = Image.Resampling.HAMMING if shrinks else Image.Resampling.BICUBIC
    return image.resize(size, method, box=box, reducing_gap=_REDUCING_GAP)


def resize_to_view(rgb: UInt8, view: ViewSpec) -> UInt8:
    """Scale an (H, W, 3) uint8 array to a view, anti-aliased."""
    return np.asarray(resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], view)), np.uint8)


def resize_all(
    image: Image.Image, sizes: Iterable[Size], box: tuple[float, float, float, float]
) -> Mapping[Size, Image.Image]:
    """Scale an image to several sizes; one that is at most half as large as another is made from that one."""
    done: dict[Size, Image.Image] = {}
    for size in sorted(set(sizes), key=math.prod, reverse=True):
        larger = [made for made in done if made[0] >= 2 * size[0] and made[1] >= 2 * size[1]]
        done[size] = resize(done[larger[-1]], size) if larger else resize(image, size, box)
    return done


def _rounded(length: float, spec: ViewSpec) -> int:
    return max(1, math.floor(length / spec.multiple + 0.5)) * spec.multiple


_LONG_SIDE = 320
_FAINT = 24
"""Steps of up to so many of 255 are hardly seen: the outline of #eee on white has 17."""

_MIN_SHARE_SEEN = 0.12
"""Of the contours that there are on grey. A white logo has none on white; a white card whose outline is lost has 16 %
with a line of small print on it, and two thirds with a headline."""


def on_white(multiplied: Image.Image) -> UInt8:
    """Lay an image on white.

    `multiplied`: in mode RGBa: colours multiplied by opacity.
    Returns (h, w, 3) uint8.
    """
    pixels = np.asarray(multiplied)
    white = 255 - pixels[..., 3:].astype(np.int16)
    # rounding may leave a colour one above its opacity
    return np.minimum(pixels[..., :3] + white, 255).astype(np.uint8)


class HiddenOnWhite:
    """Compares the contours of a medium's pictures on white with those on grey."""

    def __init__(self) -> None:
        self._on_white = self._on_grey = 0.0

    def add(self, multiplied: Image.Image) -> None:
        """Look at a picture of the medium.

        `multiplied`: in mode La or RGBa: colours multiplied by opacity. Those without opacity are passed over.
        """
        if multiplied.mode not in {"La", "RGBa"}:
            return
        small = multiplied.copy()
        small.thumbnail((_LONG_SIDE, _LONG_SIDE), Image.Resampling.BOX)
        pixels = np.asarray(small).astype(np.float32)
        transparency = 255 - pixels[..., -1:]
        for axis in (0, 1):
            steps = np.abs(np.diff(pixels[..., :-1] + transparency, axis=axis))
            self._on_white += float(steps[steps > _FAINT].sum())
            self._on_grey += float(np.abs(np.diff(pixels[..., :-1] + transparency / 2, axis=axis)).sum())

    @property
    def problem(self) -> Problem | None:
        """The note, if hardly anything was seen on white of what there is."""
        if self._on_white >= _MIN_SHARE_SEEN * self._on_grey:
            return None
        message = (
            "it is white or nearly so on a transparent background, and was analyzed on white, where hardly anything of "
            "it is seen; put it on the background on which it will appear"
        )
        return Problem("hidden_on_white", message)
