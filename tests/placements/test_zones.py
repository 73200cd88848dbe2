"""Zones of placements: a target drawn in one is covered, in numbers and in the preview, and one beside it is not."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from mediaan.aoi.region import Region
from mediaan.placements.fit import FittedMedium, aoi_visibility, fit_medium, region_visibility
from mediaan.placements.preview import draw_preview, preview_sheet
from mediaan.types.aoi import Aoi, Box, Sighting
from mediaan.types.arrays import UInt8
from mediaan.types.placement import BUILT_IN_PLACEMENTS, Placement, Zone

TARGET, GROUND = (210, 30, 30), (240, 240, 240)
SIZES = {  # px, of files that fill the slot
    "youtube_in_stream": (1600, 900), "youtube_in_stream_desktop": (1708, 960), "poster_6_sheet": (800, 1200),
    "poster_96_sheet": (2400, 600),
}  # fmt: skip
UPRIGHT = (900, 1600)
ZONES = [
    pytest.param(placement, zone, id=f"{placement.name}-{zone.name}")
    for placement in BUILT_IN_PLACEMENTS.values()
    for zone in placement.zones
]


def drawn(fitted: FittedMedium, box: Box) -> UInt8:
    rgb = np.full((fitted.height, fitted.width, 3), GROUND, np.uint8)
    x0, x1 = round(box.x0 * fitted.width), round(box.x1 * fitted.width)
    y0, y1 = round(box.y0 * fitted.height), round(box.y1 * fitted.height)
    rgb[y0:y1, x0:x1] = TARGET
    return rgb


def middle(box: Box, share: float = 0.6) -> Box:
    (x, y), width, height = box.centre, box.width * share / 2, box.height * share / 2
    return Box(x - width, y - height, x + width, y + height)


def beside(placement: Placement, zone: Zone) -> Box:
    """A box as high and as wide as half of a free spot of the slot, next to the zone if there is room."""
    taken = [one.box for one in placement.zones]
    spots = [
        Box(x / 40, y / 40, x / 40 + 0.06, y / 40 + 0.06)
        for x in range(38)
        for y in range(38)
        if not any(Box(x / 40, y / 40, x / 40 + 0.06, y / 40 + 0.06).intersection(box) for box in taken)
    ]
    at = zone.box.centre
    return min(spots, key=lambda spot: (spot.centre[0] - at[0]) ** 2 + (spot.centre[1] - at[1]) ** 2)


@pytest.mark.parametrize(("placement", "zone"), ZONES)
def test_a_target_in_the_zone_is_covered_and_one_beside_it_is_not(placement: Placement, zone: Zone) -> None:
    fitted = fit_medium(*SIZES.get(placement.name, UPRIGHT), placement)
    inside, outside = middle(zone.box), beside(placement, zone)
    hit = region_visibility(Region(inside, None), fitted)
    assert (hit.covered, hit.cropped, hit.by_zone[0][0]) == (pytest.approx(1), 0, zone.name)
    missed = region_visibility(Region(outside, None), fitted)
    assert (missed.covered, missed.cropped, missed.by_zone) == (0, 0, ())
    straddling = Box(zone.box.x0, zone.box.y0, zone.box.x1, zone.box.y1)
    assert region_visibility(Region(straddling, None), fitted).covered == pytest.approx(1)

    def shown(box: Box) -> tuple[int, ...]:
        """The colour of a target of the medium in the preview."""
        preview = draw_preview(drawn(fitted, box), fitted)
        x0, y0, x1, y1 = fitted.box_in_slot(box)
        slot = preview.slot
        part = preview.rgb[
            round(slot.y0 + y0 * slot.height) + 1 : max(round(slot.y0 + y1 * slot.height) - 1, 0),
            round(slot.x0 + x0 * slot.width) + 1 : max(round(slot.x0 + x1 * slot.width) - 1, 0),
        ]
        assert part.size
        near = part.reshape(-1, 3)
        return tuple(np.percentile(near, 10, axis=0).round().astype(int))

    assert np.abs(np.array(shown(outside)) - TARGET).max() <= 20  # as it is, but for ringing
    assert shown(inside)[0] < 0.75 * TARGET[0]  # under a veil


def test_a_target_half_in_a_zone_is_half_covered() -> None:
    story = fit_medium(1080, 1920, BUILT_IN_PLACEMENTS["instagram_story"])
    half = region_visibility(Region(Box(0.2, 0.7, 0.8, 0.9), None), story)
    assert half.covered == pytest.approx(0.5)
    triangle = ((0.0, 0.8), (1.0, 0.8), (0.0, 0.6))  # above the zone
    assert region_visibility(Region(Box(0, 0.6, 1, 0.8), triangle), story).covered == 0


def test_a_square_in_a_story_lies_between_the_zones() -> None:
    story = fit_medium(1080, 1080, BUILT_IN_PLACEMENTS["instagram_story"])
    whole = region_visibility(Region(Box(0, 0, 1, 1), None), story)
    # 1:1 in 9:16 lies from 21.9 % to 78.1 % of the height; the zones end at 14 % and begin at 80 %
    assert (whole.covered, whole.cropped) == (0, 0)


def test_overlapping_zones_are_counted_once() -> None:
    both = BUILT_IN_PLACEMENTS["instagram_story"]
    zones = (Zone("a", Box(0, 0, 1, 0.5)), Zone("b", Box(0, 0.25, 1, 0.75)))
    placement = Placement(
        "x", "X", "", both.width_mm, both.height_mm, both.distance_mm, "contain", "none", "", "", zones=zones
    )
    seen = region_visibility(Region(Box(0, 0, 1, 1), None), fit_medium(1080, 1920, placement))
    assert seen.covered == pytest.approx(0.75)
    assert dict(seen.by_zone) == pytest.approx({"a": 0.5, "b": 0.5})


def test_of_an_area_that_moves_the_worst_moment_and_its_share_of_time_count() -> None:
    story = fit_medium(1080, 1920, BUILT_IN_PLACEMENTS["instagram_story"])
    places = [Box(0.4, y, 0.6, y + 0.1) for y in (0.5, 0.6, 0.75, 0.85)]
    track = tuple(Sighting(0.2 * i, box, 1.0) for i, box in enumerate(places))
    button = Aoi(UUID(int=1), "call_to_action", "Buy", places[0], 0.9, "detector", t0_s=0.0, t1_s=0.8, track=track)
    seen = aoi_visibility(button, story, [0.2, 0.2, 0.2, 0.4])
    assert (seen.covered, seen.worst_s) == (pytest.approx(1), pytest.approx(0.6))
    assert seen.hidden_time == pytest.approx(0.6 / 1.0)


def test_a_sheet_shows_every_preview_with_its_title_and_lines() -> None:
    rgb = np.full((400, 300, 3), GROUND, np.uint8)
    previews = [
        (one.title, draw_preview(rgb, fit_medium(300, 400, one)), ["branding: 20 % cropped, ä"])
        for one in BUILT_IN_PLACEMENTS.values()
    ]
    sheet = preview_sheet("ad.png", previews)
    assert sheet.shape[1] <= 1500
    assert sheet.shape[0] < 30_000
    with pytest.raises(ValueError, match="needs a preview"):
        preview_sheet("ad.png", [])
