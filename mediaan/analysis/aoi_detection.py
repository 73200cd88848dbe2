"""Detect areas of interest in the frames of one medium."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.detection.frame_aois import as_aoi, find_aois
from mediaan.aoi.detection.logo_matcher import LogoMatcher
from mediaan.aoi.detection.text_blocks import is_spurious_glyph
from mediaan.aoi.medium_coordinates import aois_from_drawings, clip_to_content, to_medium_coordinates, trim_empty_bars
from mediaan.aoi.tracking.detection_schedule import DetectionScope
from mediaan.aoi.tracking.tracker import Tracker
from mediaan.media import resize, view_size
from mediaan.metrics import DRIVER_VIEW, content_box
from mediaan.types.aoi import Aoi, AoiLevel, Box, Brand, BrandSearch, Candidate, Detection, Drawing, TextLine
from mediaan.types.arrays import UInt8
from mediaan.types.media import Medium, Problem


@dataclass(frozen=True, slots=True)
class MediumOptions:
    """What is asked of one medium beyond the plan that all share.

    Attributes
    ----------
    brand : Brand or None
        Whose marks are looked for; None: any.
    platform : str or None
        Where the medium is shown.
    drawings : tuple of Drawing or None
        AOIs that people drew on it; None where nobody drew any.
    exposure_s : float or None
        How long it is looked at if it is a picture, s; None: as the plan says.
    domain : str or None
        Which of the domains that the attention model tells apart it is; None: as the plan says.
    """

    brand: Brand | None = None
    platform: str | None = None
    drawings: tuple[Drawing, ...] | None = None
    exposure_s: float | None = None
    domain: str | None = None


DEFAULT_OPTIONS: MediumOptions = MediumOptions()

_FULL_FRAME = Box(0.0, 0.0, 1.0, 1.0)
_THUMBNAIL_PX = 96  # px: bars are watched at this size
_MAX_BAR_CHANGE = 20  # grey levels by which a bar may change over a medium


class AoiDetector:
    """Looks for AOIs in the frames of one medium.

    Parameters
    ----------
    level : {'none', 'text', 'objects', 'all'}
        What is looked for.
    models : Models
    options : MediumOptions
    medium : Medium
    """

    def __init__(self, level: AoiLevel, models: Models, options: MediumOptions, medium: Medium) -> None:
        self.level, self.detects = level, level != "none"
        self.reads = level in ("text", "all")
        self.sees = level in ("objects", "all")
        self.scores = self.detects or options.drawings is not None
        self._models, self._options, self.medium = models, options, medium

    def look(
        self, rgb: UInt8, *, text: bool = True, objects: bool = True, content: Box = _FULL_FRAME
    ) -> tuple[Candidate, ...]:
        """Find what a frame shows of what is looked for.

        Parameters
        ----------
        rgb : (H, W, 3) uint8
        text, objects : bool
            Whether to look for these, if they are looked for at all.
        content : Box
            The picture between bars, from `picture_in`: nothing else is looked at.

        Returns
        -------
        tuple of Candidate
            In unit coordinates of the whole frame.
        """
        if content != _FULL_FRAME:
            height, width = rgb.shape[:2]
            rows = slice(round(content.y0 * height), round(content.y1 * height))
            columns = slice(round(content.x0 * width), round(content.x1 * width))
            found = self.look(np.ascontiguousarray(rgb[rows, columns]), text=text, objects=objects)
            return tuple(to_medium_coordinates(c, content, (width, height), self._options.platform) for c in found)
        lines: tuple[TextLine, ...] = self._models.text.read(rgb) if text and self.reads else ()
        lines = tuple(line for line in lines if not is_spurious_glyph(line, rgb.shape[1] / rgb.shape[0]))
        detections = self._detections(rgb) if objects and self.sees else ()
        brand = self._options.brand
        matcher = _logo_matcher(brand) if objects and self.sees and brand and brand.logos else None
        return find_aois(rgb, lines, detections, brand=brand, matcher=matcher, platform=self._options.platform)

    def still(self, rgb: UInt8 | None) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
        """AOIs of a still picture: those that are found, where a frame is given, and those that were drawn."""
        found = self.look(rgb, content=find_content(rgb)) if rgb is not None else ()
        aois = tuple(as_aoi(candidate, self.medium.medium_id, i) for i, candidate in enumerate(found))
        drawn, problems = self.drawn()
        return aois + drawn, problems

    def drawn(self) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
        """AOIs that people drew, and what is wrong with them."""
        return aois_from_drawings(self._options.drawings or (), self.medium)

    def brand_among(self, aois: Iterable[Aoi]) -> BrandSearch | None:
        """Whether the brand that was named is among AOIs; None where none was named, or nobody has looked."""
        brand = self._options.brand
        return BrandSearch.among(brand.name if brand else None, aois, searched=self.detects)

    def _detections(self, rgb: UInt8) -> tuple[Detection, ...]:
        detector = self._models.objects
        size = view_size(rgb.shape[1], rgb.shape[0], detector.view)
        frame = np.asarray(resize(Image.fromarray(rgb), size), dtype=np.uint8)
        (detections,) = detector.detect(frame[None])
        return detections


def find_content(rgb: UInt8, known: Box = _FULL_FRAME) -> Box:
    """Find the picture between letter-box or pillar-box bars; all of the frame where there are none.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    known : Box
        What was found in an earlier frame of the same medium.
    """
    return trim_empty_bars(rgb, content_box(rgb, known))


class VideoAoiDetector:
    """Looks for AOIs in the samples of a medium that moves where that is worth it, and follows them in between.

    Parameters
    ----------
    search : AoiSearch
    """

    def __init__(self, search: AoiDetector) -> None:
        self._search = search
        self._tracker = Tracker(search.medium.medium_id, level=search.level)
        self._picture = _FULL_FRAME  # between the bars that were found last
        self._least = self._most = np.zeros((0, 0), np.uint8)  # grey levels of the thumbnail until now

    def add(self, t_s: float, weight_s: float, shot: int, fresh: bool, views: Mapping[str, UInt8]) -> None:
        """Take in the next sample, in the view of the drivers if it is there, and in that of AOIs."""
        large = views[AOI_VIEW.name]
        small = views.get(DRIVER_VIEW.name, large)
        if fresh:
            thumb = cv2.resize(
                cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), (_THUMBNAIL_PX, _THUMBNAIL_PX), interpolation=cv2.INTER_AREA
            )
            grey = np.asarray(thumb, np.uint8)
            self._least = np.minimum(self._least, grey) if self._least.size else grey
            self._most = np.maximum(self._most, grey) if self._most.size else grey
        wants = self._tracker.due(t_s, shot, fresh, small)
        found = None
        if wants is not DetectionScope.NOTHING:
            picture = find_content(large, self._picture)
            self._picture = self._picture if picture == _FULL_FRAME else picture
            found = self._search.look(large, text=wants is DetectionScope.ALL, content=picture)
        self._tracker.add(t_s, weight_s, shot, fresh, small, found, scope=wants)

    def aois(self) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
        """All that were found, and those that were drawn; and what is wrong with the latter."""
        drawn, problems = self._search.drawn()
        aois = self._tracker.aois()
        if self._has_constant_bars():
            cut = (clip_to_content(aoi, self._picture) for aoi in aois)
            aois = tuple(aoi for aoi in cut if aoi is not None)
        return aois + drawn, problems

    def _has_constant_bars(self) -> bool:
        """Whether the bars that were found last were always there: then nothing lies in them, even in the dark."""
        if self._picture == _FULL_FRAME:
            return False
        x0, y0, x1, y1 = (side * _THUMBNAIL_PX for side in self._picture)
        outside = np.ones((_THUMBNAIL_PX, _THUMBNAIL_PX), np.bool_)
        outside[max(0, int(y0) - 1) : math.ceil(y1) + 1, max(0, int(x0) - 1) : math.ceil(x1) + 1] = False
        return bool((self._most - self._least)[outside].max(initial=0) <= _MAX_BAR_CHANGE)


def _logo_matcher(brand: Brand) -> LogoMatcher:
    """Features of a brand's logos, computed once in a process for as long as these stay as they are."""
    return _cached_logo_matcher(
        brand.logos, tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in brand.logos)
    )


@cache
def _cached_logo_matcher(logos: tuple[Path, ...], changed_ns: tuple[int, ...]) -> LogoMatcher:
    return LogoMatcher(logos)
