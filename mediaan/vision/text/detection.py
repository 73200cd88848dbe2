"""Detect lines of text, and join the words that stand on one line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.saliency.onnx.session import open_session, run_session
from mediaan.types.arrays import Float32, Float64, UInt8

_MULTIPLE = 32
_MAX_ENLARGEMENT = 2.0
_MIN_PROBABILITY = 0.3
_MIN_CONFIDENCE = 0.5
_MIN_SIDE = 3.0
"""A region must be as thick as this, px of the network's input, to be a line."""

_UNCLIP_RATIO = 1.6
"""The network learned lines shrunk by their area over their perimeter times a ratio; this takes it back."""

_VERTICAL = 1.5
"""A quadrilateral that is this much higher than wide is taken for a line that runs up or down."""


class DetectedLine(NamedTuple):
    """A line of text in an image."""

    quad: Float64
    """(4, 2) float64. Its corners, px, clockwise from its own top-left."""
    confidence: float
    """Mean probability of text inside, 0-1."""


class LineDetector:
    """Differentiable binarisation (DB) over an ONNX model of PP-OCR.

    `weights`: the ONNX file: (1, 3, h, w) BGR in [-1, 1] to (1, 1, h, w) probabilities.
    `threads`: threads per prediction; 0 leaves it to the runtime.

    References
    ----------
    Liao, Wan, Yao, Chen & Bai (2020). Real-time scene text detection with differentiable binarization. AAAI.
    """

    def __init__(self, weights: bytes, *, threads: int = 0) -> None:
        self._session, _ = open_session(weights, device="cpu", threads=threads)

    def detect(self, rgb: UInt8, long_side: int) -> list[DetectedLine]:
        """Detect lines in an image (H, W, 3), reduced to this long side, px; in no particular order."""
        height, width = rgb.shape[:2]
        probabilities = run_session(self._session, prepare_image(rgb, long_side), "text detection")[0, 0]
        scale = np.array([width / probabilities.shape[1], height / probabilities.shape[0]])
        return [DetectedLine(quad * scale, confidence) for quad, confidence in detect_regions(probabilities)]


