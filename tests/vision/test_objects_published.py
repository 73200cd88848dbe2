"""Two published detectors through the port: YuNet as OpenCV runs it, and YOLOX-nano on pictures of known things."""

from __future__ import annotations

import hashlib
from pathlib import Path

import cv2
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from PIL import Image
from tiny_detector import write_detector_card

from mediaan.media import resize, view_size
from mediaan.vision.objects.detector import ObjectDetector, load_detector

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
YUNET, YOLOX = SHARED / "weights" / "yunet_n_dynamic.onnx", SHARED / "weights" / "yolox_nano.onnx"
CROWD = SHARED / "data" / "gaze" / "crowd" / "images"
OBJECTS = SHARED / "data" / "complexity" / "images"
BOTH_ARE_THERE = pytest.mark.skipif(
    not (YUNET.exists() and YOLOX.exists() and CROWD.is_dir()), reason="the shared weights and pictures are not here"
)
PIXELS_AS_THEY_ARE = {"layout": "nchw", "dtype": "float32", "scale": 255, "channels": "bgr"}


def card_for(folder: Path, weights: Path, **keys: object) -> Path:
    (folder / weights.name).symlink_to(weights)
    sha256 = hashlib.sha256(weights.read_bytes()).hexdigest()
    return write_detector_card(folder, file=weights.name, sha256=sha256, **PIXELS_AS_THEY_ARE, **keys)


def frame(path: Path, model: ObjectDetector) -> np.ndarray:
    with Image.open(path) as picture:
        rgb = picture.convert("RGB")
    return np.asarray(resize(rgb, view_size(*rgb.size, model.view)), np.uint8)


def opencv_faces(rgb: np.ndarray, folder: Path) -> np.ndarray:
    """(K, 5): x0, y0, x1, y1 px and score, by falling score, as `cv2.FaceDetectorYN` finds them."""
    height, width = rgb.shape[:2]
    fixed = onnx.load(YUNET)
    for side, length in zip(fixed.graph.input[0].type.tensor_type.shape.dim, (1, 3, height, width), strict=True):
        side.dim_value = length
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folder / "fixed.onnx")
    options.log_severity_level = 4
    ort.InferenceSession(fixed.SerializeToString(), options, providers=["CPUExecutionProvider"])
    detector = cv2.FaceDetectorYN.create(str(folder / "fixed.onnx"), "", (width, height), 0.6, 0.3)
    found = detector.detect(np.ascontiguousarray(rgb[..., ::-1]))[1]
    return np.column_stack([found[:, :2], found[:, :2] + found[:, 2:4], found[:, 14]])


@BOTH_ARE_THERE
def test_yunet_is_as_in_opencv(tmp_path: Path) -> None:
    keys = {"decode": "yunet", "pixels": 110_592, "multiple": 32, "confidence": 0.6, "overlap": 0.3}
    model = load_detector(card_for(tmp_path, YUNET, classes={"0": "face"}, **keys), "cpu", threads=1)
    rgb = frame(sorted(CROWD.glob("*.jpg"))[3], model)
    expected = opencv_faces(rgb, tmp_path)
    (found,) = model.detect(rgb[None])
    assert len(found) == len(expected) > 5
    assert {d.type for d in found} == {"face"}
    unit = np.tile(rgb.shape[1::-1], 2)
    np.testing.assert_allclose([d.box for d in found], (expected[:, :4] / unit).clip(0, 1), atol=1e-3)
    np.testing.assert_allclose([d.confidence for d in found], expected[:, 4], atol=1e-3)


@BOTH_ARE_THERE
def test_yolox_finds_people(tmp_path: Path) -> None:
    """In a picture of a crowd: several people, in boxes that hold the faces that YuNet finds."""
    keys = {"decode": "yolox", "width": 416, "height": 416, "fit": "corner", "confidence": 0.4}
    model = load_detector(
        card_for(tmp_path, YOLOX, labels=["person"], classes={"person": "person"}, **keys), "cpu", threads=1
    )
    path = sorted(CROWD.glob("*.jpg"))[3]
    with Image.open(path) as picture:
        rgb = np.asarray(picture.convert("RGB"))
    (people,) = model.detect(rgb[None])
    assert len(people) >= 3
    assert {(d.type, d.label) for d in people} == {("person", "person")}
    (tmp_path / "faces").mkdir()
    keys = {"decode": "yunet", "pixels": 200_000, "multiple": 32, "confidence": 0.8, "overlap": 0.3}
    looks = load_detector(card_for(tmp_path / "faces", YUNET, classes={"0": "face"}, **keys), "cpu", threads=1)
    (faces,) = looks.detect(frame(path, looks)[None])
    held = [any(p.box.intersection(f.box) > 0.9 * f.box.area for f in faces) for p in people]
    assert np.mean(held) > 0.7
