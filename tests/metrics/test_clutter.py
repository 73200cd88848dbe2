"""Feature congestion, contours, layout and text, against plain computations and on pictures whose answer is known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from scipy import ndimage

from mediaan.metrics.features import (
    _colour_spread,
    _contrast_spread,
    congestion_lab,
    contour_congestion,
    contour_density,
    contour_weakness,
    contours,
    feature_congestion_map,
    region_count,
    symmetry,
    white_space,
)


def kernel(sigma, radius):
    t = np.arange(-radius, radius + 1)
    k = np.exp(-(t**2) / (2 * sigma**2))
    return k / k.sum()


def blurred(plane, k, mode):
    return ndimage.correlate1d(ndimage.correlate1d(plane, k, axis=0, mode=mode), k, axis=1, mode=mode)


def pooled(plane, k):
    return blurred(plane, k, "constant") / blurred(np.ones_like(plane), k, "constant")


@pytest.fixture(scope="module")
def lab():
    rng = np.random.default_rng(3)
    rgb = ndimage.gaussian_filter(rng.uniform(0, 255, (120, 160, 3)), (2, 2, 0))
    rgb = (rgb - rgb.min()) / (rgb.max() - rgb.min()) * 255
    rgb[30:60, 40:90] = 250  # a flat patch, where rounding would show
    return congestion_lab(rgb.astype(np.uint8))


def test_contrast_spread(lab):
    lightness = lab[..., 0].astype(np.float64)
    contrast = np.abs(blurred(lightness, kernel(0.71, 3), "mirror") - blurred(lightness, kernel(1.14, 3), "mirror"))
    window = kernel(3, 6)
    expected = np.sqrt(np.abs(pooled(contrast**2, window) - pooled(contrast, window) ** 2))
    np.testing.assert_allclose(_contrast_spread(lab[..., 0]), expected, atol=1e-4)


def test_colour_spread(lab):
    planes, window = [lab[..., i].astype(np.float64) for i in range(3)], kernel(3, 6)
    covariance = np.empty((*lab.shape[:2], 3, 3))
    for i in range(3):
        for j in range(3):
            mean = pooled(planes[i], window) * pooled(planes[j], window)
            covariance[..., i, j] = pooled(planes[i] * planes[j], window) - mean
    covariance += np.diag([0.0007**2, 0.1**2, 0.05**2])
    expected = np.linalg.det(covariance) ** (1 / 6)
    ours = _colour_spread(lab)
    assert ours.mean() == pytest.approx(expected.mean(), rel=0.01)
    assert np.corrcoef(ours.ravel(), expected.ravel())[0, 1] > 0.995


def test_mirrored_picture_has_the_mirrored_map(lab):
    mirrored = feature_congestion_map(np.ascontiguousarray(lab[:, ::-1]))[:, ::-1]
    ours = feature_congestion_map(lab)
    assert mirrored.mean() == pytest.approx(ours.mean(), rel=0.01)


def test_clutter_is_where_the_things_are():
    rgb = np.full((128, 128, 3), 230, np.uint8)
    rgb[:, 64:] = np.random.default_rng(4).integers(0, 255, (128, 64, 3))
    congestion = feature_congestion_map(congestion_lab(rgb))
    assert congestion[:, :20].mean() < 2
    assert congestion[:, 90:].mean() > 10


def congestion_by_loops(marked, reach):
    framed = np.pad(marked, reach, constant_values=True)
    crowded = 0
    for y, x in np.argwhere(marked):
        row, column = framed[y + reach], framed[:, x + reach]
        sides = (
            row[x : x + reach],
            row[x + reach + 1 : x + 2 * reach + 1],
            column[y : y + reach],
            column[y + reach + 1 : y + 2 * reach + 1],
        )
        crowded += all(side.any() for side in sides)
    return crowded / marked.sum()


@pytest.mark.parametrize("reach", [1, 3, 8])
def test_congestion_equals_plain_loops(reach):
    marked = np.random.default_rng(reach).random((50, 70)) < 0.12
    assert contour_congestion(marked, reach) == pytest.approx(congestion_by_loops(marked, reach))


def test_a_step_is_one_contour_wide():
    rgb = np.zeros((20, 30, 3), np.uint8)
    rgb[:, 15:, 1] = 51
    marked = contours(rgb)
    assert marked[:, 14].all()
    assert marked.sum() == 20
    rgb[:, 15:, 1] = 50
    assert not contours(rgb).any()


def bar(level):
    grey = np.full((100, 100), 100, np.uint8)
    grey[:, 40:60] = 100 + level
    return grey


def test_contours_weaken_with_contrast():
    weakness = [contour_weakness(bar(level)) for level in (60, 90, 120, 150)]
    assert weakness == sorted(weakness, reverse=True)
    assert weakness[0] > weakness[-1]


def test_contours_beyond_every_threshold_are_not_weak():
    black_and_white = np.zeros((100, 100), np.uint8)
    black_and_white[:, 50:] = 255
    assert contour_weakness(black_and_white) == 0


def test_density_of_a_bar_is_its_two_sides():
    assert contour_density(bar(120)) == pytest.approx(0.02, abs=0.003)


def test_flat_picture_has_no_contours():
    flat = np.full((40, 40), 77, np.uint8)
    assert contour_density(flat) == 0
    assert contour_weakness(flat) is None
    assert contour_congestion(np.zeros((40, 40), np.bool_)) == 0


def test_white_space_leaves_out_a_block_of_marks():
    marked = np.zeros((400, 400), np.bool_)
    marked[100:200:4, 100:300:4] = True
    assert white_space(marked) == pytest.approx(1 - 0.125, abs=0.01)


def test_symmetry_of_mirrored_and_one_sided_detail():
    half = np.random.default_rng(0).random((64, 32)).astype(np.float32)
    assert symmetry(np.hstack((half, half[:, ::-1]))) == pytest.approx(1, abs=1e-5)
    assert symmetry(np.hstack((half, np.zeros_like(half)))) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("number", [1, 4, 9])
def test_regions_are_counted(number):
    rgb = np.full((128, 128, 3), 255, np.uint8)
    for i in range(number):
        cv2.circle(rgb, (22 + 42 * (i % 3), 22 + 42 * (i // 3)), 12, (20, 40 + 15 * i, 160), -1)
    assert region_count(rgb) == number + 1
