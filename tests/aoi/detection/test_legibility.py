"""Contrast, size and what can be read where, against WCAG's own values and plain trigonometry."""

from __future__ import annotations

import math
from uuid import UUID

import numpy as np
import pytest
from typeset import Typeset, picture

from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.aoi.legibility import contrast_ratio, legibility, proportions
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.types.media import Medium
from mediaan.types.placement import DEFAULT_DISPLAY, DISPLAYS, usual_platform


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    # published: WCAG 2.2, understanding 1.4.3, names #767676 on white as the lightest grey that keeps 4.5:1
    [("000000", "ffffff", 21.0), ("767676", "ffffff", 4.54), ("777777", "ffffff", 4.48), ("ff0000", "ffffff", 4.0)],
)
def test_contrast_is_that_of_wcag(first: str, second: str, ratio: float) -> None:
    one, other = (np.array(list(bytes.fromhex(colour)), float) for colour in (first, second))
    assert contrast_ratio(one, other) == pytest.approx(ratio, abs=0.005)
    assert contrast_ratio(other, one) == contrast_ratio(one, other)


def test_every_platform_of_the_vocabulary_has_a_display_with_its_source() -> None:
    assert DISPLAYS.keys() == set(BUILT_IN_VOCABULARY.words("platform"))
    assert all(display.source and display.distance_mm > 0 for display in DISPLAYS.values())


def test_the_angle_is_that_of_the_shown_letters() -> None:
    # 1080 px wide on a phone 65 mm wide: an x of 40 px type, .52 of it, is 1.252 mm at 322 mm
    angle = math.degrees(2 * math.atan(40 * 0.52 / 1080 * 65 / 322 / 2))
    for height in (1080, 1350):
        assert legibility(40, "Sale ends", 8.0, 1080, height, "instagram").x_height_deg == pytest.approx(angle)


def test_a_tall_picture_is_shown_no_higher_than_the_screen() -> None:
    display = DISPLAYS["tiktok"]
    assert display.shown_height_mm(1080, 1920) == pytest.approx(65 * 1920 / 1080)
    assert display.shown_height_mm(100, 1000) == display.height_mm


def test_slots_have_one_area() -> None:
    for width, height in ((300, 250), (728, 90), (160, 600)):
        shown = DISPLAYS["display"].shown_height_mm(width, height)
        assert shown**2 * width / height == pytest.approx(DISPLAYS["display"].area_mm2)


def test_larger_type_and_more_contrast_are_never_less_legible() -> None:
    for platform in (*DISPLAYS, None):
        sizes = [legibility(size, "Sale ends", 5.0, 1000, 800, platform).legible for size in range(2, 200, 4)]
        assert sizes == sorted(sizes, key=(False, None, True).index)
        ratios = [legibility(300, "Sale ends", ratio, 1000, 800, platform).legible for ratio in (1.0, 1.9, 2.0, 21.0)]
        assert ratios == [False, None, True, True]


def test_a_medium_of_no_stated_platform_is_seen_where_such_media_are_seen() -> None:
    def of(width: int, height: int, domain: str, screen: float | None = None, *, moves: bool = False) -> str | None:
        medium = Medium(UUID(int=0), "ad", "video" if moves else "image", width, height, "png")
        return usual_platform(medium, domain, screen)

    assert (of(1080, 1350, "ad"), of(1080, 1350, "design"), of(728, 90, "ad", moves=True)) == (None, None, None)
    assert {of(*size, "page") for size in ((1080, 1080), (1080, 1350), (1080, 1920), (1200, 628))} == {None}
    assert (of(1280, 720, "page"), of(600, 1800, "page"), of(728, 90, "ad")) == ("website", "email", "display")
    assert (of(390, 3000, "page", 844 / 3000), of(1440, 9000, "page", 0.1)) == ("mobile_web", "website")


def test_a_tall_letter_is_as_wide_as_a_short_one() -> None:
    assert DISPLAYS["email"].shown_height_mm(600, 6000) == pytest.approx(159 * 10)
    tall, short = (legibility(16, "Terms", 9.0, 600, height, "email").x_height_deg for height in (6000, 600))
    assert tall == pytest.approx(short)


def test_the_same_type_is_smaller_on_a_phone_than_on_a_page() -> None:
    sizes = {name: legibility(20, "Terms", 9.0, 1080, 1350, name).x_height_deg for name in ("instagram", "print")}
    assert sizes["instagram"] < sizes["print"]


def test_unknown_platforms_are_a_phone() -> None:
    assert legibility(20, "a", 9.0, 900, 900, "billboard_in_space") == legibility(20, "a", 9.0, 900, 900, None)
    assert DISPLAYS["instagram"] == DEFAULT_DISPLAY


def test_unknown_contrast_is_unknown_unless_too_small_anyhow() -> None:
    assert legibility(100, "Sale", None, 1000, 1000).legible is None
    assert legibility(2, "Sale", None, 1000, 1000).legible is False


@pytest.mark.parametrize("text", ["Fresh gypsum", "FRESH BREAD", "sun arcs", "Hello world"])
@pytest.mark.parametrize("size", [30, 80])
def test_type_size_is_measured_from_the_ink(text: str, size: int) -> None:
    rgb, (line,) = picture([Typeset(text, 40, 40, size)], (800, 200))
    typed = typeset_line(rgb, line)
    assert typed.size_px == pytest.approx(size, rel=0.15)
    measured = legibility(typed.size_px, text, typed.contrast, 800, 200)
    assert measured.line_height_pct == pytest.approx(100 * 0.92 * size / 200, rel=0.15)


def test_capitals_reach_less_far_but_are_read_more_easily() -> None:
    assert proportions("SALE")[0] < proportions("Spring")[0]
    assert proportions("SALE")[1] > proportions("Spring")[1]
    assert proportions(None) == proportions("Spring")
