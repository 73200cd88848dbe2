"""Edits of a picture: an area is removed, resized, moved, greyed, blurred or set off from its ground; boxes follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple
from uuid import UUID

import cv2
import numpy as np

from mediaan.aoi.cutout import Window, blended, cut_out, feathered, hole_of, lay_down, region_mask, window_of
from mediaan.aoi.ground import fill_ground
from mediaan.aoi.shape import region_area
from mediaan.errors import UsageError
from mediaan.types.aoi import Aoi, Box, Point
from mediaan.types.arrays import Float64, UInt8
from mediaan.types.edit import Edit

_PART_OF_IT = 0.8
"""Share of an area inside an edited one from which on it goes with that one: a face with its person, for instance."""

_EDGE_PX = 2
_BLUR = 0.12
"""Standard deviation of the blur, share of the area's shorter side: letters cannot be read, faces not be told."""

_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])  # of linear sRGB (IEC 61966-2-1)


class Scene(NamedTuple):
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


def edit_scene(scene: Scene, edit: Edit, aoi_id: UUID) -> Scene:
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
    sigma = max(1.0, _BLUR * min(window_of(aoi.box, scene.rgb).size))
    blurred = cv2.GaussianBlur(scene.rgb, (0, 0), sigma, borderType=cv2.BORDER_REFLECT)
    return _changed_inside(scene, aoi, np.asarray(blurred, np.uint8), round(sigma))


def _changed_inside(scene: Scene, aoi: Aoi, changed: UInt8, edge_px: int) -> Scene:
    """The scene with other pixels in an area, towards whose edge the old ones come back."""
    opacity = feathered(region_mask(aoi, scene.rgb), edge_px)
    return Scene(blended(scene.rgb, changed, opacity), scene.aois)


def parts_of(aoi: Aoi, aois: tuple[Aoi, ...]) -> tuple[Aoi, ...]:
    """An area, and those that lie inside it."""
    inside = (other for other in aois if other.box.intersection(aoi.box) >= _PART_OF_IT * other.box.area)
    return tuple(dict.fromkeys((aoi, *inside)))


def _set_off(scene: Scene, aoi: Aoi, factor: float) -> Scene:
    """The scene with an area whose lightness differs from that of its ground so many times as much.

    Lightness is L* of CIELAB (CIE 15:2004), cut off at black and white; hue and chroma stay. Luminance contrast is what
    letters are read by (Legge, Rubin & Luebker 1987, Vision Research 27, 1165-1177).
    """
    mask = region_mask(aoi, scene.rgb)
    filled = fill_ground(scene.rgb, hole_of(mask, scene.rgb))
    here = window_of(aoi.box, scene.rgb).slices
    lab, ground = (
        cv2.cvtColor(picture[here].astype(np.float32) / 255, cv2.COLOR_RGB2Lab) for picture in (scene.rgb, filled.rgb)
    )
    lab[..., 0] = np.clip(ground[..., 0] + factor * (lab[..., 0] - ground[..., 0]), 0, 100)
    changed = scene.rgb.copy()
    changed[here] = np.clip(np.round(255 * cv2.cvtColor(lab, cv2.COLOR_Lab2RGB)), 0, 255).astype(np.uint8)
    text = aoi.text and replace(aoi.text, contrast_ratio=None, legible=None)
    edited = replace(aoi, text=text)
    aois = tuple(edited if other.aoi_id == aoi.aoi_id else other for other in scene.aois)
    return Scene(blended(scene.rgb, changed, mask), aois, filled.evenness)


def _removed(scene: Scene, aoi: Aoi) -> Scene:
    gone = parts_of(aoi, scene.aois)
    hole = hole_of(region_mask(aoi, scene.rgb), scene.rgb)
    filled = fill_ground(scene.rgb, hole)
    return Scene(filled.rgb, tuple(other for other in scene.aois if other not in gone), filled.evenness)


def _placed(scene: Scene, aoi: Aoi, edit: Edit) -> Scene:
    """The area in a new size about its centre, or around a new centre."""
    before = window_of(aoi.box, scene.rgb)
    after = _new_window(before, edit, scene.rgb)
    if after == before:
        return scene._replace(evenness=1.0)
    cutout = cut_out(scene.rgb, aoi)
    moves = _motion(before, after, scene.rgb)
    along = parts_of(aoi, scene.aois)
    aois = tuple(_followed(other, moves) if other in along else other for other in scene.aois)
    return Scene(lay_down(cutout, after), aois, cutout.evenness)


def _new_window(before: Window, edit: Edit, rgb: UInt8) -> Window:
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
    return Window(x0, y0, x0 + size[0], y0 + size[1])


def _motion(before: Window, after: Window, rgb: UInt8) -> Callable[[Point], Point]:
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
