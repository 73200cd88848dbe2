"""Detect areas on labelled images as an analysis does, and by the methods that it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.detection.frame_aois import find_areas
from mediaan.aoi.detection.picture_matcher import PictureMatcher
from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.errors import MediumError, UsageError
from mediaan.evaluation.aoi.labels import LabelledImage
from mediaan.media import open_image
from mediaan.types.aoi import Aoi, AoiLevel, Box, Brand, Candidate, Detection, TextLine
from mediaan.types.arrays import UInt8

DETECTED, NAMED, HAAR, LINES, TRIMMED = "detected", "brand named", "Haar cascade", "as read", "trimmed"
"""Detection methods: that of an analysis; branding with the brand named; faces by the cascade that comes with OpenCV,
a lower bound; single lines of text, as read, and trimmed to their letters, as areas are made of them."""


@dataclass(frozen=True, slots=True)
class ImageDetections:
    """A labelled image with the areas that each method detects."""

    image: LabelledImage
    drawn: tuple[Aoi, ...]
    undecided: tuple[Aoi, ...]
    """Areas that count neither way."""
    detected: dict[str, tuple[Candidate, ...]]
    """By method."""
    problems: tuple[str, ...]
    """Of the drawn areas."""


class DetectionMethods:
    """Detects areas as an analysis does, and by the methods that it is compared with.

    `lines`: whether to compare single lines of text, and nothing else.
    """

    def __init__(self, models: Models, level: AoiLevel = "all", *, lines: bool = False) -> None:
        self._models, self._lines, self.level = models, lines, level
        self._detects_text = lines or level in ("text", "all")
        self._detects_objects = not lines and level in ("objects", "all")

    def detect(self, image: LabelledImage) -> ImageDetections:
        """Detect the areas of an image by each method.

        Raises UsageError: the image cannot be opened.
        """
        try:
            opened = open_image(image.path, [AOI_VIEW, self._models.still.view])
        except MediumError as error:
            raise UsageError(
                f"{error.message}; mend the image or take it out of the labels", code=error.code
            ) from error
        drawn, wrong = aois_from_drawings(image.drawings, opened.medium)
        undecided, wrong_undecided = aois_from_drawings(image.undecided, opened.medium)
        problems = [(image.name, problem) for problem in wrong]
        problems += [(f"{image.name}, to be ignored", problem) for problem in wrong_undecided]
        rgb = opened.chunks[0].views[AOI_VIEW.name][0]
        if self._lines:
            lines = self._models.text.read(rgb)
            trimmed = [typeset_line(rgb, line).line for line in lines]
            candidates = {
                method: tuple(
                    Candidate("body_text", text_line.text or "", text_line.box, text_line.confidence, "text")
                    for text_line in some
                )
                for method, some in ((LINES, lines), (TRIMMED, trimmed))
            }
        else:
            candidates = self._detect_areas(rgb, image.facts.brand)
        return ImageDetections(
            image, drawn, undecided, candidates, tuple(f"{name}: {p.message}" for name, p in problems)
        )

    def models(self) -> dict[str, str]:
        """Return the names of the scored models, with the first eight digits of their hash."""
        text = {self._models.text.name: self._models.text.sha256[:8]} if self._detects_text else {}
        objects = {self._models.objects.name: self._models.objects.sha256[:8]} if self._detects_objects else {}
        return text | objects

    def _detect_areas(self, rgb: UInt8, brand: Brand | None) -> dict[str, tuple[Candidate, ...]]:
        lines: tuple[TextLine, ...] = self._models.text.read(rgb) if self._detects_text else ()
        detections: tuple[Detection, ...] = ()
        if self._detects_objects:
            detections = self._models.detect_objects(rgb)
        candidates = {DETECTED: find_areas(rgb, lines, detections).areas}
        if brand:
            matcher = _picture_matcher(brand) if self._detects_objects and (brand.logos or brand.packs) else None
            read = self._models.text.read if self._detects_text else None
            all_named = find_areas(rgb, lines, detections, brand=brand, matcher=matcher, read=read).areas
            candidates[NAMED] = tuple(c for c in all_named if c.type == "branding")
        if self._detects_objects:
            candidates[HAAR] = detect_haar_faces(rgb)
        return candidates


def detect_haar_faces(rgb: UInt8) -> tuple[Candidate, ...]:
    """Detect faces by OpenCV's frontal cascade (Viola & Jones 2001; alt2, trained by Lienhart).

    The weight of the last stage is brought to 0-1 by a logistic function; only its order means anything.

    `rgb`: (H, W, 3) uint8.
    """
    height, width = rgb.shape[:2]
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    boxes, _, weights = _haar_cascade().detectMultiScale3(grey, 1.1, 3, outputRejectLevels=True)
    faces = []
    for corner_and_size, weight in zip(boxes, np.ravel(weights), strict=True):
        x, y, w, h = map(float, corner_and_size)
        box = Box(x / width, y / height, (x + w) / width, (y + h) / height)
        faces.append(Candidate("face", "face", box, float(1 / (1 + np.exp(-weight))), "detector"))
    return tuple(sorted(faces, key=lambda c: -c.confidence))


@cache
def _haar_cascade() -> cv2.CascadeClassifier:
    return cv2.CascadeClassifier(str(Path(cv2.__file__).parent / "data" / "haarcascade_frontalface_alt2.xml"))


@cache
def _picture_matcher(brand: Brand) -> PictureMatcher:
    return PictureMatcher(brand.logos, brand.packs)
