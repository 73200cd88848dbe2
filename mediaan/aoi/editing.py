"""Edit an image: remove, resize, move, grey, blur or set off an area; boxes follow.

What is taken out leaves a hole, which is filled with a membrane, the smoothest surface through its border (Laplace's
equation), solved coarse to fine. Where most of the border is one even ground, be it plain or a ramp, only that ground
is carried on, so that a neighbour that the border touches does not run into the hole.

References
----------
Perez, Gangnet & Blake (2003). Poisson image editing. ACM TOG 22, 313-318: the membrane interpolant.
Fischler & Bolles (1981). Random sample consensus. CACM 24, 381-395.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple
from uuid import UUID

import cv2
import numpy as np

from mediaan.aoi.legibility import LUMINANCE, linear_light
from mediaan.aoi.region import PixelBox, coverage, region_area
from mediaan.errors import UsageError
from mediaan.types.aoi import TEXT_TYPES, Aoi, Box, Point
from mediaan.types.arrays import Bool, Float32, Float64, UInt8
from mediaan.types.edits import Edit

_BORDER = 0.006
"""Width of the border around a hole, share of the image's long side."""

_EVEN = 18.0
"""A colour belongs to an even ground if no channel is further from it, 0-255: paper with JPEG noise and grain does."""

MIN_EVENNESS = 0.7
"""Share of the border that must be even for only that part to be carried on."""

_DRAWS, _AT_ONCE, _REFITS = 100, 4, 3
"""Planes that are tried, through how many pixels each, and how often at most the best is fitted to all it holds."""

_TESTED_PIXELS = 1000
"""About how many pixels of a border the plane is fitted to."""

_NEIGHBOURS = np.array([[0, 0.25, 0], [0.25, 0, 0.25], [0, 0.25, 0]], np.float32)
_ROUNDS = 40
_SMALLEST = 2


class InpaintedImage(NamedTuple):
    """An image without what was in a hole."""

    rgb: UInt8
    """(H, W, 3) uint8. Unchanged outside the hole."""
    evenness: float
    """Share of the hole's border that is one even ground, 0-1; 0 where there is no border."""


def inpaint_membrane(rgb: UInt8, hole: Bool) -> InpaintedImage:
    """Fill a hole of an image with the ground around it.

    `rgb`: (H, W, 3) uint8.
    `hole` (H, W) bool: where nothing is left of what was there. A hole that is the whole image becomes its mean colour.

    >>> rgb = np.full((20, 30, 3), 200, np.uint8)
    >>> rgb[8:12, 10:20] = 0
    >>> hole = np.zeros((20, 30), np.bool_)
    >>> hole[7:13, 9:21] = True
    >>> int(inpaint_membrane(rgb, hole).rgb.min())
    200
    """
    px = border_width_px(rgb)
    window = _window_around(hole, px)
    inside, shown = hole[window], rgb[window]
    border = dilate(inside, px) & ~inside
    if not border.any():
        colour = np.round(rgb.reshape(-1, 3).mean(axis=0))
        return InpaintedImage(np.where(hole[..., None], colour, rgb).astype(np.uint8), 0.0)
    even = _even_part(shown, border, max(rgb.shape[:2]))
    evenness = float(even.sum() / border.sum())
    surface = _solve_membrane(shown.astype(np.float32), even if evenness >= MIN_EVENNESS else border)
    filled = rgb.copy()
    filled[window][inside] = np.clip(np.round(surface[inside]), 0, 255).astype(np.uint8)
    return InpaintedImage(filled, evenness)


def _window_around(hole: Bool, px: int) -> tuple[slice, slice]:
    """Return the part of an image that holds a hole and so many px around it; all of it where there is no hole."""
    sides = []
    for axis in (1, 0):
        places = np.flatnonzero(hole.any(axis=axis))
        sides.append(slice(max(0, places[0] - px), places[-1] + 1 + px) if len(places) else slice(None))
    return sides[0], sides[1]


def border_width_px(rgb: UInt8) -> int:
    """Return the width of the border of a hole, px."""
    return max(2, int(_BORDER * max(rgb.shape[:2]) + 0.5))


