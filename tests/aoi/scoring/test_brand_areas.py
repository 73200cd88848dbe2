"""The areas that name the brand, and the attention that they get together."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mediaan.aoi.region import coverage
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.aoi.scoring.main_area import brand_areas, brand_attention, joint_attention
from mediaan.types.aoi import Aoi, AoiMethod, Box, TextFacts
from mediaan.types.densities import Densities

DENSITY = np.random.default_rng(3).gamma(0.6, size=(64, 64)).astype(np.float32)
DENSITY /= DENSITY.sum()
"""Of many peaks, so that no two places get the same."""


def area(number: int, aoi_type: str, box: Box, method: AoiMethod = "brand_name", confidence: float = 0.9) -> Aoi:
    return Aoi(UUID(int=number), aoi_type, "Acme", box, confidence, method)


def scored(*areas: Aoi) -> tuple[Aoi, ...]:
    return score_still(areas, Densities({"total": DENSITY}), 5.0)


def share_of_union(boxes: list[Box]) -> float:
    """Percentage of the density in any of some boxes whose sides lie on the density's grid."""
    inside = np.max([coverage(box, None, (64, 64)) for box in boxes], axis=0)
    return float(100 * (DENSITY * inside).sum())


def cells(x0: int, y0: int, x1: int, y1: int) -> Box:
    return Box(x0 / 64, y0 / 64, x1 / 64, y1 / 64)


NAME, LOGO, PACK, ON_PACK = cells(2, 2, 20, 6), cells(50, 56, 62, 62), cells(24, 20, 40, 50), cells(26, 24, 38, 28)


def test_name_logo_and_pack_count_together_and_the_name_on_the_pack_once() -> None:
    areas = scored(
        area(1, "branding", NAME), area(2, "branding", LOGO, "logo_picture"), area(3, "branding", ON_PACK),
        area(4, "product", PACK, "pack_picture"), area(5, "product", cells(42, 2, 60, 18), "detector"),
    )  # fmt: skip
    assert brand_attention(areas) == pytest.approx(share_of_union([NAME, LOGO, PACK]), abs=1e-4)


def test_a_product_that_carries_the_name_is_of_the_brand_and_others_are_not() -> None:
    bare, carries = area(1, "product", LOGO, "detector"), area(2, "product", PACK, "detector")
    name = area(3, "branding", ON_PACK)
    assert {aoi.aoi_id for aoi in brand_areas(scored(bare, carries, name))} == {carries.aoi_id, name.aoi_id}
    assert brand_attention(scored(bare, carries)) is None  # without the name, nothing says whose they are


def test_a_doubtful_mark_does_not_count_beside_a_sure_one_nor_any_beside_a_drawn_one() -> None:
    sure, doubtful = area(1, "branding", NAME), area(2, "branding", LOGO, "detector", 0.3)
    assert brand_attention(scored(sure, doubtful)) == pytest.approx(share_of_union([NAME]), abs=1e-4)
    drawn = Aoi(UUID(int=3), "branding", "Acme", ON_PACK, None, "drawn")
    assert brand_attention(scored(sure, doubtful, drawn)) == pytest.approx(share_of_union([ON_PACK]), abs=1e-4)


def text(number: int, aoi_type: str, box: Box, words: str) -> Aoi:
    return replace(area(number, aoi_type, box, "text"), text=TextFacts(words, 3.0, 8.0))


def test_texts_count_that_say_little_more_than_the_name_and_products_with_it_in_their_box() -> None:
    areas = scored(
        text(1, "headline_text", NAME, "Nobody bakes like Acme"), text(2, "body_text", LOGO, "Acme is sold wherever "
        "good bread is sold, and has been for a hundred years"), text(3, "body_text", ON_PACK, "Acme rye bread, 500 g"),
        area(4, "product", PACK, "detector"),
    )  # fmt: skip
    assert brand_attention(areas, ("Acme",)) == pytest.approx(share_of_union([NAME, PACK]), abs=1e-4)
    assert brand_attention(areas) is None  # nobody said which brand


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    x0, x1 = sorted(draw(st.lists(st.integers(0, 64), min_size=2, max_size=2, unique=True)))
    y0, y1 = sorted(draw(st.lists(st.integers(0, 64), min_size=2, max_size=2, unique=True)))
    return cells(x0, y0, x1, y1)


@settings(deadline=None)
@given(st.lists(boxes(), min_size=1, max_size=5))
def test_whatever_overlaps_it_is_at_least_each_and_at_most_all_and_one_more_never_lessens_it(places: list[Box]) -> None:
    areas = scored(*(area(number, "branding", box) for number, box in enumerate(places)))
    shares = [aoi.attention for aoi in areas]
    together = joint_attention(areas)
    assert max(shares) - 1e-4 <= together <= min(100.0, sum(shares)) + 1e-4
    assert joint_attention([*areas, areas[0]]) == pytest.approx(together, abs=1e-3)
