"""Animals among detected persons: who is asked, what is told, and people of photographs who stay people."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from mediaan.types.aoi import Box, Detection
from mediaan.vision.appearance import load_appearance_reader
from mediaan.vision.objects.animals import SETTINGS, cut_out, with_animals

PHOTOS = Path(__file__).resolve().parents[1] / "sample_ads" / "source" / "photos"
DOG = Detection("person", Box(0.1, 0.2, 0.5, 0.9), 0.9)
MUZZLE = Detection("face", Box(0.2, 0.3, 0.4, 0.5), 0.5)
PRODUCT = Detection("product", Box(0.6, 0.6, 0.9, 0.9), 0.95)


def test_a_person_that_looks_like_an_animal_is_one_unless_its_face_is_sure() -> None:
    asked: list[Box] = []

    def looks_like_an_animal(box: Box) -> float:
        asked.append(box)
        return 0.92

    animal = Detection("animal", DOG.box, 0.92)
    assert with_animals([PRODUCT, DOG, MUZZLE], looks_like_an_animal) == (PRODUCT, animal, MUZZLE)
    face = Detection("face", MUZZLE.box, SETTINGS.face)
    unsure = Detection("person", Box(0, 0, 1, 1), 0.3)
    assert with_animals([DOG, face, unsure], looks_like_an_animal) == (DOG, face, unsure)
    assert asked == [DOG.box]  # neither products, nor what has a face, nor what is no area


def test_a_person_that_does_not_look_like_an_animal_stays_one() -> None:
    assert with_animals([DOG], lambda box: SETTINGS.least - 0.01) == (DOG,)


@pytest.mark.parametrize("box", [Box(0, 0, 1, 1), Box(-0.1, 0.3, 0.02, 1.2), Box(0.999, 0.999, 1, 1)])
def test_any_box_is_cut_out_inside_the_image(box: Box) -> None:
    rgb = np.random.default_rng(0).integers(0, 255, (37, 53, 3), np.uint8)
    assert cut_out(rgb, box).shape == (SETTINGS.crop_px, SETTINGS.crop_px, 3)


def test_a_cat_looks_more_like_an_animal_than_an_astronaut_does() -> None:
    reader = load_appearance_reader("cpu", 1)
    cat, astronaut, cup = (
        reader.animal_probability(
            cut_out(cv2.cvtColor(cv2.imread(str(PHOTOS / f"{name}.jpg")), cv2.COLOR_BGR2RGB), Box(0, 0, 1, 1))
        )
        for name in ("cat", "astronaut", "coffee")
    )
    assert cat > 0.4
    assert max(astronaut, cup) < 0.1
