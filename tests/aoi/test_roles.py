"""Which block is the headline: features on known layouts, and choices that nobody would argue with."""

from __future__ import annotations

import numpy as np
import pytest
from typeset import Typeset, picture

from mediaan.aoi.blocks import Block, group_lines, type_line
from mediaan.aoi.roles import FEATURES, WEIGHTS, choose_headline, features_of
from mediaan.types.aoi import Box, Candidate, Detection
from mediaan.types.arrays import Float32

SIZE = (600, 600)
BODY = [Typeset("our coffee comes from small", 60, 330, 18), Typeset("farms high up in the hills", 60, 354, 18)]
LEGAL = [Typeset("Terms and conditions apply to all offers.", 60, 570, 10)]
SLOGAN = [Typeset("Wake up to", 60, 60, 64), Typeset("the good life", 60, 130, 64)]
BRAND = [Typeset("KAFFURIO", 400, 520, 30)]


def blocks_of(*parts: list[Typeset]) -> list[Block]:
    rgb, lines = picture([line for part in parts for line in part], SIZE)
    return group_lines([type_line(rgb, line) for line in lines])


def headline(blocks: list[Block], density: Float32 | None = None, marks: tuple[Candidate, ...] = ()) -> str | None:
    index, _ = choose_headline(blocks, density, (), marks, SIZE)
    return None if index is None else blocks[index].text


def column(blocks: list[Block], name: str, **known: object) -> dict[str | None, float]:
    values = features_of(
        blocks,
        known.get("density"),  # type: ignore[arg-type]
        known.get("detections", ()),  # type: ignore[arg-type]
        known.get("marks", ()),  # type: ignore[arg-type]
        SIZE,
    )
    return dict(zip([block.text for block in blocks], values[:, FEATURES.index(name)], strict=True))


def test_the_slogan_and_not_body_brand_or_legal_text() -> None:
    assert headline(blocks_of(BODY, SLOGAN, BRAND, LEGAL)) == "Wake up to\nthe good life"


def test_order_of_lines_does_not_matter() -> None:
    parts = [SLOGAN, BODY, BRAND, LEGAL]
    assert {headline(blocks_of(*parts[i:], *parts[:i])) for i in range(4)} == {"Wake up to\nthe good life"}


def test_a_larger_mark_is_not_the_headline() -> None:
    mark = [Typeset("ORVELO", 60, 230, 100)]
    blocks = blocks_of(SLOGAN, mark, BODY)
    (box,) = [block.box for block in blocks if block.text == "ORVELO"]
    branding = (Candidate("branding", "Orvelo", box, 0.8, "word_mark"),)
    assert headline(blocks, marks=branding) == "Wake up to\nthe good life"


def test_a_larger_price_is_not_the_headline() -> None:
    price = [Typeset("$49", 330, 400, 110)]
    assert headline(blocks_of(SLOGAN, price, BODY)) == "Wake up to\nthe good life"


def test_a_brand_alone_is_no_headline() -> None:
    blocks = blocks_of(BRAND)
    branding = (Candidate("branding", "Kaffurio", blocks[0].box, 0.9, "word_mark"),)
    assert headline(blocks, marks=branding) is None


def test_without_text_there_is_none() -> None:
    assert choose_headline([], None, (), (), SIZE) == (None, 0.0)


def test_the_confidence_is_a_share() -> None:
    _, alone = choose_headline(blocks_of(SLOGAN), None, (), (), SIZE)
    rival = [Typeset("Sleep like", 60, 330, 64), Typeset("a baby bear", 60, 400, 64)]
    _, shared = choose_headline(blocks_of(SLOGAN, rival), None, (), (), SIZE)
    assert 0 < shared < alone < 1


def test_attention_is_the_mean_density_over_that_of_the_picture() -> None:
    blocks = blocks_of(SLOGAN, LEGAL)
    density = np.full((60, 60), 1.0, np.float32)
    density[:30] = 3.0
    density /= density.sum(dtype=np.float64)
    attention = column(blocks, "attention", density=density)
    assert attention["Wake up to\nthe good life"] == pytest.approx(np.log(1.5), abs=0.02)
    assert attention[LEGAL[0].text] == pytest.approx(np.log(0.5), abs=0.02)
    assert set(column(blocks, "attention").values()) == {0.0}


def test_more_attention_never_makes_a_block_less_of_a_headline() -> None:
    assert WEIGHTS["attention"] > 0


def test_features_by_hand() -> None:
    blocks = blocks_of(SLOGAN, BRAND, LEGAL)
    assert column(blocks, "one_word")["KAFFURIO"] == 1
    assert column(blocks, "sentence") == {"Wake up to\nthe good life": 1, "KAFFURIO": 0, LEGAL[0].text: 1}
    assert column(blocks, "relative_size")["Wake up to\nthe good life"] == 0
    assert column(blocks, "rank") == {"Wake up to\nthe good life": 0, "KAFFURIO": 1, LEGAL[0].text: 2}
    assert column(blocks, "size")["KAFFURIO"] == pytest.approx(np.log(30 / 600 / 0.04), abs=0.15)


def test_what_lies_on_products_and_logos() -> None:
    blocks = blocks_of(SLOGAN, BRAND)
    things = (Detection("product", Box(0.6, 0.8, 1, 1), 0.5), Detection("logo", Box(0, 0, 0.05, 0.05), 0.9))
    assert column(blocks, "on_product", detections=things)["KAFFURIO"] == pytest.approx(0.5)
    assert set(column(blocks, "on_mark", detections=things).values()) == {0.0}


def test_a_detector_that_sees_a_product_lowers_its_letters() -> None:
    assert WEIGHTS["on_product"] < 0
    assert WEIGHTS["on_mark"] < 0
