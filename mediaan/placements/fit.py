"""Fit a medium into a placement: which part is shown and how large; what is cropped, covered and too small to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from mediaan.aoi.legibility import MIN_PRINT_SIZE_DEG, TYPE_HEIGHT, can_be_read, proportions
from mediaan.aoi.region import Region, region_area
from mediaan.types.aoi import FULL_FRAME, Aoi, Box, Point, Sighting
from mediaan.types.placement import Placement, Zone, visual_angle_deg


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


MIN_X_HEIGHT_ARCMIN = 60 * MIN_PRINT_SIZE_DEG
"""Of an x in minutes of arc: 0.2 degrees, the critical print size (Legge & Bigelow 2011)."""

_NOTICED = 0.005
"""Share of an area from which a part of it counts as hidden over time: less is the rounding of a detector's box."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """What of an area is hidden in a placement."""

    cropped: float
    covered: float
    """cropped, covered: Shares of its area that are cut off, and covered by the interface, 0-1; they do not overlap."""
    by_zone: tuple[tuple[str, float], ...] = ()
    """Tuple of (str, float). Share that each zone covers, the largest first; zones without a share are absent."""
    worst_s: float | None = None
    """In a video, the moment at which most is hidden, of which the shares are; None in an image."""
    hidden_time: float | None = None
    """In a video, share of its time on screen during which a part of it is hidden, 0-1."""

    @property
    def hidden(self) -> float:
        """Share that is cropped or covered, 0-1."""
        return self.cropped + self.covered


class TextAsShown(NamedTuple):
    """Text of an area at the size at which a placement shows it."""

    text_px: float | None
    """Type size, CSS px; None where the placement has no pixels."""
    x_height_arcmin: float
    """Height of an x, or of capitals where there are only those, in minutes of arc."""
    readable: bool | None
    """Both size and contrast are enough; None where only the contrast is unknown."""

    @property
    def too_small(self) -> bool:
        """True if the size is below the critical print size."""
        return self.x_height_arcmin < MIN_X_HEIGHT_ARCMIN


def region_visibility(region: Region, fitted: FittedMedium) -> Visibility:
    """Measure what of a region of the medium is cropped and covered.

    `region`: box or polygon in unit coordinates of the medium.

    >>> from mediaan.placements.fit import fit_medium
    >>> from mediaan.types.placement import BUILT_IN_PLACEMENTS
    >>> story = fit_medium(1080, 1920, BUILT_IN_PLACEMENTS["instagram_story"])
    >>> button = region_visibility(Region(Box(0.2, 0.75, 0.8, 0.85), None), story)
    >>> round(button.covered, 3), [name for name, _ in button.by_zone]
    (0.5, ['reply_and_button'])
    """
    area = region.area
    if area <= 0:
        return Visibility(0.0, 0.0)
    zones = fitted.zones
    cropped = 1.0 - min(1.0, _area_inside(region, fitted.crop) / area)
    covered = sum(_area_inside(region, piece) for piece in disjoint([zone.box for zone in zones])) / area
    shares = ((zone.name, _area_inside(region, zone.box) / area) for zone in zones)
    by_zone = sorted(((name, min(1.0, share)) for name, share in shares if share > 1e-9), key=lambda item: -item[1])
    return Visibility(max(0.0, cropped), min(covered, 1.0 - cropped), tuple(by_zone))


def aoi_visibility(aoi: Aoi, fitted: FittedMedium, weights: Sequence[float] = ()) -> Visibility:
    """Measure what of an area is cropped and covered; of one that moves, at the worst moment and over its time.

    `weights`: seconds for which each sighting of its track stands; by default all the same.
    """
    if not aoi.track:
        visibility = region_visibility(Region(aoi.box, aoi.polygon), fitted)
        if aoi.t0_s is None and aoi.t1_s is None:
            return visibility
        hidden = 1.0 if visibility.hidden > _NOTICED else 0.0
        return Visibility(visibility.cropped, visibility.covered, visibility.by_zone, aoi.t0_s or 0.0, hidden)
    seen: dict[Box, Visibility] = {}
    moments: list[tuple[Sighting, Visibility]] = []
    for sighting in aoi.track:
        if sighting.box not in seen:
            seen[sighting.box] = region_visibility(Region(sighting.box, None), fitted)
        moments.append((sighting, seen[sighting.box]))
    seconds = list(weights) if weights else [1.0] * len(moments)
    hidden_s = sum(s for s, (_, visible) in zip(seconds, moments, strict=True) if visible.hidden > _NOTICED)
    worst, most = max(moments, key=lambda moment: moment[1].hidden)
    return Visibility(most.cropped, most.covered, most.by_zone, worst.t_s, hidden_s / sum(seconds))


def text_as_shown(aoi: Aoi, fitted: FittedMedium) -> TextAsShown | None:
    """Measure the text of an area at its shown size, as `mediaan.aoi.legibility` does; None for one without text."""
    if aoi.text is None:
        return None
    size_px = aoi.text.line_height_pct / 100 * fitted.height / TYPE_HEIGHT
    _, small = proportions(aoi.text.transcription)
    arcmin = 60 * visual_angle_deg(size_px * small * fitted.mm_per_px, fitted.placement.distance_mm)
    css_px = fitted.placement.css_px_mm
    readable = can_be_read(arcmin / 60, aoi.text.contrast_ratio)
    return TextAsShown(None if css_px is None else size_px * (fitted.mm_per_px / css_px), arcmin, readable)


def disjoint(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Cut boxes that may overlap into boxes that do not, which cover the same.

    >>> round(sum(box.area for box in disjoint([Box(0, 0, 0.5, 1), Box(0.25, 0, 0.75, 1)])), 3)
    0.75
    """
    listed = [box for box in boxes if box.area > 0]
    xs = sorted({side for box in listed for side in (box.x0, box.x1)})
    ys = sorted({side for box in listed for side in (box.y0, box.y1)})
    pieces = []
    for y0, y1 in pairwise(ys):
        for x0, x1 in pairwise(xs):
            middle = (x0 + x1) / 2, (y0 + y1) / 2
            if any(b.x0 < middle[0] < b.x1 and b.y0 < middle[1] < b.y1 for b in listed):
                pieces.append(Box(x0, y0, x1, y1))
    return tuple(pieces)


def _area_inside(region: Region, box: Box) -> float:
    """Return the share of the medium's area that lies in a region and in a box."""
    if box.area <= 0:
        return 0.0

    def inside(x: float, y: float) -> tuple[float, float]:
        return (x - box.x0) / box.width, (y - box.y0) / box.height

    polygon = None if region.polygon is None else tuple(inside(x, y) for x, y in region.polygon)
    moved = Box(*inside(region.box.x0, region.box.y0), *inside(region.box.x1, region.box.y1))
    return region_area(moved, polygon) * box.area
