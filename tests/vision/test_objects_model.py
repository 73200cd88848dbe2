"""The detector that ships: what every detector keeps to, and that it finds what is plainly there."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mediaan.errors import SetupError
from mediaan.media import resize, view_size
from mediaan.saliency import list_cards, list_detector_cards
from mediaan.saliency.onnx.session import cuda_is_possible
from mediaan.types.aoi import OBJECT_TYPES, Detection
from mediaan.vision.objects.detector import ObjectDetector, load_detector

ADS = Path(__file__).resolve().parents[1] / "sample_ads" / "ads"
EVERY_DETECTOR = pytest.mark.parametrize("name", sorted(list_detector_cards()))


@functools.cache
def loaded(name: str = "objects") -> ObjectDetector:
    return load_detector(name, "cpu", threads=1)


def in_view(picture: Image.Image, model: ObjectDetector) -> np.ndarray:
    rgb = picture.convert("RGB")
    return np.asarray(resize(rgb, view_size(*rgb.size, model.view)), np.uint8)


def ad(name: str, model: ObjectDetector) -> np.ndarray:
    with Image.open(ADS / name) as picture:
        return in_view(picture, model)


def near(found: tuple[Detection, ...], others: tuple[Detection, ...], least: float = 0.5) -> float:
    """Share of the confident detections that the others have too."""
    sure = [d for d in found if d.confidence >= least]
    return float(np.mean([any(d.type == o.type and d.box.iou(o.box) > 0.6 for o in others) for d in sure]))


def test_there_is_one_and_it_is_no_model_of_attention() -> None:
    assert "objects" in list_detector_cards()
    assert not set(list_detector_cards()) & set(list_cards())


@EVERY_DETECTOR
def test_it_is_what_its_card_says(name: str) -> None:
    model, card = loaded(name), list_detector_cards()[name]
    assert isinstance(model, ObjectDetector)
    assert (model.name, model.sha256, model.device) == (name, card.sha256, "cpu")
    assert card.licence
    assert card.summary
    assert card.path.stat().st_size < 8_000_000


@EVERY_DETECTOR
def test_detections_are_sorted_inside_and_of_known_types(name: str) -> None:
    model = loaded(name)
    (found,) = model.detect(ad("museum_story.jpg", model)[None])
    assert found
    assert [d.confidence for d in found] == sorted((d.confidence for d in found), reverse=True)
    assert {d.type for d in found} <= set(OBJECT_TYPES)
    assert all(0 <= d.confidence <= 1 and d.box == d.box.clipped() and d.box.area > 0 for d in found)


@EVERY_DETECTOR
def test_a_batch_is_its_frames_one_by_one(name: str) -> None:
    model = loaded(name)
    frame = ad("serum_square.jpg", model)
    frames = np.stack([frame, frame[:, ::-1], np.roll(frame, 40, axis=0)])
    for together, one in zip(model.detect(frames), frames, strict=True):
        (alone,) = model.detect(one[None])
        assert len(alone) == len(together)
        for a, b in zip(alone, together, strict=True):
            assert a.type == b.type
            np.testing.assert_allclose([*a.box, a.confidence], [*b.box, b.confidence], atol=2e-3)


@EVERY_DETECTOR
@pytest.mark.parametrize("size", [(32, 32), (64, 2048), (2048, 64), (288, 384)])
def test_any_size_and_aspect(name: str, size: tuple[int, int]) -> None:
    frame = np.random.default_rng(0).integers(0, 256, (1, *size, 3)).astype(np.uint8)
    (found,) = loaded(name).detect(frame)
    assert all(d.box == d.box.clipped() for d in found)


@EVERY_DETECTOR
@pytest.mark.parametrize("grey", [0, 127, 255])
def test_nothing_is_surely_there_in_a_blank(name: str, grey: int) -> None:
    (found,) = loaded(name).detect(np.full((1, 384, 512, 3), grey, np.uint8))
    assert all(d.confidence < 0.5 for d in found)


@pytest.mark.skipif(cuda_is_possible(), reason="this machine has an NVIDIA driver")
@EVERY_DETECTOR
def test_cuda_is_an_error_where_there_is_none(name: str) -> None:
    with pytest.raises(SetupError) as caught:
        load_detector(name, "cuda")
    assert caught.value.code == "no_cuda"
