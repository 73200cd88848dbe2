"""Large products are looked for in a smaller image too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mediaan.types.aoi import Box, Detection
from mediaan.types.media import ViewSpec
from mediaan.vision.objects.large_products import SETTINGS, smaller_view, with_large_products

HEADPHONES = Detection("product", Box(0.4, 0.2, 0.9, 0.9), 0.6)
EAR_CUP = Detection("product", Box(0.4, 0.5, 0.6, 0.8), 0.5)
BUTTON = Detection("button", Box(0.1, 0.7, 0.2, 0.8), 0.9)


def test_a_product_that_is_only_whole_in_the_smaller_image_is_added() -> None:
    assert with_large_products([BUTTON, EAR_CUP], [HEADPHONES, EAR_CUP]) == (BUTTON, HEADPHONES, EAR_CUP)


def test_small_products_and_other_objects_of_the_smaller_image_are_not() -> None:
    small = Detection("product", Box(0, 0, 0.3, 0.3), 0.9)
    person = Detection("person", Box(0, 0, 1, 1), 0.9)
    assert small.box.area < SETTINGS.least_area
    assert with_large_products([BUTTON], [small, person]) == (BUTTON,)


@pytest.mark.parametrize(("confidence", "stays"), [(0.7, 0), (0.5, 1)])
def test_of_two_at_one_place_the_surer_stays(confidence: float, stays: int) -> None:
    again = replace(HEADPHONES, box=Box(0.4, 0.22, 0.9, 0.9), confidence=confidence)
    assert with_large_products([HEADPHONES], [again]) == ((again, HEADPHONES)[stays],)


def test_the_smaller_image_has_a_quarter_of_the_pixels() -> None:
    assert smaller_view(ViewSpec("objects", pixels=200_000, multiple=32)).pixels == 50_000
