"""Drivers against the numbers that published code gives for the same pictures."""

from __future__ import annotations

import csv
from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.stats import spearmanr

from mediaan.metrics.features import (
    colourfulness,
    congestion_lab,
    contour_congestion,
    contour_density,
    contour_weakness,
    contours,
    feature_congestion_map,
    luma,
    luminance_sd,
    white_space,
)

REFERENCE = Path(__file__).resolve().parents[2].parent / "shared/data/reference"
needs_reference = pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference pictures are not beside the project")


def read(name):
    return cv2.cvtColor(cv2.imread(str(REFERENCE / "images" / name), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


def feature_congestion(lab):
    return float(feature_congestion_map(lab).mean(dtype=np.float64))


def measured(rgb):
    grey, lab, edges = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), congestion_lab(rgb), contours(rgb)
    return {
        "contour_density": contour_density(grey),
        "figure_ground_contrast": contour_weakness(grey),
        "contour_congestion": contour_congestion(edges, reach=20),
        "feature_congestion": feature_congestion(lab),
        "luminance_sd": luminance_sd(luma(rgb)),
        "colorfulness": colourfulness(rgb),
        "white_space": white_space(edges),
    }


@pytest.fixture(scope="module")
def pairs():
    with (REFERENCE / "published_metrics.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (REFERENCE / "images" / row["image"]).exists()]
    assert len(rows) == 9
    ours = [measured(read(row["image"])) for row in rows]
    return {name: (np.array([o[name] for o in ours]), np.array([float(r[name]) for r in rows])) for name in ours[0]}


@needs_reference
@pytest.mark.parametrize(
    ("metric", "relative"),
    [
        ("contour_density", 0.003),  # four decimals are published
        ("figure_ground_contrast", 0.002),
        ("contour_congestion", 0.0002),
        ("feature_congestion", 0.003),  # pooled on coarser grids; diagonal kernels interpolated, not rotated
        ("luminance_sd", 1e-5),
        ("colorfulness", 1e-5),
    ],
)
def test_agrees_with_published_code(pairs, metric, relative):
    ours, published = pairs[metric]
    np.testing.assert_allclose(ours, published, rtol=relative, atol=6e-5)
    assert spearmanr(ours, published)[0] >= 0.95


@needs_reference
def test_white_space_orders_pages_roughly_like_the_published_one(pairs):
    # Another definition: see `white_space`.
    ours, published = pairs["white_space"]
    assert spearmanr(ours, published)[0] >= 0.75


@needs_reference
@pytest.mark.parametrize(
    ("name", "expected"), [("aalto.fi_website.png", 83.143299), ("myhelsinki.fi_website.png", 63.443773)]
)
def test_published_colourfulness(name, expected):
    assert colourfulness(read(name)) == pytest.approx(expected, abs=1e-4)


@needs_reference
def test_feature_congestion_of_the_map():
    assert feature_congestion(congestion_lab(read("map.png"))) == pytest.approx(3.282042, rel=0.003)


@pytest.mark.parametrize("colour", [(0, 0, 0), (255, 255, 255), (120, 50, 200)])
def test_uniform_pictures_have_the_floor_of_feature_congestion(colour):
    lab = congestion_lab(np.full((96, 130, 3), colour, np.uint8))
    # (0.0007 · 0.1 · 0.05)^(1/3) / 0.2088 + sqrt(0.001) / 0.0269
    assert feature_congestion(lab) == pytest.approx(1.248283, abs=5e-5)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((255, 0, 0), (255, 0, 0), 85.5296),
        ((0, 255, 0), (0, 255, 0), 85.5296),
        ((0, 0, 255), (0, 0, 255), 76.5),
        ((255, 0, 0), (0, 255, 0), 293.25),
        ((90, 90, 90), (200, 200, 200), 0),
    ],
)
def test_colourfulness_by_hand(left, right, expected):
    rgb = np.zeros((20, 20, 3), np.uint8)
    rgb[:, :10], rgb[:, 10:] = left, right
    assert colourfulness(rgb) == pytest.approx(expected, abs=1e-4)
