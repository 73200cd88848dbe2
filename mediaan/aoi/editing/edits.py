"""Edit an image: remove, resize, move, grey, blur or set off an area; boxes follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple
from uuid import UUID

import cv2
import numpy as np

from mediaan.aoi.editing.inpainting import border_width_px, dilate, inpaint_membrane
from mediaan.aoi.region import coverage, region_area
from mediaan.errors import UsageError
from mediaan.types.aoi import TEXT_TYPES, Aoi, Box, Point
from mediaan.types.arrays import Bool, Float32, Float64, UInt8
from mediaan.types.edits import Edit

_CLEAR_GROUND = 0.8
"""Share of a region's border that must be one even ground for things to be told from it."""

_OFF_GROUND = (6.0, 30.0)
"""Distance from the ground, 0-255, at which something begins to be seen, and is surely there."""

_TOUCHED = 0.01
"""Share of a pixel from which on an area reaches into it; less is rounding."""

_MATTE_RADIUS_PX = 2
"""Edges are mixtures of thing and ground; the thing alone is at most so far away."""


class PixelWindow(NamedTuple):
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

    window: PixelWindow
    opacity: Float32
    colour: Float32
    ground: UInt8
    evenness: float


def region_mask(aoi: Aoi, rgb: UInt8) -> Float32:
    """Share of each pixel of a picture that lies in an area; (H, W) float32."""
    return coverage(aoi.box, aoi.polygon, (rgb.shape[0], rgb.shape[1]))


def inpainting_mask(mask: Float32, rgb: UInt8) -> Bool:
    """What must go if an area does: a little more than it, since edges and shadows reach beyond what is drawn."""
    return dilate(np.asarray(mask > _TOUCHED, np.bool_), border_width_px(rgb))


def extract_cutout(rgb: UInt8, aoi: Aoi) -> Cutout:
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
    window = pixel_window(aoi.box, rgb)
    ground, evenness = inpaint_membrane(rgb, inpainting_mask(mask, rgb))
    here = window.slices
    seen, behind = rgb[here].astype(np.float32), ground[here].astype(np.float32)
    if evenness >= _CLEAR_GROUND:
        opacity = mask[here] * _off_ground(seen, behind, solid=aoi.type not in TEXT_TYPES)
        colour = seen - (1 - opacity[..., None]) * behind
    else:
        opacity = feather_mask(mask, border_width_px(rgb))[here]
        colour = seen * opacity[..., None]
    return Cutout(window, opacity.astype(np.float32), colour.astype(np.float32), ground, evenness)


def paste_cutout(cutout: Cutout, window: PixelWindow) -> UInt8:
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


def alpha_blend(below: UInt8, above: UInt8, opacity: Float32) -> UInt8:
    """One picture over another, (h, w, 3) uint8; opacity (h, w) is of the upper one."""
    share = opacity[..., None].astype(np.float64)
    return np.round(share * above + (1 - share) * below).astype(np.uint8)


def pixel_window(box: Box, rgb: UInt8) -> PixelWindow:
    """The pixels that a box touches, at least one."""
    height, width = rgb.shape[:2]
    inside = box.clipped()
    x0, y0 = min(int(inside.x0 * width), width - 1), min(int(inside.y0 * height), height - 1)
    # rounded, lest an edge between two pixels be taken for one inside the next
    x1, y1 = int(np.ceil(round(inside.x1 * width, 6))), int(np.ceil(round(inside.y1 * height, 6)))
    return PixelWindow(x0, y0, max(x1, x0 + 1), max(y1, y0 + 1))


def feather_mask(mask: Float32, px: int) -> Float32:
    """A mask, (H, W), that fades inwards over so many px; not along the edge of the picture."""
    inside = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return np.asarray(mask * np.clip(inside / (px + 1), 0, 1), np.float32)


def _off_ground(seen: Float32, ground: Float32, *, solid: bool) -> Float32:
    """Opacity of what is not ground, 0-1; in a solid thing what is enclosed belongs to it.

    A pixel is as much of the thing as it differs from the ground, compared with the most different one near it.
    """
    low, high = _OFF_GROUND
    near = np.ones((2 * _MATTE_RADIUS_PX + 1, 2 * _MATTE_RADIUS_PX + 1), np.uint8)
    away = np.abs(seen - ground).max(axis=2)
    most = cv2.dilate(away, near)
    opacity = np.clip((most - low) / (high - low), 0, 1) * away / np.maximum(most, 1.0)
    if solid:
        there = (away > high).astype(np.uint8)
        outlines, _ = cv2.findContours(there, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        enclosed = cv2.drawContours(np.zeros_like(there), outlines, -1, 1, cv2.FILLED)
        opacity = np.maximum(opacity, cv2.erode(enclosed, near, borderValue=1))
    return np.asarray(opacity, np.float32)


_PART_OF_IT = 0.8
"""Share of an area inside an edited one from which on it goes with that one: a face with its person, for instance."""

_EDGE_PX = 2
_BLUR = 0.12
"""Standard deviation of the blur, share of the area's shorter side: letters cannot be read, faces not be told."""

_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])  # of linear sRGB (IEC 61966-2-1)


