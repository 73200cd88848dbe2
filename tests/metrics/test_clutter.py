"""Feature congestion against a plain double-precision computation, and its properties."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from mediaan.metrics.drivers.clutter import _colour_spread, _contrast_spread, feature_congestion_map
from mediaan.metrics.drivers.colour import congestion_lab


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
