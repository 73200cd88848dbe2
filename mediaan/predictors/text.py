"""Reads the text in a frame: the models come with the package rapidocr, nothing is ever fetched."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from mediaan.errors import SetupError
from mediaan.predictors.text_detection import FoundLine, LineDetector
from mediaan.predictors.text_joining import join_words
from mediaan.predictors.text_recognition import LineRecogniser, Reading, straightened
from mediaan.types.aoi import TextLine
from mediaan.types.arrays import Float64, UInt8

_DETECTION, _RECOGNITION = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
_READ_SIDE, _FIND_SIDE = 960, 512
"""Long side at which lines are looked for, px: where they are read, and on the fast path."""

_MIN_READING = 0.5
"""Readings less sure are noise: texture taken for text."""


_MARGIN = 0.35
"""Of a line's height as found that lies outside its letters, above and below together: reading needs it, boxes do not.
On synthetic ads with known lines .93 of these are found at IoU .5 without it, .79 with it."""


class TextReader:
    """Finds lines of text, and reads them.

    Parameters
    ----------
    threads : int
        Threads per prediction; 0 leaves it to the runtime.

    Attributes
    ----------
    name : str
        Of the models.
    sha256 : str
        Of both weight files, one after the other.

    Raises
    ------
    SetupError
        The package rapidocr, or its models, are not there.

    Notes
    -----
    The models of PP-OCR run here directly and not through rapidocr's own code, which takes ten times as long on a busy
    machine (its threads spin) and fetches models that it misses.
    """

    name = "PP-OCRv6-small"

    def __init__(self, threads: int = 0) -> None:
        folder = _models_folder()
        detection, recognition = (_weights(folder / name) for name in (_DETECTION, _RECOGNITION))
        self.sha256 = hashlib.sha256(detection + recognition).hexdigest()
        self._detector = LineDetector(detection, threads=threads)
        self._recogniser = LineRecogniser(recognition, threads=threads)

    def find(self, rgb: UInt8) -> tuple[TextLine, ...]:
        """Where text is, not what it says: the fast path.

        Parameters
        ----------
        rgb : (H, W, 3) uint8
            Any size; about 1024 px on the long side are enough.

        Returns
        -------
        tuple of TextLine
            From top to bottom; `text` is None.
        """
        lines = join_words(self._detector.find(rgb, _FIND_SIDE))
        return tuple(_text_line(line.quad, None, line.confidence, rgb) for line in lines)

    def read(self, rgb: UInt8) -> tuple[TextLine, ...]:
        """Where text is and what it says.

        Parameters
        ----------
        rgb : (H, W, 3) uint8
            Any size; about 1024 px on the long side are enough for small print.

        Returns
        -------
        tuple of TextLine
            From top to bottom; what cannot be read is left out.
        """
        lines = join_words(self._detector.find(rgb, _READ_SIDE))
        readings = [self._read_line(rgb, line) for line in lines]
        return tuple(
            _text_line(quad, reading.text, reading.confidence, rgb)
            for quad, reading in readings
            if reading.confidence >= _MIN_READING
        )

    def _read_line(self, rgb: UInt8, line: FoundLine) -> tuple[Float64, Reading]:
        """Read a line; one that runs upwards may run downwards instead."""
        ways = [line.quad]
        if abs(line.quad[1, 1] - line.quad[0, 1]) > abs(line.quad[1, 0] - line.quad[0, 0]):
            ways.append(np.roll(line.quad, 2, axis=0))
        readings = [(quad, self._recogniser.read(straightened(rgb, quad))) for quad in ways]
        return max(readings, key=lambda found: found[1].confidence)


@lru_cache(maxsize=1)
def load_text_reader(threads: int = 0) -> TextReader:
    """A reader that is opened once and then kept by the process.

    Raises
    ------
    SetupError
        The package rapidocr, or its models, are not there.
    """
    return TextReader(threads)


def _models_folder() -> Path:
    package = find_spec("rapidocr")
    if package is None or package.origin is None:
        message = "text cannot be read: the package rapidocr, which brings the models, is not installed"
        raise SetupError(f"{message}; pip install 'rapidocr>=3.10,<3.11'", code="model_missing")
    return Path(package.origin).parent / "models"


def _weights(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"text cannot be read: {path} cannot be read: {error}"
        raise SetupError(f"{message}; pip install --force-reinstall rapidocr", code="model_missing") from error


def _text_line(quad: Float64, text: str | None, confidence: float, rgb: UInt8) -> TextLine:
    height, width = rgb.shape[:2]
    first, second, third, fourth = ((float(x) / width, float(y) / height) for x, y in _tight(quad))
    return TextLine((first, second, third, fourth), text, confidence)


def _tight(quad: Float64) -> Float64:
    """A line without its margin, which is the same on all sides."""
    along, across = quad[1] - quad[0], quad[3] - quad[0]
    length, height = np.hypot(*along), np.hypot(*across)
    margin = _MARGIN / 2 * min(length, height)
    right, down = along * (margin / max(length, 1e-6)), across * (margin / max(height, 1e-6))
    return np.array([quad[0] + right + down, quad[1] - right + down, quad[2] - right - down, quad[3] + right - down])
