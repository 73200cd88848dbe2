"""Find what text stands on: a button, a badge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from cv2.typing import MatLike

from mediaan.aoi.detection.text_blocks import TypesetLine
from mediaan.aoi.region import PixelBox
from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import Float64, UInt8


@dataclass(frozen=True, slots=True)
class SurroundingsSettings:
    """Sizes and tolerances by which a button or badge is told from what is around it."""

    least_button: float = 0.25
    """Confidence from which a detected button is taken for the plate of a line."""
    held_button: float = 0.95
    """Share of a detected button in a shape around the line from which on the shape is its outline: on train and dev
    closer to what people drew in 8 of 9."""
    max_letters: int = 28
    """Of a line that stands on a button."""
    margin_x: float = 8.0
    """Room left and right of the letters in which the shape must end, in type sizes."""
    margin_y: float = 2.7
    """The same above and below."""
    tolerance: int = 18
    """A shape's pixels differ from its ground by no more per channel, 0-255: JPEG's noise, a weak gradient."""
    min_fill: float = 0.86
    """Share of its bounds that a shape fills; a pill three times as wide as high fills .93."""
    min_padding: float = 0.2
    """Between the letters and the shape's top and bottom, in type sizes."""
    max_padding: float = 2.0
    """The same at most."""
    max_offset_x: float = 1.6
    """Of the letters from the shape's middle, in type sizes; an arrow may stand beside them."""
    max_offset_y: float = 0.6
    """The same up or down."""
    min_width_ratio: float = 1.3
    """Width of a button over its height."""
    # Of the icon beside a number; sizes in type sizes.
    icon_edge: float = 22.0
    """Step of colour from pixel to pixel, 0-255, above the noise of JPEG and the grain of plain grounds."""
    min_icon: float = 0.5
    """Height of an icon."""
    max_icon: float = 2.2
    """Height and width of an icon."""
    icon_gap: float = 1.2
    """Greatest gap between icon and line."""
    icon_offset: float = 0.4
    """Of the icon's middle from the line's."""
    into_letters: float = 0.5
    """So far an icon may reach into the box of the line: text detectors take a part of it for a letter."""
    # Of the badge around a price.
    badge_reach: float = 3.0
    """Greatest room between letters and border, in type sizes."""
    max_badge: float = 9.0
    """Area of a badge over that of the text."""
    badge_colours: int = 24
    """Difference of its pixels from its ground per channel, 0-255."""
    badge_fill: float = 0.45
    """Share of its bounds that it fills; a star fills half."""
    held: float = 0.95
    """Share of the letters that it holds."""


SETTINGS = SurroundingsSettings()


def button_around(rgb: UInt8, typed: TypesetLine, detections: Sequence[Detection] = ()) -> Box | None:
    """Find the button in which a line stands.

    `rgb` (H, W, 3) uint8.
    `detections`: those of type button go before a filled or outlined shape that is found in the pixels, unless that
        holds them.
    """
    text = typed.box
    around = (
        d
        for d in detections
        if d.type == "button"
        and d.confidence >= SETTINGS.least_button
        and text.share_in(d.box) >= 0.7
        and text.area >= 0.08 * d.box.area
    )
    best, shape = max(around, key=lambda d: d.confidence, default=None), shape_around(rgb, typed)
    return shape if best is None or (shape and best.box.share_in(shape) >= SETTINGS.held_button) else best.box


def shape_around(rgb: UInt8, typed: TypesetLine) -> Box | None:
    """Find a filled or outlined rectangle, with or without round corners, close around a short upright line."""
    letters, size = typed.letters, typed.size_px
    if letters is None or abs(typed.along[1]) > 0.1 or len(typed.text) > SETTINGS.max_letters:
        return None
    (x0, y0), (x1, y1) = typed.corners.min(axis=0), typed.corners.max(axis=0)
    height, width = rgb.shape[:2]
    left, top = max(0, int(x0 - SETTINGS.margin_x * size)), max(0, int(y0 - SETTINGS.margin_y * size))
    right, bottom = min(width, int(x1 + SETTINGS.margin_x * size)), min(height, int(y1 + SETTINGS.margin_y * size))
    window, rim = PixelBox(left, top, right, bottom), 0.15 * size
    around = PixelBox(max(0, int(x0)), max(0, int(y0 - rim)), int(x1) + 1, int(y1 + rim) + 1)
    region = _plain_region(rgb, window, around, letters.ground, SETTINGS.tolerance)
    if region is None:
        return None
    shape, fill = region
    wide = shape.x0 <= x0 and shape.x1 >= x1 and shape.width >= SETTINGS.min_width_ratio * shape.height
    above, below = (y0 - shape.y0) / size, (shape.y1 - y1) / size
    padded = min(above, below) >= SETTINGS.min_padding and max(above, below) <= SETTINGS.max_padding
    off_x = abs((x0 - shape.x0) - (shape.x1 - x1)) / 2 / size
    central = abs(above - below) / 2 <= SETTINGS.max_offset_y and off_x <= SETTINGS.max_offset_x
    return shape.unit(width, height) if wide and padded and central and fill >= SETTINGS.min_fill else None


