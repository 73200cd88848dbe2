"""Read images on which people drew areas, and detect areas on them as an analysis does, and by other methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
from mediaan.media import find_files, open_image
from mediaan.media.names import NameIndex
from mediaan.storage.input_file import open_table
from mediaan.types.aoi import Aoi, AoiLevel, Box, Brand, Candidate, Detection, Drawing, TextLine
from mediaan.types.arrays import UInt8
from mediaan.types.glossary import media_count

_IMAGE_COLUMNS = ("name", "image", "path", "file")


@dataclass(frozen=True, slots=True)
class AdFacts:
    """Facts of an ad beside its areas."""

    brand: Brand | None = None
    """Of the advertiser."""
    kind: str | None = None
    """Such as banner, poster or landing page."""


@dataclass(frozen=True, slots=True)
class LabelledImage:
    """An image and the areas that a person drew on it."""

    name: str
    """Path below the folder."""
    path: Path
    drawings: tuple[Drawing, ...]
    """Empty where the person found nothing."""
    facts: AdFacts = AdFacts()
    undecided: tuple[Drawing, ...] = ()
    """Areas that count neither way, see `mediaan.evaluation.aoi.scores.match_areas`."""


def labelled_images(
    folder: Path,
    drawings: Callable[[str], tuple[Drawing, ...] | None],
    facts: Callable[[str], AdFacts] = lambda name: AdFacts(),
    undecided: Callable[[str], tuple[Drawing, ...] | None] = lambda name: None,
) -> tuple[LabelledImage, ...]:
    """Return the labelled images of a folder, in order of their names.

    `folder`: searched recursively.
    `drawings`: from the name of an image to the areas drawn on it; None where nobody looked at it.
    `facts`: from the name of an image to facts of the ad.
    `undecided`: areas that count neither way; None is the same as none.
    Raises UsageError: no such folder, or no image in it is labelled.
    """
    files = find_files([folder]).files
    labelled = [(file, drawn) for file in files if (drawn := drawings(file.display_path)) is not None]
    if not labelled:
        raise UsageError(
            f"the labels name none of the {media_count(len(files))} in {folder}; names must agree, as in 'ad.jpg'"
        )
    return tuple(
        LabelledImage(file.display_path, file.path, drawn, facts(file.display_path), undecided(file.display_path) or ())
        for file, drawn in labelled
    )


def read_ad_facts(path: Path) -> dict[str, AdFacts]:
    """Read brand and kind of ads from a CSV.

    `path`: as `open_table` reads it, with the columns name (or image) and brand; aliases, with | between
        them, and kind may be there as well.
    Returns: by name as written there, to be found by `find_facts`.
    Raises UsageError: the file cannot be read, lacks a column, or gives aliases of a brand that it does not name.
    """
    header, rows = open_table(path, "usage").trimmed()
    columns = [name.casefold() for name in header]
    named = next((columns.index(column) for column in _IMAGE_COLUMNS if column in columns), None)
    if named is None or "brand" not in columns:
        raise UsageError(f"{path} needs the columns name and brand; it has {', '.join(header) or 'none'}")
    facts = {}
    for line, cells in rows:
        row = dict(zip(columns, cells, strict=False))
        brand, kind = row.get("brand", ""), row.get("kind", "")
        aliases = tuple(alias for part in row.get("aliases", "").split("|") if (alias := part.strip()))
        if aliases and not brand:
            raise UsageError(f"{path}, line {line}: gives aliases of {cells[named]!r} without a brand; name the brand")
        if cells[named]:
            facts[cells[named]] = AdFacts(Brand(brand, aliases) if brand else None, kind or None)
    return facts


def find_facts(name: str, facts: Mapping[str, AdFacts]) -> AdFacts:
    """Return the facts of an image by its path, as `NameIndex` finds it.

    >>> find_facts("summer/ad_1.jpg", {"ad_1": AdFacts(kind="poster")})
    AdFacts(brand=None, kind='poster')
    """
    return next((facts[key] for key in NameIndex(facts).find(name)), AdFacts())


def check_names_exist(unused: Iterable[str], folder: Path, file: str = "the labels") -> None:
    """Refuse names of images that are not in the folder.

    `unused`: names that fit no image.
    `file`: file that names them.
    Raises UsageError: naming the first of them.
    """
    missing = sorted(unused)
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise UsageError(f"{folder} holds no {', '.join(map(repr, missing[:3]))}{more}, named by {file}")


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
