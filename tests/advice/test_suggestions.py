"""Suggestions on ads of known layout, looked at by a stand-in whose answer to an edit is known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from layouts import GROUND, area, bars, density, edges_attract, ground, plate, scored

from mediaan.advice.elements import elements, needed_elements
from mediaan.advice.free_space import FreeSpace
from mediaan.advice.suggestions import edit_candidates, figure_ground, suggest
from mediaan.aoi.editing import AnnotatedImage, apply_edit, contained_areas, covered_share
from mediaan.types.aoi import Aoi, Box
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities
from mediaan.types.edits import Suggestion

HEADLINE = area(1, "headline_text", "The best of summer", (0.1, 0.1, 0.9, 0.25))
BUTTON = area(2, "call_to_action", "Shop now", (0.35, 0.75, 0.65, 0.85), contrast=1.4, legible=False)
LOGO = area(3, "branding", "Acme", (0.75, 0.88, 0.87, 0.94))
PRICE = area(4, "other", "$999", (0.1, 0.4, 0.6, 0.62), line_pct=20)


def advised(rgb: UInt8, aois: Sequence[Aoi], purpose: str | None = "conversion") -> tuple[Suggestion, ...]:
    return suggest(rgb, scored(rgb, aois), Densities({"total": density(rgb)}), edges_attract, purposes=[purpose])


def with_button(face: tuple[int, int, int]) -> UInt8:
    rgb = ground()
    bars(rgb, HEADLINE.box, (150, 150, 150))
    plate(rgb, BUTTON.box, face)
    return rgb


def test_a_faint_button_gets_more_contrast() -> None:
    found = advised(with_button((222, 222, 222)), [HEADLINE, BUTTON])
    contrast = next(one for one in found if one.action == "contrast")
    assert contrast.aoi_id == contrast.gains_aoi_id == BUTTON.aoi_id
    assert contrast.text.startswith("Give the button “Shop now” more contrast with its background")
    assert "(now 1.4 to 1)" in contrast.text


def test_lettering_of_a_pack_is_left_alone() -> None:
    pack = area(9, "product", "bottle", (0.3, 0.6, 0.7, 0.95))
    aois = [HEADLINE, BUTTON, pack]
    assert {one.aoi_id for one in advised(with_button((222, 222, 222)), aois)}.isdisjoint({BUTTON.aoi_id})


def test_a_button_that_stands_out_gets_none() -> None:
    assert all(one.action != "contrast" for one in advised(with_button((180, 20, 30)), [HEADLINE, BUTTON]))


def test_the_numbers_are_those_of_the_page_and_add_up() -> None:
    rgb = with_button((222, 222, 222))
    scores = {
        (aoi.aoi_id, score.metric): score.value
        for aoi in scored(rgb, [HEADLINE, BUTTON])
        for score in aoi.scores
        if score.time == "total"
    }
    found = advised(rgb, [HEADLINE, BUTTON])
    assert found
    assert [one.gain for one in found] == sorted((one.gain for one in found), reverse=True)
    for one in found:
        assert one.before == scores[one.gains_aoi_id, one.metric]
        assert one.after == pytest.approx(one.before + one.gain)
        assert 0 < one.lo <= one.gain <= one.hi
        assert f"{one.after:.0f} % of viewers would see it instead of {one.before:.0f} %" in one.text
        assert f"(+{one.lo:.0f} to +{one.hi:.0f} points)" in one.text


def test_several_purposes_are_answered_as_each_alone() -> None:
    rgb, aois = crowded(3)
    args = (rgb, scored(rgb, aois), Densities({"total": density(rgb)}), edges_attract)
    purposes = ("brand_building", "conversion", None)
    together = suggest(*args, purposes=purposes)
    assert together == tuple(one for purpose in purposes for one in suggest(*args, purposes=[purpose]))
    assert len({one.purpose for one in together}) > 1


def test_brand_building_does_not_need_the_button() -> None:
    assert advised(with_button((222, 222, 222)), [HEADLINE, BUTTON], "brand_building") == ()


def test_nothing_is_said_without_areas_or_of_what_everybody_sees() -> None:
    rgb = ground()
    bars(rgb, HEADLINE.box, (20, 20, 20))
    assert advised(rgb, []) == ()
    assert advised(rgb, [HEADLINE]) == ()


def test_a_competitor_is_named_with_its_share() -> None:
    rgb = ground()
    bars(rgb, PRICE.box, (0, 0, 0))
    bars(rgb, LOGO.box, (60, 60, 60))
    (found,) = (one for one in advised(rgb, [PRICE, LOGO]) if one.aoi_id == PRICE.aoi_id)
    assert found.gains_aoi_id == LOGO.aoi_id
    share = scored(rgb, [PRICE])[0].attention
    assert found.text.startswith(f"The price “$999” draws {share:.0f} % of attention and the logo “Acme” ")
    assert "make the price 30 % smaller" in found.text


def test_small_print_is_not_made_smaller() -> None:
    rgb = ground()
    bars(rgb, PRICE.box, (0, 0, 0))
    bars(rgb, LOGO.box, (60, 60, 60))
    small = area(4, "body_text", "Terms apply", tuple(PRICE.box), line_pct=2.0)
    assert all(one.aoi_id != small.aoi_id for one in advised(rgb, [small, LOGO]))


def test_faces_people_and_the_platform_are_left_alone() -> None:
    rgb = with_button((222, 222, 222))
    face = area(5, "face", "face", (0.1, 0.35, 0.3, 0.65))
    person = area(6, "person", "person", (0.05, 0.3, 0.35, 0.72))
    bars(rgb, face.box, (0, 0, 0))
    row = area(7, "other", "platform", (0.4, 0.4, 0.9, 0.6))
    bars(rgb, row.box, (0, 0, 0))
    found = advised(rgb, [HEADLINE, BUTTON, face, person, row])
    assert {one.aoi_id for one in found} <= {HEADLINE.aoi_id, BUTTON.aoi_id}


def test_the_button_of_a_post_is_the_platforms() -> None:
    furniture = Aoi(
        area(8, "other", "x", (0, 0, 1, 1)).aoi_id, "other", "platform", Box(0.1, 0.95, 0.9, 0.99), 0.9, "text",
        text=area(8, "other", "Like Comment Share", (0, 0, 1, 1)).text,
    )  # fmt: skip
    assert advised(with_button((222, 222, 222)), [HEADLINE, BUTTON, furniture]) == ()


def test_an_edit_that_costs_another_needed_element_more_is_dropped() -> None:
    rgb = with_button((222, 222, 222))
    aois = [HEADLINE, BUTTON]

    def robs(pictures: Sequence[UInt8]) -> list[Densities]:
        """Whatever is edited, nobody looks at the headline any more."""
        before, *after = edges_attract(pictures)
        for one in after:
            one["total"][8:20] *= 1e-4
        return [before, *(Densities({"total": one["total"] / one["total"].sum()}) for one in after)]

    densities, areas = Densities({"total": density(rgb)}), scored(rgb, aois)
    assert suggest(rgb, areas, densities, edges_attract, purposes=["conversion"])
    assert suggest(rgb, areas, densities, robs, purposes=["conversion"]) == ()


def test_the_better_place_is_the_empty_one_where_most_look() -> None:
    rgb = ground()
    bars(rgb, HEADLINE.box, (60, 60, 60))
    plate(rgb, LOGO.box, (180, 180, 180))
    looked_at = np.full((80, 100), 0.1, np.float32)
    looked_at[8:20, 10:90] = 9  # the headline, which leaves no room
    looked_at[40:60, 0:40] = 3  # empty
    looked_at[60:70, 30:70] = 2  # empty as well
    looked_at /= looked_at.sum()
    place = FreeSpace(rgb, [HEADLINE, LOGO]).better_place(LOGO, looked_at, fits=lambda box: True)
    assert 0.5 < place.centre[1] < 0.75
    assert place.centre[0] < 0.4
    below = FreeSpace(rgb, [HEADLINE, LOGO]).better_place(LOGO, looked_at, fits=lambda box: box.y0 >= 0.74)
    assert 0.3 <= below.centre[0] <= 0.7
    even = np.full_like(looked_at, 1 / looked_at.size)
    assert FreeSpace(rgb, [HEADLINE, LOGO]).better_place(LOGO, even, fits=lambda box: True) is None


@pytest.mark.parametrize("seed", range(12))
def test_no_edit_covers_another_area_or_leaves_the_picture(seed: int) -> None:
    rgb, aois = crowded(seed)
    known = elements(scored(rgb, aois))
    for purpose in ("brand_building", "conversion", None):
        needed = needed_elements(known, purpose)
        for one in edit_candidates(partial(figure_ground, rgb), known, needed, density(rgb), 5.0, FreeSpace(rgb, aois)):
            scene = AnnotatedImage(rgb, tuple(aois))
            for edit in one.edits:
                scene = apply_edit(scene, edit, one.of.aoi.aoi_id)
            was, now = one.of.aoi, scene.aoi(one.of.aoi.aoi_id)
            assert all(0 <= side <= 1 for side in now.box)
            along = {part.aoi_id for part in contained_areas(was, tuple(aois))}
            for other in aois:
                if other.aoi_id not in along:
                    assert covered_share(other, by=now) <= covered_share(other, by=was) + 0.01


def crowded(seed: int) -> tuple[UInt8, list[Aoi]]:
    """Up to eight areas at random places without overlap, some faint."""
    random = np.random.default_rng(seed)
    kinds = ("headline_text", "branding", "call_to_action", "product", "body_text", "other", "branding", "body_text")
    rgb, aois = ground(), list[Aoi]()
    for number, kind in enumerate(kinds, 1):
        for _ in range(20):
            width, height = random.uniform(0.1, 0.4), random.uniform(0.04, 0.15)
            x0, y0 = random.uniform(0, 1 - width), random.uniform(0, 1 - height)
            box = Box(x0, y0, x0 + width, y0 + height)
            if all(box.intersection(other.box) == 0 for other in aois):
                aois.append(area(number, kind, f"Words {number}", tuple(box)))  # type: ignore[arg-type]
                tone = int(random.integers(0, 225))
                bars(rgb, box, (tone, tone, tone))
                break
    assert GROUND[0] > 225
    return rgb, aois
