"""What detectors return, in the ways that are common, read as boxes, scores and classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError
from mediaan.predictors.object_card import DetectorCard
from mediaan.types.arrays import Float32, Int32

Outputs = list[npt.NDArray[np.generic]]
_STRIDES = (8, 16, 32)
"""Input pixels to a cell of the grids of YOLOX and YuNet."""


class Found(NamedTuple):
    """What a detector found in one frame.

    Attributes
    ----------
    boxes : (K, 4) float32
        x0, y0, x1, y1 in pixels of the input.
    scores : (K,) float32
    classes : (K,) int32
    """

    boxes: Float32
    scores: Float32
    classes: Int32

    def take(self, chosen: npt.NDArray[np.generic]) -> Found:
        """Those that are chosen, by a mask or by indices."""
        return Found(self.boxes[chosen], self.scores[chosen], self.classes[chosen])


def read_outputs(outputs: Outputs, card: DetectorCard, size: tuple[int, int]) -> list[Found]:
    """Read the outputs for a batch.

    Parameters
    ----------
    outputs : list of arrays
        As the card's `decode` says; for yunet in the order of `YUNET_OUTPUTS`.
    card : DetectorCard
    size : (int, int)
        Height and width of the input, px.

    Returns
    -------
    list of Found
        One per frame, before any is dropped.

    Raises
    ------
    SetupError
        Outputs of other shapes than `decode` means.
    """
    read = {"rows": _rows, "yolox": _yolox, "yunet": _yunet}[card.decode]
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


def _rows(outputs: Outputs, card: DetectorCard, size: tuple[int, int]) -> list[Found]:
    """Boxes, scores and labels as three outputs, or as the six columns of one; without a batch axis for one frame."""
    if len(outputs) == 1:
        table = _batched(outputs[0], 3)
        parts = [table[..., :4], table[..., 4], table[..., 5]]
    else:
        parts = [_batched(part, axes) for part, axes in zip(outputs, (3, 2, 2), strict=True)]
    boxes, scores, labels = parts
    unit = np.array([*size[::-1], *size[::-1]] if card.box_unit == "unit" else 1.0, np.float32)
    return [
        Found((b.reshape(-1, 4) * unit).astype(np.float32), s.astype(np.float32), np.rint(c).astype(np.int32))
        for b, s, c in zip(boxes, scores, labels, strict=True)
    ]


def _batched(values: npt.NDArray[np.generic], axes: int) -> Float32:
    values = values[None] if values.ndim == axes - 1 else values
    if values.ndim != axes:
        raise ValueError(f"{axes} axes were expected, {values.ndim} found")
    return values.astype(np.float32)


def _yolox(outputs: Outputs, card: DetectorCard, size: tuple[int, int]) -> list[Found]:
    """Ge et al. 2021: per cell the centre's offset, log size, objectness, class scores; one class per cell."""
    del card
    raw = _batched(outputs[0], 3)
    boxes = _boxes(raw[..., :4], size)
    scores = raw[..., 4:5] * raw[..., 5:]
    classes = scores.argmax(-1)
    best = np.take_along_axis(scores, classes[..., None], -1)[..., 0]
    return [Found(b, s, c.astype(np.int32)) for b, s, c in zip(boxes, best, classes, strict=True)]


def _yunet(outputs: Outputs, card: DetectorCard, size: tuple[int, int]) -> list[Found]:
    """Wu et al. 2023: per stride a class score, an objectness, the centre's offset and log size."""
    del card
    count = len(_STRIDES)
    joined = [np.concatenate([_batched(o, 3) for o in outputs[k : k + count]], 1) for k in (0, count, 2 * count)]
    scores = np.sqrt(joined[0].clip(0, 1) * joined[1].clip(0, 1))[..., 0]
    boxes = _boxes(joined[2], size)
    return [Found(b, s, np.zeros(len(s), np.int32)) for b, s in zip(boxes, scores, strict=True)]


def _boxes(raw: Float32, size: tuple[int, int]) -> Float32:
    """Offsets and log sizes in cells, (N, cells, 4), to corners in pixels."""
    origins, strides = _grid(size)
    centres = (raw[..., :2] + origins) * strides
    halves = np.exp(raw[..., 2:4]) * strides / 2
    return np.concatenate([centres - halves, centres + halves], -1).astype(np.float32)


def _grid(size: tuple[int, int]) -> tuple[Float32, Float32]:
    """Column and row of every cell, finest grid first, row by row; and the stride of each."""
    origins, strides = [], []
    for stride in _STRIDES:
        rows, columns = np.mgrid[: size[0] // stride, : size[1] // stride]
        origins.append(np.stack([columns.ravel(), rows.ravel()], -1))
        strides.append(np.full((rows.size, 1), stride))
    return np.concatenate(origins).astype(np.float32), np.concatenate(strides).astype(np.float32)
