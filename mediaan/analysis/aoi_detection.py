"""Detect areas of interest in the frames of one medium."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

from mediaan.analysis.models import Models
from mediaan.analysis.plan import MediumOptions
from mediaan.aoi.detection.frame_aois import FrameAreas, as_aoi, find_areas
from mediaan.aoi.detection.picture_matcher import PictureMatcher
from mediaan.aoi.detection.text_blocks import is_spurious_glyph
from mediaan.aoi.legibility import with_legibility
from mediaan.aoi.medium_coordinates import (
    aois_from_drawings,
    to_medium_coordinates,
    trim_empty_bars,
    with_drawn,
)
from mediaan.metrics import content_box
from mediaan.types.aoi import (
    FULL_FRAME,
    Aoi,
    AoiLevel,
    AoiType,
    Box,
    Brand,
    BrandSearch,
    Candidate,
    Detection,
    TextLine,
)
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities
from mediaan.types.media import Medium, Problem
from mediaan.types.placement import usual_platform


class AoiDetector:
    """Detects AOIs in the frames of one medium.

    `level`: what to detect.
    `options`: brand, platform and drawings of the medium.
    """

    def __init__(self, level: AoiLevel, models: Models, options: MediumOptions, medium: Medium) -> None:
        self.level, self.detects = level, level != "none"
        self.detects_text = level in ("text", "all")
        self.detects_objects = level in ("objects", "all")
        self.has_areas = self.detects or options.drawings is not None
        self._models, self._options, self.medium = models, options, medium

    def detect(
        self, rgb: UInt8, *, text: bool = True, objects: bool = True, content: Box = FULL_FRAME, still: bool = False
    ) -> tuple[Candidate, ...]:
        """Detect areas in a frame.

        `rgb`: (H, W, 3) uint8.
        `text`, `objects`: whether to detect these, if the level includes them.
        `content`: the part between bars, from `find_content`: nothing is detected outside it.
        `still`: the frame is an image: marks without the brand's name are read once more, enlarged. In a video that
            would take as long again for every frame without the brand.
        Returns: in unit coordinates of the whole frame.
        """
        return self._find(rgb, text=text, objects=objects, content=content, still=still).areas

    def _find(self, rgb: UInt8, *, text: bool, objects: bool, content: Box, still: bool) -> FrameAreas:
        options = self._options
        if content != FULL_FRAME:
            height, width = rgb.shape[:2]
            rows = slice(round(content.y0 * height), round(content.y1 * height))
            columns = slice(round(content.x0 * width), round(content.x1 * width))
            inner = np.ascontiguousarray(rgb[rows, columns])
            areas = self._find(inner, text=text, objects=objects, content=FULL_FRAME, still=still)
            moved = (tuple(to_medium_coordinates(area, content) for area in candidates) for candidates in areas)
            return FrameAreas(*moved)
        lines: tuple[TextLine, ...] = ()
        if text and self.detects_text:
            aspect = rgb.shape[1] / rgb.shape[0]
            lines = tuple(line for line in self._models.text.read(rgb) if not is_spurious_glyph(line, aspect))
        detections: tuple[Detection, ...] = ()
        matcher = None
        if objects and self.detects_objects:
            detections = self._models.detect_objects(rgb)
            if options.brand and (options.brand.logos or options.brand.packs):
                matcher = _picture_matcher(options.brand)
        read = self._models.text.read if still and text and self.detects_text else None
        return find_areas(rgb, lines, detections, brand=options.brand, matcher=matcher, read=read)

    def detect_image(self, rgb: UInt8 | None) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
        """Return the AOIs of an image, detected where an array is given, and drawn; with problems of the drawings."""
        aois, problems, _ = self.propose_image(rgb)
        return aois, problems

    def propose_image(self, rgb: UInt8 | None) -> tuple[tuple[Aoi, ...], tuple[Problem, ...], tuple[Candidate, ...]]:
        """Return the same as `detect_image`, and what is too unsure to be an AOI."""
        areas = FrameAreas((), ())
        if rgb is not None:
            areas = self._find(rgb, text=True, objects=True, content=find_content(rgb), still=True)
        aois = tuple(as_aoi(candidate, self.medium.medium_id, i) for i, candidate in enumerate(areas.areas))
        drawn, problems = self.drawn()
        return with_drawn(aois, drawn, self.absent), problems, areas.proposals

    @property
    def absent(self) -> frozenset[AoiType]:
        """Types of which people said that the medium has none."""
        return frozenset(drawing.type for drawing in self._options.drawings or () if drawing.absent)

    def with_legibility(self, aois: Iterable[Aoi], densities: Densities) -> tuple[Aoi, ...]:
        """Return areas of the medium with whether their text can be read where it is seen."""
        usual = usual_platform(self.medium, densities.domain, densities.screen)
        return with_legibility(aois, self.medium, self._options.platform or usual)

    def drawn(self) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
        """Return the AOIs that people drew, and their problems."""
        return aois_from_drawings(self._options.drawings or (), self.medium)

    def search_brand(self, aois: Iterable[Aoi]) -> BrandSearch | None:
        """Search AOIs for the named brand; None where none was named, or nothing was detected."""
        return BrandSearch.among(self._options.brand, aois, searched=self.detects)


def find_content(rgb: UInt8, bounds: Box = FULL_FRAME) -> Box:
    """Find the content between letter-box or pillar-box bars; the whole frame where there are none.

    `rgb`: (H, W, 3) uint8.
    `bounds`: content found in an earlier frame of the same medium.
    """
    return trim_empty_bars(rgb, content_box(rgb, bounds))


def _picture_matcher(brand: Brand) -> PictureMatcher:
    """Return the matcher of a brand's pictures, made once in a process for as long as the files stay as they are."""
    pictures = (*brand.logos, *brand.packs)
    changed_ns = tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in pictures)
    return _cached_picture_matcher(brand.logos, brand.packs, changed_ns)


@cache
def _cached_picture_matcher(
    logos: tuple[Path, ...], packs: tuple[Path, ...], changed_ns: tuple[int, ...]
) -> PictureMatcher:
    return PictureMatcher(logos, packs)
