"""Animals among detected persons: who is asked, what is told, and people of photographs who stay people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from mediaan.analysis import load_models
from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import UInt8
from mediaan.vision.appearance import load_appearance_reader
from mediaan.vision.objects.animals import FACELESS, HEAD, SETTINGS, CutOut, cut_out, with_animals

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
PHOTOS = SAMPLES / "source" / "photos"
DOG = Detection("person", Box(0.1, 0.2, 0.5, 0.9), 0.9)
MUZZLE = Detection("face", Box(0.2, 0.3, 0.4, 0.5), 0.7)
PRODUCT = Detection("product", Box(0.6, 0.6, 0.9, 0.9), 0.95)


def read(path: Path) -> UInt8:
    return np.asarray(cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB), np.uint8)


def test_a_person_that_looks_like_an_animal_is_one_and_has_no_face() -> None:
    asked: list[Box] = []

    def looks_like_an_animal(box: Box, cut: CutOut) -> float:
        asked.append(box)
        return 4.0

    animal, product = with_animals([PRODUCT, DOG, MUZZLE], looks_like_an_animal)
    assert (product, animal.type, animal.box) == (PRODUCT, "animal", DOG.box)
    assert animal.confidence >= SETTINGS.least
    assert asked == [DOG.box, MUZZLE.box]


def test_neither_products_nor_sure_faces_nor_what_is_no_area_is_asked() -> None:
    def no_question(box: Box, cut: CutOut) -> float:
        raise AssertionError(box)

    detections = (PRODUCT, MUZZLE, replace(DOG, confidence=0.3))
    assert with_animals(detections, no_question) == detections
    sure = (replace(MUZZLE, confidence=SETTINGS.sure_face), DOG)
    assert with_animals(sure, no_question) == sure


def test_the_surer_the_face_the_more_it_takes() -> None:
    """What looks a little like an animal is one without a face, not with one."""
    animal, *_ = with_animals([DOG], lambda *_: 1.5)
    assert animal.type == "animal"
    assert {d.type for d in with_animals([DOG, MUZZLE], lambda *_: 1.5)} == {"person", "face"}


def test_a_person_beside_the_animal_keeps_its_face() -> None:
    rider = Detection("person", Box(0.15, 0.25, 0.45, 0.6), 0.8)
    told = with_animals([DOG, rider, MUZZLE], lambda box, _: -3.0 if box == rider.box else 4.0)
    assert {(d.type, d.box) for d in told} == {("animal", DOG.box), ("person", rider.box), ("face", MUZZLE.box)}


@pytest.mark.parametrize("box", [Box(0, 0, 1, 1), Box(-0.1, 0.3, 0.02, 1.2), Box(0.999, 0.999, 1, 1)])
def test_any_box_is_cut_out_inside_the_image(box: Box) -> None:
    rgb = np.random.default_rng(0).integers(0, 255, (37, 53, 3), np.uint8)
    assert cut_out(rgb, box, HEAD).shape == (HEAD.side_px, HEAD.side_px, 3)


def test_a_cat_looks_more_like_an_animal_than_an_astronaut_does() -> None:
    reader = load_appearance_reader("cpu", 1)
    cat, astronaut, cup = (
        reader.animal_log_odds(cut_out(read(PHOTOS / f"{name}.jpg"), Box(0, 0, 1, 1), FACELESS))
        for name in ("cat", "astronaut", "coffee")
    )
    assert cat > -0.4
    assert max(astronaut, cup) < -2.2


def test_a_cat_that_fills_the_ad_is_an_animal_and_an_astronaut_a_person_with_a_face() -> None:
    models = load_models("attention", "cpu", 1)
    cat = models.detect_objects(read(SAMPLES / "ads" / "cat_food_feed.jpg"))
    assert [d.type for d in cat if d.confidence >= 0.5 and d.type in ("person", "face", "animal")] == ["animal"]
    for scale in (1.0, 0.4):
        photo = cv2.resize(read(PHOTOS / "astronaut.jpg"), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        people = {d.type for d in models.detect_objects(np.asarray(photo, np.uint8)) if d.confidence >= 0.8}
        assert {"person", "face"} <= people
        assert "animal" not in people
