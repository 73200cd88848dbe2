"""Bars are told from margins with something on them; places between them are places on the whole."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from mediaan.aoi.medium_coordinates import clip_to_content, to_medium_coordinates, trim_empty_bars
from mediaan.types.aoi import Aoi, Box, Candidate, Sighting, TextFacts

WHOLE = Box(0, 0, 1, 1)
PICTURE = Box(0, 0.15, 1, 0.85)


def film(noise: float = 0.0) -> np.ndarray:
    """A picture between black bars, as PICTURE says, 320 x 200 px."""
    rng = np.random.default_rng(0)
    frame = rng.normal(16, noise, (200, 320, 3))
    frame[30:170] = rng.integers(60, 255, (140, 320, 3))
    return np.clip(frame, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("noise", [0.0, 4.0])
def test_bars_are_empty_with_and_without_the_noise_of_compression(noise: float) -> None:
    assert trim_empty_bars(film(noise), PICTURE) == PICTURE


@pytest.mark.parametrize(("y", "x"), [(8, 20), (180, 300)])
def test_a_small_mark_on_a_bar_makes_both_part_of_the_picture(y: int, x: int) -> None:
    frame = film()
    frame[y : y + 8, x : x + 6] = 120
    assert trim_empty_bars(frame, PICTURE) == WHOLE


def test_thin_strips_are_no_bars() -> None:
    assert trim_empty_bars(film(), Box(0, 0.03, 1, 0.97)) == WHOLE


def test_bars_on_four_sides_are_judged_by_pairs() -> None:
    frame = film()
    frame[:, :40] = frame[:, -40:] = 16
    inside = Box(0.125, 0.15, 0.875, 0.85)
    assert trim_empty_bars(frame, inside) == inside
    frame[90:98, 10:16] = 200
    assert trim_empty_bars(frame, inside) == Box(0, 0.15, 1, 0.85)


def test_what_is_found_between_bars_has_its_place_and_size_on_the_whole() -> None:
    facts = TextFacts("Terms apply", 5.0, 9.0, True)
    inside = Candidate("body_text", "Terms apply", Box(0.5, 0.5, 1, 1), 0.9, "text", ((0, 0), (1, 0), (1, 1)), facts)
    found = to_medium_coordinates(inside, Box(0.2, 0, 0.8, 0.5))
    assert found.box == pytest.approx((0.5, 0.25, 0.8, 0.5))
    assert found.polygon is not None
    np.testing.assert_allclose(found.polygon, [(0.2, 0), (0.8, 0), (0.8, 0.5)])
    assert found.text is not None
    assert found.text.line_height_pct == pytest.approx(2.5)


def followed(*boxes: Box) -> Aoi:
    track = tuple(Sighting(at / 5, box, 0.8) for at, box in enumerate(boxes))
    return Aoi(UUID(int=1), "person", "person", boxes[0], 0.8, "detector", t0_s=0.0, t1_s=len(boxes) / 5, track=track)


def test_what_is_followed_out_of_the_picture_ends_there() -> None:
    aoi = followed(Box(0.4, 0.5, 0.6, 0.8), Box(0.4, 0.6, 0.6, 0.9), Box(0.4, 0.8, 0.6, 1.0))
    cut = clip_to_content(aoi, PICTURE)
    assert cut is not None
    assert [sighting.box for sighting in cut.track] == [Box(0.4, 0.5, 0.6, 0.8), Box(0.4, 0.6, 0.6, 0.85)]
    assert (cut.t0_s, cut.t1_s) == (0.0, 0.4)


def test_what_lies_in_a_bar_is_no_area() -> None:
    assert clip_to_content(followed(Box(0.1, 0.87, 0.3, 0.97)), PICTURE) is None
