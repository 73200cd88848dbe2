"""Where lines of text are: a network gives the probability of text at each pixel, its islands are the lines."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from mediaan.predictors.session import open_session, run_session
from mediaan.types.arrays import Float32, Float64, UInt8

_MULTIPLE = 32
_MAX_ENLARGEMENT = 2.0
_MIN_PROBABILITY = 0.3
_MIN_CONFIDENCE = 0.5
_MIN_SIDE = 3.0
"""An island must be as thick as this, px of the network's input, to be a line."""

_GROWTH = 1.6
"""The network learned lines shrunk by their area over their perimeter times a ratio; this takes it back."""

_VERTICAL = 1.5
"""A quadrilateral that is this much higher than wide is taken for a line that runs up or down."""


class FoundLine(NamedTuple):
    """A line of text in a picture.

    Attributes
    ----------
    quad : (4, 2) float64
        Its corners, px, clockwise from its own top-left.
    confidence : float
        Mean probability of text inside, 0-1.
    """

    quad: Float64
    confidence: float


class LineDetector:
    """Differentiable binarisation (DB) over an ONNX model of PP-OCR.

    Parameters
    ----------
    weights : bytes
        The ONNX file: (1, 3, h, w) BGR in [-1, 1] to (1, 1, h, w) probabilities.
    threads : int
        Threads per prediction; 0 leaves it to the runtime.

    References
    ----------
    Liao, Wan, Yao, Chen & Bai (2020). Real-time scene text detection with differentiable binarization. AAAI.
    """

    def __init__(self, weights: bytes, *, threads: int = 0) -> None:
        self._session, _ = open_session(weights, device="cpu", threads=threads)

    def find(self, rgb: UInt8, long_side: int) -> list[FoundLine]:
        """Lines in a picture (H, W, 3), looked at with this long side, px; in no particular order."""
        height, width = rgb.shape[:2]
        probabilities = run_session(self._session, _input(rgb, long_side), "text detection")[0, 0]
        scale = np.array([width / probabilities.shape[1], height / probabilities.shape[0]])
        return [FoundLine(quad * scale, confidence) for quad, confidence in islands(probabilities)]


def _input(rgb: UInt8, long_side: int) -> Float32:
    height, width = rgb.shape[:2]
    scale = min(long_side / max(height, width), _MAX_ENLARGEMENT)
    size = (_rounded(width * scale), _rounded(height * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    bgr = cv2.resize(rgb, size, interpolation=method)[:, :, ::-1]
    return np.ascontiguousarray(bgr.transpose(2, 0, 1)[None], dtype=np.float32) / np.float32(127.5) - np.float32(1)


def islands(probabilities: Float32) -> list[FoundLine]:
    """Lines in a map of probabilities of text.

    Parameters
    ----------
    probabilities : (h, w) float32
        0-1.

    Returns
    -------
    list of FoundLine
        Quadrilaterals in px of the map.
    """
    mask = cv2.dilate((probabilities > _MIN_PROBABILITY).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, tree = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    outer = [contour for i, contour in enumerate(contours) if tree[0][i][3] < 0]
    found = [_line(cv2.minAreaRect(contour), probabilities) for contour in outer]
    return [line for line in found if line is not None]


def _line(rectangle: cv2.typing.RotatedRect, probabilities: Float32) -> FoundLine | None:
    centre, (width, height), angle = rectangle
    if min(width, height) < _MIN_SIDE:
        return None
    confidence = _mean_inside(probabilities, cv2.boxPoints(rectangle))
    if confidence < _MIN_CONFIDENCE:
        return None
    growth = _GROWTH * width * height / (width + height)
    grown = cv2.boxPoints((centre, (width + growth, height + growth), angle))
    return FoundLine(_ordered(grown.astype(np.float64)), confidence)


def _mean_inside(probabilities: Float32, corners: cv2.typing.MatLike) -> float:
    height, width = probabilities.shape
    x0, y0 = np.clip(np.floor(corners.min(axis=0)), 0, (width - 1, height - 1)).astype(int)
    x1, y1 = np.clip(np.ceil(corners.max(axis=0)), 0, (width - 1, height - 1)).astype(int)
    inside = np.zeros((y1 - y0 + 1, x1 - x0 + 1), np.uint8)
    cv2.fillPoly(inside, [(corners - (x0, y0)).astype(np.int32)], 1)
    return float(cv2.mean(probabilities[y0 : y1 + 1, x0 : x1 + 1], inside)[0])


def _ordered(corners: Float64) -> Float64:
    """The same corners from the line's own top-left: it runs to the right, or upwards where it is clearly higher."""
    along = np.roll(corners, -1, axis=0) - corners
    start = int(np.argmax(along[:, 0]))
    lengths = np.hypot(along[:, 0], along[:, 1])
    if lengths[(start + 1) % 4] >= _VERTICAL * lengths[start]:
        start = int(np.argmin(along[:, 1]))
    return np.roll(corners, -start, axis=0)


def _rounded(length: float) -> int:
    return max(1, round(length / _MULTIPLE)) * _MULTIPLE
