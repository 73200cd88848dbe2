"""Read the text in a frame: detect its lines, then recognise them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import numpy as np

from mediaan.saliency.onnx.registry import text_card
from mediaan.saliency.onnx.weights import read_weights
from mediaan.types.aoi import TextLine
from mediaan.types.arrays import Float64, UInt8
from mediaan.vision.text.detection import DetectedLine, LineDetector, join_words
from mediaan.vision.text.recognition import LineRecogniser, RecognisedLine, rectify_line, unaccented

_READ_LONG_SIDE, _FIND_LONG_SIDE = 960, 512
"""Long side at which lines are looked for, px: where they are read, and on the fast path."""

_MIN_RECOGNITION_CONFIDENCE = 0.75
"""Less sure readings are made up, mostly from letters that the model does not know: of 185 lines in known scripts one
is below, which is wrong (`python -m bench.reading DATA/ads/images --side choosing`)."""

_SURE_READING = 0.9
"""Confidence from which on a reading is no invention. Where no more lines are read so surely than are unread, less sure
readings are made up as well: on the designs of train and dev 53 lines lose their text so, at most 7 of them read right.
"""

_MIN_TEXT_CONFIDENCE = 0.5
"""Of a reading: less is noise, such as texture taken for text, unless the line is detected surely."""

_MIN_DETECTION_CONFIDENCE = 0.75
"""Lines that are detected so surely but not recognised are text in a script that the model does not know."""


_MARGIN = 0.35
"""Of a line's height as found that lies outside its letters, above and below together: reading needs it, boxes do not.
On synthetic ads with known lines .93 of these are found at IoU .5 without it, .79 with it."""

_UNREAD_MARGIN = 0.1
"""Of that height is not given to the recogniser: .03 or .07 on each side instead of .05, or none, is worse
(`python -m bench.reading --side choosing`)."""


class TextReader:
    """Detect lines of text, and recognise them; the models are opened when first used.

    `threads`: threads per prediction; 0 leaves it to the runtime.
    `name`: of the models.
    `sha256`: of both weight files, one after the other.
    Raises SetupError: a model file is missing or damaged.

    Notes
    -----
    The models are the small ones of PP-OCRv6 in int8 (models/training/text_models.py).
    """

    name = "PP-OCRv6-small"

    def __init__(self, threads: int = 0) -> None:
        detection, recognition = read_weights(text_card("text_detection")), read_weights(text_card("text_recognition"))
        self.sha256 = hashlib.sha256(detection + recognition).hexdigest()
        self._detection, self._recognition, self._threads = detection, recognition, threads

    @cached_property
    def _detector(self) -> LineDetector:
        return LineDetector(self._detection, threads=self._threads)

    @cached_property
    def _recogniser(self) -> LineRecogniser:
        return LineRecogniser(self._recognition, threads=self._threads)

    def find(self, rgb: UInt8) -> tuple[TextLine, ...]:
        """Find lines of text without reading them: the fast path.

        `rgb` (H, W, 3) uint8: any size; about 1024 px on the long side are enough.
        Returns: from top to bottom; `text` is None.
        """
        lines = join_words(self._detector.detect(rgb, _FIND_LONG_SIDE))
        return tuple(_text_line(line.quad, None, line.confidence, rgb) for line in lines)

    def read(self, rgb: UInt8) -> tuple[TextLine, ...]:
        """Find lines of text, and read them.

        `rgb` (H, W, 3) uint8: any size; about 1024 px on the long side are enough for small print.
        Returns: from top to bottom. What is surely text but cannot be read, as in scripts that the model does not know,
            has the `text` None; what is neither is left out.
        """
        lines = join_words(self._detector.detect(rgb, _READ_LONG_SIDE))
        readings = [self.read_line(rgb, line) for line in lines]
        least = least_confidence(
            [(line.confidence, text.confidence) for line, (_, text) in zip(lines, readings, strict=True)]
        )
        has_sure_accents = has_several_accents(reading.text for _, reading in readings if reading.confidence >= least)
        text_lines = []
        for line, (quad, reading) in zip(lines, readings, strict=True):
            if reading.confidence >= least:
                text = reading.text if has_sure_accents else reading.plain
                text_lines.append(_text_line(quad, text, reading.confidence, rgb))
            elif _is_text(line.confidence, reading.confidence):
                text_lines.append(_text_line(line.quad, None, line.confidence, rgb))
        return tuple(text_lines)

    def read_line(self, rgb: UInt8, line: DetectedLine) -> tuple[Float64, RecognisedLine]:
        """Read a line; one that runs upwards may run downwards instead."""
        quads = [line.quad]
        if abs(line.quad[1, 1] - line.quad[0, 1]) > abs(line.quad[1, 0] - line.quad[0, 0]):
            quads.append(np.roll(line.quad, 2, axis=0))
        crops = [rectify_line(rgb, trim_margin(quad, _UNREAD_MARGIN)) for quad in quads]
        readings = [(quad, self._recogniser.read(crop)) for quad, crop in zip(quads, crops, strict=True)]
        return max(readings, key=lambda reading: reading[1].confidence)


def least_confidence(confidences: Sequence[tuple[float, float]]) -> float:
    """Return how sure a reading must be, 0-1, by how surely each line of the image is detected and read.

    >>> least_confidence([(0.9, 0.98), (0.9, 0.97), (0.9, 0.8), (0.9, 0.6)])
    0.75
    >>> least_confidence([(0.9, 0.98), (0.9, 0.8), (0.9, 0.6), (0.9, 0.2)])
    0.9
    """
    sure = sum(read >= _SURE_READING for _, read in confidences)
    unread = sum(_is_text(detected, read) and read < _MIN_RECOGNITION_CONFIDENCE for detected, read in confidences)
    return _SURE_READING if unread >= max(1, sure) else _MIN_RECOGNITION_CONFIDENCE


def _is_text(detected: float, read: float) -> bool:
    return read >= _MIN_TEXT_CONFIDENCE or detected >= _MIN_DETECTION_CONFIDENCE


def has_several_accents(texts: Iterable[str]) -> bool:
    """Tell whether the texts of an image have more than one accented letter: a single one may be invented.

    >>> has_several_accents(["Mind thē gap"]), has_several_accents(["Café", "à la carte"])
    (False, True)
    """
    return sum(unaccented(letter) != letter for text in texts for letter in text) > 1


@lru_cache(maxsize=1)
def load_text_reader(threads: int = 0) -> TextReader:
    """Open a reader once; the process keeps it.

    Raises SetupError: a model file is missing or damaged.
    """
    return TextReader(threads)


def _text_line(quad: Float64, text: str | None, confidence: float, rgb: UInt8) -> TextLine:
    height, width = rgb.shape[:2]
    first, second, third, fourth = ((float(x) / width, float(y) / height) for x, y in trim_margin(quad))
    return TextLine((first, second, third, fourth), text, confidence)


def trim_margin(quad: Float64, margin: float = _MARGIN) -> Float64:
    """Take a margin, the same on all sides, from a line; in heights of the line, both sides together."""
    along, across = quad[1] - quad[0], quad[3] - quad[0]
    length, height = np.hypot(*along), np.hypot(*across)
    px = margin / 2 * min(length, height)
    right, down = along * (px / max(length, 1e-6)), across * (px / max(height, 1e-6))
    return np.array([quad[0] + right + down, quad[1] - right + down, quad[2] - right - down, quad[3] + right - down])