def dilate(mask: Bool, px: int) -> Bool:
    """Grow a mask by so many px along rows and columns."""
    size = 2 * px + 1
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((size, size), np.uint8)) > 0, np.bool_)


def _even_part(rgb: UInt8, border: Bool, long_side: int) -> Bool:
    """Return those pixels of a border that lie on one ramp of colour: the plane that holds most of them (RANSAC).

    `long_side` of the whole image, px, is the unit of places.
    """
    rows, columns = np.where(border)
    colours = rgb[rows, columns].astype(np.float64)
    place = np.stack([np.ones(len(rows)), columns / long_side, rows / long_side], axis=1)

    def inliers(plane: Float64) -> Bool:
        return np.asarray(np.abs(colours - place @ plane).max(axis=1) <= _EVEN, np.bool_)

    best = inliers(_most_common_plane(place, colours))
    for _ in range(_REFITS):
        refitted = inliers(np.asarray(np.linalg.lstsq(place[best], colours[best], rcond=None)[0], np.float64))
        if refitted.sum() <= best.sum():
            break
        best = refitted
    even = np.zeros_like(border)
    even[rows, columns] = best
    return even


def _most_common_plane(place: Float64, colours: Float64) -> Float64:
    """Return the plane (3, 3) that holds most pixels: their median colour, or one through pixels drawn by chance."""
    step = max(1, len(place) // _TESTED_PIXELS)
    tested, wanted = place[::step], colours[::step]
    flat = np.vstack([np.median(colours, axis=0), np.zeros((2, 3))])
    if (np.abs(wanted - flat[0]) <= _EVEN).all():
        return flat
    drawn = np.random.default_rng(0).integers(0, len(place), (_DRAWS, _AT_ONCE))
    planes = np.concatenate([flat[None], np.linalg.pinv(place[drawn]) @ colours[drawn]])
    # (planes, pixels) at a time by channel: three times the pixels would not stay in the processor's cache
    held = np.ones((len(planes), len(tested)), np.bool_)
    for channel in range(colours.shape[1]):
        held &= np.abs(planes[:, :, channel] @ tested.T - wanted[:, channel]) <= _EVEN
    plane: Float64 = planes[held.sum(axis=1).argmax()]
    return plane


def _solve_membrane(values: Float32, fixed: Bool) -> Float32:
    """Return the smoothest surface through the known values, (h, w, 3): solved at half the size, then relaxed."""
    height, width = fixed.shape
    if fixed.all():
        return values
    if min(height, width) <= _SMALLEST:
        return np.where(fixed[..., None], values, values[fixed].mean(axis=0)).astype(np.float32)
    size = (width + 1) // 2, (height + 1) // 2
    share = cv2.resize(fixed.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    total = cv2.resize(values * fixed[..., None], size, interpolation=cv2.INTER_AREA)
    means = np.asarray(total / np.maximum(share, 1e-6)[..., None], np.float32)
    coarse = _solve_membrane(means, np.asarray(share > 0, np.bool_))
    surface = np.where(fixed[..., None], values, cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR))
    mask = fixed.astype(np.uint8)
    for _ in range(_ROUNDS):
        surface = cv2.filter2D(surface, -1, _NEIGHBOURS, borderType=cv2.BORDER_REPLICATE)
        cv2.copyTo(values, mask, surface)
    return np.asarray(surface, np.float32)


_CLEAR_GROUND = 0.8
"""Share of a region's border that must be one even ground for objects to be told from it."""

_OFF_GROUND = (6.0, 30.0)
"""Distance from the ground, 0-255, at which something begins to be seen, and is surely there."""

_TOUCHED = 0.01
"""Share of a pixel from which on an area reaches into it; less is rounding."""

_MATTE_RADIUS_PX = 2
"""Edges are mixtures of object and ground; the object alone is at most so far away."""

_PART_OF_IT = 0.8
"""Share of an area inside an edited one from which on it goes with that one: a face with its person, for instance."""

_EDGE_PX = 2
_BLUR = 0.12
"""Standard deviation of the blur, share of the area's shorter side: letters cannot be read, faces not be told."""


class AnnotatedImage(NamedTuple):
    """An image and the areas in it."""

    rgb: UInt8
    """(H, W, 3) uint8."""
    aois: tuple[Aoi, ...]
    evenness: float = 1.0
    """Share of the border that is one even ground around what the last edit took out, 0-1; 1 if it took nothing out."""

    def aoi(self, aoi_id: UUID) -> Aoi:
        """Return the area with an id.

        Raises UsageError: it is gone.
        """
        for aoi in self.aois:
            if aoi.aoi_id == aoi_id:
                return aoi
        raise UsageError("that area was removed by an earlier edit; change the order or leave it out", code="bad_edit")


class Cutout(NamedTuple):
    """An object and the image without it."""

    pixels: PixelBox
    """Its bounds."""
    opacity: Float32
    """(h, w) float32. 0-1: how much of what is behind it each of its pixels hides."""
    colour: Float32
    """(h, w, 3) float32. 0-255: what it adds of its own, opacity included."""
    ground: UInt8
    """(H, W, 3) uint8. The image without it."""
    evenness: float
    """Share of the border around it that is one even ground, 0-1."""


def apply_edit(image: AnnotatedImage, edit: Edit, aoi_id: UUID) -> AnnotatedImage:
    """Carry out an edit.

    `edit`: its name of an area is not looked at.
    `aoi_id`: the area that is meant.
    Returns: of the same size. Areas of which at least 80 % lie inside the edited one go with it; others stay where they
        are, also where something now covers them.
    Raises UsageError: the area was removed before, or would be larger than the image.
    """
    aoi = image.aoi(aoi_id)
    if edit.action == "remove":
        gone = contained_areas(aoi, image.aois)
        _, filled = remove_area(image.rgb, aoi)
        return AnnotatedImage(filled.rgb, tuple(other for other in image.aois if other not in gone), filled.evenness)
    if edit.action == "scale" or edit.action == "move":
        return _resize_or_move(image, aoi, edit)
    if edit.action == "contrast":
        return _change_contrast(image, aoi, edit.factor or 1.0)
    if edit.action == "grey":
        # without colour; each pixel keeps its luminance
        luminance = linear_light(np.arange(256) / 255)[image.rgb] @ LUMINANCE
        encoded = np.where(luminance <= 0.0031308, 12.92 * luminance, 1.055 * luminance ** (1 / 2.4) - 0.055)
        changed = np.repeat(np.round(255 * encoded).astype(np.uint8)[..., None], 3, axis=2)
        edge_px = _EDGE_PX
    else:
        height, width = image.rgb.shape[:2]
        pixels = PixelBox.touched(aoi.box, width, height)
        sigma = max(1.0, _BLUR * min(pixels.width, pixels.height))
        blurred = cv2.GaussianBlur(image.rgb, (0, 0), sigma, borderType=cv2.BORDER_REFLECT)
        changed, edge_px = np.asarray(blurred, np.uint8), round(sigma)
    opacity = _feathered(coverage(aoi.box, aoi.polygon, _shape(image.rgb)), edge_px)
    return AnnotatedImage(_blended(image.rgb, changed, opacity), image.aois)


def contained_areas(aoi: Aoi, aois: tuple[Aoi, ...]) -> tuple[Aoi, ...]:
    """Return an area, and those that lie inside it."""
    inside = (other for other in aois if other.box.intersection(aoi.box) >= _PART_OF_IT * other.box.area)
    return tuple(dict.fromkeys((aoi, *inside)))


def covered_share(aoi: Aoi, by: Aoi) -> float:
    """Return the share of an area's box that another's box covers, 0-1.

    >>> from uuid import UUID
    >>> left, all_of_it = (Aoi(UUID(int=n), "other", "", box, None, "drawn") for n, box in
    ...                    enumerate((Box(0, 0, 0.5, 1), Box(0, 0, 1, 1))))
    >>> covered_share(all_of_it, by=left), covered_share(left, by=all_of_it)
    (0.5, 1.0)
    """
    area = region_area(aoi.box)
    return aoi.box.intersection(by.box) / area if area > 0 else 0.0


def remove_area(rgb: UInt8, aoi: Aoi) -> tuple[Float32, InpaintedImage]:
    """Inpaint an area and a little around it, since edges and shadows reach beyond what is drawn.

    Returns
    -------
    (H, W) float32
        Share of each pixel that lies in the area, 0-1.
    InpaintedImage
    """
    mask = coverage(aoi.box, aoi.polygon, _shape(rgb))
    return mask, inpaint_membrane(rgb, dilate(np.asarray(mask > _TOUCHED, np.bool_), border_width_px(rgb)))


def extract_cutout(rgb: UInt8, aoi: Aoi) -> Cutout:
    """Cut an area out of an image.

    On an even ground only what differs from that ground is cut out, so that the ground stays where it is (a difference
    matte); elsewhere the whole area, with a soft edge.

    `rgb`: (H, W, 3) uint8.
    `aoi`: its polygon if it has one, else its box.
    """
    height, width = rgb.shape[:2]
    pixels = PixelBox.touched(aoi.box, width, height)
    mask, (ground, evenness) = remove_area(rgb, aoi)
    here = pixels.slices
    seen, behind = rgb[here].astype(np.float32), ground[here].astype(np.float32)
    if evenness >= _CLEAR_GROUND:
        opacity = mask[here] * _difference_matte(seen, behind, solid=aoi.type not in TEXT_TYPES)
        colour = seen - (1 - opacity[..., None]) * behind
    else:
        opacity = _feathered(mask, border_width_px(rgb))[here]
        colour = seen * opacity[..., None]
    return Cutout(pixels, opacity.astype(np.float32), colour.astype(np.float32), ground, evenness)


def paste_cutout(cutout: Cutout, pixels: PixelBox) -> UInt8:
    """Lay an object onto its ground, resized to pixels inside the image; (H, W, 3) uint8."""
    opacity, colour = cutout.opacity, cutout.colour
    if (pixels.width, pixels.height) != (cutout.pixels.width, cutout.pixels.height):
        method = cv2.INTER_AREA if pixels.width < cutout.pixels.width else cv2.INTER_CUBIC
        opacity, colour = (
            np.asarray(cv2.resize(part, (pixels.width, pixels.height), interpolation=method), np.float32)
            for part in (opacity, colour)
        )
    pasted = cutout.ground.copy()
    below = pasted[pixels.slices].astype(np.float32)
    above = (1 - np.clip(opacity, 0, 1))[..., None] * below + colour
    pasted[pixels.slices] = np.clip(np.round(above), 0, 255).astype(np.uint8)
    return pasted


def _shape(rgb: UInt8) -> tuple[int, int]:
    return rgb.shape[0], rgb.shape[1]


def _blended(below: UInt8, above: UInt8, opacity: Float32) -> UInt8:
    """Blend two images, (h, w, 3) uint8, by the opacity (h, w) of the upper one."""
    share = opacity[..., None].astype(np.float64)
    return np.round(share * above + (1 - share) * below).astype(np.uint8)


def _feathered(mask: Float32, px: int) -> Float32:
    """Fade a mask, (H, W), inwards over so many px; not along the edge of the image."""
    inside = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return np.asarray(mask * np.clip(inside / (px + 1), 0, 1), np.float32)


def _difference_matte(seen: Float32, ground: Float32, *, solid: bool) -> Float32:
    """Return the opacity of what is not ground, 0-1; in a solid object what is enclosed belongs to it.

    A pixel is as much of the object as it differs from the ground, compared with the most different one near it.
    """
    low, high = _OFF_GROUND
    near = np.ones((2 * _MATTE_RADIUS_PX + 1, 2 * _MATTE_RADIUS_PX + 1), np.uint8)
    difference = np.abs(seen - ground).max(axis=2)
    most = cv2.dilate(difference, near)
    opacity = np.clip((most - low) / (high - low), 0, 1) * difference / np.maximum(most, 1.0)
    if solid:
        there = (difference > high).astype(np.uint8)
        outlines, _ = cv2.findContours(there, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        enclosed = cv2.drawContours(np.zeros_like(there), outlines, -1, 1, cv2.FILLED)
        opacity = np.maximum(opacity, cv2.erode(enclosed, near, borderValue=1))
    return np.asarray(opacity, np.float32)


def _change_contrast(image: AnnotatedImage, aoi: Aoi, factor: float) -> AnnotatedImage:
    """Multiply the difference between the lightness of an area and that of its ground.

    Lightness is L* of CIELAB (CIE 15:2004), cut off at black and white; hue and chroma stay. Luminance contrast is what
    letters are read by (Legge, Rubin & Luebker 1987, Vision Research 27, 1165-1177).
    """
    rgb = image.rgb
    mask, filled = remove_area(rgb, aoi)
    here = PixelBox.touched(aoi.box, rgb.shape[1], rgb.shape[0]).slices
    lab, ground = (
        cv2.cvtColor(pixels[here].astype(np.float32) / 255, cv2.COLOR_RGB2Lab) for pixels in (rgb, filled.rgb)
    )
    lab[..., 0] = np.clip(ground[..., 0] + factor * (lab[..., 0] - ground[..., 0]), 0, 100)
    above = np.clip(np.round(255 * cv2.cvtColor(lab, cv2.COLOR_Lab2RGB)), 0, 255).astype(np.uint8)
    changed = rgb.copy()
    changed[here] = _blended(rgb[here], above, mask[here])
    edited = replace(aoi, text=aoi.text and replace(aoi.text, contrast_ratio=None, legible=None))
    aois = tuple(edited if other.aoi_id == aoi.aoi_id else other for other in image.aois)
    return AnnotatedImage(changed, aois, filled.evenness)


def _resize_or_move(image: AnnotatedImage, aoi: Aoi, edit: Edit) -> AnnotatedImage:
    """Resize an area about its centre, or move it to a new centre; whole px, inside the image."""
    height, width = image.rgb.shape[:2]
    before = PixelBox.touched(aoi.box, width, height)
    factor = edit.factor or 1.0
    size = max(1, round(before.width * factor)), max(1, round(before.height * factor))
    if size[0] > width or size[1] > height:
        most = min(width / before.width, height / before.height)
        raise UsageError(f"{edit}: would be larger than the image; at most {most:.4g} fits", code="bad_edit")
    if edit.to is None:
        centre = (before.x0 + before.x1) / 2, (before.y0 + before.y1) / 2
    else:
        centre = edit.to[0] * width, edit.to[1] * height
    x0 = min(max(0, int(np.floor(centre[0] - size[0] / 2 + 0.5))), width - size[0])
    y0 = min(max(0, int(np.floor(centre[1] - size[1] / 2 + 0.5))), height - size[1])
    after = PixelBox(x0, y0, x0 + size[0], y0 + size[1])
    if after == before:
        return image._replace(evenness=1.0)

    def moved(point: Point) -> Point:
        x = after.x0 + (point[0] * width - before.x0) * (after.width / before.width)
        y = after.y0 + (point[1] * height - before.y0) * (after.height / before.height)
        return x / width, y / height

    def follow(part: Aoi) -> Aoi:
        polygon = tuple(moved(point) for point in part.polygon) if part.polygon else None
        box = Box(*moved(part.box[:2]), *moved(part.box[2:])).clipped()
        text = part.text
        if text is not None:
            growth = box.height / part.box.height if part.box.height else 1.0
            legible = text.legible if growth == 1 else None
            text = replace(text, line_height_pct=text.line_height_pct * growth, legible=legible)
        return replace(part, box=box, polygon=polygon, text=text)

    cutout = extract_cutout(image.rgb, aoi)
    parts = contained_areas(aoi, image.aois)
    aois = tuple(follow(other) if other in parts else other for other in image.aois)
    return AnnotatedImage(paste_cutout(cutout, after), aois, cutout.evenness)
