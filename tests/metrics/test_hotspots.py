"""Hotspots: found where spots were put, with the share that was given to them, and none where there are none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from mediaan.metrics.scores.concentration import hotspots

PLACES = [(0.18, 0.2), (0.5, 0.5), (0.82, 0.8), (0.18, 0.8), (0.82, 0.2), (0.5, 0.15), (0.15, 0.5), (0.85, 0.5)]


def spots(places, shares, sd=0.04, shape=(72, 96)):
    """Gaussian spots with these shares of attention; places in unit coordinates, sd as a share of the long side."""
    rows, columns = shape
    y, x = np.mgrid[:rows, :columns] + 0.5
    total = np.zeros(shape)
    for (px, py), share in zip(places, shares, strict=True):
        spot = np.exp(-((x - px * columns) ** 2 + (y - py * rows) ** 2) / (2 * (sd * max(shape)) ** 2))
        total += share * spot / spot.sum()
    return (total / total.sum()).astype(np.float32)


@pytest.mark.parametrize("number", [1, 2, 3, 5, 8])
def test_as_many_are_found_as_were_put_there(number):
    found = hotspots(spots(PLACES[:number], [1] * number))
    assert len(found) == number
    for x, y in PLACES[:number]:
        nearest = min(found, key=lambda spot: np.hypot(spot.x - x, spot.y - y))
        assert (nearest.x, nearest.y) == pytest.approx((x, y), abs=0.015)
        assert nearest.share == pytest.approx(1 / number, abs=0.01)


def test_shares_are_those_given_largest_first():
    found = hotspots(spots(PLACES[:3], [0.2, 0.5, 0.3]))
    assert [spot.share for spot in found] == pytest.approx([0.5, 0.3, 0.2], abs=0.01)
    assert (found[0].x, found[0].y) == pytest.approx(PLACES[1], abs=0.015)


def test_less_than_a_twentieth_of_attention_is_not_listed():
    assert len(hotspots(spots(PLACES[:3], [0.48, 0.48, 0.04]))) == 2
    assert len(hotspots(spots(PLACES[:3], [0.47, 0.47, 0.06]))) == 3


def test_even_density_and_its_noise_are_one_hotspot():
    rng = np.random.default_rng(3)
    assert [spot.share for spot in hotspots(np.full((36, 48), 1 / (36 * 48), np.float32))] == pytest.approx([1])
    noisy = np.exp(0.05 * cv2.GaussianBlur(rng.normal(size=(72, 96)), (0, 0), 2) * 7)
    (found,) = hotspots((noisy / noisy.sum()).astype(np.float32))
    assert found.share == pytest.approx(1)


def test_emptiness_around_points_is_no_hotspot():
    points = np.zeros((72, 96), np.float32)
    points[10, 10] = points[60, 80] = 0.5
    assert [spot.share for spot in hotspots(points)] == pytest.approx([0.5, 0.5])


def test_two_spots_that_draw_near_become_one_by_degrees():
    distances = np.arange(0.30, -0.001, -0.0025)
    smaller = [
        min(spot.share for spot in found) if len(found) > 1 else 0.0
        for found in (hotspots(spots([(0.5 - d / 2, 0.5), (0.5 + d / 2, 0.5)], [0.6, 0.4])) for d in distances)
    ]
    assert smaller[0] == pytest.approx(0.4, abs=0.01)
    assert smaller[-1] == 0
    # what is under the threshold of listing counts as 0, so that the last step is at least as large as that
    assert np.abs(np.diff(smaller)).max() < 0.1
    assert max(np.diff(smaller)) < 0.01


@pytest.mark.parametrize("shape", [(36, 48), (72, 96), (144, 192), (300, 400)])
def test_same_on_any_grid(shape):
    expected = hotspots(spots(PLACES[:4], [0.4, 0.3, 0.2, 0.1]))
    found = hotspots(spots(PLACES[:4], [0.4, 0.3, 0.2, 0.1], shape=shape))
    np.testing.assert_allclose(np.array(found), np.array(expected), atol=0.02)


def test_mirrored_density_has_mirrored_hotspots():
    density = spots(PLACES[:4], [0.4, 0.3, 0.2, 0.1])
    mirrored = hotspots(np.ascontiguousarray(density[:, ::-1]))
    turned = [(1 - spot.x, spot.y, spot.share) for spot in mirrored]
    # where two cells are alike in height, another of them may be called the top
    np.testing.assert_allclose(turned, np.array(hotspots(density)), atol=1.01 / 96)


def test_places_within_bars_are_told_in_coordinates_of_the_frame():
    framed = np.zeros((144, 96), np.float32)
    framed[36:108] = spots(PLACES[:2], [0.7, 0.3])
    found = hotspots(framed, (0, 0.25, 1, 0.75))
    for spot, (x, y) in zip(found, PLACES, strict=False):
        assert (spot.x, spot.y) == pytest.approx((x, 0.25 + y / 2), abs=0.015)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (96, 3)])
def test_thin_densities_have_hotspots_too(shape):
    density = np.random.default_rng(4).random(shape).astype(np.float32)
    found = hotspots(density / density.sum())
    assert found
    assert sum(spot.share for spot in found) <= 1 + 1e-6
