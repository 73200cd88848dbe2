"""Contours, layout and text on pictures whose answer is known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from mediaan.metrics.drivers.contours import contour_congestion, contour_density, contour_weakness, contours
from mediaan.metrics.drivers.layout import region_count, symmetry, white_space


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
