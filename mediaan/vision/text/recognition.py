"""Recognise the characters of one line of text."""

from __future__ import annotations

import itertools
import unicodedata
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.errors import SetupError
from mediaan.saliency.onnx.session import open_session, run_session
from mediaan.types.arrays import Float32, Float64, Int64, UInt8

_HEIGHT = 48
"""Height at which the network reads, px."""

_STEP = 8
"""Px of width per step of its output."""

_MAX_WIDTH = 48 * 40
"""Longer lines are squeezed; the widest line of a page of small print is about 30 times as wide as high."""

_MAX_REDUCTION = 1.5
"""Larger type is averaged down, since interpolation between two px would skip others."""

_BLANK = 0

_MIN_SPACE, _SPACE_STEPS = 0.09, 3
"""Probability of a space between two characters, and steps from one to the other, from which on it is read. In widely
spaced capitals the network is less sure of it: of 14 missing spaces this brings back 13, and 2 too many
(counted by eye on the choosing side of models/training/labels/lines.csv)."""

_MAX_SPACED = 0.4
"""Share of characters with a space before them up to which these separate words."""

_SURE_ACCENT = 0.9
"""Probability of an accented letter from which on its accent is there, where it is the only one in an image: on the
designs of train and dev, 11 of the 13 that are more probable are right, and at most one of the 8 that are less so."""


class RecognisedLine(NamedTuple):
    """Text and how sure its reading is."""

    text: str
    confidence: float
    """Mean probability of its characters, 0-1; 0 for no text."""
    plain: str
    """The text without accents that are read unsurely."""


class LineRecogniser:
    """Connectionist temporal classification over an ONNX model of PP-OCR.

    `weights`: the ONNX file: (1, 3, 48, w) BGR in [-1, 1] to (1, w / 8, characters) probabilities, with its characters
        in its metadata.
    `threads`: threads per prediction; 0 leaves it to the runtime.

    References
    ----------
    Graves, Fernández, Gomez & Schmidhuber (2006). Connectionist temporal classification. ICML.
    """

    def __init__(self, weights: bytes, *, threads: int = 0) -> None:
        self._session, _ = open_session(weights, device="cpu", threads=threads)
        charset = self._session.get_modelmeta().custom_metadata_map.get("character")
        if charset is None:
            raise SetupError("the model that reads text does not say which characters it knows", code="model_corrupt")
        self._characters = ("", *charset.split("\n"), " ")

    def read(self, line: UInt8) -> RecognisedLine:
        """Read one straight line (48, w, 3), RGB."""
        probabilities = run_session(self._session, prepare_line(line), "text recognition")[0]
        best = probabilities.argmax(axis=1)
        steps = np.flatnonzero((best != _BLANK) & (np.diff(best, prepend=_BLANK) != 0))
        spaced = _spaces_between(probabilities[:, -1], steps)
        letters, confidence = [self._characters[i] for i in best[steps]], probabilities[steps, best[steps]]
        sure_letters = [
            unaccented(letter) if sure < _SURE_ACCENT else letter
            for letter, sure in zip(letters, confidence, strict=True)
        ]
        text, plain = (
            " ".join("".join(f" {a}" if apart else a for a, apart in zip(some, spaced, strict=True)).split())
            for some in (letters, sure_letters)
        )
        return RecognisedLine(text, float(confidence.mean(dtype=np.float64)) if text else 0.0, plain)


def unaccented(letter: str) -> str:
    """Return a letter of the Latin alphabet without its accents, any other character as it is.

    >>> [unaccented(letter) for letter in "éŠß中"]
    ['e', 'S', 'ß', '中']
    """
    base = unicodedata.normalize("NFD", letter)[:1]
    return base if base.isascii() else letter


def _spaces_between(space: Float32, steps: Int64) -> list[bool]:
    """Tell before which characters, at these steps, stands a space that is likely though not the likeliest."""
    spaced = [
        bool(end - start >= _SPACE_STEPS and space[start : end + 1].max() >= _MIN_SPACE)
        for start, end in itertools.pairwise(steps)
    ]
    if sum(spaced) > _MAX_SPACED * len(spaced):  # the letters of one word, set far apart
        spaced = [False] * len(spaced)
    return [False] * min(1, len(steps)) + spaced


def rectify_line(rgb: UInt8, quad: Float64) -> UInt8:
    """Cut a line out of an image, turned so that its first side is on top, at the height at which it is read.

    One interpolation from the image to what the network sees reads better than two.

    `rgb`: (H, W, 3) uint8.
    `quad` (4, 2) float64: corners, px, clockwise from the line's own top-left; what is outside the image repeats its
        border.
    Returns (48, w, 3) uint8.
    """
    length = max(1.0, float(np.hypot(*(quad[1] - quad[0]))))
    height = max(1.0, float(np.hypot(*(quad[3] - quad[0]))))
    steps = max(1, -(-round(length * _HEIGHT / height) // _STEP))
    size = (min(steps * _STEP, _MAX_WIDTH), _HEIGHT)
    reduced = height > _MAX_REDUCTION * _HEIGHT
    width, rows = (round(length), round(height)) if reduced else size
    target = np.array([(0, 0), (width, 0), (width, rows), (0, rows)], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), target)
    line = cv2.warpPerspective(rgb, matrix, (width, rows), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if reduced:
        line = cv2.resize(line, size, interpolation=cv2.INTER_AREA)
    return np.asarray(line, dtype=np.uint8)


def prepare_line(line: UInt8) -> Float32:
    """Turn a line (48, w, 3) into what the network takes: (1, 3, 48, w) BGR in [-1, 1]."""
    bgr = line[:, :, ::-1].transpose(2, 0, 1)[None]
    return np.ascontiguousarray(bgr, dtype=np.float32) / np.float32(127.5) - np.float32(1)
