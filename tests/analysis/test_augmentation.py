"""Images changed in ways that should not matter, and densities brought back from them."""

from __future__ import annotations

import numpy as np
import pytest

from mediaan.analysis.augmentation import AUGMENTATIONS, Augmentation


def spot(shape: tuple[int, int], x: float, y: float) -> np.ndarray:
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    at = ((columns + 0.5) / shape[1] - x) ** 2 + ((rows + 0.5) / shape[0] - y) ** 2
    density = np.exp(-at / (2 * 0.05**2)).astype(np.float32)
    return density / density.sum()


def centre(density: np.ndarray) -> tuple[float, float]:
    rows, columns = np.mgrid[: density.shape[0], : density.shape[1]]
    x, y = (columns + 0.5) / density.shape[1], (rows + 0.5) / density.shape[0]
    return float((density * x).sum()), float((density * y).sum())


@pytest.mark.parametrize("variant", AUGMENTATIONS, ids=lambda v: v.name)
def test_what_is_seen_in_the_changed_picture_is_found_where_it_was(variant: Augmentation) -> None:
    """A picture that is its own density: change it, look, and go back."""
    density = spot((240, 320), 0.3, 0.6)
    picture = np.repeat((density / density.max() * 255).astype(np.uint8)[..., None], 3, axis=2)
    seen = variant.apply(picture)[..., 0].astype(np.float32)
    back = variant.restore(seen / seen.sum(), (60, 80))
    assert back.shape == (60, 80)
    assert back.sum() == pytest.approx(1, abs=1e-5)
    assert centre(back) == pytest.approx((0.3, 0.6), abs=0.01)


def test_mirroring_twice_is_nothing() -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (40, 60, 3)).astype(np.uint8)
    mirror = Augmentation("mirror", mirrored=True)
    np.testing.assert_array_equal(mirror.apply(mirror.apply(rgb)), rgb)


@pytest.mark.parametrize("variant", AUGMENTATIONS, ids=lambda v: v.name)
def test_the_smallest_picture_survives(variant: Augmentation) -> None:
    assert variant.apply(np.zeros((1, 1, 3), np.uint8)).shape == (1, 1, 3)
    assert variant.restore(np.ones((1, 1), np.float32), (1, 1)).tolist() == [[1.0]]
