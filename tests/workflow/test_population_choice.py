"""Which norm set a medium asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mediaan.benchmark.norm_set import Provenance
from mediaan.benchmark.shelf import find_norm_set, list_norm_sets
from mediaan.benchmark.yardstick import Yardstick
from mediaan.workflow.population_choice import DEFAULT, Wish, refusals, wish_of, yardstick_of

FACTS: dict[str, Any] = {
    "mediaan": "0.5.0",
    "recipe": {"exposure_s": 5, "fps": 5, "fast": False, "aois": "objects"},
    "recipe_id": "1",
    "models": [{"name": "attention", "sha256": "a"}, {"name": "objects", "sha256": "b"}],
    "scores_id": "2",
}


def shipped(**suits: dict[str, tuple[str, ...]]) -> dict[str, Provenance]:
    yardstick = Yardstick.of(FACTS)
    return {name: Provenance(name, name, "", "2026-01-02", yardstick, suits=values) for name, values in suits.items()}


SHELF = shipped(
    ads={"usecase": ("advertisement",)},
    web={"usecase": ("landing_page", "product_page")},
    shelf={"usecase": ("product_page",), "platform": ("amazon",)},
)
PACKAGING = "no norm set that ships is meant for usecase=packaging"


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        ({}, Wish("ads")),
        ({"purpose": "conversion", "industry": {"category": "food"}}, Wish("ads")),
        ({"usecase": {"category": "advertisement"}}, Wish("ads")),
        ({"usecase": {"category": "landing_page", "subcategory": "signup"}}, Wish("web")),
        ({"usecase": {"category": "packaging"}}, Wish("ads", PACKAGING)),
        ({"usecase": {"category": "product_page"}}, Wish("web")),
        ({"usecase": {"category": "product_page"}, "platform": "amazon"}, Wish("shelf")),
        ({"usecase": {"category": "product_page"}, "platform": "tv"}, Wish("web")),
        ({"usecase": {"category": "packaging"}, "platform": "amazon"}, Wish("ads", f"{PACKAGING}, platform=amazon")),
        ({"usecase": {"category": "packaging"}, "benchmark": "auto"}, Wish("ads", PACKAGING)),
        ({"usecase": {"category": "packaging"}, "benchmark": "web"}, Wish("web")),
        ({"benchmark": "/briefs/ours.parquet"}, Wish("/briefs/ours.parquet")),
        ({"benchmark": "none"}, None),
    ],
)
def test_what_suits(objective: dict[str, Any], expected: Wish | None) -> None:
    assert wish_of(objective, "auto", SHELF) == expected


@pytest.mark.parametrize("objective", [{}, {"benchmark": "web"}, {"benchmark": "none"}])
def test_what_is_named_for_all_goes_first(objective: dict[str, Any]) -> None:
    assert wish_of(objective, "charts", SHELF) == Wish("charts")
    assert wish_of(objective, "none", SHELF) is None


def test_without_norm_sets_nothing_is_compared() -> None:
    assert wish_of({}, "auto", {}) is None


@pytest.mark.parametrize(
    ("usecase", "name"),
    [
        ("advertisement", "ads"),
        ("poster", "ads"),
        ("landing_page", "web"),
        ("web_page", "web"),
        ("infographic", "charts"),
    ],
)
def test_those_that_ship(usecase: str, name: str) -> None:
    assert DEFAULT in list_norm_sets()
    assert wish_of({"usecase": {"category": usecase}}, "auto", list_norm_sets()) == Wish(name)


def test_areas_that_were_looked_for_later_were_found_by_what_found_them() -> None:
    later = {"detected": "text", "models": [{"name": "reader", "sha256": "c"}]}
    drawn = {"applied": "areas.json", "sha256": "d"}
    assert yardstick_of(FACTS).finders == (("objects", "b"),)
    assert yardstick_of(FACTS | {"aoi_changes": [later, drawn]}).finders == (("reader", "c"),)


def test_a_set_without_areas_has_no_say_on_who_found_them() -> None:
    charts = find_norm_set("charts")
    of_media = replace(charts, norms=tuple(norm for norm in charts.norms if norm.aoi_type is None))
    run = replace(charts.yardstick, finders=(("mine", "d"),))
    assert "were found by" in str(refusals(charts, run, "image", 5.0)[1])
    assert refusals(of_media, run, "image", 5.0) == (None, None)
    found = of_media.find("image", "attention", "total", "face", {})
    assert found == "Charts and infographics: no population of attention (total)"