def expand_to_icon(rgb: UInt8, line: Box, size: float, others: Sequence[Box]) -> Box:
    """Expand a line to the icon that stands left or right of it, as that of a telephone stands beside a number.

    `size`: type size of the line, px.
    `others`: other lines of text, which are no icons.
    """
    height, width = rgb.shape[:2]
    letters = PixelBox.of(line, width, height)
    window = letters.padded(int((SETTINGS.icon_gap + SETTINGS.max_icon) * size), int(size), width, height)
    taken = [PixelBox.of(other, width, height) for other in others]
    smooth = cv2.GaussianBlur(rgb[window.slices], (3, 3), 0)
    edges = (colour_steps(smooth) > SETTINGS.icon_edge).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(edges, connectivity=8)
    expanded = letters
    for x, y, across, down, _ in stats[1:].tolist():
        cut = x == 0 or y == 0 or x + across == window.width or y + down == window.height
        x, y = x + window.x0, y + window.y0
        graphic = PixelBox(x + 1, y + 1, x + across - 1, y + down - 1)  # edges are found outside of what they bound
        small = max(graphic.width, graphic.height) <= SETTINGS.max_icon * size
        level = abs(graphic.y0 + graphic.y1 - letters.y0 - letters.y1) / 2 <= SETTINGS.icon_offset * size
        gap = max(letters.x0 - graphic.x1, graphic.x0 - letters.x1)
        close = -SETTINGS.into_letters * size <= gap <= SETTINGS.icon_gap * size
        is_icon = not cut and small and graphic.height >= SETTINGS.min_icon * size and level and close
        if is_icon and not any(graphic.shared_area(text) > 0.5 * graphic.area for text in taken):
            expanded = expanded.union(graphic)
    return line if expanded == letters else expanded.unit(width, height)


def expand_to_badge(rgb: UInt8, text: Box, size: float, ground: Float64, others: Sequence[Box]) -> Box:
    """Expand a text to the badge on which it stands alone, as a price stands on a disc or a star.

    `size`: its type size, px.
    `ground` (3,) float64: colour around its letters, 0-255.
    `others`: other lines of text.
    Returns: the box of the text where it stands on no badge.
    """
    height, width = rgb.shape[:2]
    letters = PixelBox.of(text.clipped(), width, height)
    if letters.area == 0:
        return text
    reach = int(SETTINGS.badge_reach * size)
    window = letters.padded(reach, reach, width, height)
    region = _plain_region(rgb, window, letters, ground, SETTINGS.badge_colours)
    if region is None:
        return text
    badge, fill = region
    taken = [PixelBox.of(other, width, height) for other in others]
    alone = not any(badge.shared_area(other) > 0.5 * other.area for other in taken)
    holds = badge.shared_area(letters) >= SETTINGS.held * letters.area
    small = badge.area <= SETTINGS.max_badge * letters.area
    is_badge = holds and alone and small and fill >= SETTINGS.badge_fill
    return badge.union(letters).unit(width, height) if is_badge else text


def _plain_region(
    rgb: UInt8, window: PixelBox, letters: PixelBox, ground: Float64, tolerance: int
) -> tuple[PixelBox, float] | None:
    """Return bounds, px, and filled share of the region of the ground's colour around letters, if a window holds it."""
    low, high = ground.astype(np.int16) - tolerance, ground.astype(np.int16) + tolerance
    plain = cv2.inRange(rgb[window.slices], low, high)
    _, labels = cv2.connectedComponents(plain, connectivity=4)
    inside = labels[
        max(0, letters.y0 - window.y0) : letters.y1 - window.y0, max(0, letters.x0 - window.x0) : letters.x1 - window.x0
    ]
    label = int(np.bincount(inside[inside > 0], minlength=1).argmax())
    region = (labels == label).astype(np.uint8)
    x, y, across, down = cv2.boundingRect(region)
    if label == 0 or min(x, y) == 0 or x + across == window.width or y + down == window.height:
        return None
    contours, _ = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    fill = cv2.contourArea(max(contours, key=cv2.contourArea)) / max(1, (across - 1) * (down - 1))
    return PixelBox(window.x0 + x, window.y0 + y, window.x0 + x + across, window.y0 + y + down), float(fill)


def colour_steps(rgb: MatLike) -> UInt8:
    """Return the greatest difference of a channel within the 3 x 3 px around each pixel, (H, W) uint8."""
    return largest_channel(cv2.morphologyEx(rgb, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)))


def largest_channel(rgb: MatLike) -> UInt8:
    """Return the greatest value of a channel at each pixel, (H, W) uint8."""
    red, green, blue = cv2.split(rgb)
    return np.asarray(cv2.max(cv2.max(red, green), blue), np.uint8)
