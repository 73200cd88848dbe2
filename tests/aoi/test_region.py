"""Shares of a density inside boxes and polygons, against geometry done elsewhere."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
import shapely

from mediaan.aoi import region
from mediaan.aoi.medium_coordinates import clip_to_content, to_medium_coordinates, trim_empty_bars
from mediaan.aoi.region import (
    PolygonOutline,
    attention_share,
    attention_shares_of_boxes,
    coverage,
    region_area,
    sums_to_the_right,
)
from mediaan.types.aoi import Aoi, Box, Candidate, Sighting, TextFacts


def random_density(rng, shape=(17, 23)):
    values = rng.random(shape) ** 4
    return (values / values.sum()).astype(np.float32)


def random_box(rng):
    (x0, x1), (y0, y1) = np.sort(rng.random((2, 2)), axis=1)
    return Box(x0, y0, x1, y1)


def star(rng, corners=7):
    """A polygon around the middle that does not cross itself, partly outside the medium."""
    angle = np.sort(rng.uniform(0, 2 * np.pi, corners))
    radius = rng.uniform(0.05, 0.9, corners)
    return tuple(zip((0.5 + radius * np.cos(angle)).tolist(), (0.5 + radius * np.sin(angle)).tolist(), strict=True))


def by_shapely(polygon, shape):
    rows, columns = shape
    cell = [
        [shapely.box(x / columns, y / rows, (x + 1) / columns, (y + 1) / rows) for x in range(columns)]
        for y in range(rows)
    ]
    return shapely.area(shapely.intersection(np.array(cell), polygon)) * rows * columns


@pytest.mark.parametrize("seed", range(12))
def test_coverage_share_and_area_are_those_that_geometry_says(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 15, 2))
    polygon, box, density = star(rng)[:: (-1) ** seed], random_box(rng), random_density(rng, shape)
    for corners, outline in ((polygon, shapely.Polygon(polygon)), (None, shapely.box(*box))):
        truth = by_shapely(outline, shape)
        assert np.allclose(coverage(box, corners, shape), truth, atol=1e-6)
        assert attention_share(density, box, corners) == pytest.approx((density * truth).sum(dtype=float), abs=1e-6)
        assert region_area(box, corners) == pytest.approx(truth.mean(), abs=1e-6)


def test_both_lobes_of_a_bow_tie_count():
    bow = ((0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0))
    covered = coverage(Box(0, 0, 1, 1), bow, (2, 2))
    assert covered.tolist() == [[0.5, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize("box", [Box(0.3, 0.3, 0.3, 0.8), Box(1.2, 0, 1.5, 1), Box(0.6, 0.2, 0.4, 0.8)])
def test_an_empty_box_holds_nothing(box):
    density = random_density(np.random.default_rng(10))
    assert attention_share(density, box) == 0.0
    assert not coverage(box, None, (5, 5)).any()


def test_many_boxes_hold_what_each_of_them_holds():
    rng = np.random.default_rng(12)
    density = random_density(rng)
    boxes = [random_box(rng) for _ in range(20)]
    boxes += [Box(-0.5, 0.2, 0.4, 1.5), Box(0.3, 0.3, 0.3, 0.8), Box(1.2, 0, 1.5, 1), Box(-1, -1, 2, 2)]
    alone = [attention_share(density, box) for box in boxes]
    assert attention_shares_of_boxes(density, boxes) == pytest.approx(alone, abs=1e-12)
    assert attention_shares_of_boxes(density, []).shape == (0,)
    assert alone[-1] <= 1.0


def test_an_outline_gives_the_shares_of_the_whole_polygon():
    rng = np.random.default_rng(8)
    for corners in (3, 7, 40):
        density = random_density(rng)
        for polygon in (star(rng, corners), tuple(map(tuple, rng.uniform(-0.2, 1.2, (corners, 2)).tolist()))):
            outline = PolygonOutline(polygon, density.shape)
            whole = attention_share(density, Box(0, 0, 1, 1), polygon)
            assert outline.share(sums_to_the_right(density)) == pytest.approx(whole, abs=1e-12)
            assert outline.area == pytest.approx(region_area(Box(0, 0, 1, 1), polygon), abs=1e-12)


def test_many_corners_of_an_outline_are_the_polygon_that_they_lie_on():
    """All edges are cut at once: also those that are level, upright, of no length, or on lines of the grid."""
    few = ((0.125, 0.25), (0.875, 0.25), (0.875, 0.75), (0.5, 1.0), (0.125, 0.75))
    many = [
        (x0 + (x1 - x0) * step / 250, y0 + (y1 - y0) * step / 250)
        for (x0, y0), (x1, y1) in zip(few, (*few[1:], few[0]), strict=True)
        for step in range(250)
        for _ in range(2)
    ]
    assert np.allclose(coverage(Box(0, 0, 1, 1), tuple(many), (8, 8)), coverage(Box(0, 0, 1, 1), few, (8, 8)))


def test_a_polygon_is_cut_once_for_all_densities_of_a_medium(monkeypatch):
    rng, cut, cuts = np.random.default_rng(9), [], region._cuts
    monkeypatch.setattr(region, "_cuts", lambda start, way, shape: cut.append(shape) or cuts(start, way, shape))
    polygon = star(rng, 50)
    for _ in range(30):
        attention_share(random_density(rng), Box(0, 0, 1, 1), polygon)
    assert cut == [(17, 23)]


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
    assert found.text.line_height_pct == pytest.approx(2.5)


def followed(*boxes: Box) -> Aoi:
    track = tuple(Sighting(at / 5, box, 0.8) for at, box in enumerate(boxes))
    return Aoi(UUID(int=1), "person", "person", boxes[0], 0.8, "detector", t0_s=0.0, t1_s=len(boxes) / 5, track=track)


def test_what_is_followed_out_of_the_picture_ends_there() -> None:
    aoi = followed(Box(0.4, 0.5, 0.6, 0.8), Box(0.4, 0.6, 0.6, 0.9), Box(0.4, 0.8, 0.6, 1.0))
    cut = clip_to_content(aoi, PICTURE)
    assert [sighting.box for sighting in cut.track] == [Box(0.4, 0.5, 0.6, 0.8), Box(0.4, 0.6, 0.6, 0.85)]
    assert (cut.t0_s, cut.t1_s) == (0.0, 0.4)


def test_what_lies_in_a_bar_is_no_area() -> None:
    assert clip_to_content(followed(Box(0.1, 0.87, 0.3, 0.97)), PICTURE) is None
