"""Norm sets: which one a medium asks for, and how they are built from runs and folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ad_folder import picture, write_ads
from click.testing import CliRunner
from PIL import Image
from written_runs import write_run

import mediaan as mn
from mediaan.analysis.revision import scores_id
from mediaan.cli.main import cli
from mediaan.errors import UsageError
from mediaan.judge.benchmark import find_norm_set, list_norm_sets
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.file import norm_set_problems
from mediaan.judge.benchmark.norm_set import NormMatch, NormSet, Provenance
from mediaan.run.metadata import RunMetadata
from mediaan.workflow.benchmark_build import NormSettings, build_benchmark
from mediaan.workflow.populations import DEFAULT_MOVING, NormSetChoice, choose_norm_set, populations_of_one, refusals
from mediaan.workflow.ranges import comparability_key_of

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
    options = {"domain": "page", "maps": "none", "aois": "none", "advice": "none"}
    run = mn.analyze_folder(tmp_path / "page.png", tmp_path / "run", **options)
    compared = run.facts["benchmark"]
    assert {norms["name"] for norms in compared["norm_sets"]} | {r["norm_set"] for r in compared["refused"]} == {"web"}
    assert list(populations_of_one(mn.analyze(tmp_path / "page.png", **options), {}).sets) == ["web"]


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


SCORED: dict[str, Any] = {"scores_id": "0123456789abcdef", "calibration": None}


def media(first: int, last: int, folder: str = "food") -> dict[str, Mapping[str, float | None]]:
    return {f"{folder}/{i:03d}.png": {"focus": float(i)} for i in range(first, last)}


def focus(made: NormSet, values: Mapping[str, str | None] | None = None, min_n: int | None = None) -> NormMatch:
    found = made.find("image", "focus", "total", None, values or {}, min_n)
    assert isinstance(found, NormMatch), found
    return found


def test_a_run(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", media(1, 20), failed=["broken.png"], facts=SCORED)
    made = build_benchmark([run], NormSettings("own"))
    assert focus(made).norm.edges == (2, 6, 14, 18), "the k-th of 19 stands at k / 20"
    assert (made.counts["files"], made.counts["failed"], made.counts["media"]) == (20, 1, 19)
    assert (made.title, made.comparability_key.scores_id) == ("own", SCORED["scores_id"])


def test_the_same_bytes_count_once(tmp_path: Path) -> None:
    """Under two paths of a run, and in two runs."""
    twice = media(1, 10) | {"copy/001.png": {"focus": 1.0}}
    first = write_run(tmp_path / "first", twice, facts=SCORED)
    second = write_run(tmp_path / "second", media(5, 20), facts=SCORED)
    made = build_benchmark([first, second], NormSettings("own"))
    assert focus(made).norm.n == 19
    assert focus(made).norm.edges == (2, 6, 14, 18)
    assert made.counts["same_bytes"] == 1 + 5


def test_aois_are_of_their_types(tmp_path: Path) -> None:
    names = [f"{i}.png" for i in range(12)]
    areas = {
        name: [
            ("branding", (0, 0, 0.5, 0.5), 10.0 + i),
            ("branding", (0.5, 0, 1, 0.5), 30.0),
            ("face", (0, 0, 1, 1), 1),
        ]
        for i, name in enumerate(names)
    }
    run = write_run(tmp_path / "run", {name: {"focus": 50.0} for name in names}, areas=areas, facts=SCORED)
    made = build_benchmark([run], NormSettings("own"))
    found = {norm.aoi_type: (norm.n, norm.n_media) for norm in made.norms if norm.metric == "attention"}
    assert found == {"branding": (24, 12), "face": (12, 12)}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"models": [{"name": "attention", "sha256": "b" * 64}]}, "cannot be put together with .*attention model"),
        ({"scores_id": "f" * 16}, "other scales or definitions"),
        ({"scores_id": None}, "did not say which scales it used; analyze it again"),
    ],
)
def test_runs_that_were_made_differently_are_not_put_together(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    first = write_run(tmp_path / "first", media(0, 20), facts=SCORED)
    second = write_run(tmp_path / "second", media(20, 40), facts=SCORED | change)
    with pytest.raises(UsageError, match=reason) as caught:
        build_benchmark([first, second], NormSettings("own"))
    assert caught.value.code == "norms_mismatch"
    assert "second" in caught.value.message


def test_pictures_with_an_exposure_of_their_own_have_no_say_on_aois(tmp_path: Path) -> None:
    names = [f"{i}.png" for i in range(20)]
    areas = {name: [("face", (0, 0, 1, 1), 20.0)] for name in names}
    objectives = {"0.png": {"exposure_s": 2.0}, "1.png": {"exposure_s": 5.0}, "2.png": {"purpose": "conversion"}}
    run = write_run(
        tmp_path / "run",
        {name: {"focus": 50.0} for name in names},
        areas=areas,
        facts=SCORED | {"objectives": objectives},
    )
    made = build_benchmark([run], NormSettings("own"))
    assert {(norm.metric, norm.n) for norm in made.norms} == {("focus", 20), ("attention", 19)}
    assert made.counts["other_exposure"] == 1


def test_areas_that_were_looked_for_later_are_measured_with_what_looked_for_them(tmp_path: Path) -> None:
    later = [{"at": "2026-01-01", "media": 20, "detected": "objects", "models": [{"name": "objects", "sha256": "ab"}]}]
    run = write_run(tmp_path / "run", media(0, 20), facts=SCORED | {"aoi_changes": later})
    made = build_benchmark([run], NormSettings("own"))
    assert made.comparability_key.finders == (("objects", "ab"),)


def test_from_a_folder_to_a_file_that_fits_this_version(tmp_path: Path) -> None:
    """The whole way on the command line: analyse, build, show, validate."""
    ads = write_ads(tmp_path / "ads")
    for seed in range(11, 17):
        picture(seed).save(ads / "autumn" / f"{seed}.png")
    out = tmp_path / "ours.parquet"
    command = ["benchmark", "build", str(ads), "--out", str(out), "--by", "folder1", "--title", "Our campaigns"]
    told = CliRunner().invoke(
        cli, [*command, "--run", str(tmp_path / "run"), "--suits", "usecase=social_post", "--workers", "1"]
    )
    assert told.exit_code == 0, told.output
    assert "10 files" in told.stdout
    assert "few files: use at least 30" in told.stdout
    assert "2 could not be analyzed" in told.stdout
    assert "1 were copies" in told.stdout
    assert "folder1: known for 8 files; 0 of 2 parts have 30 or more" in told.stdout
    made = find_norm_set(out)
    assert (made.name, made.title, made.applies_to) == ("ours", "Our campaigns", {"usecase": ("social_post",)})
    assert made.comparability_key.scores_id == scores_id()
    assert made.comparability_key.exposure_s == 5
    assert norm_set_problems(made) == ()
    assert len({norm.metric for norm in made.norms if norm.aoi_type is None}) == 9
    page = out.with_suffix(".md").read_text(encoding="utf-8")
    assert "# Our campaigns" in page
    assert "Used for usecase: social_post." in page
    assert "2 could not be analyzed and are left out" in page
    again = build_benchmark([tmp_path / "run"], NormSettings("ours", by=("folder1",)))
    assert all(np.array_equal(a.quantiles, b.quantiles) for a, b in zip(made.norms, again.norms, strict=True))
    checked = CliRunner().invoke(cli, ["benchmark", "validate", str(out)])
    assert (checked.exit_code, checked.stdout) == (0, f"{out}: ok, {len(made.norms)} norms of 10 files\n")
    shown = CliRunner().invoke(cli, ["benchmark", "show", str(out), "--metric", "focus", "--json"])
    (norm,) = json.loads(shown.stdout)["norms"]
    assert (norm["n"], norm["segment"], len(norm["quantiles"])) == (10, "all", 99)
