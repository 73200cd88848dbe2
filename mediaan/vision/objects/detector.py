"""The interface of object detectors, and any ONNX detector whose card says how to decode it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

import cv2
import numpy as np
import numpy.typing as npt

from mediaan.errors import AnalysisError, SetupError
from mediaan.saliency.onnx.registry import DetectorCard, find_detector_card
from mediaan.saliency.onnx.session import check_device, input_signature, open_session, run_outputs
from mediaan.saliency.onnx.weights import check_input, input_card, prepend_preprocessing, preprocess, read_weights
from mediaan.types.aoi import OBJECT_TYPES, Box, Detection
from mediaan.types.arrays import Float32, Float64, Int32, UInt8
from mediaan.types.media import ViewSpec

RawOutputs = list[npt.NDArray[np.generic]]
_STRIDES = (8, 16, 32)
"""Input pixels to a cell of the grids of YOLOX and YuNet."""


class RawDetections(NamedTuple):
    """Detections of one frame as a detector returns them."""

    boxes: Float32
    """(K, 4) float32. x0, y0, x1, y1 in pixels of the input."""
    scores: Float32
    """(K,) float32."""
    classes: Int32
    """(K,) int32."""

    def take(self, chosen: npt.NDArray[np.generic]) -> RawDetections:
        """Return those that are chosen, by a mask or by indices."""
        return RawDetections(self.boxes[chosen], self.scores[chosen], self.classes[chosen])


def decode_outputs(outputs: RawOutputs, card: DetectorCard, size: tuple[int, int]) -> list[RawDetections]:
    """Read the outputs for a batch.

    `outputs` (list of arrays): as the card's `decode` says; for yunet in the order of `YUNET_OUTPUTS`.
    `size` (int, int): height and width of the input, px.
    Returns: one per frame, before any is dropped.
    Raises SetupError: outputs of other shapes than `decode` means.
    """
    read = {"rows": _decode_rows, "yolox": _decode_yolox, "yunet": _decode_yunet}[card.decode]
    try:
        return read(outputs, card, size)
    except (ValueError, IndexError) as error:
        shapes = ", ".join(str(o.shape) for o in outputs)
        raise SetupError(
            f"model {card.name} returns {shapes} for an input of {size[0]} x {size[1]} px: that cannot be read as "
            f"decode = {card.decode!r} ({error}); correct decode or outputs in its card",
            code="bad_card",
        ) from error


YUNET_OUTPUTS = tuple(f"{kind}_{stride}" for kind in ("cls", "obj", "bbox") for stride in _STRIDES)


def _decode_rows(outputs: RawOutputs, card: DetectorCard, size: tuple[int, int]) -> list[RawDetections]:
    """Decode boxes, scores and labels: three outputs or six columns of one; a single frame may have no batch axis."""
    if len(outputs) == 1:
        table = _with_batch_axis(outputs[0], 3)
        parts = [table[..., :4], table[..., 4], table[..., 5]]
    else:
        parts = [_with_batch_axis(part, axes) for part, axes in zip(outputs, (3, 2, 2), strict=True)]
    boxes, scores, labels = parts
    unit = np.array([*size[::-1], *size[::-1]] if card.box_unit == "unit" else 1.0, np.float32)
    return [
        RawDetections((b.reshape(-1, 4) * unit).astype(np.float32), s.astype(np.float32), np.rint(c).astype(np.int32))
        for b, s, c in zip(boxes, scores, labels, strict=True)
    ]


def _with_batch_axis(values: npt.NDArray[np.generic], axes: int) -> Float32:
    values = values[None] if values.ndim == axes - 1 else values
    if values.ndim != axes:
        raise ValueError(f"{axes} axes were expected, {values.ndim} found")
    return values.astype(np.float32)


def _decode_yolox(outputs: RawOutputs, card: DetectorCard, size: tuple[int, int]) -> list[RawDetections]:
    """Decode per cell the centre's offset, log size, objectness, class scores; one class per cell (Ge et al. 2021)."""
    del card
    raw = _with_batch_axis(outputs[0], 3)
    boxes = _decode_boxes(raw[..., :4], size)
    scores = raw[..., 4:5] * raw[..., 5:]
    classes = scores.argmax(-1)
    best = np.take_along_axis(scores, classes[..., None], -1)[..., 0]
    return [RawDetections(b, s, c.astype(np.int32)) for b, s, c in zip(boxes, best, classes, strict=True)]


