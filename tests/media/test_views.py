import math

import numpy as np
import pytest
from PIL import Image

from mediaan.media.views import resize, resize_all, view_size
from mediaan.types.media import ViewSpec

MODEL = ViewSpec("model", pixels=384 * 288, multiple=32, upscale=True)


@pytest.mark.parametrize(
    ("size", "spec", "expected"),
    [
        ((4000, 3000), ViewSpec("v", long_side=640), (640, 480)),
        ((3000, 4000), ViewSpec("v", long_side=640), (480, 640)),
        ((640, 427), ViewSpec("v", long_side=640), (640, 427)),
        ((300, 250), ViewSpec("v", long_side=640), (300, 250)),
        ((300, 250), ViewSpec("v", long_side=600, upscale=True), (600, 500)),
        ((10000, 3), ViewSpec("v", long_side=640), (640, 1)),
        ((4000, 3000), ViewSpec("v", long_side=512, multiple=32), (512, 384)),
        ((1000, 1000), ViewSpec("v", pixels=250_000), (500, 500)),
        ((100, 100), ViewSpec("v", pixels=250_000), (100, 100)),
        ((4000, 3000), MODEL, (384, 288)),
        ((3000, 4000), MODEL, (288, 384)),
        ((1080, 1080), MODEL, (320, 320)),
        ((728, 90), MODEL, (1024, 128)),
        ((1, 1), ViewSpec("v", pixels=384 * 288, multiple=32), (32, 32)),
    ],
)
def test_sizes_worked_by_hand(size, spec, expected):
    assert view_size(*size, spec) == expected


def test_a_view_has_exactly_one_target():
    for spec in (ViewSpec("v"), ViewSpec("v", pixels=100, long_side=10)):
        with pytest.raises(ValueError, match="exactly one"):
            view_size(10, 10, spec)


@pytest.mark.parametrize("upscale", [True, False])
@pytest.mark.parametrize("multiple", [1, 8, 32])
def test_any_shape_gives_sane_sizes(upscale, multiple):
    spec = ViewSpec("v", pixels=384 * 288, multiple=multiple, upscale=upscale)
    rng = np.random.default_rng(3)
    for _ in range(300):
        width, height = (int(side) for side in np.exp(rng.uniform(0, math.log(20_000), 2)))
        width, height = max(1, width), max(1, height)
        w, h = view_size(width, height, spec)
        target = 384 * 288 if upscale else min(384 * 288, width * height)
        assert w % multiple == h % multiple == 0
        assert min(w, h) >= multiple
        assert w * h <= max(1.25 * target, multiple**2, max(width, height))
        assert (h, w) == view_size(height, width, spec) or width == height
        if max(width, height) / min(width, height) <= 8 and target == 384 * 288:
            assert w * h >= 0.6 * target
            assert abs(math.log((w / h) / (width / height))) < 0.15


def test_the_same_size_is_left_untouched():
    image = Image.effect_noise((40, 30), 60)
    assert resize(image, (40, 30)).tobytes() == image.tobytes()


def test_shrinking_averages_instead_of_picking():
    """A checkerboard of single pixels holds only what a view of a fifth the size cannot show: it must become grey."""
    board = (np.indices((500, 500)).sum(axis=0) % 2 * 255).astype(np.uint8)
    for size in [(100, 100), (93, 71), (260, 240)]:
        view = np.asarray(resize(Image.fromarray(board), size)).astype(int)
        # rounding, plus what the whole-factor box and the window leave of the highest frequency
        assert abs(view - 127.5).max() < (7 if size[0] <= 100 else 10)


def test_a_view_that_comes_from_a_larger_one_agrees_with_the_direct_one():
    image = Image.fromarray(np.random.default_rng(1).integers(0, 256, (24, 32, 3), dtype=np.uint8))
    image = image.resize((1600, 1200), Image.Resampling.BICUBIC)
    views = resize_all(image, [(160, 120), (640, 480)], (0, 0, 1600, 1200))
    direct = resize(image, (160, 120))
    assert list(views) == [(640, 480), (160, 120)]
    assert np.abs(np.asarray(views[160, 120]).astype(int) - np.asarray(direct)).max() <= 3
