"""Detectors behind a card: what they return is read, brought to the medium's coordinates and cleared of doubles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tiny_detector import write_detector, write_detector_card, write_reddest

from mediaan.errors import AnalysisError, SetupError, UsageError
from mediaan.saliency import load_predictor
from mediaan.saliency.onnx.registry import DetectorCard, read_detector_card
from mediaan.types.aoi import Box
from mediaan.vision.objects.detector import ObjectDetector, OnnxDetector, decode_outputs, load_detector, nms, soft_nms

CLASSES = {"0": "person", "2": "product"}


def grey(height: int, width: int, count: int = 1) -> np.ndarray:
    return np.full((count, height, width, 3), 128, np.uint8)


def rounded(box: Box) -> tuple[float, ...]:
    return tuple(round(side, 4) for side in box)


@pytest.mark.parametrize("shape", [{}, {"columns": True}, {"batched": False}])
def test_boxes_scores_labels(tmp_path: Path, shape: dict[str, bool]) -> None:
    """A frame of 100 x 50 as it is: px become units, by falling confidence; a class not asked for is left out."""
    boxes = [[10, 10, 30, 20], [50, 25, 100, 50], [0, 0, 100, 50]]
    sha256 = write_detector(tmp_path / "tiny.onnx", boxes, [2, 0, 1], [0.5, 0.75, 0.9], **shape)
    model = load_detector(write_detector_card(tmp_path, sha256=sha256, pixels=5000, classes=CLASSES))
    assert isinstance(model, ObjectDetector)
    assert (model.name, model.sha256, model.device) == ("tiny", sha256, "cpu")
    assert (model.view.pixels, model.view.multiple) == (5000, 1)
    (found,) = model.detect(grey(50, 100))
    assert [(d.type, rounded(d.box), d.confidence, d.label) for d in found] == [
        ("person", (0.5, 0.5, 1, 1), 0.75, ""),
        ("product", (0.1, 0.2, 0.3, 0.4), 0.5, ""),
    ]


def test_outputs_by_name_in_units_with_labels(tmp_path: Path) -> None:
    sha256 = write_detector(tmp_path / "tiny.onnx", [[0.1, 0.2, 0.3, 0.4]], [1], [0.5])
    card = write_detector_card(
        tmp_path, sha256=sha256, pixels=5000, box_unit="unit", outputs=["boxes", "scores", "labels"],
        labels=["person", "sneaker"], classes={"sneaker": "product"},
    )  # fmt: skip
    (found,) = load_detector(card).detect(grey(30, 70))
    (only,) = found
    assert (only.type, only.label, rounded(only.box)) == ("product", "sneaker", (0.1, 0.2, 0.3, 0.4))


@pytest.mark.parametrize(
    ("fit", "box"),
    [
        # a frame of 80 x 40 in 40 x 40: squeezed, each side by itself; otherwise halved to 40 x 20
        ("stretch", (0.25, 0.25, 0.5, 0.5)),
        ("corner", (0.25, 0.5, 0.5, 1.0)),
        ("centre", (0.25, 0.0, 0.5, 0.5)),
    ],
)
def test_a_fixed_size(tmp_path: Path, fit: str, box: tuple[float, ...]) -> None:
    sha256 = write_detector(tmp_path / "tiny.onnx", [[10, 10, 20, 20]], [0], [0.5], size=(40, 40))
    card = write_detector_card(tmp_path, sha256=sha256, width=40, height=40, fit=fit, classes=CLASSES)
    replies = load_detector(card).detect(grey(40, 80, count=3))
    assert [rounded(found[0].box) for found in replies] == [box] * 3


@pytest.mark.parametrize(
    ("fit", "channels", "expected"),
    [
        ("corner", "rgb", 200 / 255),
        ("corner", "bgr", 40 / 255),
        ("stretch", "rgb", 200 / 255),
        ("centre", "rgb", 114 / 255),
    ],
)
def test_what_the_model_sees(tmp_path: Path, fit: str, channels: str, expected: float) -> None:
    """The score is the first channel of the top-left pixel: of the frame, or of the grey around one that is centred."""
    sha256 = write_reddest(tmp_path / "tiny.onnx", size=(40, 40))
    keys = {"fit": fit, "channels": channels, "confidence": 0.0, "classes": {"0": "logo"}}
    card = write_detector_card(tmp_path, sha256=sha256, width=40, height=40, **keys)
    frame = np.full((1, 20, 80, 3), (200, 90, 40), np.uint8)
    ((only,),) = load_detector(card).detect(frame)
    assert only.confidence == pytest.approx(expected, abs=1e-6)
    assert rounded(only.box) == (0, 0, 1, 1), "a box that leaves the frame is cut at its edge"


A, B, C = (0, 0, 1, 1), (0.2, 0, 1.2, 1), (0.5, 0, 1.5, 1)
"""IoU of A and B: 0.8 / 1.2; of A and C: 0.5 / 1.5; of B and C: 0.7 / 1.3."""


@pytest.mark.parametrize(("most", "kept"), [(0.5, [1, 0]), (0.3, [1]), (0.7, [1, 2, 0]), (1.0, [1, 2, 0])])
def test_the_less_confident_of_two_goes(most: float, kept: list[int]) -> None:
    """What was dropped drops nothing: with 0.5, B goes because of A, and C stays although it overlaps B by .54."""
    boxes, scores = np.array([C, A, B], float), np.array([0.7, 0.9, 0.8])
    found, where, how_sure = nms(boxes, scores, most)
    assert found == kept
    np.testing.assert_array_equal(where, boxes[kept])
    np.testing.assert_array_equal(how_sure, scores[kept])


def test_what_overlaps_fades_and_near_same_boxes_are_averaged() -> None:
    boxes, scores = np.array([A, B, (5, 5, 6, 6)], float), np.array([0.9, 0.6, 0.5])
    kept, where, how_sure = soft_nms(boxes, scores, 0.8)
    iou = 0.8 / 1.2
    assert kept == [0, 2, 1]
    np.testing.assert_allclose(how_sure, [0.9, 0.5, 0.6 * np.exp(-(iou**2) / 0.5)])
    weights = np.array([0.9, 0.6 * iou])
    np.testing.assert_allclose(where[0], weights @ boxes[:2] / weights.sum())
    np.testing.assert_allclose(where[1], boxes[2])
    kept, where, _ = soft_nms(boxes, scores, 0.6)
    assert kept == [0, 2]
    np.testing.assert_allclose(where[0], weights @ boxes[:2] / weights.sum(), err_msg="it goes, but has its say")


@pytest.mark.parametrize("tidy", [nms, soft_nms])
def test_none_one_and_one_without_area(tidy: Callable[..., tuple[list[int], np.ndarray, np.ndarray]]) -> None:
    kept, boxes, scores = tidy(np.zeros((0, 4)), np.zeros(0), 0.5)
    assert (kept, boxes.shape, scores.shape) == ([], (0, 4), (0,))
    kept, boxes, scores = tidy(np.array([(0.5, 0.5, 0.5, 0.5)]), np.array([0.0]), 0.5)
    assert (kept, boxes.tolist(), scores.tolist()) == ([0], [[0.5, 0.5, 0.5, 0.5]], [0.0])


def test_types_do_not_drop_each_other(tmp_path: Path) -> None:
    boxes = [[10, 10, 30, 20]] * 4
    sha256 = write_detector(tmp_path / "tiny.onnx", boxes, [0, 2, 2, 3], [0.5, 0.6, 0.7, 0.8])
    card = write_detector_card(tmp_path, sha256=sha256, pixels=5000, classes={**CLASSES, "3": "product"})
    (found,) = load_detector(card).detect(grey(50, 100))
    assert [(d.type, d.confidence) for d in found] == [("product", pytest.approx(0.8)), ("person", 0.5)]


def test_calibrated_confidences(tmp_path: Path) -> None:
    """Odds of 4 to 1, with slope 0.5 and shift ln 3: 2 · 3 to 1. What is then too unlikely is left out."""
    boxes = [[0, 0, 9, 9], [50, 0, 60, 9], [0, 30, 9, 40]]
    sha256 = write_detector(tmp_path / "tiny.onnx", boxes, [0, 0, 2], [0.8, 0.05, 0.6])
    keys = {"sha256": sha256, "pixels": 5000, "classes": CLASSES, "confidence": 0.45}
    card = read_detector_card(write_detector_card(tmp_path, **keys))
    card = card.model_copy(update={"calibration": {"person": (0.5, np.log(3))}})
    (found,) = OnnxDetector(card, device="cpu").detect(grey(50, 100))
    assert [d.type for d in found] == ["person", "product"]
    assert found[0].confidence == pytest.approx(6 / 7)
    assert found[1].confidence == pytest.approx(0.6), "a type without calibration keeps its scores"
    assert card.min_score("person") == pytest.approx(1 / (1 + (3 / (0.45 / 0.55)) ** 2))


def facts(**keys: object) -> DetectorCard:
    given = {"name": "x", "kind": "detector", "file": "x.onnx", "sha256": "0" * 64, "pixels": 1, "classes": CLASSES}
    return DetectorCard.model_validate({**given, **keys})


def test_yolox_cell_by_cell() -> None:
    """For 64 x 32 px the grids are 4 x 8, 2 x 4 and 1 x 2 cells, finest first, row by row; two of 42 are worked out."""
    raw = np.zeros((1, 42, 4 + 1 + 3), np.float32)
    raw[0, 8 + 3] = [0.5, 0.25, np.log(2), np.log(3), 0.5, 0.2, 0.1, 0.8]  # stride 8: row 1, column 3
    raw[0, 32 + 8 + 1] = [-0.5, 0.5, 0, np.log(0.5), 1.0, 0.3, 0.6, 0.1]  # stride 32: row 0, column 1
    (found,) = decode_outputs([raw], facts(decode="yolox"), (32, 64))
    assert found.boxes.shape == (42, 4)
    np.testing.assert_allclose(found.boxes[11], [28 - 8, 10 - 12, 28 + 8, 10 + 12], rtol=1e-6)
    np.testing.assert_allclose(found.boxes[41], [16 - 16, 16 - 8, 16 + 16, 16 + 8], rtol=1e-6)
    assert (found.classes[11], found.classes[41]) == (2, 1)
    np.testing.assert_allclose(found.scores[[11, 41]], [0.4, 0.6], rtol=1e-6)


def test_outputs_of_another_kind(tmp_path: Path) -> None:
    sha256 = write_detector(tmp_path / "tiny.onnx", [[0, 0, 1, 1]], [0], [0.5])
    for keys, said in (
        ({"decode": "yolox"}, r"returns \(1, 1, 4\) for an input of 50 x 100 px: that cannot be read as"),
        ({"decode": "yunet", "classes": {"0": "face"}}, "decode = 'yunet' needs cls_8, "),
        ({"outputs": ["boxes", "scores", "classes"]}, "decode = 'rows' needs classes"),
        ({"outputs": ["boxes"]}, "cannot be read as decode = 'rows'"),
    ):
        card = write_detector_card(tmp_path, **{"sha256": sha256, "pixels": 5000, "classes": CLASSES, **keys})
        with pytest.raises(SetupError, match=said) as caught:
            load_detector(card).detect(grey(50, 100))
        assert caught.value.code == "bad_card"


@pytest.mark.parametrize(("score", "error"), [(1.5, SetupError), (-0.5, SetupError), (float("nan"), AnalysisError)])
def test_scores_that_are_no_confidences(tmp_path: Path, score: float, error: type[Exception]) -> None:
    sha256 = write_detector(tmp_path / "tiny.onnx", [[0, 0, 9, 9]], [0], [score])
    model = load_detector(write_detector_card(tmp_path, sha256=sha256, pixels=5000, classes=CLASSES))
    with pytest.raises(error):
        model.detect(grey(50, 100))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"classes": {}}, "classes must name at least one class"),
        ({"classes": {"sneaker": "product"}}, "classes: sneaker: neither an index nor one of labels"),
        ({"classes": {"0": "shoe"}}, "classes.0: "),
        ({"outputs": ["boxes", "scores"]}, "outputs must name one output, or those of boxes, scores and labels"),
        ({"confidance": 0.5}, "confidance: unknown key; did you mean 'confidence'"),
        ({"overlap": 1.5}, "overlap: "),
        ({"calibration": {"face": [0, 1]}}, "calibration: slopes must be above 0"),
        ({"width": 40}, "give either pixels, or width and height"),
        ({"decode": "yunet"}, "yunet has one class, 0"),
        ({"windows": ["total"]}, "windows: unknown key"),
    ],
)
def test_a_card_that_cannot_be(tmp_path: Path, keys: dict[str, object], said: str) -> None:
    path = write_detector_card(tmp_path, **{"sha256": "0" * 64, "pixels": 99, "classes": CLASSES, **keys})
    with pytest.raises(UsageError, match=said) as caught:
        read_detector_card(path)
    assert caught.value.code == "bad_card"


def test_a_card_of_the_other_kind(tmp_path: Path) -> None:
    path = write_detector_card(tmp_path, sha256="0" * 64, pixels=99, classes=CLASSES)
    with pytest.raises(UsageError, match="this card is of a detector, not of a model of attention"):
        load_predictor(path)
    path.write_text(f'file = "x.onnx"\nsha256 = "{"0" * 64}"\npixels = 99\n')
    with pytest.raises(UsageError, match="this card is of no detector; a detector's says kind = 'detector'"):
        load_detector(path)
