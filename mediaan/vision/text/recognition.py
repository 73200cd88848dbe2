"""Recognise the characters of one line of text."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from mediaan.errors import SetupError
from mediaan.saliency.onnx.session import open_session, run_session
from mediaan.types.arrays import Float32, Float64, UInt8

_HEIGHT = 48
"""Height at which the network reads, px."""

_STEP = 8
"""Px of width per step of its output."""

_MAX_WIDTH = 48 * 40
"""Longer lines are squeezed; the widest line of a page of small print is about 30 times as wide as high."""

_BLANK = 0


class RecognisedLine(NamedTuple):
    """Text and how sure its reading is: the mean probability of its characters, 0-1; 0 for no text."""

    text: str
    confidence: float


class LineRecogniser:
    """Connectionist temporal classification over an ONNX model of PP-OCR.

    Parameters
    ----------
    weights : bytes
        The ONNX file: (1, 3, 48, w) BGR in [-1, 1] to (1, w / 8, characters) probabilities, with its characters in
        its metadata.
    threads : int
        Threads per prediction; 0 leaves it to the runtime.

    References
    ----------
    Graves, Fernández, Gomez & Schmidhuber (2006). Connectionist temporal classification. ICML.
    """

    def __init__(self, weights: bytes, *, threads: int = 0) -> None:
        self._session, _ = open_session(weights, device="cpu", threads=threads)
        known = self._session.get_modelmeta().custom_metadata_map.get("character")
        if known is None:
            raise SetupError("the model that reads text does not say which characters it knows", code="model_corrupt")
        self._characters = ("", *known.split("\n"), " ")

    def read(self, crop: UInt8) -> RecognisedLine:
        """Read one straight line (h, w, 3), RGB."""
        probabilities = run_session(self._session, prepare_crop(crop), "text recognition")[0]
        best = probabilities.argmax(axis=1)
        kept = (best != _BLANK) & (np.diff(best, prepend=_BLANK) != 0)
        text = "".join(self._characters[i] for i in best[kept]).strip()
        confidence = probabilities.max(axis=1)[kept]
        return RecognisedLine(text, float(confidence.mean(dtype=np.float64)) if text else 0.0)


def rectify_line(rgb: UInt8, quad: Float64) -> UInt8:
    """Cut a quadrilateral out of an image, turned so that its first side is on top.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    quad : (4, 2) float64
        Corners, px, clockwise from the line's own top-left; what is outside the image repeats its border.
    """
    width = max(1, round(float(np.hypot(*(quad[1] - quad[0])))))
    height = max(1, round(float(np.hypot(*(quad[3] - quad[0])))))
    target = np.array([(0, 0), (width, 0), (width, height), (0, height)], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), target)
    crop = cv2.warpPerspective(rgb, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(crop, dtype=np.uint8)


def prepare_crop(crop: UInt8) -> Float32:
    """Turn a line (h, w, 3) into what the network takes: (1, 3, 48, w) BGR in [-1, 1]."""
    height, width = crop.shape[:2]
    steps = max(1, -(-round(width * _HEIGHT / height) // _STEP))
    method = cv2.INTER_AREA if height > _HEIGHT else cv2.INTER_LINEAR
    bgr = cv2.resize(crop, (min(steps * _STEP, _MAX_WIDTH), _HEIGHT), interpolation=method)[:, :, ::-1]
    return np.ascontiguousarray(bgr.transpose(2, 0, 1)[None], dtype=np.float32) / np.float32(127.5) - np.float32(1)
