"""The search for AOIs in frames: which finders a plan asks for, and what they see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.drawn import drawn_aois
from mediaan.aoi.find import as_aoi, find_aois
from mediaan.aoi.link import Tracker
from mediaan.aoi.logos import LogoMatcher
from mediaan.aoi.wants import Wants
from mediaan.media import resize, view_size
from mediaan.metrics import DRIVER_VIEW
from mediaan.types.aoi import Aoi, AoiLevel, Brand, Candidate, Detection, Drawing, TextLine
from mediaan.types.arrays import UInt8
from mediaan.types.media import Medium
from mediaan.types.outcome import Problem


@dataclass(frozen=True, slots=True)
class Wishes:
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


NO_WISHES = Wishes()


class AoiSearch:
    """Looks for AOIs in the frames of one medium.

    Parameters
    ----------
    level : {'none', 'text', 'objects', 'all'}
        What is looked for.
    models : Models
    wishes : Wishes
    medium : Medium
    """

    def __init__(self, level: AoiLevel, models: Models, wishes: Wishes, medium: Medium) -> None:
        self.level, self.detects = level, level != "none"
        self.reads = level in ("text", "all")
        self.sees = level in ("objects", "all")
        self.scores = self.detects or wishes.drawings is not None
        self._models, self._wishes, self.medium = models, wishes, medium

    def look(self, rgb: UInt8, *, text: bool = True, objects: bool = True) -> tuple[Candidate, ...]:
        """What a frame, (H, W, 3) uint8, shows of what is looked for; `text` and `objects` may leave a part out."""
        lines: tuple[TextLine, ...] = self._models.text.read(rgb) if text and self.reads else ()
        detections = self._detections(rgb) if objects and self.sees else ()
        brand = self._wishes.brand
        matcher = _matcher(brand) if objects and self.sees and brand and brand.logos else None
        return find_aois(rgb, lines, detections, brand=brand, matcher=matcher, platform=self._wishes.platform)

    def still(self, rgb: UInt8 | None) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
        """AOIs of a still picture: those that are found, where a frame is given, and those that were drawn."""
        found = self.look(rgb) if rgb is not None else ()
        aois = tuple(as_aoi(candidate, self.medium.medium_id, i) for i, candidate in enumerate(found))
        drawn, problems = self.drawn()
        return aois + drawn, problems

    def drawn(self) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
        """AOIs that people drew, and what is wrong with them."""
        return drawn_aois(self._wishes.drawings or (), self.medium)

    def _detections(self, rgb: UInt8) -> tuple[Detection, ...]:
        detector = self._models.objects
        size = view_size(rgb.shape[1], rgb.shape[0], detector.view)
        frame = np.asarray(resize(Image.fromarray(rgb), size), dtype=np.uint8)
        (detections,) = detector.detect(frame[None])
        return detections


class AoiFollower:
    """Looks for AOIs in the samples of a medium that moves where that is worth it, and follows them in between.

    Parameters
    ----------
    search : AoiSearch
    """

    def __init__(self, search: AoiSearch) -> None:
        self._search = search
        self._tracker = Tracker(search.medium.medium_id, level=search.level)

    def add(self, t_s: float, weight_s: float, shot: int, fresh: bool, views: Mapping[str, UInt8]) -> None:
        """Take in the next sample, in the view of the drivers if it is there, and in that of AOIs."""
        large = views[AOI_VIEW.name]
        small = views.get(DRIVER_VIEW.name, large)
        wants = self._tracker.wants(t_s, shot, fresh, small)
        found = None
        if wants is not Wants.NOTHING:
            found = self._search.look(large, text=wants is Wants.ALL)
        self._tracker.add(t_s, weight_s, shot, fresh, small, found, complete=wants)

    def aois(self) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
        """All that were found, and those that were drawn; and what is wrong with the latter."""
        drawn, problems = self._search.drawn()
        return self._tracker.aois() + drawn, problems


def _matcher(brand: Brand) -> LogoMatcher:
    """Features of a brand's logos, computed once in a process for as long as these stay as they are."""
    return _matcher_of(brand.logos, tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in brand.logos))


@cache
def _matcher_of(logos: tuple[Path, ...], changed_ns: tuple[int, ...]) -> LogoMatcher:
    return LogoMatcher(logos)
