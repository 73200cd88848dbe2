"""Which norm set a medium asks for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import mediaan as mn
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.norm_set import NormMatch, Provenance
from mediaan.judge.benchmark.registry import find_norm_set, list_norm_sets
from mediaan.run.metadata import RunMetadata
from mediaan.workflow.rating.populations import (
    DEFAULT_MOVING,
    NormSetChoice,
    choose_norm_set,
    refusals,
)
from mediaan.workflow.rating.run_populations import comparability_key_of

FACTS: dict[str, Any] = {
    "mediaan": "0.5.0",
    "recipe": {"exposure_s": 5, "fps": 5, "fast": False, "aois": "objects"},
    "recipe_id": "1",
    "models": [{"name": "attention", "sha256": "a"}, {"name": "objects", "sha256": "b"}],
    "scores_id": "2",
}


def shipped(**applies_to: dict[str, tuple[str, ...]]) -> dict[str, Provenance]:
    comparability_key = ComparabilityKey.of(FACTS)
    return {
        name: Provenance(name, name, "", "2026-01-02", comparability_key, applies_to=values)
        for name, values in applies_to.items()
    }


SHELF = shipped(
    ads={"usecase": ("advertisement",)},
    web={"usecase": ("landing_page", "product_page")},
    shelf={"usecase": ("product_page",), "platform": ("amazon",)},
)
PACKAGING = "no included benchmark fits usecase=packaging"


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        ({}, NormSetChoice("ads")),
        ({"purpose": "conversion", "industry": {"category": "food"}}, NormSetChoice("ads")),
        ({"usecase": {"category": "advertisement"}}, NormSetChoice("ads")),
        ({"usecase": {"category": "landing_page", "subcategory": "signup"}}, NormSetChoice("web")),
        ({"usecase": {"category": "packaging"}}, NormSetChoice("ads", PACKAGING)),
        ({"usecase": {"category": "product_page"}}, NormSetChoice("web")),
        ({"usecase": {"category": "product_page"}, "platform": "amazon"}, NormSetChoice("shelf")),
        ({"usecase": {"category": "product_page"}, "platform": "tv"}, NormSetChoice("web")),
        (
            {"usecase": {"category": "packaging"}, "platform": "amazon"},
            NormSetChoice("ads", f"{PACKAGING}, platform=amazon"),
        ),
        ({"usecase": {"category": "packaging"}, "benchmark": "auto"}, NormSetChoice("ads", PACKAGING)),
        ({"usecase": {"category": "packaging"}, "benchmark": "web"}, NormSetChoice("web")),
        ({"benchmark": "/briefs/ours.parquet"}, NormSetChoice("/briefs/ours.parquet")),
        ({"benchmark": "none"}, None),
    ],
)
def test_what_suits(objective: dict[str, Any], expected: NormSetChoice | None) -> None:
    assert choose_norm_set(objective, "image", "auto", SHELF) == expected


@pytest.mark.parametrize(
    ("objective", "name"),
    [
        ({}, "web"),
        ({"purpose": "conversion", "platform": "website"}, "web"),
        ({"usecase": {"category": "infographic"}}, "charts"),
        ({"usecase": {"category": "email"}}, "ads"),
        ({"platform": "email"}, "ads"),
    ],
)
def test_what_is_stated_to_be_a_page_is_compared_with_pages(objective: dict[str, Any], name: str) -> None:
    assert choose_norm_set(objective, "image", "auto", list_norm_sets(), "page") == NormSetChoice(name)
    assert choose_norm_set({}, "image", "auto", list_norm_sets(), "photo") == NormSetChoice("ads")


def test_a_stated_page_alone_and_in_a_run(tmp_path: Path) -> None:
    Image.new("RGB", (320, 200), (90, 120, 150)).save(tmp_path / "page.png")
    options = {"domain": "page", "maps": "none", "aois": "none", "intervals": "none", "advice": "none"}
    run = mn.analyze_folder(tmp_path / "page.png", tmp_path / "run", **options)
    assert [norms["name"] for norms in run.facts["benchmark"]["norm_sets"]] == ["web"]
    (focus,) = (row for row in mn.analyze(tmp_path / "page.png", **options).ranges if row.metric == "focus")
    assert (focus.norm_set, focus.fallback) == ("web", None)


@pytest.mark.parametrize("objective", [{}, {"benchmark": "web"}, {"benchmark": "none"}])
def test_what_is_named_for_all_goes_first(objective: dict[str, Any]) -> None:
    assert choose_norm_set(objective, "image", "charts", SHELF) == NormSetChoice("charts")
    assert choose_norm_set(objective, "image", "none", SHELF) is None


@pytest.mark.parametrize("type", ["video", "mixed"])
def test_what_moves_is_compared_with_films(type: str) -> None:
    assert choose_norm_set({"purpose": "conversion"}, type, "auto", list_norm_sets()) == NormSetChoice(DEFAULT_MOVING)
    films = find_norm_set(DEFAULT_MOVING)
    assert refusals(films, films.comparability_key, type, 5.0) == (None, None)
    match = films.find(type, "focus", "total", None, {})
    assert isinstance(match, NormMatch)
    assert (match.norm.type, match.norm.n) == ("video", films.sizes[()])


def test_areas_that_were_looked_for_later_were_found_by_what_found_them() -> None:
    later = {"detected": "text", "models": [{"name": "reader", "sha256": "c"}]}
    drawn = {"applied": "areas.json", "sha256": "d"}
    assert comparability_key_of(RunMetadata.parse(FACTS)).finders == (("objects", "b"),)
    searched = RunMetadata.parse(FACTS | {"aoi_changes": [later, drawn]})
    assert comparability_key_of(searched).finders == (("reader", "c"),)


def test_a_set_without_areas_has_no_say_on_who_found_them() -> None:
    charts = find_norm_set("charts")
    of_media = replace(charts, norms=tuple(norm for norm in charts.norms if norm.aoi_type is None))
    run = replace(charts.comparability_key, finders=(("mine", "d"),))
    assert "were found by" in str(refusals(charts, run, "image", 5.0)[1])
    assert refusals(of_media, run, "image", 5.0) == (None, None)
    found = of_media.find("image", "attention", "total", "face", {})
    assert found == "Charts and infographics: no benchmark of attention (total)"
