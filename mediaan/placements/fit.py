"""Fit a medium into a placement: which part is shown, where in the slot, and how large."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.types.aoi import FULL_FRAME, Box, Point
from mediaan.types.placement import Placement, Zone


@dataclass(frozen=True, slots=True)
class FittedMedium:
    """A medium in the slot of a placement."""

    placement: Placement
    width: int
    height: int
    """width, height: Of the medium, px."""
    slot_mm: tuple[float, float]
    """(float, float). Width and height of the slot; with `fit` ``column`` its height follows the medium."""
    crop: Box
    """Part of the medium that is shown, in its unit coordinates."""
    place: Box
    """Where that part lies, in unit coordinates of the slot; the rest of the slot stays empty."""

    @property
    def mm_per_px(self) -> float:
        """Size of a pixel of the medium as it is shown, mm."""
        return self.slot_mm[0] * self.place.width / (self.width * self.crop.width)

    @property
    def css_px_per_px(self) -> float | None:
        """The same in CSS pixels; None where the placement has none."""
        size = self.placement.css_px_mm
        return None if size is None else self.mm_per_px / size

    @property
    def shown_mm(self) -> tuple[float, float]:
        """Width and height of the shown part of the medium, mm."""
        return self.slot_mm[0] * self.place.width, self.slot_mm[1] * self.place.height

    @property
    def shown_css_px(self) -> tuple[float, float] | None:
        """The same in CSS pixels; None where the placement has none."""
        size = self.placement.css_px_mm
        return None if size is None else (self.shown_mm[0] / size, self.shown_mm[1] / size)

    @property
    def cropped_share(self) -> float:
        """Share of the medium's area that is cut off, 0-1."""
        return max(0.0, 1.0 - self.crop.area)

    @property
    def zones(self) -> tuple[Zone, ...]:
        """Zones that cover a part of the medium, in its unit coordinates, clipped to what is shown."""
        zones = []
        for zone in self.placement.zones:
            left, top = self._to_medium((zone.box.x0, zone.box.y0))
            right, bottom = self._to_medium((zone.box.x1, zone.box.y1))
            box = Box(
                max(left, self.crop.x0), max(top, self.crop.y0), min(right, self.crop.x1), min(bottom, self.crop.y1)
            )
            if box.area > 0:
                zones.append(Zone(zone.name, box))
        return tuple(zones)

    def to_slot(self, point: Point) -> Point:
        """Return where a point of the medium lies in the slot, both in unit coordinates; outside it where cropped."""
        across = (point[0] - self.crop.x0) / self.crop.width
        down = (point[1] - self.crop.y0) / self.crop.height
        return self.place.x0 + across * self.place.width, self.place.y0 + down * self.place.height

    def box_in_slot(self, box: Box) -> Box:
        """Return where a box of the medium lies in the slot, in its unit coordinates."""
        return Box(*self.to_slot((box.x0, box.y0)), *self.to_slot((box.x1, box.y1)))

    def _to_medium(self, point: Point) -> Point:
        across = (point[0] - self.place.x0) / self.place.width
        down = (point[1] - self.place.y0) / self.place.height
        return self.crop.x0 + across * self.crop.width, self.crop.y0 + down * self.crop.height


def fit_medium(width: int, height: int, placement: Placement) -> FittedMedium:
    """Fit a medium of `width` x `height` px into a placement.

    >>> from mediaan.types.placement import BUILT_IN_PLACEMENTS
    >>> story = fit_medium(1080, 1080, BUILT_IN_PLACEMENTS["instagram_story"])
    >>> story.crop.area, round(story.place.height, 4)
    (1.0, 0.5625)
    >>> square = fit_medium(1080, 1350, BUILT_IN_PLACEMENTS["instagram_feed_1x1"])
    >>> [round(side, 2) for side in square.crop]
    [0.0, 0.1, 1.0, 0.9]
    """
    slot_mm, fit = (placement.width_mm, placement.height_mm), placement.fit
    aspect = width / height
    if fit == "column":
        narrowest, widest = placement.shapes
        bounded = min(max(aspect, narrowest), widest)
        slot_mm, fit = (placement.width_mm, placement.width_mm / bounded), placement.beyond
    ratio = aspect / (slot_mm[0] / slot_mm[1])  # above 1: the medium is wider than the slot
    if abs(ratio - 1) < 1e-9:
        return FittedMedium(placement, width, height, slot_mm, FULL_FRAME, FULL_FRAME)
    wide, tall = min(1.0, ratio), min(1.0, 1 / ratio)
    if fit == "contain":
        place = Box((1 - wide) / 2, (1 - tall) / 2, (1 + wide) / 2, (1 + tall) / 2)
        return FittedMedium(placement, width, height, slot_mm, FULL_FRAME, place)
    across, down = min(1.0, 1 / ratio), min(1.0, ratio)
    top = 0.0 if placement.crop_from == "top" else (1 - down) / 2
    crop = Box((1 - across) / 2, top, (1 + across) / 2, top + down)
    return FittedMedium(placement, width, height, slot_mm, crop, FULL_FRAME)
