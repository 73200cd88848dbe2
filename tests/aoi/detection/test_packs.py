"""Packs found by their pictures: products that carry the brand's name, and so show the brand."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import cv2
import numpy as np
import pytest
from own_marks import scene, word

from mediaan.aoi.detection.frame_aois import as_aoi, find_areas
from mediaan.aoi.detection.picture_matcher import PictureMatcher
from mediaan.types.aoi import Box, Brand, BrandSearch, Detection
from mediaan.types.arrays import UInt8


def pack() -> UInt8:
    """A carton with a name, a picture and a bar code, (300, 200, 3)."""
    carton = np.full((300, 200, 3), (240, 200, 60), np.uint8)
    mark = word("ZEPHYR")
    small = cv2.resize(mark, (170, 170 * mark.shape[0] // mark.shape[1]), interpolation=cv2.INTER_AREA)
    opaque = small[..., 3:] / 255.0
    place = carton[20 : 20 + small.shape[0], 15:185]
    place[:] = (place * (1 - opaque) + small[..., :3] * opaque).astype(np.uint8)
    carton[100:220, 20:180] = cv2.resize(scene(9), (160, 120), interpolation=cv2.INTER_AREA)
    carton[240:285, 30:170] = np.where(np.random.default_rng(3).random(140) < 0.5, 0, 255).astype(np.uint8)[
        None, :, None
    ]
    return carton


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pack as a shop shows it, on white."""
    file = tmp_path_factory.mktemp("packs") / "carton.png"
    framed = cv2.copyMakeBorder(pack(), 40, 40, 60, 60, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    cv2.imwrite(str(file), cv2.cvtColor(framed, cv2.COLOR_RGB2BGR))
    return file


def ad(turned: float = 0.0, width: int = 160) -> tuple[UInt8, Box]:
    rgb, carton = scene(5), pack()
    scale = width / carton.shape[1]
    to = cv2.getRotationMatrix2D((100, 150), turned, scale)
    to[:, 2] += (520 - 100, 330 - 150)
    mask = cv2.warpAffine(np.full(carton.shape[:2], 255, np.uint8), to, (900, 640))
    shown = cv2.warpAffine(carton, to, (900, 640))
    rgb = np.where(mask[..., None] > 127, shown, rgb).astype(np.uint8)
    ys, xs = np.nonzero(mask > 127)
    return rgb, Box(xs.min() / 900, ys.min() / 640, (xs.max() + 1) / 900, (ys.max() + 1) / 640)


@pytest.mark.parametrize(("turned", "width"), [(0, 160), (12, 220), (-25, 90)])
def test_a_pack_is_a_product_with_the_brands_name(picture: Path, turned: float, width: int) -> None:
    rgb, place = ad(turned, width)
    brand = Brand("Zephyr", packs=(picture,))
    areas = find_areas(rgb, (), (), brand=brand, matcher=PictureMatcher((), (picture,))).areas
    (product,) = (area for area in areas if area.type == "product")
    assert (product.label, product.method) == ("Zephyr", "pack_picture")
    assert product.box.iou(place) > 0.7
    aois = [as_aoi(area, uuid4(), 0) for area in areas if area.type == "product"]
    search = BrandSearch.among(brand, aois, searched=True)
    assert search.found, "the pack carries the name"
    plain = BrandSearch.among(brand, [replace(aoi, method="detector") for aoi in aois], searched=True)
    assert not plain.found, "a product of which nobody knows whose it is"


def test_a_pack_takes_the_place_of_the_product_that_is_detected_there(picture: Path) -> None:
    rgb, place = ad()
    detections = (Detection("product", place, 0.9, "box"), Detection("product", Box(0.0, 0.0, 0.2, 0.3), 0.8, "cup"))
    areas = find_areas(rgb, (), detections, brand=Brand("Zephyr"), matcher=PictureMatcher((), (picture,))).areas
    assert sorted(area.label for area in areas if area.type == "product") == ["Zephyr", "cup"]


def test_what_is_detected_in_a_pack_is_a_part_of_it(picture: Path) -> None:
    rgb, place = ad()
    part = Box(place.x0, place.y0, place.x0 + 0.4 * place.width, place.y0 + 0.4 * place.height)
    detections = (Detection("product", part, 0.9, "part"),)
    areas = find_areas(rgb, (), detections, brand=Brand("Zephyr"), matcher=PictureMatcher((), (picture,))).areas
    assert [area.label for area in areas if area.type == "product"] == ["Zephyr"]


def test_a_logo_on_a_pack_is_found_beside_the_pack(picture: Path, tmp_path: Path) -> None:
    logo = tmp_path / "logo.png"
    cv2.imwrite(str(logo), cv2.cvtColor(pack()[15:60, 10:190], cv2.COLOR_RGB2BGR))
    rgb, place = ad(width=220)
    kinds = {match.kind: match.box for match in PictureMatcher((logo,), (picture,)).find(rgb)}
    assert set(kinds) == {"logo", "pack"}
    assert kinds["logo"].intersection(place) > 0.9 * kinds["logo"].area


def test_another_pack_of_the_same_shape_is_not_the_brands(picture: Path) -> None:
    rgb = scene(5)
    rgb[150:450, 400:600] = cv2.resize(scene(11), (200, 300), interpolation=cv2.INTER_AREA)
    assert PictureMatcher((), (picture,)).find(rgb) == ()
