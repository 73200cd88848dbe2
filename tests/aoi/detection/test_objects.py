"""Objects become areas by their confidence and by what is detected around them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mediaan.aoi.detection.objects import chosen_objects, rated_products
from mediaan.types.aoi import Box, Detection

FACE = Detection("face", Box(0.40, 0.40, 0.46, 0.46), 0.7)
PERSON = Detection("person", Box(0.35, 0.35, 0.60, 0.90), 0.7)
PACK = Detection("product", Box(0.3, 0.3, 0.7, 0.7), 0.7)


def confidence_of(product: Detection, *others: Detection) -> float:
    return rated_products((*others, product))[-1].confidence


def test_a_person_without_a_face_must_be_surer() -> None:
    """A person seen from behind is a sure one."""
    unsure, face = replace(PERSON, confidence=0.5), replace(FACE, confidence=0.3)
    assert chosen_objects([unsure]) == []
    assert chosen_objects([PERSON]) == [PERSON]
    assert chosen_objects([unsure, face]) == [unsure]


def test_what_is_on_a_pack_is_no_product_beside_it() -> None:
    part = Detection("product", Box(0.45, 0.45, 0.55, 0.55), 0.5)
    apart = replace(part, box=Box(0.45, 0.75, 0.55, 0.85))
    assert confidence_of(part, PACK) < confidence_of(apart, PACK)
    assert confidence_of(PACK, part) > 0.5


def test_a_product_inside_a_surer_one_is_a_part_of_it() -> None:
    part = Detection("product", Box(0.35, 0.4, 0.5, 0.6), 0.6)
    assert chosen_objects([part, PACK]) == [PACK]
    surer = replace(part, confidence=0.8)
    assert chosen_objects([surer, PACK]) == [surer, PACK]


def test_products_in_a_row_speak_for_each_other() -> None:
    bottles = [Detection("product", Box(0.1 + 0.2 * i, 0.4, 0.2 + 0.2 * i, 0.7), 0.4) for i in range(4)]
    assert confidence_of(bottles[0], *bottles[1:]) > confidence_of(bottles[0])
    assert confidence_of(bottles[0], *(replace(bottle, confidence=0.1) for bottle in bottles[1:])) == pytest.approx(
        confidence_of(bottles[0])
    )


def test_what_fills_the_image_is_its_picture() -> None:
    assert confidence_of(PACK) > confidence_of(replace(PACK, box=Box(0.05, 0.05, 0.95, 0.95)))


def test_what_lies_beside_a_larger_product_is_less_often_one() -> None:
    cup = Detection("product", Box(0.75, 0.45, 0.85, 0.55), 0.6)
    assert confidence_of(cup, PACK) < confidence_of(cup, replace(cup, box=Box(0.45, 0.45, 0.55, 0.55)))


def test_products_are_areas_from_a_confidence_on() -> None:
    sure, unsure = replace(PACK, confidence=0.56), Detection("product", Box(0.8, 0.1, 0.9, 0.3), 0.54)
    assert chosen_objects([sure, unsure]) == [sure]


def test_a_surer_and_a_more_central_product_is_more_probable() -> None:
    assert confidence_of(PACK) > confidence_of(replace(PACK, confidence=0.5))
    assert confidence_of(PACK) > confidence_of(replace(PACK, box=Box(0, 0, 0.4, 0.4)))
    assert all(0 < confidence_of(replace(PACK, confidence=c)) < 1 for c in (0.0, 1.0))


def test_other_objects_are_left_as_they_are() -> None:
    others = (FACE, PERSON, Detection("logo", FACE.box, 0.9), Detection("button", FACE.box, 0.9))
    assert rated_products(others) == others
    assert chosen_objects(others) == [FACE, PERSON]