class AnnotatedImage(NamedTuple):
    """A picture and the areas in it.

    Attributes
    ----------
    rgb : (H, W, 3) uint8
    aois : tuple of Aoi
    evenness : float
        Share of the border that is one even ground around what the last edit took out, 0-1; 1 if it took nothing out.
    """

    rgb: UInt8
    aois: tuple[Aoi, ...]
    evenness: float = 1.0

    def aoi(self, aoi_id: UUID) -> Aoi:
        """The area with an id.

        Raises
        ------
        UsageError
            It is gone.
        """
        for aoi in self.aois:
            if aoi.aoi_id == aoi_id:
                return aoi
        raise UsageError("that area was removed by an earlier edit; change the order or leave it out", code="bad_edit")


def apply_edit(scene: AnnotatedImage, edit: Edit, aoi_id: UUID) -> AnnotatedImage:
    """Carry out an edit.

    Parameters
    ----------
    scene : Scene
    edit : Edit
        What to do; which area it names has been found out already.
    aoi_id : UUID
        That area.

    Returns
    -------
    Scene
        Of the same size. Areas of which at least 80 % lie inside the edited one go with it; others stay where they are,
        also where something now covers them.

    Raises
    ------
    UsageError
        The area was removed before, or would be larger than the picture.
    """
    aoi = scene.aoi(aoi_id)
    if edit.action == "remove":
        return _removed(scene, aoi)
    if edit.action == "scale" or edit.action == "move":
        return _placed(scene, aoi, edit)
    if edit.action == "grey":
        return _changed_inside(scene, aoi, _grey(scene.rgb), _EDGE_PX)
    if edit.action == "contrast":
        return _set_off(scene, aoi, edit.factor or 1.0)
    sigma = max(1.0, _BLUR * min(pixel_window(aoi.box, scene.rgb).size))
    blurred = cv2.GaussianBlur(scene.rgb, (0, 0), sigma, borderType=cv2.BORDER_REFLECT)
    return _changed_inside(scene, aoi, np.asarray(blurred, np.uint8), round(sigma))


def _changed_inside(scene: AnnotatedImage, aoi: Aoi, changed: UInt8, edge_px: int) -> AnnotatedImage:
    """The scene with other pixels in an area, towards whose edge the old ones come back."""
    opacity = feather_mask(region_mask(aoi, scene.rgb), edge_px)
    return AnnotatedImage(alpha_blend(scene.rgb, changed, opacity), scene.aois)


def contained_areas(aoi: Aoi, aois: tuple[Aoi, ...]) -> tuple[Aoi, ...]:
    """An area, and those that lie inside it."""
    inside = (other for other in aois if other.box.intersection(aoi.box) >= _PART_OF_IT * other.box.area)
    return tuple(dict.fromkeys((aoi, *inside)))


def _set_off(scene: AnnotatedImage, aoi: Aoi, factor: float) -> AnnotatedImage:
    """The scene with an area whose lightness differs from that of its ground so many times as much.

    Lightness is L* of CIELAB (CIE 15:2004), cut off at black and white; hue and chroma stay. Luminance contrast is what
    letters are read by (Legge, Rubin & Luebker 1987, Vision Research 27, 1165-1177).
    """
    mask = region_mask(aoi, scene.rgb)
    filled = inpaint_membrane(scene.rgb, inpainting_mask(mask, scene.rgb))
    here = pixel_window(aoi.box, scene.rgb).slices
    lab, ground = (
        cv2.cvtColor(picture[here].astype(np.float32) / 255, cv2.COLOR_RGB2Lab) for picture in (scene.rgb, filled.rgb)
    )
    lab[..., 0] = np.clip(ground[..., 0] + factor * (lab[..., 0] - ground[..., 0]), 0, 100)
    changed = scene.rgb.copy()
    changed[here] = np.clip(np.round(255 * cv2.cvtColor(lab, cv2.COLOR_Lab2RGB)), 0, 255).astype(np.uint8)
    text = aoi.text and replace(aoi.text, contrast_ratio=None, legible=None)
    edited = replace(aoi, text=text)
    aois = tuple(edited if other.aoi_id == aoi.aoi_id else other for other in scene.aois)
    return AnnotatedImage(alpha_blend(scene.rgb, changed, mask), aois, filled.evenness)


