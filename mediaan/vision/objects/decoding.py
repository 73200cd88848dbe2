"""Decode what detectors return into boxes, scores and classes, and suppress boxes around one and the same object.

References
----------
Bodla et al. 2017, Soft-NMS. Gidaris & Komodakis 2015 (bounding-box voting)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError
from mediaan.saliency.onnx.cards import DetectorCard
from mediaan.types.arrays import Float32, Float64, Int32

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
