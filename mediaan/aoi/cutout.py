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
"""Distance from the ground, 0-255, at which something begins to be seen, and is surely there."""

_TOUCHED = 0.01
"""Share of a pixel from which on an area reaches into it; less is rounding."""

_EDGE_PX = 2
"""Edges are mixtures of thing and ground; the thing alone is at most so far away."""


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
    opacity : (h, w) float32
        0-1: how much of what is behind it each of its pixels hides.
    colour : (h, w, 3) float32
        0-255: what it adds of its own, opacity included.
    ground : (H, W, 3) uint8
        The picture without it.
    evenness : float
        Share of the border around it that is one even ground, 0-1.
    """

    window: Window
    opacity: Float32
    colour: Float32
    ground: UInt8
    evenness: float


def region_mask(aoi: Aoi, rgb: UInt8) -> Float32:
    """Share of each pixel of a picture that lies in an area; (H, W) float32."""
    return coverage(aoi.box, aoi.polygon, (rgb.shape[0], rgb.shape[1]))


def hole_of(mask: Float32, rgb: UInt8) -> Bool:
    """What must go if an area does: a little more than it, since edges and shadows reach beyond what is drawn."""
    return grown(np.asarray(mask > _TOUCHED, np.bool_), border_px(rgb))


def cut_out(rgb: UInt8, aoi: Aoi) -> Cutout:
    """Cut an area out of a picture.

    On an even ground only what differs from that ground is cut out, so that the ground stays where it is (a difference
    matte); elsewhere the whole area, with a soft edge.

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
    seen, behind = rgb[here].astype(np.float32), ground[here].astype(np.float32)
    if evenness >= _CLEAR_GROUND:
        opacity = mask[here] * _off_ground(seen, behind, solid=aoi.type not in TEXT_TYPES)
        colour = seen - (1 - opacity[..., None]) * behind
    else:
        opacity = feathered(mask, border_px(rgb))[here]
        colour = seen * opacity[..., None]
    return Cutout(window, opacity.astype(np.float32), colour.astype(np.float32), ground, evenness)


def lay_down(cutout: Cutout, window: Window) -> UInt8:
    """Lay a thing onto its ground, resized to a window inside the picture; (H, W, 3) uint8."""
    opacity, colour = (_resized(part, window.size) for part in (cutout.opacity, cutout.colour))
    laid = cutout.ground.copy()
    below = laid[window.slices].astype(np.float32)
    above = (1 - np.clip(opacity, 0, 1))[..., None] * below + colour
    laid[window.slices] = np.clip(np.round(above), 0, 255).astype(np.uint8)
    return laid


def _resized(part: Float32, size: tuple[int, int]) -> Float32:
    if size == (part.shape[1], part.shape[0]):
        return part
    method = cv2.INTER_AREA if size[0] < part.shape[1] else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(part, size, interpolation=method), np.float32)


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


def _off_ground(seen: Float32, ground: Float32, *, solid: bool) -> Float32:
    """Opacity of what is not ground, 0-1; in a solid thing what is enclosed belongs to it.

    A pixel is as much of the thing as it differs from the ground, compared with the most different one near it.
    """
    low, high = _OFF_GROUND
    near = np.ones((2 * _EDGE_PX + 1, 2 * _EDGE_PX + 1), np.uint8)
    away = np.abs(seen - ground).max(axis=2)
    most = cv2.dilate(away, near)
    opacity = np.clip((most - low) / (high - low), 0, 1) * away / np.maximum(most, 1.0)
    if solid:
        there = (away > high).astype(np.uint8)
        outlines, _ = cv2.findContours(there, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        enclosed = cv2.drawContours(np.zeros_like(there), outlines, -1, 1, cv2.FILLED)
        opacity = np.maximum(opacity, cv2.erode(enclosed, near, borderValue=1))
    return np.asarray(opacity, np.float32)