def _removed(scene: AnnotatedImage, aoi: Aoi) -> AnnotatedImage:
    gone = contained_areas(aoi, scene.aois)
    hole = inpainting_mask(region_mask(aoi, scene.rgb), scene.rgb)
    filled = inpaint_membrane(scene.rgb, hole)
    return AnnotatedImage(filled.rgb, tuple(other for other in scene.aois if other not in gone), filled.evenness)


def _placed(scene: AnnotatedImage, aoi: Aoi, edit: Edit) -> AnnotatedImage:
    """The area in a new size about its centre, or around a new centre."""
    before = pixel_window(aoi.box, scene.rgb)
    after = _new_window(before, edit, scene.rgb)
    if after == before:
        return scene._replace(evenness=1.0)
    cutout = extract_cutout(scene.rgb, aoi)
    moves = _motion(before, after, scene.rgb)
    along = contained_areas(aoi, scene.aois)
    aois = tuple(_followed(other, moves) if other in along else other for other in scene.aois)
    return AnnotatedImage(paste_cutout(cutout, after), aois, cutout.evenness)


def _new_window(before: PixelWindow, edit: Edit, rgb: UInt8) -> PixelWindow:
    """Where it will be: whole px, inside the picture."""
    height, width = rgb.shape[:2]
    factor = edit.factor or 1.0
    size = max(1, round(before.size[0] * factor)), max(1, round(before.size[1] * factor))
    if size[0] > width or size[1] > height:
        most = min(width / before.size[0], height / before.size[1])
        raise UsageError(f"{edit}: would be larger than the picture; at most {most:.4g} fits", code="bad_edit")
    if edit.to is None:
        centre = (before.x0 + before.x1) / 2, (before.y0 + before.y1) / 2
    else:
        centre = edit.to[0] * width, edit.to[1] * height
    x0 = min(max(0, int(np.floor(centre[0] - size[0] / 2 + 0.5))), width - size[0])
    y0 = min(max(0, int(np.floor(centre[1] - size[1] / 2 + 0.5))), height - size[1])
    return PixelWindow(x0, y0, x0 + size[0], y0 + size[1])


def _motion(before: PixelWindow, after: PixelWindow, rgb: UInt8) -> Callable[[Point], Point]:
    """Where a point of the area goes, in unit coordinates."""
    height, width = rgb.shape[:2]
    across, down = after.size[0] / before.size[0], after.size[1] / before.size[1]

    def moved(point: Point) -> Point:
        x = after.x0 + (point[0] * width - before.x0) * across
        y = after.y0 + (point[1] * height - before.y0) * down
        return x / width, y / height

    return moved


def _followed(aoi: Aoi, moved: Callable[[Point], Point]) -> Aoi:
    """An area after a motion; what sticks out of the picture is cut off."""
    polygon = tuple(moved(point) for point in aoi.polygon) if aoi.polygon else None
    box = Box(*moved(aoi.box[:2]), *moved(aoi.box[2:])).clipped()
    text = aoi.text
    if text is not None:
        growth = box.height / aoi.box.height if aoi.box.height else 1.0
        legible = text.legible if growth == 1 else None
        text = replace(text, line_height_pct=text.line_height_pct * growth, legible=legible)
    return replace(aoi, box=box, polygon=polygon, text=text)


def covered_share(aoi: Aoi, by: Aoi) -> float:
    """Share of an area's box that another's box covers, 0-1.

    Examples
    --------
    >>> from uuid import UUID
    >>> left, all_of_it = (Aoi(UUID(int=n), "other", "", box, None, "drawn") for n, box in
    ...                    enumerate((Box(0, 0, 0.5, 1), Box(0, 0, 1, 1))))
    >>> covered_share(all_of_it, by=left), covered_share(left, by=all_of_it)
    (0.5, 1.0)
    """
    area = region_area(aoi.box)
    return aoi.box.intersection(by.box) / area if area > 0 else 0.0


def _grey(rgb: UInt8) -> UInt8:
    """The picture without colour: each pixel keeps its luminance."""
    share = np.arange(256) / 255
    linear: Float64 = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    luminance = linear[rgb] @ _LUMINANCE
    encoded = np.where(luminance <= 0.0031308, 12.92 * luminance, 1.055 * luminance ** (1 / 2.4) - 0.055)
    return np.repeat(np.round(255 * encoded).astype(np.uint8)[..., None], 3, axis=2)
