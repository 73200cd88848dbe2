"""An overlay is the heatmap or fog map itself, whatever was drawn before it."""

import numpy as np
import pytest

from mediaan.errors import UsageError
from mediaan.maps import OverlayKind, OverlayRenderer, fog_map, heatmap
from mediaan.saliency.density import fixation_density

MAPS = {"heat": heatmap, "fog": fog_map}


def frame(height: int, width: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def spot(x: float, y: float, shape: tuple[int, int] = (36, 64)) -> np.ndarray:
    return fixation_density([x, 1 - x], [y, y], shape, sigma=0.08)


@pytest.mark.parametrize("kind", ["heat", "fog"])
@pytest.mark.parametrize("size", [(90, 160), (97, 53), (1, 1), (360, 640)])
def test_an_overlay_equals_the_map(kind: OverlayKind, size: tuple[int, int]) -> None:
    """One overlay draws several frames, so that what is kept from one to the next would show."""
    overlay = OverlayRenderer(kind)
    for seed, x in enumerate((0.2, 0.5, 0.7)):
        rgb, density = frame(*size, seed), spot(x, 0.4)
        wanted = MAPS[kind](rgb, density, legend=False)
        np.testing.assert_allclose(overlay(rgb, density).astype(int), wanted, atol=2)


@pytest.mark.parametrize("kind", ["heat", "fog"])
def test_the_frame_itself_is_left_as_it_is(kind: OverlayKind) -> None:
    rgb = frame(40, 60, 1)
    rgb.flags.writeable = False
    before = rgb.copy()
    OverlayRenderer(kind)(rgb, spot(0.3, 0.6))
    np.testing.assert_array_equal(rgb, before)


def test_frames_of_another_size_may_follow() -> None:
    overlay = OverlayRenderer("heat")
    for size in ((30, 40), (60, 20), (30, 40)):
        rgb = frame(*size, 3)
        np.testing.assert_array_equal(overlay(rgb, spot(0.4, 0.4)), heatmap(rgb, spot(0.4, 0.4), legend=False))


@pytest.mark.parametrize("bad", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32)])
def test_what_is_no_frame_is_refused(bad: np.ndarray) -> None:
    with pytest.raises(UsageError, match="uint8"):
        OverlayRenderer("heat")(bad, spot(0.5, 0.5))


def test_what_is_no_density_is_refused() -> None:
    with pytest.raises(UsageError, match=r"density|negative"):
        OverlayRenderer("fog")(frame(8, 8, 0), np.zeros((3, 3), np.float32))
