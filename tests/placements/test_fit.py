"""How media fit into slots: nothing is distorted, nothing is lost that is not said to be lost."""

from __future__ import annotations

import math
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediaan.aoi.legibility import legibility
from mediaan.aoi.region import Region
from mediaan.placements.fit import fit_medium, region_visibility, text_as_shown
from mediaan.types.aoi import Aoi, Box, TextFacts
from mediaan.types.placement import BUILT_IN_PLACEMENTS, DEFAULT_PLACEMENTS, DISPLAYS, Placement

placements = st.sampled_from(list(BUILT_IN_PLACEMENTS.values()))
sides = st.integers(50, 4000)
shares = st.floats(0, 1)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    x0, x1 = sorted((draw(shares), draw(shares)))
    y0, y1 = sorted((draw(shares), draw(shares)))
    return Box(x0, y0, x1, y1)


@given(sides, sides, placements)
def test_a_medium_keeps_its_shape_and_stays_in_its_slot(width: int, height: int, placement: Placement) -> None:
    fitted = fit_medium(width, height, placement)
    across = fitted.shown_mm[0] / (width * fitted.crop.width)
    down = fitted.shown_mm[1] / (height * fitted.crop.height)
    assert across == pytest.approx(down, rel=1e-6)
    assert fitted.mm_per_px == pytest.approx(across)
    for box in (fitted.crop, fitted.place):
        assert box == box.clipped()
    assert fitted.place.width == pytest.approx(1) or fitted.place.height == pytest.approx(1)
    assert fitted.slot_mm[0] == placement.width_mm
    if placement.fit == "contain":
        assert fitted.crop.area == pytest.approx(1)
    if placement.fit == "crop":
        assert fitted.place.area == pytest.approx(1)


@given(sides, sides, placements, boxes())
def test_what_is_shown_covered_and_cropped_is_all_there_is(
    width: int, height: int, placement: Placement, box: Box
) -> None:
    seen = region_visibility(Region(box, None), fit_medium(width, height, placement))
    assert 0 <= seen.cropped <= 1
    assert -1e-9 <= seen.covered <= 1 - seen.cropped + 1e-9
    assert all(0 < share <= 1 for _, share in seen.by_zone)
    corners = ((box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1))
    same = region_visibility(Region(box, corners), fit_medium(width, height, placement))
    if box.area > 1e-6:
        assert (same.cropped, same.covered) == pytest.approx((seen.cropped, seen.covered), abs=1e-6)


@given(sides, sides, placements, st.tuples(shares, shares))
def test_points_of_the_medium_lie_where_zones_say(
    width: int, height: int, placement: Placement, point: tuple[float, float]
) -> None:
    fitted = fit_medium(width, height, placement)
    x, y = fitted.to_slot(point)
    in_slot = any(z.box.x0 < x < z.box.x1 and z.box.y0 < y < z.box.y1 for z in placement.zones)
    on_medium = any(z.box.x0 < point[0] < z.box.x1 and z.box.y0 < point[1] < z.box.y1 for z in fitted.zones)
    cropped = not (fitted.crop.x0 <= point[0] <= fitted.crop.x1 and fitted.crop.y0 <= point[1] <= fitted.crop.y1)
    near = any(
        min(abs(x - side) for side in (z.box.x0, z.box.x1)) < 1e-6
        or min(abs(y - side) for side in (z.box.y0, z.box.y1)) < 1e-6
        for z in placement.zones
    )
    assert near or cropped or in_slot == on_medium


@pytest.mark.parametrize(
    ("name", "size", "crop", "shown"),
    [
        ("instagram_feed", (1080, 1920), (0, 0.1484, 1, 0.8516), (390, 487.5)),  # 9:16 cut to 4:5
        ("instagram_feed", (1080, 1080), (0, 0, 1, 1), (390, 390)),
        ("pinterest_pin", (1000, 2000), (0, 0, 1, 0.75), (192, 288)),  # cut at its lower end
        ("linkedin_feed", (1080, 1920), (0, 0, 1, 1), (274.2, 487.5)),  # whole, with bars
        ("leaderboard", (728, 90), (0, 0, 1, 1), (728, 90)),
        ("email", (600, 3000), (0, 0, 1, 1), (600, 3000)),
    ],
)
def test_known_fits(name: str, size: tuple[int, int], crop: tuple[float, ...], shown: tuple[float, float]) -> None:
    fitted = fit_medium(*size, BUILT_IN_PLACEMENTS[name])
    assert tuple(fitted.crop) == pytest.approx(crop, abs=1e-4)
    assert fitted.shown_css_px == pytest.approx(shown, rel=1e-3)


def text_of(size_px: float, height: int, text: str = "Sale ends") -> Aoi:
    return Aoi(
        UUID(int=1), "headline_text", text, Box(0, 0, 1, 0.1), 0.9, "text",
        text=TextFacts(text, 100 * size_px * 0.92 / height, 8.0, None),
    )  # fmt: skip


def test_text_is_as_large_as_trigonometry_says() -> None:
    # 40 px type of an image 1080 px wide, on a phone 65 mm (390 CSS px) wide, at 322 mm
    shown = text_as_shown(text_of(40, 1080), fit_medium(1080, 1080, BUILT_IN_PLACEMENTS["instagram_feed"]))
    assert shown.text_px == pytest.approx(40 * 390 / 1080)
    assert shown.x_height_arcmin == pytest.approx(60 * math.degrees(2 * math.atan(40 * 0.52 * 65 / 1080 / 322 / 2)))
    poster = text_as_shown(text_of(40, 1750), fit_medium(1185, 1750, BUILT_IN_PLACEMENTS["city_light_poster"]))
    assert poster.text_px is None
    assert poster.x_height_arcmin == pytest.approx(60 * math.degrees(2 * math.atan(40 * 0.52 / 5000 / 2)))


def test_the_usual_placement_shows_text_as_large_as_the_display_of_its_platform() -> None:
    """One source of sizes: where a placement fills the display, both say the same."""
    full = {"instagram", "facebook", "instagram_story", "tiktok", "x", "pinterest", "tv", "cinema", "email"}
    assert full <= DEFAULT_PLACEMENTS.keys()
    for platform in sorted(full):
        placement = BUILT_IN_PLACEMENTS[DEFAULT_PLACEMENTS[platform]]
        display = DISPLAYS[platform]
        width = 1600 if display.width_mm > display.height_mm else 1000
        height = round(width * display.height_mm / display.width_mm) if width == 1600 else 1000
        shown = text_as_shown(text_of(40, height), fit_medium(width, height, placement))
        assert shown is not None
        usual = legibility(40, "Sale ends", 8.0, width, height, platform)
        assert shown.x_height_arcmin == pytest.approx(60 * usual.x_height_deg, rel=2e-3), platform
        assert shown.readable == usual.legible
