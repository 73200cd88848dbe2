"""How far what the models say on a GPU is from what they say on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from mediaan.evaluation.aoi.scores import greedy_pairs
from mediaan.media import view_size
from mediaan.saliency import load_frame_predictor, load_predictor
from mediaan.saliency.onnx.registry import text_card
from mediaan.saliency.onnx.session import open_session, run_session
from mediaan.saliency.onnx.weights import read_weights
from mediaan.types.aoi import OBJECT_TYPES, Box
from mediaan.vision.objects.detector import load_detector
from mediaan.vision.text.detection import DetectedLine, LineDetector, detect_regions, join_words, prepare_image
from mediaan.vision.text.recognition import prepare_line, rectify_line

TOLERANCES = {
    "attention": {"1 - CC": 1e-5, "largest difference, of the peak": 1e-3, "domain": 1e-3},
    "first_look": {"1 - CC": 1e-5, "largest difference, of the peak": 1e-3, "domain": 1e-3},
    "objects": {"boxes alone, share": 0.01, "confidence": 0.01, "shift of a side": 0.005},
    "text_detection": {"lines alone, share": 0.02, "mean difference of probabilities": 0.01},
    "text_recognition": {"lines read differently, share": 0.16, "mean difference of the best probability": 0.02},
}
"""Most that a figure may be. In another order of sums on a CPU (`cuda_checks.py --device cpu`), the networks in float32
differ by 1e-6. Those of text are in int8, where a sum that falls to the other side of a half becomes another number:
there 8 % of the lines are read differently, and the mean differences are 0.004 and 0.009."""

LONG_SIDE, SAME_BOX, SAME_LINE = 960, 0.9, 0.5


def lines_of(pictures: Sequence[Any]) -> list[Any]:
    """Return up to eight lines of text of each picture (H, W, 3), as the network that reads them takes them."""
    detector = LineDetector(read_weights(text_card("text_detection")))
    lines = [(rgb, line) for rgb in pictures for line in join_words(detector.detect(rgb, LONG_SIDE))[:8]]
    return [prepare_line(rectify_line(rgb, line.quad)) for rgb, line in lines]


def outputs(device: str, pictures: Sequence[Any], lines: Sequence[Any]) -> dict[str, list[Any]]:
    """Return what each model says of pictures (H, W, 3): one by one as mediaan shows them, then all in one batch."""
    still, frames, objects = (load(device=device) for load in (load_predictor, load_frame_predictor, load_detector))
    batch = np.stack([cv2.resize(rgb, (384, 288), interpolation=cv2.INTER_AREA) for rgb in pictures])
    outputs: dict[str, list[Any]] = {}
    for name, view, call in (
        ("attention", still.view, still.predict),
        ("first_look", frames.view, frames.predict),
        ("objects", objects.view, objects.detect),
    ):
        alone = (cv2.resize(rgb, view_size(rgb.shape[1], rgb.shape[0], view))[None] for rgb in pictures)
        outputs[name] = [result for frame in alone for result in call(frame)] + list(call(batch))
    for name, inputs in (
        ("text_detection", [prepare_image(rgb, LONG_SIDE) for rgb in pictures]),
        ("text_recognition", lines),
    ):
        session, _ = open_session(read_weights(text_card(name)), device=device)
        outputs[name] = [run_session(session, x, name) for x in inputs]
    return outputs


def differences(reference: dict[str, list[Any]], outputs: dict[str, list[Any]]) -> dict[str, dict[str, float]]:
    """Return the figures of `TOLERANCES`."""
    figures = {}
    for name in ("attention", "first_look"):
        pairs = list(zip(reference[name], outputs[name], strict=True))
        maps = [(a[window], b[window]) for a, b in pairs for window in a.maps]
        figures[name] = {
            "1 - CC": max(1 - np.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in maps),
            "largest difference, of the peak": max(np.abs(a - b).max() / a.max() for a, b in maps),
            "domain": max(abs(a.domains[kind] - b.domains[kind]) for a, b in pairs for kind in a.domains),
        }
    objects = [
        _matches([area for area in ours if area.type == kind], [area for area in theirs if area.type == kind])
        for ours, theirs in zip(reference["objects"], outputs["objects"], strict=True)
        for kind in OBJECT_TYPES
    ]
    same = [pair for matches in objects for pair in matches.pairs]
    figures["objects"] = {
        "boxes alone, share": sum(matches.alone for matches in objects) / max(len(same), 1),
        "confidence": max((abs(a.confidence - b.confidence) for a, b in same), default=0),
        "shift of a side": max((np.abs(np.subtract(a.box, b.box)).max() for a, b in same), default=0),
    }
    pairs = list(zip(reference["text_detection"], outputs["text_detection"], strict=True))
    lines = [_matches(*([_Line(line) for line in detect_regions(p[0, 0])] for p in pair), SAME_LINE) for pair in pairs]
    figures["text_detection"] = {
        "lines alone, share": sum(m.alone for m in lines) / max(sum(len(m.pairs) for m in lines), 1),
        "mean difference of probabilities": max(float(np.abs(a - b).mean()) for a, b in pairs),
    }
    pairs = list(zip(reference["text_recognition"], outputs["text_recognition"], strict=True))
    figures["text_recognition"] = {
        "lines read differently, share": np.mean([_characters(a) != _characters(b) for a, b in pairs]),
        "mean difference of the best probability": np.mean([np.abs(a.max(2) - b.max(2)).mean() for a, b in pairs]),
    }
    return {name: {key: float(value) for key, value in row.items()} for name, row in figures.items()}


class _Line:
    """A line of text with the box around it."""

    def __init__(self, line: DetectedLine) -> None:
        self.box = Box(*line.quad.min(axis=0).tolist(), *line.quad.max(axis=0).tolist())


class _Matches(NamedTuple):
    """Areas of both sides that are the same, and the number of those that one side has alone."""

    pairs: list[tuple[Any, Any]]
    alone: int


def _matches(ours: list[Any], theirs: list[Any], overlap: float = SAME_BOX) -> _Matches:
    matches = greedy_pairs([area.box for area in theirs], [area.box for area in ours], overlap)
    pairs = [(ours[j], theirs[i]) for i, j in matches.items()]
    return _Matches(pairs, len(ours) + len(theirs) - 2 * len(pairs))


def _characters(probabilities: Any) -> list[int]:
    """Return the numbers of the characters of a line, without blanks and repetitions."""
    best = probabilities[0].argmax(axis=1)
    numbers: list[int] = best[(best != 0) & (np.diff(best, prepend=0) != 0)].tolist()
    return numbers


def judge(figures: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    """Return a row for each figure with its tolerance; NaN is not within it."""
    return [
        {"model": model, "figure": name, "value": (value := figures[model][name]), "limit": limit, "ok": value <= limit}
        for model, limits in TOLERANCES.items()
        for name, limit in limits.items()
    ]
