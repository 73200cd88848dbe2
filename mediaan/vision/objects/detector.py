"""The interface of object detectors, and any ONNX detector whose card says how to decode it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

import cv2
import numpy as np

from mediaan.errors import AnalysisError, SetupError
from mediaan.saliency.onnx.cards import DetectorCard
from mediaan.saliency.onnx.preprocessing import check_input, input_card, prepend_preprocessing, preprocess
from mediaan.saliency.onnx.registry import find_detector_card
from mediaan.saliency.onnx.session import check_device, input_signature, open_session, run_outputs
from mediaan.saliency.onnx.weights import read_weights
from mediaan.types.aoi import OBJECT_TYPES, Box, Detection
from mediaan.types.arrays import Float64, UInt8
from mediaan.types.media import ViewSpec
from mediaan.vision.objects.decoding import YUNET_OUTPUTS, RawDetections, decode_outputs, nms, soft_nms

DEFAULT_DETECTOR = "objects"
_LETTERBOX_GREY = 114  # what YOLO models are trained to see around a frame


@runtime_checkable
class ObjectDetector(Protocol):
    """Model that detects objects in frames."""

    @property
    def name(self) -> str:
        """Name of the model, as in its card."""
        ...

    @property
    def sha256(self) -> str:
        """Hash of the weights."""
        ...

    @property
    def device(self) -> str:
        """``cpu`` or ``cuda``: where it really runs."""
        ...

    @property
    def view(self) -> ViewSpec:
        """The size in which frames are wanted."""
        ...

    def detect(self, frames: UInt8) -> list[tuple[Detection, ...]]:
        """Find the objects in each frame.

        `frames` (N, H, W, 3) uint8: RGB, sRGB, all of one size; N >= 1.
        Returns: one tuple per frame, by falling confidence; boxes lie inside the frame. Of boxes of one type that
            overlap much, only the most confident is kept.
        """
        ...


def load_detector(name: str | Path = DEFAULT_DETECTOR, device: str = "auto", *, threads: int = 0) -> ObjectDetector:
    """Load an object detector.

    Parameters
    ----------
    name : str or Path
        Name of a detector that ships, or path of a card file (.toml) for one of your own.
    device : {'auto', 'cpu', 'cuda'}
    threads : int
        Threads per call on the CPU; 0 leaves it to the runtime.

    Raises
    ------
    UsageError
        No such detector; a card that does not hold together.
    SetupError
        Weights missing or damaged; a device that cannot be had; a model that is not what its card says.
    """
    check_device(device)
    return OnnxDetector(find_detector_card(name), device=device, threads=threads)


class OnnxDetector:
    """A model file that detects objects.

    `threads`: threads per call on the CPU; 0 leaves it to the runtime.
    Raises SetupError: weights missing or damaged, a device that cannot be had, or a model that is not what the card
        says.
    """

    def __init__(self, card: DetectorCard, *, device: str = "auto", threads: int = 0) -> None:
        self._card, self._types = card, card.class_types()
        self._session, self._device = open_session(
            read_weights(card),
            device=device,
            threads=threads,
            prepare_for_gpu=lambda model: prepend_preprocessing(model, card),
        )
        takes, self._input = input_signature(self._session), input_card(self._session, card)
        check_input(takes, self._input)
        self._batch = takes.shape[0] if isinstance(takes.shape[0], int) else None
        there = tuple(output.name for output in self._session.get_outputs())
        # in the order in which `decode_outputs` wants them
        self._outputs = {"yunet": YUNET_OUTPUTS, "yolox": there[:1], "rows": card.outputs or there}[card.decode]
        missing = [name for name in self._outputs if name not in there]
        if missing or (card.decode == "rows" and len(self._outputs) not in (1, 3)):
            raise SetupError(
                f"model {card.name}: {card.path} has the outputs {', '.join(there)}; decode = {card.decode!r} "
                + (f"needs {', '.join(missing)}" if missing else "reads one or three: name them in outputs"),
                code="bad_card",
            )

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._card.name

    @property
    def sha256(self) -> str:
        """Hash of its weights."""
        return self._card.sha256

    @property
    def device(self) -> str:
        """``cpu`` or ``cuda``, as the session reports."""
        return self._device

    @property
    def view(self) -> ViewSpec:
        """The size in which frames are wanted; for a model of a fixed size they are fitted inside `detect`."""
        return ViewSpec("objects", pixels=self._card.area, multiple=self._card.multiple, upscale=True)

    def detect(self, frames: UInt8) -> list[tuple[Detection, ...]]:
        """Detect the objects in each frame; see `ObjectDetector`."""
        card, detections = self._card, []
        step = self._batch or len(frames)
        for i in range(0, len(frames), step):
            letterbox = _Letterbox.fit(frames[i : i + step], card)
            outputs = run_outputs(self._session, preprocess(letterbox.frames, self._input), card.name, self._outputs)
            size = (letterbox.frames.shape[1], letterbox.frames.shape[2])
            detections += [self._detections(raw, letterbox) for raw in decode_outputs(outputs, card, size)]
        return detections

    def _detections(self, raw: RawDetections, letterbox: _Letterbox) -> tuple[Detection, ...]:
        """Return what is found in a frame, one box to an object of a type; labels tell the classes of a type apart."""
        card = self._card
        if not np.isfinite(raw.scores).all():
            raise AnalysisError(f"model {card.name} returned scores that are not finite", code="model_not_finite")
        if raw.scores.min(initial=0) < 0 or raw.scores.max(initial=0) > 1:
            raise SetupError(
                f"model {card.name} returns scores outside 0 to 1: they are no confidences, perhaps logits; end the "
                "model with a sigmoid or softmax, or correct outputs in its card",
                code="bad_card",
            )
        suppress = soft_nms if card.overlaps == "merge" else nms
        detections = []
        for type in OBJECT_TYPES:
            classes = [c for c, (as_type, _) in self._types.items() if as_type == type]
            likely = raw.take(np.isin(raw.classes, classes) & (raw.scores >= card.min_score(type)))
            if not np.isfinite(likely.boxes).all():
                raise AnalysisError(f"model {card.name} returned boxes that are not finite", code="model_not_finite")
            boxes, scores = likely.boxes.astype(np.float64), likely.scores.astype(np.float64)
            kept, boxes, scores = suppress(boxes, scores, card.overlap)
            for index, corners, confidence in zip(kept, boxes, card.calibrate_scores(type, scores), strict=True):
                box, label = letterbox.box(corners), self._types[int(likely.classes[index])][1]
                if confidence >= card.confidence and box.area > 0:
                    detections.append(Detection(type, box, float(confidence), label))
        return tuple(sorted(detections, key=lambda d: -d.confidence))


class _Letterbox(NamedTuple):
    """Frames in the size of the model, and where in it the medium lies, px."""

    frames: UInt8
    x: int
    y: int
    width: int
    height: int

    @classmethod
    def fit(cls, frames: UInt8, card: DetectorCard) -> _Letterbox:
        """Fit frames into the size of the model, where that is fixed, as its card's `fit` says."""
        if not (card.width and card.height):
            return cls(frames, 0, 0, frames.shape[2], frames.shape[1])
        width, height = card.width, card.height
        scale = min(width / frames.shape[2], height / frames.shape[1])
        keeps = card.fit != "stretch"
        w = max(1, round(frames.shape[2] * scale)) if keeps else width
        h = max(1, round(frames.shape[1] * scale)) if keeps else height
        x, y = ((width - w) // 2, (height - h) // 2) if card.fit == "centre" else (0, 0)
        canvas = np.full((len(frames), height, width, 3), _LETTERBOX_GREY, np.uint8)
        method = cv2.INTER_AREA if w * h < frames.shape[1] * frames.shape[2] else cv2.INTER_LINEAR
        for frame, target in zip(frames, canvas, strict=True):
            target[y : y + h, x : x + w] = cv2.resize(frame, (w, h), interpolation=method)
        return cls(canvas, x, y, w, h)

    def box(self, corners: Float64) -> Box:
        """Turn a box in pixels of the input into one in units of the medium."""
        x0, y0, x1, y1 = (float(side) for side in corners)
        moved = Box(
            (x0 - self.x) / self.width, (y0 - self.y) / self.height,
            (x1 - self.x) / self.width, (y1 - self.y) / self.height,
        )  # fmt: skip
        return moved.clipped()
