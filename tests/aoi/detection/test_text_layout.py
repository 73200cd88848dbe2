"""What lines of text are for, and which form a block: told by what they say and by what stands around them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw
from typeset import Typeset, write

from mediaan.aoi.detection import text_layout
from mediaan.aoi.detection.line_features import FEATURES, PAIR_FEATURES, line_features, pair_features
from mediaan.aoi.detection.text_blocks import LINE_ROLES, TextLayout, TypesetLine, group_by_links, typeset_line
from mediaan.aoi.detection.text_layout import object_evidence, predict_layout
from mediaan.types.aoi import Box, Detection
from mediaan.types.arrays import UInt8

TEXTS = (
    Typeset("Sleep better tonight", 60, 60, 60),
    Typeset("our mattress comes in a box and", 60, 240, 18),
    Typeset("goes back if you do not like it", 60, 264, 18),
    Typeset("Shop now", 90, 356, 26, (255, 255, 255)),
    Typeset("-30 %", 440, 250, 40),
    Typeset("www.example.com", 60, 560, 14),
)


@pytest.fixture(scope="module")
def page() -> tuple[UInt8, list[TypesetLine]]:
    image = Image.new("RGB", (600, 600), (250, 246, 240))
    ImageDraw.Draw(image).rounded_rectangle((60, 340, 240, 400), 14, fill=(20, 60, 150))
    lines = write(image, list(TEXTS))
    rgb = np.asarray(image)
    return rgb, [typeset_line(rgb, line) for line in lines]


def test_each_part_of_an_ad_has_its_role(page: tuple[UInt8, list[TypesetLine]]) -> None:
    roles = predict_layout(*page).roles
    assert roles.sum(axis=1) == pytest.approx(np.ones(len(TEXTS)))
    said = [LINE_ROLES[i] for i in roles.argmax(axis=1)]
    assert said == ["headline_text", "body_text", "body_text", "call_to_action", "offer", "call_to_action"]


def test_features_are_finite_and_a_neighbour_changes_them(page: tuple[UInt8, list[TypesetLine]]) -> None:
    rgb, lines = page
    among, alone = line_features(rgb, lines), line_features(rgb, lines[:1])
    assert among.shape == (len(lines), len(FEATURES))
    assert np.isfinite(among).all()
    below = FEATURES.index("gap_below")
    assert among[0, below] < alone[0, below] == 6.0


def test_a_name_is_known_by_the_address_that_is_made_of_it(page: tuple[UInt8, list[TypesetLine]]) -> None:
    image = Image.new("RGB", (600, 300), "white")
    lines = write(
        image, [Typeset("KALVO", 60, 60, 40), Typeset("Coffee", 60, 140, 40), Typeset("www.kalvo.com", 60, 240, 16)]
    )
    rgb = np.asarray(image)
    features = line_features(rgb, [typeset_line(rgb, line) for line in lines])
    assert features[:2, FEATURES.index("in_address")].tolist() == [1.0, 0.0]


def test_a_button_around_a_line_speaks_for_a_call_to_action(page: tuple[UInt8, list[TypesetLine]]) -> None:
    rgb, lines = page
    column = LINE_ROLES.index("call_to_action")
    box = lines[1].box
    button = Detection("button", Box(box.x0 - 0.02, box.y0 - 0.01, box.x1 + 0.02, box.y1 + 0.01), 0.9)
    fused = predict_layout(rgb, lines, [button]).roles
    assert fused[1, column] > predict_layout(rgb, lines).roles[1, column]
    assert fused.sum(axis=1) == pytest.approx(np.ones(len(TEXTS)))
    assert object_evidence(box, [button]).tolist() == [0.9, 0.0, 0.0]
    assert object_evidence(lines[0].box, [button]).tolist() == [0.0, 0.0, 0.0]


def test_lines_of_a_paragraph_are_linked_and_others_are_not(page: tuple[UInt8, list[TypesetLine]]) -> None:
    rgb, lines = page
    links = predict_layout(rgb, lines).links
    assert links == pytest.approx(links.T)
    assert group_by_links(links) == [[0], [1, 2], [3], [4], [5]]


def test_the_order_in_which_lines_were_found_does_not_matter(page: tuple[UInt8, list[TypesetLine]]) -> None:
    rgb, lines = page
    there, back = predict_layout(rgb, lines), predict_layout(rgb, lines[::-1])
    assert back.roles[::-1] == pytest.approx(there.roles, abs=1e-4)
    assert back.links[::-1, ::-1] == pytest.approx(there.links, abs=1e-3)


def test_pairs_agree_from_both_ends_but_for_what_has_a_direction(page: tuple[UInt8, list[TypesetLine]]) -> None:
    pairs = pair_features(*page)
    directed = [PAIR_FEATURES.index(name) for name in ("size_step", "after", "distance")]
    turned = pairs.transpose(1, 0, 2)
    assert pairs[..., directed] == pytest.approx(-turned[..., directed])
    rest = [i for i in range(len(PAIR_FEATURES)) if i not in directed]
    assert pairs[..., rest] == pytest.approx(turned[..., rest])


def test_many_lines_are_judged_in_parts(page: tuple[UInt8, list[TypesetLine]], monkeypatch: pytest.MonkeyPatch) -> None:
    rgb, lines = page
    monkeypatch.setattr(text_layout, "MOST_LINES", 4)
    layout = predict_layout(rgb, lines)
    assert layout.roles.sum(axis=1) == pytest.approx(np.ones(len(TEXTS)))
    assert layout.links[0, -1] < -5, "lines of different parts are not of one block"


@pytest.mark.parametrize(
    ("links", "blocks"),
    [
        ([[9, 4, -4], [4, 9, -4], [-4, -4, 9]], [[0, 1], [2]]),
        # 0 is like 1, and 1 like 2, but 0 and 2 are so unlike that the mean is too low
        ([[9, 4, -9], [4, 9, 3], [-9, 3, 9]], [[0, 1], [2]]),
        ([[9, 4, 1], [4, 9, 3], [1, 3, 9]], [[0, 1, 2]]),
        ([[9, -9], [-9, 9]], [[0], [1]]),
    ],
)
def test_blocks_by_average_linkage(links: list[list[float]], blocks: list[list[int]]) -> None:
    assert group_by_links(np.array(links, np.float64)) == blocks


def test_no_lines_have_no_layout() -> None:
    blank = np.zeros((40, 60, 3), np.uint8)
    layout = predict_layout(blank, ())
    assert layout.roles.shape == (0, len(LINE_ROLES))
    assert group_by_links(layout.links) == []
    assert isinstance(layout.of([]), TextLayout)