def prepare_image(rgb: UInt8, long_side: int) -> Float32:
    """Turn an image (H, W, 3) into what the network takes: (1, 3, h, w) BGR in [-1, 1], at most this long, px."""
    height, width = rgb.shape[:2]
    scale = min(long_side / max(height, width), _MAX_ENLARGEMENT)
    size = (_round_to_multiple(width * scale), _round_to_multiple(height * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    bgr = cv2.resize(rgb, size, interpolation=method)[:, :, ::-1]
    return np.ascontiguousarray(bgr.transpose(2, 0, 1)[None], dtype=np.float32) / np.float32(127.5) - np.float32(1)


def detect_regions(probabilities: Float32) -> list[DetectedLine]:
    """Detect lines in a map of probabilities of text.

    `probabilities` (h, w) float32: 0-1.
    Returns: quadrilaterals in px of the map.
    """
    mask = cv2.dilate((probabilities > _MIN_PROBABILITY).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, tree = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    lines = []
    for i, contour in enumerate(contours):
        if tree[0][i][3] >= 0:  # a hole in another
            continue
        rectangle = cv2.minAreaRect(contour)
        centre, (width, height), angle = rectangle
        if min(width, height) < _MIN_SIDE:
            continue
        corners = cv2.boxPoints(rectangle)
        furthest = (probabilities.shape[1] - 1, probabilities.shape[0] - 1)
        x0, y0 = np.clip(np.floor(corners.min(axis=0)), 0, furthest).astype(int)
        x1, y1 = np.clip(np.ceil(corners.max(axis=0)), 0, furthest).astype(int)
        inside = np.zeros((y1 - y0 + 1, x1 - x0 + 1), np.uint8)
        cv2.fillPoly(inside, [(corners - (x0, y0)).astype(np.int32)], 1)
        confidence = float(cv2.mean(probabilities[y0 : y1 + 1, x0 : x1 + 1], inside)[0])
        if confidence < _MIN_CONFIDENCE:
            continue
        growth = _UNCLIP_RATIO * width * height / (width + height)
        grown = cv2.boxPoints((centre, (width + growth, height + growth), angle))
        lines.append(DetectedLine(_order_corners(grown.astype(np.float64)), confidence))
    return lines


def _order_corners(corners: Float64) -> Float64:
    """Order corners from the line's own top-left: it runs to the right, or upwards where it is clearly higher."""
    along = np.roll(corners, -1, axis=0) - corners
    start = int(np.argmax(along[:, 0]))
    lengths = np.hypot(along[:, 0], along[:, 1])
    if lengths[(start + 1) % 4] >= _VERTICAL * lengths[start]:
        start = int(np.argmin(along[:, 1]))
    return np.roll(corners, -start, axis=0)


def _round_to_multiple(length: float) -> int:
    return max(1, round(length / _MULTIPLE)) * _MULTIPLE


_MAX_GAP = 0.05
"""Between the boxes of words, in heights: these reach beyond their letters by about half a blank on either side.
Looked at on 198 advertisements: all pairs that belong together are closer, two of three further apart do not."""

_MAX_OVERLAP = 0.6
_MAX_SHIFT = 0.2
"""Of the middles across the line, in heights: capitals and small letters differ less."""

_MAX_HEIGHT_RATIO = 1.45
_MAX_TURN_DEG, _MIN_TURNED_ASPECT = 8.0, 1.5
"""A piece about as high as wide has no direction of its own."""


class _LineFrame(NamedTuple):
    """A line in its own measure: direction, middle, length along and height across, px."""

    along: tuple[float, float]
    middle: tuple[float, float]
    length: float
    height: float


def join_words(lines: Iterable[DetectedLine]) -> list[DetectedLine]:
    """Join what stands on one line, a blank apart, in letters of one size.

    Returns: from top to bottom; the confidence of a joined line is the mean over its length.
    """
    ordered = sorted(lines, key=lambda line: (line.quad[:, 1].mean(), line.quad[:, 0].mean()))
    waiting = [(line, _line_frame(line.quad)) for line in ordered]
    joined: list[DetectedLine] = []
    while waiting:
        line, frame = waiting.pop(0)
        partner = next((i for i, (_, other) in enumerate(waiting) if _is_same_line(frame, other)), None)
        if partner is None:
            joined.append(line)
            continue
        other, other_frame = waiting.pop(partner)
        lengths = [frame.length, other_frame.length]
        longer, shorter = (line, other) if lengths[0] >= lengths[1] else (other, line)
        quad = enclosing_rectangle([longer.quad, shorter.quad], longer.quad)
        confidence = float(np.average([line.confidence, other.confidence], weights=lengths))
        waiting.insert(0, (DetectedLine(quad, confidence), _line_frame(quad)))
    return joined


def _is_same_line(first: _LineFrame, second: _LineFrame) -> bool:
    if first.length < second.length:
        first, second = second, first
    height = max(first.height, second.height)
    if height > _MAX_HEIGHT_RATIO * min(first.height, second.height):
        return False
    (x, y), step = first.along, (second.middle[0] - first.middle[0], second.middle[1] - first.middle[1])
    gap = abs(step[0] * x + step[1] * y) - (first.length + second.length) / 2
    if abs(step[1] * x - step[0] * y) > _MAX_SHIFT * height or not -_MAX_OVERLAP * height <= gap <= _MAX_GAP * height:
        return False
    if min(first.length / first.height, second.length / second.height) < _MIN_TURNED_ASPECT:
        return True
    turn = x * second.along[0] + y * second.along[1]
    return math.degrees(math.acos(min(1.0, max(-1.0, turn)))) <= _MAX_TURN_DEG


def _line_frame(quad: Float64) -> _LineFrame:
    (x0, y0), (x1, y1), _, (x3, y3) = quad.tolist()
    length = math.hypot(x1 - x0, y1 - y0)
    x, y = quad.mean(axis=0).tolist()
    divisor = max(length, 1e-6)
    return _LineFrame(
        ((x1 - x0) / divisor, (y1 - y0) / divisor), (x, y), length, max(math.hypot(x3 - x0, y3 - y0), 1e-6)
    )


def enclosing_rectangle(quads: Sequence[Float64], like: Float64) -> Float64:
    """Return the smallest rectangle around all quadrilaterals that is turned as `like`, from the same corner on."""
    along = np.array(_line_frame(like).along)
    axes = np.array([along, (-along[1], along[0])])
    points = np.concatenate(quads) @ axes.T
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    corners: Float64 = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]) @ axes
    return corners
