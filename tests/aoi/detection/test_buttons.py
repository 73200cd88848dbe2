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
GROUND = (235, 230, 220)
Draw = Callable[[ImageDraw.ImageDraw], None]


def drawn(draw: Draw, label: Typeset = LABEL, ground: object = GROUND) -> tuple[UInt8, TypesetLine]:
    image = ground if isinstance(ground, Image.Image) else Image.new("RGB", (600, 360), ground)  # type: ignore[arg-type]
    draw(ImageDraw.Draw(image))
    (line,) = write(image, [label])
    rgb = np.asarray(image)
    return rgb, typeset_line(rgb, line)


GREEN = (20, 90, 60)
SHAPES: dict[str, Draw] = {
    "filled": lambda draw: draw.rectangle(BUTTON, fill=GREEN),
    "rounded": lambda draw: draw.rounded_rectangle(BUTTON, 12, fill=GREEN),
    "pill": lambda draw: draw.rounded_rectangle(BUTTON, 28, fill=GREEN),
    "outlined": lambda draw: draw.rounded_rectangle(BUTTON, 12, outline=(255, 255, 255), width=3),
    "nothing": lambda draw: None,
    "panel": lambda draw: draw.rectangle((40, 20, 560, 340), fill=GREEN),
    "band": lambda draw: draw.rectangle((0, 150, 600, 206), fill=GREEN),
    "star": lambda draw: draw.polygon([(300, 60), (460, 180), (300, 300), (140, 180)], fill=GREEN),
}


@pytest.mark.parametrize(("shape", "iou"), [("filled", 0.9), ("rounded", 0.9), ("pill", 0.9), ("outlined", 0.85)])
def test_buttons(shape: str, iou: float) -> None:
    found = shape_around(*drawn(SHAPES[shape], ground=(20, 40, 90) if shape == "outlined" else GROUND))
    assert found.iou(Box(180 / 600, 150 / 360, 420 / 600, 206 / 360)) > iou


def test_compression_does_not_hide_it(tmp_path) -> None:  # type: ignore[no-untyped-def]
    rgb, typed = drawn(SHAPES["rounded"])
    Image.fromarray(rgb).save(tmp_path / "a.jpg", quality=80)
    again = np.asarray(Image.open(tmp_path / "a.jpg"))
    assert shape_around(again, typeset_line(again, typed.line)) is not None


@pytest.mark.parametrize("shape", ["nothing", "panel", "band", "star"])
def test_what_is_no_button(shape: str) -> None:
    label = Typeset("Taste a bag", 240, 166, 24, (30, 30, 30) if shape == "nothing" else (255, 255, 255))
    assert shape_around(*drawn(SHAPES[shape], label)) is None


def test_noise_around_is_no_button() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (360, 600, 3), dtype=np.uint8)
    assert shape_around(*drawn(SHAPES["nothing"], LABEL, Image.fromarray(noise))) is None


def test_long_text_in_a_box_is_no_button() -> None:
    label = Typeset("Offer ends on the last day of the month", 190, 170, 10, (255, 255, 255))
    assert shape_around(*drawn(SHAPES["filled"], label)) is None


def test_a_wide_button_with_its_label_in_the_middle() -> None:
    def wide(draw: ImageDraw.ImageDraw) -> None:
        draw.rounded_rectangle((100, 150, 500, 206), 12, fill=(20, 90, 60))

    assert shape_around(*drawn(wide, Typeset("Taste a bag", 230, 166, 24, (255, 255, 255)))) is not None
    assert shape_around(*drawn(wide, Typeset("Taste a bag", 120, 166, 24, (255, 255, 255)))) is None


def test_a_detected_button_goes_before_a_shape() -> None:
    rgb, typed = drawn(SHAPES["nothing"], Typeset("Taste a bag", 240, 166, 24, (30, 30, 30)))
    seen = Box(0.3, 0.4, 0.7, 0.58)
    assert button_around(rgb, typed, [Detection("button", seen, 0.8)]) == seen
    assert button_around(rgb, typed, [Detection("product", seen, 0.8)]) is None
    assert button_around(rgb, typed, [Detection("button", Box(0, 0, 0.1, 0.1), 0.8)]) is None
    assert button_around(rgb, typed, [Detection("button", Box(0, 0, 1, 1), 0.8)]) is None
    rgb, typed = drawn(SHAPES["rounded"])
    assert button_around(rgb, typed) == shape_around(rgb, typed)
    assert button_around(rgb, typed, [Detection("button", seen, 0.8)]) == seen


def test_a_shape_that_holds_the_detected_button_is_its_outline() -> None:
    rgb, typed = drawn(SHAPES["rounded"])
    shape = shape_around(rgb, typed)
    inner = Box(shape.x0 + 0.01, shape.y0 + 0.005, shape.x1 - 0.01, shape.y1 - 0.005)
    assert button_around(rgb, typed, [Detection("button", inner, 0.8)]) == shape
