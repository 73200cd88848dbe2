"""Schedule the detectors: they are expensive, and most samples show what the one before showed."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import cv2
import numpy as np

from mediaan.aoi.tracking.appearance import GreyPyramid
from mediaan.types.aoi import Box
from mediaan.types.arrays import Bool, Float32, UInt8

OBJECTS_EVERY_S = 0.4
"""Objects are looked for this often while the image changes."""

CONFIRM_AFTER_S = 0.2
"""What the first detection in a scene finds is looked for again so soon: the scene may be short."""

TEXT_EVERY_S = 0.4
"""Text that has come up and stays is looked for at the earliest so long after the last time."""

MOVING_TEXT_EVERY_S = 2.0
"""Text that may have come up but does not rest is looked for at the earliest so long after the last time: a brand on
something that moves is there for seconds."""

SLOW_TEXT_EVERY_S = 0.8
"""The same while the rest of the image rests: a title that grows or drifts slowly never rests."""

_PATIENCE = 2.5  # times as long at most, when looking for text has brought nothing new
_TEXT_SIDE = 256  # px: letters of 2 % of the height still have edges
_EDGE = 24.0  # grey levels a px: readable letters have more
_STRONGER = 1.25  # times as strong as it was: an edge of a title that was still fading in
_BLOCK = 8  # px, about a letter or two
_STEADY = 8  # grey levels by which an edge that rests changes at most: what moves by half a px changes more
_CAMERA_RESTS = 0.5  # share of the known edges that rest where the camera does
_DENSE = 0.15  # share of a block's pixels that are edges of letters, at least
_FEWEST_BLOCKS = 3
_FLAT_BLOCKS = 2  # an image with fewer is black, or not there yet
_OBJECT_SIDE = 64
_CHANGED, _CHANGED_SHARE = 12, 0.02  # grey levels of 255; share of the cells
_TICK_S = 1e-3


class DetectionScope(IntEnum):
    """Detectors to run on a frame: each level takes in the one before."""

    NOTHING = 0
    OBJECTS = 1
    ALL = 2


class DetectionSchedule:
    """Decide by what has changed in the image since the last detection.

    Edges stand for letters. Those that rest and were not there, or not as strong, when text was last looked for are a
    title that has come up; those that do not rest may be.
    """

    def __init__(self) -> None:
        self._grey: UInt8 | None = None
        self._edges: UInt8 | None = None  # strength, grey levels a px
        self._resting: UInt8 | None = None  # 1 where the image is as it was a sample ago
        self._thumbnail: Float32 | None = None
        self._text_at: tuple[float, UInt8] | None = None
        self._objects_at: tuple[float, Float32] | None = None
        self._patience = 1.0
        self._first, self._held = True, False  # the last detection was the scene's first; its image is still there
        self._rising = 0  # samples for which something new has been there that does not rest

    def reset(self) -> None:
        """Begin again: the scene is another."""
        self._grey = self._edges = self._resting = self._text_at = self._objects_at = None
        self._patience = 1.0
        self._first, self._held, self._rising = True, False, 0

    def observe(self, frame: GreyPyramid) -> None:
        """Take in the next sample."""
        grey = _shrunk(frame.full, _TEXT_SIDE)
        across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0, scale=0.25), cv2.Sobel(grey, cv2.CV_32F, 0, 1, scale=0.25)
        edges = np.asarray(np.maximum(np.abs(across), np.abs(down)), np.uint8)  # at most 255
        if self._grey is not None:
            change = cv2.dilate(cv2.absdiff(grey, self._grey), np.ones((3, 3), np.uint8))  # an edge is that wide
            self._resting = np.asarray(change <= _STEADY, np.uint8)
        self._grey, self._edges, self._held = grey, edges, False
        self._thumbnail = _shrunk(frame.full, _OBJECT_SIDE).astype(np.float32)

    def repeat(self) -> None:
        """Register a sample whose image equals that of the one before."""
        self._resting = None if self._edges is None else np.ones_like(self._edges)

    def record(self, t_s: float, scope: DetectionScope, *, new_text: bool) -> None:
        """Record which detectors ran on the last sample, and whether text was found that was not known."""
        if self._edges is None or self._thumbnail is None or scope == DetectionScope.NOTHING:
            return
        self._first, self._held = self._objects_at is None, True
        self._objects_at = t_s, self._thumbnail
        if scope == DetectionScope.ALL:
            first = self._text_at is None
            self._rising = 0
            self._text_at = t_s, self._edges
            self._patience = 1.0 if new_text or first else min(_PATIENCE, 2 * self._patience)

    def due(
        self,
        t_s: float,
        explained: Iterable[Box],
        *,
        text: bool,
        kinetic: bool = False,
        doubtful: bool = False,
        unread: bool = False,
        unconfirmed: bool = False,
    ) -> DetectionScope:
        """Return the detectors to run on the last sample.

        `explained`: where text is known to be.
        `text`: text is looked for at all.
        `kinetic`: known text moves; then more of it is likely to come.
        `doubtful`: known text does not look as it did.
        `unread`: there is a text that has become much clearer since it was read, or a mark that was not read.
        `unconfirmed`: something was found by one detection only.
        """
        most = DetectionScope.ALL if text else DetectionScope.OBJECTS
        if self._objects_at is None or (text and self._text_at is None):
            visible = self._edges is not None and _dense_blocks(self._edges >= _EDGE) >= _FLAT_BLOCKS
            return most if visible else DetectionScope.NOTHING
        if text and self._text_is_due(t_s, explained, kinetic=kinetic, doubtful=doubtful, unread=unread):
            return DetectionScope.ALL
        since_s = t_s - self._objects_at[0] + _TICK_S
        if unconfirmed and not self._held and since_s >= (CONFIRM_AFTER_S if self._first else OBJECTS_EVERY_S):
            return DetectionScope.OBJECTS
        if since_s < OBJECTS_EVERY_S:
            return DetectionScope.NOTHING
        assert self._thumbnail is not None
        changed = np.abs(self._thumbnail - self._objects_at[1]) > _CHANGED
        return DetectionScope.OBJECTS if changed.mean() >= _CHANGED_SHARE else DetectionScope.NOTHING

    def _text_is_due(
        self, t_s: float, explained: Iterable[Box], *, kinetic: bool, doubtful: bool, unread: bool
    ) -> bool:
        assert self._text_at is not None
        assert self._edges is not None
        since_s = t_s - self._text_at[0] + _TICK_S
        if unread and since_s >= TEXT_EVERY_S:
            return True
        if since_s < TEXT_EVERY_S * self._patience:
            return False
        if doubtful:
            return True
        read_text = cv2.dilate(self._text_at[1], np.ones((3, 3), np.uint8)).astype(np.float32)
        new = (self._edges >= _EDGE) & (self._edges > _STRONGER * read_text)
        height, width = new.shape
        for box in explained:
            top, left = max(0, int(box.y0 * height) - 1), max(0, int(box.x0 * width) - 1)
            new[top : max(0, int(box.y1 * height) + 2), left : max(0, int(box.x1 * width) + 2)] = False
        if self._resting is not None and _dense_blocks(new & (self._resting == 1)) >= _FEWEST_BLOCKS:
            return True
        rising = _dense_blocks(new) >= _FEWEST_BLOCKS
        self._rising = self._rising + 1 if rising else 0
        old = (self._edges >= _EDGE) & (self._edges <= _STRONGER * read_text)
        rests = self._resting is not None and bool(old.any()) and float(self._resting[old].mean()) >= _CAMERA_RESTS
        moving_s = MOVING_TEXT_EVERY_S
        if kinetic or (self._rising > 1 and rests):
            moving_s = min(moving_s, SLOW_TEXT_EVERY_S * max(1.0, self._patience / 2))
        return rising and since_s >= moving_s


def _dense_blocks(edges: Bool) -> int:
    """Count the blocks that are full of edges."""
    height, width = (max(1, side // _BLOCK) for side in edges.shape)
    shares = cv2.resize(edges.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
    return int((shares >= _DENSE).sum())


def _shrunk(grey: UInt8, side: int) -> UInt8:
    scale = min(1.0, side / max(grey.shape))
    size = (max(1, round(grey.shape[1] * scale)), max(1, round(grey.shape[0] * scale)))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
