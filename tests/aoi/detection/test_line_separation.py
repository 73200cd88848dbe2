"""What separates lines of text: rules, cards and pictures between them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw
from typeset import Typeset, write

from mediaan.aoi.detection.line_features import SEPARATION_FEATURES, separation_features
from mediaan.aoi.detection.text_blocks import typeset_line

LINES = [Typeset("Two days of nothing", 60, 60, 30), Typeset("by the northern sea", 60, 120, 30)]


def separation(image: Image.Image, lines: list[Typeset] = LINES) -> dict[str, float]:
    found = write(image, lines)
    rgb = np.asarray(image)
    values = separation_features(rgb, [typeset_line(rgb, line) for line in found])
    assert values.min() >= 0
    assert values.max() <= 1
    assert (values == values.transpose(1, 0, 2)).all()
    return dict(zip(SEPARATION_FEATURES, values[0, 1], strict=True))


def blank() -> Image.Image:
    return Image.new("RGB", (500, 240), (240, 235, 225))


def test_nothing_stands_between_lines_on_one_plain_ground() -> None:
    values = separation(blank())
    assert values["same_region"] == 1
    assert values["plain"] > 0.3
    assert max(values["edge_between"], values["texture_between"], values["ground_between"]) < 0.05


def test_a_rule_between_lines_is_an_edge() -> None:
    image = blank()
    ImageDraw.Draw(image).line((20, 104, 480, 104), fill=(60, 60, 60), width=2)
    values = separation(image)
    assert values["edge_between"] == 1
    assert values["ground_between"] < 0.05


@pytest.mark.parametrize("beside", [False, True])
def test_cards_are_regions_of_their_own(beside: bool) -> None:
    image = blank()
    draw = ImageDraw.Draw(image)
    if beside:
        lines = [Typeset("Basic", 60, 60, 30), Typeset("Premium", 190, 60, 30)]
        draw.rectangle((170, 20, 330, 140), fill=(30, 90, 60))
        lines[1] = Typeset("Premium", 190, 60, 30, (255, 255, 255))
    else:
        lines = [LINES[0], Typeset("by the northern sea", 60, 120, 30, (255, 255, 255))]
        draw.rectangle((30, 106, 470, 170), fill=(30, 90, 60))
    values = separation(image, lines)
    assert values["same_region"] == 0
    assert values["edge_between"] == 1
    assert values["ground_between"] > 0.1


def test_a_photograph_has_no_plain_region() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (240, 500, 3), np.uint8)
    values = separation(Image.fromarray(noise))
    assert values["same_region"] == 0
    assert values["plain"] < 0.05
    assert values["texture_between"] == 1


def test_lines_far_apart_have_nothing_between_them_that_counts() -> None:
    values = separation(blank(), [LINES[0], Typeset("far below", 60, 210, 14)])
    assert values["edge_between"] == values["texture_between"] == values["ground_between"] == 0
    assert values["same_region"] == 1
