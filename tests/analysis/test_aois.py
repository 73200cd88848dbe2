"""AOIs of pictures and films: what a person drew is scored on the densities, what readers see becomes AOIs."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from mediaan.analysis import MediumOptions, Plan, analyze_file, load_models
from mediaan.analysis.aoi_tasks import redetect_aois, rescore_aois
from mediaan.saliency.density_storage import DensityTrack
from mediaan.types.aoi import Aoi, Box, Brand, Drawing
from mediaan.types.result import Result

ADS = Path(__file__).resolve().parents[1] / "sample_ads"
PRIOR = Plan(model="centre-prior", scores=False, densities=True)
LEFT = Drawing("product", "left half", ((0.0, 0.0), (0.5, 1.0)))
RIGHT = Drawing("other", "right half", ((0.5, 0.0), (1.0, 1.0)))


def scored(path: Path, *drawings: Drawing, plan: Plan = PRIOR) -> Result:
    return analyze_file(path, plan, load_models(*plan.models), options=MediumOptions(drawings=drawings))


def value(result: Result, label: str, metric: str, time: str = "total") -> float | None:
    assert result.aois is not None
    (aoi,) = [aoi for aoi in result.aois if aoi.label == label]
    score = next(found for found in result.aois if found.aoi_id == aoi.aoi_id).score(metric, time)
    return score.value


@pytest.fixture
def ad(tmp_path: Path) -> Path:
    """A headline over a picture's middle, on plain ground."""
    picture = Image.new("RGB", (800, 600), (245, 245, 240))
    ImageDraw.Draw(picture).text((100, 60), "Bread at dawn", (20, 20, 20), font=ImageFont.load_default(80))
    picture.save(tmp_path / "ad.png")
    return tmp_path / "ad.png"


def test_what_is_drawn_shares_the_attention_of_the_whole(ad: Path) -> None:
    result = scored(ad, LEFT, RIGHT)
    left, right = (value(result, label, "attention") for label in ("left half", "right half"))
    assert left == pytest.approx(50, abs=1e-3)  # the prior is symmetric
    assert right == pytest.approx(50, abs=1e-3)
    assert value(result, "left half", "availability") == 100
    assert [aoi.source for aoi in result.aois or ()] == ["drawn", "drawn"]
    assert all(aoi.confidence is None for aoi in result.aois or ())


def test_pixels_and_units_are_the_same_place(ad: Path) -> None:
    in_px = Drawing("branding", "logo", ((200, 150), (400, 300)), unit="px")
    in_units = Drawing("branding", "logo", ((0.25, 0.25), (0.5, 0.5)))
    first, second = scored(ad, in_px), scored(ad, in_units)
    assert [aoi.scores for aoi in first.aois] == [aoi.scores for aoi in second.aois]


def test_a_drawing_beyond_the_edges_is_cut_off_and_said(ad: Path) -> None:
    beyond, outside = Drawing("other", "a", ((0.8, 0.0), (1.2, 1.0))), Drawing("other", "b", ((1.1, 0.1), (1.4, 0.4)))
    result = scored(ad, beyond, outside)
    assert [aoi.box for aoi in result.aois or ()] == [(0.8, 0.0, 1.0, 1.0)]
    assert [problem.code for problem in result.problems] == ["aoi_clipped", "aoi_outside"]


def test_ids_are_the_medium_s_and_stay_the_same(ad: Path, tmp_path: Path) -> None:
    ids = [[aoi.aoi_id for aoi in scored(ad, LEFT, RIGHT).aois or ()] for _ in range(2)]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2
    other = tmp_path / "other.png"
    Image.new("RGB", (80, 60), (9, 9, 9)).save(other)
    assert not set(ids[0]) & {aoi.aoi_id for aoi in scored(other, LEFT, RIGHT).aois or ()}
    kept = UUID(int=7)
    named = Drawing("other", "named", ((0.1, 0.1), (0.2, 0.2)), aoi_id=kept)
    assert [aoi.aoi_id for aoi in scored(ad, named).aois or ()] == [kept]


def test_a_headline_is_read_and_scored(ad: Path) -> None:
    plan = Plan(model="centre-prior", scores=False, aois="text")
    result = analyze_file(ad, plan, load_models(*plan.models))
    (headline,) = [aoi for aoi in result.aois or () if aoi.type == "headline_text"]
    assert headline.text.transcription == "Bread at dawn"
    assert 90 / 600 > headline.box.height > 50 / 600
    assert headline.box.x0 == pytest.approx(100 / 800, abs=0.02)
    assert {s.metric for s in headline.scores} >= {"attention", "percentage_seen"}


def test_the_brand_that_is_named_is_found_in_the_text(ad: Path, tmp_path: Path) -> None:
    """A word-mark below the headline; a name that is also a word of the sentence is no mark."""
    with Image.open(ad) as picture:
        ImageDraw.Draw(picture).text((560, 520), "TOLMARA", (150, 20, 30), font=ImageFont.load_default(44))
        picture.save(tmp_path / "marked.png")
    plan = Plan(model="centre-prior", scores=False, aois="text")
    models = load_models(*plan.models)
    result = analyze_file(tmp_path / "marked.png", plan, models, options=MediumOptions(brand=Brand("Tolmara")))
    (mark,) = [aoi for aoi in result.aois or () if aoi.type == "branding"]
    assert (mark.label, mark.method) == ("Tolmara", "brand_name")
    assert mark.box.iou(Box(560 / 800, 527 / 600, 770 / 800, 562 / 600)) > 0.6
    dawn = analyze_file(ad, plan, models, options=MediumOptions(brand=Brand("Dawn")))
    assert not [aoi for aoi in dawn.aois or () if aoi.type == "branding" and aoi.confidence and aoi.confidence > 0.5]


def test_a_film_s_drawn_aois_count_while_they_are_there() -> None:
    film = ADS / "videos" / "coffee_spot.mp4"
    always, first = LEFT, Drawing("product", "first second", ((0.0, 0.0), (0.5, 1.0)), t1_s=1.0)
    result = scored(film, always, first)
    assert value(result, "left half", "availability") == 100
    share = value(result, "first second", "availability")
    assert share == pytest.approx(100 / (result.medium.duration_s or 0), rel=0.1)
    attention = value(result, "first second", "attention")
    relative = value(result, "first second", "relative_attention")
    assert attention == pytest.approx((relative or 0) * (share or 0) / 100, abs=1e-6)
    assert value(result, "first second", "attention", "end") == 0


def test_scores_come_back_from_what_is_kept_of_a_film() -> None:
    film = ADS / "videos" / "coffee_spot.mp4"
    result = scored(film, LEFT, RIGHT)
    track = DensityTrack.of_arrays(result.series)
    again = rescore_aois(result.aois or (), result.medium, result.densities, track, PRIOR.exposure_s)
    assert again == result.aois


@pytest.mark.parametrize("name", ["ads/serum_square.jpg", "videos/sofa_banner.gif"])
def test_looking_again_finds_the_same(name: str) -> None:
    plan = Plan(model="centre-prior", aois="text", densities=True)
    models = load_models(*plan.models)
    result = analyze_file(ADS / name, plan, models)
    aois, problems, _ = redetect_aois(ADS / name, plan, models, MediumOptions())
    assert problems == ()
    assert [_core(aoi) for aoi in aois] == [_core(aoi) for aoi in result.aois or ()]


def _core(aoi: Aoi) -> tuple[object, ...]:
    return aoi.aoi_id, aoi.type, aoi.label, tuple(np.round(aoi.box, 6)), len(aoi.track)
