"""What is gone with an area, told before anything that rises."""

from __future__ import annotations

from layouts import area

from mediaan.advice.elements import lost_elements
from mediaan.types.aoi import Aoi

CAR = area(1, "product", "car", (0.2, 0.3, 0.8, 0.7))
LOGO = area(2, "branding", "Acme", (0.1, 0.05, 0.2, 0.1))
SMALL_LOGO = area(3, "branding", "Acme", (0.8, 0.9, 0.9, 0.95))
BUTTON = area(4, "call_to_action", "Shop now", (0.4, 0.8, 0.6, 0.9))
ALL = [LOGO, CAR, SMALL_LOGO, BUTTON]


def without(*gone: Aoi, purpose: str | None = None) -> tuple[str, ...]:
    return lost_elements(ALL, {aoi.aoi_id for aoi in ALL} - {aoi.aoi_id for aoi in gone}, purpose)


def test_a_product_that_is_gone_is_a_loss() -> None:
    assert without(CAR) == ("Lost: the car is gone, and nothing shows what is sold.",)
    assert without(CAR, purpose="conversion") == (
        "Lost: the car is gone, and nothing shows what is sold; conversion needs that.",
    )


def test_the_most_needed_comes_first() -> None:
    first, second = without(CAR, BUTTON, purpose="conversion")
    assert first == "Lost: the button “Shop now” is gone, and nothing asks viewers to act; conversion needs that."
    assert second.startswith("Lost: the car")


def test_what_is_left_of_the_kind_is_said() -> None:
    assert without(LOGO) == ("Lost: the logo “Acme” is gone; the logo “Acme” is left.",)
    assert "nothing shows whose ad this is" in without(LOGO, SMALL_LOGO)[0]


def test_brand_building_does_not_miss_a_button() -> None:
    assert without(BUTTON, purpose="brand_building") == ()
    assert without() == ()
