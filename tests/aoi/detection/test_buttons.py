"""Buttons drawn around a line, and what only resembles one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageDraw
from typeset import Typeset, write

from mediaan.aoi.detection.surroundings import button_around, shape_around
from mediaan.aoi.detection.text_blocks import TypesetLine, typeset_line
from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import UInt8

BUTTON = (180, 150, 420, 206)
LABEL = Typeset("Taste a bag", 240, 166, 24, (255, 255, 255))
Draw = Callable[[ImageDraw.ImageDraw], None]


def drawn(draw: Draw, label: Typeset = LABEL, ground: object = (235, 230, 220)) -> tuple[UInt8, TypesetLine]:
    image = ground if isinstance(ground, Image.Image) else Image.new("RGB", (600, 360), ground)  # type: ignore[arg-type]
    draw(ImageDraw.Draw(image))
    (line,) = write(image, [label])
    rgb = np.asarray(image)
    return rgb, typeset_line(rgb, line)


def filled(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle(BUTTON, fill=(20, 90, 60))


def rounded(draw: ImageDraw.ImageDraw) -> None:
    draw.rounded_rectangle(BUTTON, 12, fill=(20, 90, 60))


def pill(draw: ImageDraw.ImageDraw) -> None:
    draw.rounded_rectangle(BUTTON, 28, fill=(20, 90, 60))


def outlined(draw: ImageDraw.ImageDraw) -> None:
    draw.rounded_rectangle(BUTTON, 12, outline=(255, 255, 255), width=3)


@pytest.mark.parametrize("shape", [filled, rounded, pill])
def test_filled_shapes(shape: Draw) -> None:
    found = shape_around(*drawn(shape))
    assert found is not None
    assert found.iou(Box(180 / 600, 150 / 360, 420 / 600, 206 / 360)) > 0.9


def test_an_outline() -> None:
    found = shape_around(*drawn(outlined, ground=(20, 40, 90)))
    assert found is not None
    assert found.iou(Box(180 / 600, 150 / 360, 420 / 600, 206 / 360)) > 0.85


def test_compression_does_not_hide_it(tmp_path) -> None:  # type: ignore[no-untyped-def]
    rgb, typed = drawn(rounded)
    Image.fromarray(rgb).save(tmp_path / "a.jpg", quality=80)
    again = np.asarray(Image.open(tmp_path / "a.jpg"))
    assert shape_around(again, typeset_line(again, typed.line)) is not None


def nothing(draw: ImageDraw.ImageDraw) -> None:
    pass


def panel(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((40, 20, 560, 340), fill=(20, 90, 60))


def band(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((0, 150, 600, 206), fill=(20, 90, 60))


def star(draw: ImageDraw.ImageDraw) -> None:
    draw.polygon([(300, 60), (460, 180), (300, 300), (140, 180)], fill=(20, 90, 60))


@pytest.mark.parametrize("shape", [nothing, panel, band, star])
def test_what_is_no_button(shape: Draw) -> None:
    label = Typeset("Taste a bag", 240, 166, 24, (30, 30, 30) if shape is nothing else (255, 255, 255))
    assert shape_around(*drawn(shape, label)) is None


def test_noise_around_is_no_button() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (360, 600, 3), dtype=np.uint8)
    label = Typeset("Taste a bag", 240, 166, 24, (255, 255, 255))
    assert shape_around(*drawn(nothing, label, Image.fromarray(noise))) is None


def test_long_text_in_a_box_is_no_button() -> None:
    label = Typeset("Offer ends on the last day of the month", 190, 170, 10, (255, 255, 255))
    assert shape_around(*drawn(filled, label)) is None


def test_a_wide_button_with_its_label_in_the_middle() -> None:
    def wide(draw: ImageDraw.ImageDraw) -> None:
        draw.rounded_rectangle((100, 150, 500, 206), 12, fill=(20, 90, 60))

    assert shape_around(*drawn(wide, Typeset("Taste a bag", 230, 166, 24, (255, 255, 255)))) is not None
    assert shape_around(*drawn(wide, Typeset("Taste a bag", 120, 166, 24, (255, 255, 255)))) is None


def test_a_detected_button_goes_before_a_shape() -> None:
    rgb, typed = drawn(nothing, Typeset("Taste a bag", 240, 166, 24, (30, 30, 30)))
    seen = Box(0.3, 0.4, 0.7, 0.58)
    assert button_around(rgb, typed, [Detection("button", seen, 0.8)]) == seen
    assert button_around(rgb, typed, [Detection("product", seen, 0.8)]) is None
    assert button_around(rgb, typed, [Detection("button", Box(0, 0, 0.1, 0.1), 0.8)]) is None
    assert button_around(rgb, typed, [Detection("button", Box(0, 0, 1, 1), 0.8)]) is None
    rgb, typed = drawn(rounded)
    assert button_around(rgb, typed) == shape_around(rgb, typed)
    assert button_around(rgb, typed, [Detection("button", seen, 0.8)]) == seen


def test_a_shape_that_holds_the_detected_button_is_its_outline() -> None:
    rgb, typed = drawn(rounded)
    shape = shape_around(rgb, typed)
    assert shape is not None
    inner = Box(shape.x0 + 0.01, shape.y0 + 0.005, shape.x1 - 0.01, shape.y1 - 0.005)
    assert button_around(rgb, typed, [Detection("button", inner, 0.8)]) == shape
