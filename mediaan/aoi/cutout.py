"""Things cut out of a picture, so that they can be laid down elsewhere in another size."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from mediaan.aoi.ground import border_px, fill_ground, grown
from mediaan.aoi.shape import coverage
from mediaan.types.aoi import TEXT_TYPES, Aoi, Box
from mediaan.types.arrays import Bool, Float32, UInt8

_CLEAR_GROUND = 0.8
"""Share of a region's border that must be one even ground for things to be told from it."""

_OFF_GROUND = (6.0, 30.0)
"""Distance from the ground, 0-255, at which something begins to be seen, and is nothing but itself."""


class Window(NamedTuple):
    """Whole pixels of a picture: columns `x0` to `x1`, rows `y0` to `y1`, half-open."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.x1 - self.x0, self.y1 - self.y0

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns."""
        return slice(self.y0, self.y1), slice(self.x0, self.x1)


class Cutout(NamedTuple):
    """A thing and the picture without it.

    Attributes
    ----------
    window : Window
        Where it was.
    rgb : (h, w, 3) uint8
    opacity : (h, w) float32
        0-1: of the thing's pixels.
    ground : (H, W, 3) uint8
        The picture without it.
    """

    window: Window
    rgb: UInt8
    opacity: Float32
    ground: UInt8


def region_mask(aoi: Aoi, rgb: UInt8) -> Float32:
    """Share of each pixel of a picture that lies in an area; (H, W) float32."""
    return coverage(aoi.box, aoi.polygon, (rgb.shape[0], rgb.shape[1]))


def hole_of(mask: Float32, rgb: UInt8) -> Bool:
    """What must go if an area does: a little more than it, since edges and shadows reach beyond what is drawn."""
    return grown(np.asarray(mask > 0, np.bool_), border_px(rgb))


def cut_out(rgb: UInt8, aoi: Aoi) -> Cutout:
    """Cut an area out of a picture.

    On an even ground only what differs from that ground is cut out, so that the ground stays where it is; elsewhere
    the whole area, with a soft edge.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    aoi : Aoi
        Its polygon if it has one, else its box.

    Returns
    -------
    Cutout
    """
    mask = region_mask(aoi, rgb)
    window = window_of(aoi.box, rgb)
    ground, evenness = fill_ground(rgb, hole_of(mask, rgb))
    here = window.slices
    if evenness >= _CLEAR_GROUND:
        opacity = mask[here] * _off_ground(rgb[here], ground[here], solid=aoi.type not in TEXT_TYPES)
    else:
        opacity = feathered(mask, border_px(rgb))[here]
    return Cutout(window, rgb[here], np.asarray(opacity, np.float32), ground)


def lay_down(cutout: Cutout, window: Window) -> UInt8:
    """Lay a thing onto its ground, resized to a window inside the picture; (H, W, 3) uint8."""
    shrinks = window.size[0] < cutout.window.size[0]
    method = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
    same = window.size == cutout.window.size
    rgb = cutout.rgb if same else cv2.resize(cutout.rgb, window.size, interpolation=method)
    opacity = cutout.opacity if same else cv2.resize(cutout.opacity, window.size, interpolation=cv2.INTER_AREA)
    laid = cutout.ground.copy()
    laid[window.slices] = blended(laid[window.slices], np.asarray(rgb, np.uint8), np.asarray(opacity, np.float32))
    return laid


def blended(below: UInt8, above: UInt8, opacity: Float32) -> UInt8:
    """One picture over another, (h, w, 3) uint8; opacity (h, w) is of the upper one."""
    share = opacity[..., None].astype(np.float64)
    return np.round(share * above + (1 - share) * below).astype(np.uint8)


def window_of(box: Box, rgb: UInt8) -> Window:
    """The pixels that a box touches, at least one."""
    height, width = rgb.shape[:2]
    inside = box.clipped()
    x0, y0 = min(int(inside.x0 * width), width - 1), min(int(inside.y0 * height), height - 1)
    # rounded, lest an edge between two pixels be taken for one inside the next
    x1, y1 = int(np.ceil(round(inside.x1 * width, 6))), int(np.ceil(round(inside.y1 * height, 6)))
    return Window(x0, y0, max(x1, x0 + 1), max(y1, y0 + 1))


def feathered(mask: Float32, px: int) -> Float32:
    """A mask, (H, W), that fades inwards over so many px; not along the edge of the picture."""
    inside = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return np.asarray(mask * np.clip(inside / (px + 1), 0, 1), np.float32)


def _off_ground(rgb: UInt8, ground: UInt8, *, solid: bool) -> Float32:
    """How far pixels differ from the ground, 0-1; in a solid thing what is enclosed belongs to it."""
    low, high = _OFF_GROUND
    away = cv2.absdiff(rgb, ground).max(axis=2).astype(np.float32)
    opacity = np.clip((away - low) / (high - low), 0, 1)
    if solid:
        outlines, _ = cv2.findContours((opacity > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        enclosed = cv2.drawContours(np.zeros(opacity.shape, np.uint8), outlines, -1, 1, cv2.FILLED)
        opacity = np.maximum(opacity, enclosed)
    return np.asarray(opacity, np.float32)
