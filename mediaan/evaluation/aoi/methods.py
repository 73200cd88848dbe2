"""Detect areas on labelled images as an analysis does, and by the methods that it is compared with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.detection.frame_aois import find_aois
from mediaan.aoi.detection.logo_matcher import LogoMatcher
from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.errors import MediumError, UsageError
from mediaan.evaluation.aoi.labels import LabelledImage
from mediaan.media import OpenedImage, open_image, resize, view_size
from mediaan.types.aoi import Aoi, AoiLevel, Box, Brand, Candidate, Detection, TextLine
from mediaan.types.arrays import UInt8

DETECTED, NAMED, HAAR, LINES, TRIMMED = "detected", "brand named", "Haar cascade", "as read", "trimmed"
"""Finders: as an analysis finds them; branding when it is told the brand; faces by the cascade that comes with OpenCV,
the floor; single lines of text, as the reader gives them, and trimmed to their letters, as areas are made of them."""


@dataclass(frozen=True, slots=True)
class ImageDetections:
    """A labelled picture with what each finder says of it.

    Attributes
    ----------
    picture : LabelledPicture
    drawn : tuple of Aoi
    undecided : tuple of Aoi
        Areas that count neither way.
    found : dict of str to tuple of Candidate
        By finder.
    problems : tuple of str
        What is wrong with what was drawn.
    """

    picture: LabelledImage
    drawn: tuple[Aoi, ...]
    undecided: tuple[Aoi, ...]
    found: dict[str, tuple[Candidate, ...]]
    problems: tuple[str, ...]


class DetectionMethods:
    """Looks at pictures as an analysis does, and in the ways that it is compared with.

    Parameters
    ----------
    models : Models
    level : {'text', 'objects', 'all'}
    lines : bool
        Compare single lines of text, and nothing else.
    """

    def __init__(self, models: Models, level: AoiLevel = "all", *, lines: bool = False) -> None:
        self._models, self._lines, self.level = models, lines, level
        self._reads = lines or level in ("text", "all")
        self._sees = not lines and level in ("objects", "all")

    def look(self, picture: LabelledImage) -> ImageDetections:
        """What each finder says of a picture.

        Raises
        ------
        UsageError
            The picture cannot be opened.
        """
        opened = _open(picture.path, self._models)
        drawn, wrong = aois_from_drawings(picture.drawings, opened.medium)
        undecided, wrong_undecided = aois_from_drawings(picture.undecided, opened.medium)
        problems = [(picture.name, problem) for problem in wrong]
        problems += [(f"{picture.name}, to be ignored", problem) for problem in wrong_undecided]
        rgb = opened.chunks[0].views[AOI_VIEW.name][0]
        found = self._read(rgb) if self._lines else self._found(opened, picture)
        return ImageDetections(picture, drawn, undecided, found, tuple(f"{name}: {p.message}" for name, p in problems))

    def models(self) -> dict[str, str]:
        """What is scored: names of models, with the first eight figures of their hash."""
        read = {self._models.text.name: self._models.text.sha256[:8]} if self._reads else {}
        return read | ({self._models.objects.name: self._models.objects.sha256[:8]} if self._sees else {})

    def _read(self, rgb: UInt8) -> dict[str, tuple[Candidate, ...]]:
        lines = self._models.text.read(rgb)
        trimmed = [typeset_line(rgb, line).line for line in lines]
        return {LINES: _as_candidates(lines), TRIMMED: _as_candidates(trimmed)}

    def _found(self, opened: OpenedImage, picture: LabelledImage) -> dict[str, tuple[Candidate, ...]]:
        rgb = opened.chunks[0].views[AOI_VIEW.name][0]
        lines: tuple[TextLine, ...] = self._models.text.read(rgb) if self._reads else ()
        detections = self._detections(rgb) if self._sees else ()
        found = {DETECTED: find_aois(rgb, lines, detections)}
        if brand := picture.facts.brand:
            matcher = _matcher(brand) if self._sees and brand.logos else None
            all_named = find_aois(rgb, lines, detections, brand=brand, matcher=matcher)
            found[NAMED] = tuple(c for c in all_named if c.type == "branding")
        if self._sees:
            found[HAAR] = detect_haar_faces(rgb)
        return found

    def _detections(self, rgb: UInt8) -> tuple[Detection, ...]:
        detector = self._models.objects
        frame = resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], detector.view))
        return detector.detect(np.asarray(frame, np.uint8)[None])[0]


def detect_haar_faces(rgb: UInt8) -> tuple[Candidate, ...]:
    """Faces by OpenCV's frontal cascade (Viola & Jones 2001; alt2, trained by Lienhart); (H, W, 3) uint8.

    The weight of the last stage is brought to 0-1 by a logistic function; only its order means anything.
    """
    height, width = rgb.shape[:2]
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    boxes, _, weights = _cascade().detectMultiScale3(grey, 1.1, 3, outputRejectLevels=True)
    found = []
    for corner_and_size, weight in zip(boxes, np.ravel(weights), strict=True):
        x, y, w, h = map(float, corner_and_size)
        box = Box(x / width, y / height, (x + w) / width, (y + h) / height)
        found.append(Candidate("face", "face", box, _logistic(weight), "detector"))
    return tuple(sorted(found, key=lambda c: -c.confidence))


def _logistic(weight: float) -> float:
    return float(1 / (1 + np.exp(-weight)))


def _as_candidates(lines: Iterable[TextLine]) -> tuple[Candidate, ...]:
    return tuple(Candidate("body_text", line.text or "", line.box, line.confidence, "text") for line in lines)


def _open(path: Path, models: Models) -> OpenedImage:
    try:
        return open_image(path, [AOI_VIEW, models.still.view])
    except MediumError as error:
        raise UsageError(f"{error.message}; mend the picture or take it out of the labels", code=error.code) from error


@cache
def _cascade() -> cv2.CascadeClassifier:
    return cv2.CascadeClassifier(str(Path(cv2.__file__).parent / "data" / "haarcascade_frontalface_alt2.xml"))


@cache
def _matcher(brand: Brand) -> LogoMatcher:
    return LogoMatcher(brand.logos)
