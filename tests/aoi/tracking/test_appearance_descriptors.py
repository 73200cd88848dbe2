"""What things look like: patches against numpy, descriptors against things that are the same and that are not."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from moving_scenes import photo

from mediaan.aoi.tracking.association import (
    DESCRIPTOR_LENGTH,
    GreyPyramid,
    appearance_descriptor,
    correlation,
    descriptor_similarity,
    high_pass,
    patch_shape,
    search_patch,
)
from mediaan.aoi.tracking.track import MIN_OBJECT_SIMILARITY
from mediaan.types.aoi import Box

ROOT = Path(__file__).resolve().parents[3]
PICTURES = ROOT.parent / "shared" / "data" / "complexity" / "images"
LABELS = [ROOT / "models" / "training" / "labels" / f"train_{part}.json" for part in (1, 2)]
CUP = Box(0.25, 0.15, 0.7, 0.75)


def test_a_sample_of_a_ramp_is_the_ramp() -> None:
    """Cells are sampled at their middles: of a ramp that rises by 1 a px, the mean of what they cover."""
    ramp = np.broadcast_to(np.arange(200, dtype=np.uint8)[:, None, None], (200, 100, 3))
    frame = GreyPyramid(ramp, 512)
    cells = frame.sample(Box(0.2, 0.1, 0.8, 0.2), 4, 3)
    np.testing.assert_allclose(cells, np.repeat([[22.0], [27.0], [32.0], [37.0]], 3, axis=1), atol=0.05)


def test_what_lies_outside_the_frame_repeats_its_edge() -> None:
    frame = GreyPyramid(np.full((60, 80, 3), 77, np.uint8), 512)
    np.testing.assert_allclose(frame.sample(Box(0.9, 0.9, 1.3, 1.3), 5, 5), 77, atol=0.01)


def test_large_frames_are_scaled_down() -> None:
    assert GreyPyramid(np.zeros((600, 1000, 3), np.uint8), 500).size == (500, 300)
    assert GreyPyramid(np.zeros((60, 100, 3), np.uint8), 500).size == (100, 60)


def test_correlation_is_pearsons() -> None:
    one, other = np.random.default_rng(0).normal(100, 20, (2, 9, 13)).astype(np.float32)
    assert correlation(one, other) == pytest.approx(np.corrcoef(one.ravel(), other.ravel())[0, 1], abs=1e-5)
    assert correlation(one, np.full_like(one, 5)) == 0.0


@pytest.mark.parametrize("offset", [(0, 0), (25, -10), (-33, 17)])
@pytest.mark.parametrize("fine", [False, True])
def test_search_finds_what_has_moved(offset: tuple[int, int], fine: bool) -> None:
    picture = photo("coffee")
    high, wide = picture.shape[:2]
    frame, box = GreyPyramid(picture, 512), Box(0.4, 0.35, 0.6, 0.65)
    patch = frame.sample(box, *patch_shape(box, frame.size))
    patch = high_pass(patch) if fine else patch
    x, y = offset[0] / wide, offset[1] / high
    score, found = search_patch(frame, Box(box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y), patch, fine=fine)
    assert score > 0.9
    assert found == pytest.approx(box, abs=0.006)


def test_a_descriptor_has_length_one_and_withstands_light() -> None:
    picture = photo("coffee")
    one = appearance_descriptor(picture, CUP)
    assert one.shape == (DESCRIPTOR_LENGTH,)
    assert one.dtype == np.float32
    assert descriptor_similarity(one, one) == pytest.approx(1.0, abs=1e-5)
    assert (
        descriptor_similarity(one, appearance_descriptor((picture * 0.8).astype(np.uint8), CUP)) > MIN_OBJECT_SIMILARITY
    )


def test_a_descriptor_of_nothing_much_is_defined() -> None:
    flat = np.full((40, 60, 3), 128, np.uint8)
    values = appearance_descriptor(flat, Box(0.0, 0.0, 0.01, 0.01))
    assert np.isfinite(values).all()
    assert descriptor_similarity(values, appearance_descriptor(photo("coffee"), CUP)) < MIN_OBJECT_SIMILARITY


def test_other_things_are_unlike() -> None:
    views = [
        appearance_descriptor(photo(name), Box(0.2, 0.1, 0.8, 0.9)) for name in ("coffee", "cat", "astronaut", "rocket")
    ]
    alike = [descriptor_similarity(one, other) for at, one in enumerate(views) for other in views[at + 1 :]]
    assert max(alike) < MIN_OBJECT_SIMILARITY - 0.1


def shaken(rgb: np.ndarray, box: Box, rng: np.random.Generator) -> tuple[np.ndarray, Box]:
    """A thing turned, scaled and relit, in a box that does not quite fit."""
    high, wide = rgb.shape[:2]
    (x, y), scale = box.centre, float(rng.uniform(0.6, 1.0))
    matrix = cv2.getRotationMatrix2D((x * wide, y * high), rng.normal(0, 5), scale)
    turned = cv2.warpAffine(rgb, matrix, (wide, high), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT)
    lit = np.clip(turned * rng.uniform(0.85, 1.15) + rng.normal(0, 2, rgb.shape), 0, 255).astype(np.uint8)
    x, y = x + 0.03 * rng.normal() * box.width, y + 0.03 * rng.normal() * box.height
    half_x, half_y = box.width * scale * rng.normal(0.5, 0.02), box.height * scale * rng.normal(0.5, 0.02)
    return lit, Box(x - half_x, y - half_y, x + half_x, y + half_y)


@pytest.mark.skipif(not (PICTURES.is_dir() and LABELS[0].exists()), reason="the shared pictures are not here")
def test_things_in_advertisements_are_told_apart() -> None:
    """Faces, people and products whose boxes were drawn by hand."""
    rng = np.random.default_rng(0)
    same, boxes = [], []
    drawn = {name: marks for path in LABELS if path.exists() for name, marks in json.loads(path.read_text()).items()}
    for name in sorted(drawn)[:40]:
        picture = cv2.imread(str(PICTURES / name))
        scale = min(1.0, 512 / max(picture.shape[:2]))
        rgb = cv2.cvtColor(
            cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB
        )
        for mark in drawn[name]:
            box = Box(*mark["box"]).clipped()
            if mark["type"] in ("product", "face", "person") and box.area > 0.005:
                boxes.append((name, appearance_descriptor(rgb, box)))
                same.append(descriptor_similarity(boxes[-1][1], appearance_descriptor(*shaken(rgb, box, rng))))
    others = [
        descriptor_similarity(a, b) for at, (one, a) in enumerate(boxes) for other, b in boxes[at + 1 :] if one != other
    ]
    assert len(same) >= 20
    assert np.mean(np.array(same) >= MIN_OBJECT_SIMILARITY) >= 0.7
    assert np.mean(np.array(others) >= MIN_OBJECT_SIMILARITY) <= 0.002
