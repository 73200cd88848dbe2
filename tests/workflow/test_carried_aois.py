"""AOIs outlast a new analysis of their medium."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from ad_folder import picture

import mediaan as mn
from mediaan.errors import UsageError
from mediaan.workflow.aois import carry_aois

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
LEAFLET = "ads/serum_square.jpg"
AREA = {"type": "branding", "label": "corner", "box": [0.55, 0.6, 0.95, 0.9]}
TABLES = ("aois", "aoi_tracks", "aoi_scores")


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An advertisement with something to find, a film with an area that was drawn, and two pictures without areas."""
    folder = tmp_path_factory.mktemp("ads")
    shutil.copy(SAMPLES / LEAFLET, folder / "ad.jpg")
    shutil.copy(SAMPLES / "videos" / "sofa_banner.gif", folder)
    picture(1).save(folder / "empty.png")
    picture(2).save(folder / "never looked at.png")
    return folder


@pytest.fixture(scope="module")
def earlier(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    """AOIs found in two pictures, one of them in vain; one drawn on the film."""
    out = tmp_path_factory.mktemp("runs") / "earlier"
    mn.analyze_folder(ads, out, recipe=mn.Recipe(maps=(), aois="none"), execution=mn.Execution(workers=1))
    mn.detect_aois(out, [ads / "ad.jpg", ads / "empty.png"], aois="text", workers=1)
    (out.parent / "drawn.json").write_text(json.dumps({"sofa_banner.gif": [AREA]}))
    mn.apply_aois(out, out.parent / "drawn.json")
    return mn.read_run(out)


@pytest.fixture(scope="module")
def later(ads: Path, earlier: mn.Run, tmp_path_factory: pytest.TempPathFactory) -> mn.Run:
    out = tmp_path_factory.mktemp("runs") / "later"
    mn.analyze_folder(ads, out, recipe=mn.Recipe(maps=(), aois="none"), execution=mn.Execution(workers=1))
    assert carry_aois(out, earlier.path) == 3
    return mn.read_run(out)


def test_they_are_the_same_with_the_same_scores(earlier: mn.Run, later: mn.Run) -> None:
    assert {"detected", "drawn"} == set(earlier.aois.source)
    for name in TABLES:
        pd.testing.assert_frame_equal(later.table(name), earlier.table(name), obj=name)
    pd.testing.assert_frame_equal(later.benchmark_ranges, earlier.benchmark_ranges)


def test_a_search_during_the_analysis_is_remembered(ads: Path, tmp_path: Path) -> None:
    looking, not_looking = (
        mn.Recipe(maps=("heat",), aois="text"),
        mn.Recipe(maps=("heat",), aois="none"),
    )  # one size of decoding
    one = mn.analyze_folder(ads / "ad.jpg", tmp_path / "one", recipe=looking, execution=mn.Execution(workers=1))
    mn.analyze_folder(ads / "ad.jpg", tmp_path / "two", recipe=not_looking, execution=mn.Execution(workers=1))
    carry_aois(tmp_path / "two", tmp_path / "one")
    two = mn.read_run(tmp_path / "two")
    assert two.facts["aoi_changes"][0]["detected"] == "text"
    assert two.facts["aoi_changes"][0]["models"] == one.facts["models"][1:]
    pd.testing.assert_frame_equal(two.aoi_scores, one.aoi_scores)
    pd.testing.assert_frame_equal(two.benchmark_ranges, one.benchmark_ranges)


def test_scores_are_those_of_the_new_densities(ads: Path, earlier: mn.Run, tmp_path: Path) -> None:
    """Of another model, and for another exposure, as if the AOIs had been drawn there."""
    (tmp_path / "two_s.yaml").write_text("defaults: {exposure_s: 2}")
    settings = (
        mn.Recipe(model="centre-prior", maps=(), aois="none", objectives=tmp_path / "two_s.yaml"),
        mn.Execution(workers=1),
    )
    mn.analyze_folder(ads, tmp_path / "carried", *settings)
    mn.analyze_folder(ads, tmp_path / "drawn", *settings)
    carry_aois(tmp_path / "carried", earlier.path)
    (tmp_path / "aois.json").write_text(mn.exported_aois(earlier.path))
    mn.apply_aois(tmp_path / "drawn", tmp_path / "aois.json")
    one, two = (
        mn.read_run(tmp_path / name).aoi_scores.set_index(["aoi_id", "metric", "metric_time"]).value
        for name in ("carried", "drawn")
    )
    assert len(one) == len(earlier.aoi_scores)
    # files of AOIs hold five decimals
    pd.testing.assert_series_equal(one, two, rtol=1e-3, atol=1e-3)
    assert not one.equals(earlier.aoi_scores.set_index(["aoi_id", "metric", "metric_time"]).value)


def test_without_densities_there_is_nothing_to_score_them_on(ads: Path, earlier: mn.Run, tmp_path: Path) -> None:
    recipe = mn.Recipe(model="centre-prior", maps=(), densities=False, aois="none")
    mn.analyze_folder(ads / "ad.jpg", tmp_path / "run", recipe=recipe, execution=mn.Execution(workers=1))
    with pytest.raises(UsageError) as caught:
        carry_aois(tmp_path / "run", earlier.path)
    assert caught.value.code == "no_densities"
