"""Motion: what the camera does, what moves beside it, and what only looks like motion."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from moving_pictures import HEIGHT, WIDTH, texture, with_square

from mediaan.saliency.frame_selection import (
    accumulate_energy,
    camera_motion,
    global_change,
    luma_change,
    motion_contrast,
    motion_energy,
    to_luma,
    warp_with_camera,
)

STEP_S = 0.2
LARGE = texture(0, 2 * HEIGHT, 2 * WIDTH)


def crop(x: float, y: float, zoom: float = 1.0, turn: float = 0.0) -> np.ndarray:
    """What a camera sees whose view is shifted by (x, y) px, turned and zoomed about the middle."""
    matrix = cv2.getRotationMatrix2D((WIDTH, HEIGHT), turn, zoom)
    matrix[:, 2] -= (WIDTH / 2 + x, HEIGHT / 2 + y)
    return np.asarray(cv2.warpAffine(LARGE, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR))


def where(camera: np.ndarray, x: float, y: float) -> list[float]:
    return (camera @ [x, y, 1.0]).tolist()


def moves(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    one, two = to_luma(before), to_luma(now)
    return motion_contrast(motion_energy(one, two, camera_motion(one, two), STEP_S))


def test_luma_is_small_and_grey() -> None:
    assert to_luma(crop(0, 0)).shape == (64, 96)
    assert to_luma(np.full((20, 10, 3), (255, 0, 0), np.uint8)).shape == (20, 10)
    assert abs(int(to_luma(np.full((300, 100, 3), (0, 255, 0), np.uint8))[0, 0]) - 150) <= 1  # BT.601: .587 of 255
    assert to_luma(np.zeros((1, 4000, 3), np.uint8)).shape == (1, 96)


@pytest.mark.parametrize("shift", [(8, 0), (-12, 5), (0, -9)])
def test_a_pan_is_measured(shift: tuple[int, int]) -> None:
    camera = camera_motion(to_luma(crop(0, 0)), to_luma(crop(*shift)))
    assert camera is not None
    expected = [0.5 - shift[0] / WIDTH, 0.5 - shift[1] / HEIGHT]
    np.testing.assert_allclose(where(camera, 0.5, 0.5), expected, atol=0.004)


def test_a_zoom_is_measured() -> None:
    camera = camera_motion(to_luma(crop(0, 0)), to_luma(crop(0, 0, zoom=1.06)))
    assert camera is not None
    np.testing.assert_allclose(where(camera, 0.0, 0.0), [-0.03, -0.03], atol=0.006)
    np.testing.assert_allclose(where(camera, 0.5, 0.5), [0.5, 0.5], atol=0.006)


def test_a_resting_camera_and_pictures_without_corners() -> None:
    assert camera_motion(to_luma(crop(0, 0)), to_luma(crop(0, 0))) is None
    plain = np.full((HEIGHT, WIDTH, 3), 128, np.uint8)
    assert camera_motion(to_luma(plain), to_luma(plain)) is None


def test_a_thing_that_moves_before_a_plain_ground_is_no_pan() -> None:
    plain = np.full((HEIGHT, WIDTH, 3), 100, np.uint8)
    one, two = plain.copy(), plain.copy()
    thing = texture(3, 60, 60)
    one[30:90, 20:80], two[30:90, 28:88] = thing, thing
    assert camera_motion(to_luma(one), to_luma(two)) is None
    assert moves(one, two).max() > 0.1


def test_unrelated_pictures_have_no_common_camera() -> None:
    assert camera_motion(to_luma(texture(1)), to_luma(texture(2))) is None


def test_motion_is_where_something_moves() -> None:
    before, now = with_square(crop(0, 0), 0.25, 0.5), with_square(crop(0, 0), 0.30, 0.5)
    found = moves(before, now)
    row, column = np.unravel_index(found.argmax(), found.shape)
    assert abs(column / found.shape[1] - 0.275) < 0.1
    assert abs(row / found.shape[0] - 0.5) < 0.15
    assert found.max() > 0.4
    assert found[:, found.shape[1] * 2 // 3 :].max() < 0.02


def test_motion_beside_a_moving_camera() -> None:
    """A pan of the ground, and a square that goes against it: the square is what moves."""
    before, now = with_square(crop(0, 0), 0.7, 0.5), with_square(crop(6, 0), 0.74, 0.5)
    found = moves(before, now)
    _, column = np.unravel_index(found.argmax(), found.shape)
    assert abs(column / found.shape[1] - 0.72) < 0.1
    assert found.max() > 0.4
    assert found[:, : found.shape[1] // 2].max() < 0.1


@pytest.mark.parametrize(
    "now",
    [
        crop(0, 0),
        crop(7, -3),
        crop(0, 0, zoom=1.05),
        crop(0, 0, turn=2.0),
        (crop(0, 0) * 0.6).astype(np.uint8),
        np.clip(crop(0, 0) * 1.3 + 20.0, 0, 255).astype(np.uint8),
        (255 * 0.3 + crop(0, 0) * 0.7).astype(np.uint8),
        np.clip(crop(0, 0) + np.random.default_rng(0).normal(0, 8, (HEIGHT, WIDTH, 3)), 0, 255).astype(np.uint8),
        np.zeros((HEIGHT, WIDTH, 3), np.uint8),
        texture(9),
    ],
    ids=["nothing", "pan", "zoom", "turn", "darker", "lighter", "white-out", "noise", "black", "another"],
)
def test_what_is_no_motion_of_a_thing(now: np.ndarray) -> None:
    """Compared with a square that moves by a twentieth of the width."""
    square = moves(with_square(crop(0, 0), 0.25, 0.5), with_square(crop(0, 0), 0.30, 0.5))
    assert moves(crop(0, 0), now).max() < 0.15 * square.max()


def test_a_small_thing_that_moves_counts_as_much_as_a_large_one() -> None:
    """Before a resting ground; and less where half of the picture moves as well."""
    ground, around = crop(0, 0), crop(0, 0)
    around[HEIGHT // 2 :] = texture(9)[HEIGHT // 2 :]
    small, large, busy = (
        moves(with_square(ground, 0.25, 0.2, side=side), with_square(after, 0.30, 0.2, side=side))
        for side, after in ((8, ground), (24, ground), (8, around))
    )
    top = slice(0, small.shape[0] // 2 - 8)
    assert small.max() > 0.3 * large.max() > 1.0
    assert busy[top].max() < 0.5 * small.max()


def test_unrest_is_change_all_over() -> None:
    """A pan has none, a thing that moves hardly any, another picture much."""
    pictures = (crop(7, -3), with_square(crop(0, 0), 0.5, 0.5), texture(9))
    one = to_luma(crop(0, 0))
    pan, thing, other = (
        global_change(motion_energy(one, to_luma(now), camera_motion(one, to_luma(now)), STEP_S)) for now in pictures
    )
    assert pan < 0.05
    assert thing < 0.5 * other
    assert other > 0.3


def test_energy_fades_and_hardly_depends_on_the_sampling_rate() -> None:
    """A slow square: energy after a second of 12.5, 5 and 2.5 samples."""
    ground = crop(0, 0)

    def energy_after_a_second(fps: float) -> np.ndarray:
        energy, last = None, to_luma(with_square(ground, 0.3, 0.5))
        for i in range(1, round(fps) + 1):
            now = to_luma(with_square(ground, 0.3 + 0.1 * i / fps, 0.5))
            energy = accumulate_energy(energy, motion_energy(last, now, None, 1 / fps), 1 / fps)
            last = now
        assert energy is not None
        return energy

    at_5 = energy_after_a_second(5).sum()
    assert abs(energy_after_a_second(12.5).sum() / at_5 - 1) < 0.15
    assert abs(energy_after_a_second(2.5).sum() / at_5 - 1) < 0.15
    one = np.ones((2, 2), np.float32)
    np.testing.assert_allclose(accumulate_energy(one, 0 * one, 0.2), np.exp(-1), rtol=1e-6)


def test_difference_ignores_light() -> None:
    assert luma_change(to_luma(crop(0, 0)), to_luma((crop(0, 0) * 0.5).astype(np.uint8))).max() < 2
    assert luma_change(to_luma(crop(0, 0)), to_luma(with_square(crop(0, 0), 0.5, 0.5))).max() > 50


@pytest.mark.parametrize("shape", [(16, 24), (64, 96), (40, 40)])
def test_a_map_goes_with_the_camera_on_any_grid(shape: tuple[int, int]) -> None:
    rows, columns = shape
    y, x = (np.mgrid[:rows, :columns] + 0.5) / np.array([rows, columns])[:, None, None]

    def blob(cx: float, cy: float) -> np.ndarray:
        return np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * 0.1**2)).astype(np.float32)

    camera = np.array([[1, 0, 0.125], [0, 1, -0.0625]])
    inner = (slice(rows // 5, -rows // 5), slice(columns // 5, -columns // 5))
    np.testing.assert_allclose(warp_with_camera(blob(0.4, 0.5), camera)[inner], blob(0.525, 0.4375)[inner], atol=0.02)
    even = np.ones(shape, np.float32)
    np.testing.assert_allclose(warp_with_camera(even, camera), even, rtol=1e-5)
