"""Bars around a picture are found; what is no bar is not."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from mediaan.metrics.borders import content_box

WHOLE = (0, 0, 1, 1)
SHARED = Path(__file__).parents[2].parent / "shared/data"
needs_pictures = pytest.mark.skipif(not SHARED.is_dir(), reason="the pictures are not beside the project")
COLOURS = [(0, 0, 0), (255, 255, 255), (20, 60, 160)]


def scene(seed=0, size=(240, 320)):
    """Something like a photograph: even patches, edges and texture, no colour along a whole side."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(30, 226, (6, 8, 3)).astype(np.uint8)
    rgb = cv2.resize(coarse, size[::-1], interpolation=cv2.INTER_CUBIC).astype(np.float32)
    return np.clip(rgb + rng.normal(0, 4, rgb.shape), 30, 225).astype(np.uint8)


def barred(rgb, top, left, colour, quality=None):
    rgb = cv2.copyMakeBorder(rgb, top, top, left, left, cv2.BORDER_CONSTANT, value=colour)
    if quality:
        _, code = cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
        rgb = np.ascontiguousarray(cv2.imdecode(code, cv2.IMREAD_COLOR)[..., ::-1])
    return rgb


def inner(rgb, top, left):
    height, width = rgb.shape[:2]
    return (left / width, top / height, 1 - left / width, 1 - top / height)


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("quality", [None, 90, 75])
@pytest.mark.parametrize(("top", "left"), [(24, 0), (0, 32), (72, 0), (0, 96), (24, 32), (72, 96), (48, 20)])
def test_bars_are_found(colour, quality, top, left):
    rgb = barred(scene(), top, left, colour, quality)
    # half a block of the compression at most
    assert content_box(rgb) == pytest.approx(inner(rgb, top, left), abs=4.5 / 240)


def test_bars_that_take_two_thirds_of_an_upright_video_are_found():
    rgb = barred(scene(size=(180, 320)), 194, 0, (0, 0, 0))
    assert content_box(rgb) == pytest.approx(inner(rgb, 194, 0))


@pytest.mark.parametrize("size", [(120, 160), (480, 640)])
def test_they_are_found_at_any_size(size):
    rgb = cv2.resize(barred(scene(), 48, 0, (0, 0, 0)), size[::-1], interpolation=cv2.INTER_AREA)
    assert content_box(rgb) == pytest.approx((0, 1 / 7, 1, 6 / 7), abs=0.012)


def test_picture_without_bars_is_whole():
    assert content_box(scene()) == WHOLE


@pytest.mark.parametrize("colour", COLOURS)
def test_constant_picture_is_whole(colour):
    assert content_box(np.full((90, 160, 3), colour, np.uint8)) == WHOLE


@pytest.mark.parametrize("shape", [(1, 1), (2, 300), (300, 2)])
def test_tiny_and_thin_pictures_are_whole_or_less(shape):
    x0, y0, x1, y1 = content_box(np.random.default_rng(1).integers(0, 256, (*shape, 3)).astype(np.uint8))
    assert 0 <= x0 < x1 <= 1
    assert 0 <= y0 < y1 <= 1


def product_on(ground, kind):
    rgb = np.full((300, 400, 3), ground, np.uint8)
    if kind == "round":
        cv2.circle(rgb, (200, 150), 90, (190, 40, 40), -1)
    elif kind == "small box":
        rgb[100:200, 140:260] = scene(2, (100, 120))
    elif kind == "as wide as the picture":
        cv2.ellipse(rgb, (200, 150), (200, 90), 0, 0, 360, (40, 40, 190), -1)
    elif kind == "off the middle":
        rgb[60:290, :] = scene(3, (230, 400))
    elif kind == "line of text":
        cv2.putText(rgb, "Half price until Sunday", (4, 160), cv2.FONT_HERSHEY_DUPLEX, 1.0, (10, 10, 10), 2)
    return rgb


@pytest.mark.parametrize("kind", ["round", "small box", "as wide as the picture", "off the middle", "line of text"])
def test_plain_ground_around_a_product_is_no_bar(kind):
    assert content_box(product_on((250, 250, 250), kind)) == WHOLE


def test_gradient_is_no_bar():
    rows = np.abs(np.linspace(-1, 1, 300))[:, None, None] * np.array([200, 180, 150])
    assert content_box(np.broadcast_to(rows, (300, 400, 3)).astype(np.uint8)) == WHOLE


def test_bars_with_a_caption_are_part_of_the_picture():
    rgb = barred(scene(), 48, 0, (0, 0, 0))
    cv2.putText(rgb, "Subtitle", (90, 325), cv2.FONT_HERSHEY_DUPLEX, 0.9, (255, 255, 255), 2)
    assert content_box(rgb) == WHOLE


def test_bars_of_two_colours_are_part_of_the_picture():
    rgb = barred(scene(), 48, 0, (0, 0, 0))
    rgb[-48:] = (200, 30, 30)
    assert content_box(rgb) == WHOLE


def test_what_was_known_stays_in_the_dark_and_goes_with_light():
    film = barred(scene(), 48, 0, (0, 0, 0))
    known = content_box(film)
    dark = np.full_like(film, 2)
    assert content_box(dark) == WHOLE
    assert content_box(dark, known) == known
    assert content_box(film, known) == known
    assert content_box(scene(4, film.shape[:2]), known) == WHOLE


@needs_pictures
def test_natural_scenes_have_no_bars():
    paths = sorted((SHARED / "gaze/crowd/images").glob("*.jpg"))[::15]
    assert len(paths) > 25
    for path in paths:
        assert content_box(np.ascontiguousarray(cv2.imread(str(path))[..., ::-1])) == WHOLE, path.name


@needs_pictures
def test_bars_around_advertisements_are_found():
    paths = sorted((SHARED / "complexity/images").glob("advertisement_*.jpg"))[::9]
    found = 0
    for path in paths:
        rgb = np.ascontiguousarray(cv2.imread(str(path))[..., ::-1])
        top = round(0.15 * rgb.shape[0])
        framed = barred(rgb, top, 0, (20, 60, 160), 90)
        found += content_box(framed) == pytest.approx(inner(framed, top, 0), abs=0.02)
    assert found >= 0.9 * len(paths)
