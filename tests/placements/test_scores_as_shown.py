"""Scores as shown: what is hidden takes its attention with it, and the rest keeps its proportions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest

from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.placements.fit import fit_medium
from mediaan.placements.placed import place_medium, score_as_shown, shown_densities, shown_density
from mediaan.saliency.density import normalise, uniform_density
from mediaan.saliency.density_storage import DensityTrack
from mediaan.types.aoi import Aoi, Box, Sighting
from mediaan.types.densities import Densities
from mediaan.types.media import Medium
from mediaan.types.placement import BUILT_IN_PLACEMENTS

STORY, SQUARE = BUILT_IN_PLACEMENTS["instagram_story"], BUILT_IN_PLACEMENTS["instagram_feed_1x1"]
NOISE = normalise(np.random.default_rng(7).random((96, 54)) ** 3)


def area(number: int, box: Box, **more: object) -> Aoi:
    return Aoi(UUID(int=number), "other", str(number), box, None, "drawn", **more)


def attention(scored: Sequence[Aoi], number: int) -> float:
    return next(aoi.attention for aoi in scored if aoi.aoi_id.int == number)


def test_shares_are_those_of_what_is_visible() -> None:
    """Of a density whose cells fit the zones: the share of an area over that of all that is visible."""
    story = fit_medium(1080, 1920, STORY)
    top, middle, bottom = area(1, Box(0, 0, 1, 0.14)), area(2, Box(0.2, 0.3, 0.7, 0.6)), area(3, Box(0, 0.8, 1, 1))
    densities = Densities({"total": normalise(np.random.default_rng(1).random((100, 54)))})
    whole = score_still([top, middle, bottom], densities, 5.0)
    shown = score_as_shown([top, middle, bottom], densities, None, story, 5.0)
    visible = 100 - attention(whole, 1) - attention(whole, 3)
    assert (attention(shown, 1), attention(shown, 3)) == (pytest.approx(0, abs=1e-9), pytest.approx(0, abs=1e-9))
    assert attention(shown, 2) == pytest.approx(100 * attention(whole, 2) / visible, rel=1e-4)


def test_a_crop_is_scored_in_its_own_coordinates() -> None:
    square = fit_medium(1080, 1920, SQUARE)  # rows from 21.9 % to 78.1 %
    densities = Densities({"total": uniform_density((96, 54))})
    half, gone = area(1, Box(0, 0.21875, 1, 0.5)), area(2, Box(0, 0, 1, 0.2))
    shown = score_as_shown([half, gone], densities, None, square, 5.0)
    assert attention(shown, 1) == pytest.approx(50, abs=0.1)
    assert attention(shown, 2) == 0
    kept = shown_density(NOISE, square)
    assert kept.shape == (54, 54)
    assert kept.sum() == pytest.approx(1, abs=1e-5)


def test_where_nothing_is_hidden_scores_are_the_stored_ones() -> None:
    feed = fit_medium(1080, 1080, BUILT_IN_PLACEMENTS["instagram_feed"])
    densities = Densities({"total": NOISE, "start": NOISE})
    aois = [area(1, Box(0.1, 0.2, 0.4, 0.5))]
    assert shown_densities(densities, feed) is densities
    assert score_as_shown(aois, densities, None, feed, 1.7) == score_still(aois, densities, 1.7)


def test_a_file_of_which_nothing_is_uncovered_has_no_scores() -> None:
    densities = Densities({"total": normalise(np.eye(96, 54)[:, :1] * np.ones((1, 54)))})  # all in the top row
    medium = Medium(UUID(int=9), "ad.png", "image", 1080, 1920, "png")
    placed = place_medium(medium, STORY, [area(1, Box(0, 0, 1, 0.1))], densities, exposure_s=5.0)
    assert placed.reason == "Nothing of the file is shown and uncovered."
    assert placed.areas[0].scores == {}
    assert placed.areas[0].visibility.covered == pytest.approx(1)


def test_videos_are_scored_over_their_time() -> None:
    track = DensityTrack()
    for i in range(10):
        track.add(0.2 * i, 0.2, 0, NOISE)
    medium = Medium(UUID(int=9), "ad.mp4", "video", 1080, 1920, "h264", 2.0)
    sights = tuple(Sighting(0.2 * i, Box(0.2, 0.3, 0.8, 0.5), 1.0) for i in range(10))
    moving = area(1, sights[0].box, t0_s=0.0, t1_s=2.0, track=sights)
    still = area(2, Box(0, 0.85, 1, 1), t0_s=0.0, t1_s=2.0)
    densities = Densities({"total": NOISE})
    placed = place_medium(medium, STORY, [moving, still], densities, track, exposure_s=5.0)
    assert placed.exposure_s == 2.0
    free, hidden = placed.areas
    assert free.visibility.hidden_time == 0
    assert free.scores["percentage_seen"].value > 0
    assert (hidden.visibility.covered, hidden.visibility.hidden_time) == (pytest.approx(1), 1)
    assert hidden.scores["attention"].value == 0
    assert hidden.findings == ("100 % covered by reply and button at worst, 100 % of its time",)
