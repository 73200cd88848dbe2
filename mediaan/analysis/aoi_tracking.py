"""Detect areas of interest in those samples of a video where it pays, and track them in between."""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np

from mediaan.analysis.aoi_detection import AoiDetector, find_content
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.medium_coordinates import clip_to_content, with_drawn
from mediaan.aoi.tracking.tracker import DetectionScope, Tracker
from mediaan.metrics import DRIVER_VIEW
from mediaan.types.aoi import FULL_FRAME, Aoi
from mediaan.types.arrays import UInt8
from mediaan.types.media import Problem

_THUMBNAIL_PX = 96  # size at which changes of bars are measured
_MAX_BAR_CHANGE = 20  # grey levels by which a constant bar may change over a medium


class VideoAoiDetector:
    """Detects AOIs in those samples of a video where it pays, and tracks them in between."""

    def __init__(self, detector: AoiDetector) -> None:
        self._detector = detector
        self._tracker = Tracker(detector.medium.medium_id, level=detector.level)
        self._content = FULL_FRAME  # between the bars found last
        self._min_grey = self._max_grey = np.zeros((0, 0), np.uint8)  # thumbnails, over all samples so far

    def add(self, t_s: float, weight_s: float, shot: int, fresh: bool, views: Mapping[str, UInt8]) -> None:
        """Add the next sample, in the view of the drivers if it is there, and in that of AOIs."""
        large = views[AOI_VIEW.name]
        small = views.get(DRIVER_VIEW.name, large)
        if fresh:
            size = (_THUMBNAIL_PX, _THUMBNAIL_PX)
            thumbnail = cv2.resize(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), size, interpolation=cv2.INTER_AREA)
            grey = np.asarray(thumbnail, np.uint8)
            self._min_grey = np.minimum(self._min_grey, grey) if self._min_grey.size else grey
            self._max_grey = np.maximum(self._max_grey, grey) if self._max_grey.size else grey
        scope = self._tracker.due(t_s, shot, fresh, small)
        detections = None
        if scope is not DetectionScope.NOTHING:
            content = find_content(large, self._content)
            self._content = self._content if content == FULL_FRAME else content
            detections = self._detector.detect(large, text=scope is DetectionScope.ALL, content=content)
        self._tracker.add(t_s, weight_s, shot, fresh, small, detections, scope=scope)

    def aois(self) -> tuple[tuple[Aoi, ...], tuple[Problem, ...]]:
        """Return the AOIs that were detected or drawn, and problems of the drawings."""
        drawn, problems = self._detector.drawn()
        aois = self._tracker.aois()
        if self._content == FULL_FRAME:
            return with_drawn(aois, drawn, self._detector.absent), problems
        x0, y0, x1, y1 = (side * _THUMBNAIL_PX for side in self._content)
        outside = np.ones((_THUMBNAIL_PX, _THUMBNAIL_PX), np.bool_)
        outside[max(0, int(y0) - 1) : math.ceil(y1) + 1, max(0, int(x0) - 1) : math.ceil(x1) + 1] = False
        if (self._max_grey - self._min_grey)[outside].max(initial=0) <= _MAX_BAR_CHANGE:
            # the bars found last were always there: nothing lies in them, even in dark scenes
            clipped = (clip_to_content(aoi, self._content) for aoi in aois)
            aois = tuple(aoi for aoi in clipped if aoi is not None)
        return with_drawn(aois, drawn, self._detector.absent), problems
