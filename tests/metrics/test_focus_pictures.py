"""Focus of pictures, with the model that ships, under changes that should not matter."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from mediaan.analysis.models import load_models
from mediaan.media import open_image
from mediaan.metrics.borders import content_box
from mediaan.metrics.drivers import DRIVER_VIEW
from mediaan.metrics.scales import built_in_focus_scales
from mediaan.metrics.scores.concentration import concentration

PATHS = sorted(path for path in (Path(__file__).parents[1] / "sample_ads/ads").iterdir() if path.suffix != ".gif")
SCALES = built_in_focus_scales()


def views(path):
    opened = open_image(path, [load_models("attention", "cpu", 1).still.view, DRIVER_VIEW])
    return opened.chunks[0].views


def focus_of(path):
    model = load_models("attention", "cpu", 1).still
    seen = views(path)
    (densities,) = model.predict(seen[model.view.name])
    return SCALES.still.score(concentration(densities["total"], content_box(seen[DRIVER_VIEW.name][0])))


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Each as a lossless file of at most 1000 px, with its focus."""
    folder = tmp_path_factory.mktemp("pictures")
    files = []
    for path in PATHS:
        bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if bgr is None:
            continue
        factor = min(1, 1000 / max(bgr.shape[:2]))
        files.append(folder / f"{path.stem}.png")
        cv2.imwrite(str(files[-1]), cv2.resize(bgr, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA))
    assert len(files) >= 8
    return {file: focus_of(file) for file in files}


def moved(pictures, tmp_path, change, suffix=".png"):
    """Focus of the changed pictures less that of the pictures, points."""
    after = []
    for i, file in enumerate(pictures):
        target = tmp_path / f"{i}{suffix}"
        quality = [cv2.IMWRITE_JPEG_QUALITY, 85] if suffix == ".jpg" else []
        cv2.imwrite(str(target), change(cv2.imread(str(file), cv2.IMREAD_COLOR)), quality)
        after.append(focus_of(target))
    return np.array(after) - np.array(list(pictures.values()))


def scaled(factor):
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return lambda bgr: cv2.resize(bgr, None, fx=factor, fy=factor, interpolation=method)


@pytest.mark.parametrize(
    ("change", "suffix"),
    [
        (scaled(0.6), ".jpg"),
        pytest.param(scaled(1.7), ".png", marks=pytest.mark.full),
        (lambda bgr: bgr, ".jpg"),
        (lambda bgr: bgr[:, ::-1].copy(), ".png"),
    ],
    ids=["smaller", "larger", "JPEG", "mirrored"],
)
def test_size_compression_and_mirroring_hardly_matter(pictures, tmp_path, change, suffix):
    change_of_focus = moved(pictures, tmp_path, change, suffix)
    assert np.median(np.abs(change_of_focus)) < 4
    assert np.abs(change_of_focus).max() < 15


def test_held_picture_is_as_focused_as_the_picture(pictures):
    model = load_models("attention", "cpu", 1).moving
    apart = []
    for file, still in list(pictures.items())[:6]:
        frame = open_image(file, [model.view]).chunks[0].views[model.view.name]
        t, shot, fresh = np.arange(15) / 5, np.zeros(15, np.int32), np.arange(15) == 0
        densities, _ = model.advance(model.start(), np.repeat(frame, 15, axis=0), t, np.full(15, 0.2), shot, fresh)
        apart.append(np.mean([SCALES.moving.score(concentration(density)) for density in densities[3:]]) - still)
    assert abs(np.mean(apart)) < 8
    assert np.abs(apart).max() < 16