def _decode_yunet(outputs: RawOutputs, card: DetectorCard, size: tuple[int, int]) -> list[RawDetections]:
    """Decode per stride a class score, an objectness, the centre's offset and log size (Wu et al. 2023)."""
    del card
    count = len(_STRIDES)
    joined = [
        np.concatenate([_with_batch_axis(o, 3) for o in outputs[k : k + count]], 1) for k in (0, count, 2 * count)
    ]
    scores = np.sqrt(joined[0].clip(0, 1) * joined[1].clip(0, 1))[..., 0]
    boxes = _decode_boxes(joined[2], size)
    return [RawDetections(b, s, np.zeros(len(s), np.int32)) for b, s in zip(boxes, scores, strict=True)]


def _decode_boxes(raw: Float32, size: tuple[int, int]) -> Float32:
    """Turn offsets and log sizes in cells, (N, cells, 4), finest grid first, row by row, into corners in pixels."""
    places, sides = [], []
    for stride in _STRIDES:
        rows, columns = np.mgrid[: size[0] // stride, : size[1] // stride]
        places.append(np.stack([columns.ravel(), rows.ravel()], -1))
        sides.append(np.full((rows.size, 1), stride))
    origins, strides = np.concatenate(places).astype(np.float32), np.concatenate(sides).astype(np.float32)
    centres = (raw[..., :2] + origins) * strides
    halves = np.exp(raw[..., 2:4]) * strides / 2
    return np.concatenate([centres - halves, centres + halves], -1).astype(np.float32)


_SOFT_NMS_SIGMA = 0.5
"""A score is multiplied by exp(-IoU² / this) for each surer box over it."""

_VOTING_IOU = 0.6
"""IoU from which boxes have a say in where the surest of them lies."""


def nms(boxes: Float64, scores: Float64, max_iou: float) -> tuple[list[int], Float64, Float64]:
    """Suppress non-maxima: of boxes that overlap by more than `max_iou`, keep the most confident.

    `boxes` (K, 4) float64: x0, y0, x1, y1, all of one type.
    `scores` (K,) float64: 0-1.
    `max_iou`: intersection over union, 0-1.
    Returns `kept`: which of the boxes stay, by falling score.
    Returns `boxes` (kept, 4) float64.
    Returns `scores` (kept,) float64.
    """
    overlap, left = pairwise_iou(boxes), np.ones(len(boxes), bool)
    kept: list[int] = []
    for surest in np.argsort(-scores, kind="stable"):
        if left[surest]:
            kept.append(int(surest))
            left &= overlap[surest] <= max_iou
    return kept, boxes[kept], scores[kept]


def soft_nms(boxes: Float64, scores: Float64, max_iou: float) -> tuple[list[int], Float64, Float64]:
    """Suppress as `nms`, but let what overlaps by less fade, and average near-same boxes, weighted by score.

    Parameters and results are those of `nms`.
    """
    overlap = pairwise_iou(boxes)
    left, faded = np.ones(len(boxes), bool), scores.copy()
    kept: list[int] = []
    while left.any():
        surest = int(np.where(left, faded, -1.0).argmax())
        kept.append(surest)
        left[surest] = False
        faded = np.where(left, faded * np.exp(-(overlap[surest] ** 2) / _SOFT_NMS_SIGMA), faded)
        left &= overlap[surest] <= max_iou
    says = np.where(overlap[kept] >= _VOTING_IOU, overlap[kept] * scores, 0.0)
    says[np.arange(len(kept)), kept] = np.maximum(scores[kept], 1e-9)  # its own say, even where it has no area
    return kept, says @ boxes / says.sum(1, keepdims=True), faded[kept]


def pairwise_iou(boxes: Float64) -> Float64:
    """Return the intersection over union of every two boxes, (K, K); 0 with a box without area.

    >>> import numpy as np
    >>> pairwise_iou(np.array([[0, 0, 2, 1], [1, 0, 3, 1]], float)).round(3).tolist()
    [[1.0, 0.333], [0.333, 1.0]]
    """
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = (high - low).clip(0).prod(2)
    area = (boxes[:, 2:] - boxes[:, :2]).clip(0).prod(1)
    union = area[:, None] + area[None] - shared
    shares: Float64 = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return shares


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
