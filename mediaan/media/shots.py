"""Where shots begin: cuts and fades from black, found while the frames go by."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, replace
from fractions import Fraction

import cv2
from scenedetect import AdaptiveDetector, ContentDetector, FrameTimecode

from mediaan.types.arrays import UInt8
from mediaan.types.media import Shot, Transition

THUMBNAIL_WIDTH = 128
"""px. Cuts change whole pictures: more pixels cost time and only add noise and motion to the difference."""

MIN_SHOT_S = 0.2
"""Shorter than any shot is meant to be; a picture that is gone and back within that time is a flash."""

_SPARSE_FPS = 5.0
"""Below this rate neighbours differ by motion as much as by cuts: there is no usual difference to compare with."""

_WIDE_WINDOW_FPS = 12.0
"""From this rate on, two frames to either side lie within the shortest of shots in use (0.4 s)."""

_CONTENT_THRESHOLD = 27.0
"""PySceneDetect's own default for cuts told by difference alone, mean of hue, saturation and value, 0-255."""

_BLACK_AT_MOST = 24
"""8-bit code value up to which a pixel counts as black: limited-range black with the noise of compression."""

_BLACK_SHARE = 0.99
"""A frame is black when so many of its pixels are; a title on black is not."""

_BACK_AGAIN = 0.5
"""A flash has ended when the picture differs from the one before by less than this share of the jump."""

_CLOCK = Fraction(25)
"""The detectors are given frame numbers, which are exact; presentation times are kept here."""


@dataclass(frozen=True, slots=True)
class _Frame:
    number: int
    time_s: float
    thumbnail: UInt8
    black: bool


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A boundary that may yet turn out to be a flash: the frames on its two sides."""

    before: _Frame
    after: _Frame
    begins: Transition


class ShotDetector:
    """Finds shots in one pass, a few frames behind.

    Cuts come from PySceneDetect: its adaptive detector, which compares a frame's change with that of its neighbours
    so that motion is no cut; for frames that lie far apart its content detector. A candidate that returns to the
    picture before it within `MIN_SHOT_S` is a flash. Black belongs to the shot before it: a shot begins where the
    picture comes out of black, with a fade, or with a cut if it is there at once. Black at the very start belongs to
    the first shot.

    Parameters
    ----------
    frame_rate : float or None
        Frames per second that will be fed, about; None is taken as 25.
    sparse : bool
        Frames are key frames, seconds apart.
    """

    def __init__(self, frame_rate: float | None, *, sparse: bool = False) -> None:
        rate = frame_rate or float(_CLOCK)
        self._sparse = sparse or rate < _SPARSE_FPS
        self._behind = 0 if self._sparse else 2 if rate >= _WIDE_WINDOW_FPS else 1
        self._detector = (
            ContentDetector(threshold=_CONTENT_THRESHOLD, min_scene_len=0)
            if self._sparse
            else AdaptiveDetector(min_scene_len=0, window_width=self._behind)
        )
        self._settle_s = 0.0 if self._sparse else MIN_SHOT_S
        self._recent: deque[_Frame] = deque()
        self._candidates: list[_Candidate] = []
        self._starts: list[tuple[float, Transition]] = [(0.0, "start")]
        self._picture: _Frame | None = None
        self._quiet_until_s = -1.0
        self._end_s = 0.0

    def feed(self, time_s: float, thumbnail: UInt8) -> None:
        """Look at the next frame.

        Parameters
        ----------
        time_s : float
            When it comes on display; later than the one before.
        thumbnail : (h, w, 3) uint8
            About `THUMBNAIL_WIDTH` px wide, BGR order, the same size every time.
        """
        number = self._recent[-1].number + 1 if self._recent else 0
        frame = _Frame(number, time_s, thumbnail, _is_black(thumbnail))
        self._recent.append(frame)
        self._note_way_out_of_black(frame)
        for cut in self._detector.process_frame(FrameTimecode(number, fps=_CLOCK), thumbnail):
            self._note_cut(cut.frame_num)
        if not frame.black:
            self._picture = frame
        self._end_s = time_s
        self._settle(time_s)
        self._forget()

    def finish(self, end_s: float) -> None:
        """Say that there are no more frames and when the last one ends."""
        self._candidates = [c for c in self._candidates if end_s - c.after.time_s >= self._settle_s]
        self._settle(float("inf"))
        self._end_s = end_s

    @property
    def certain_s(self) -> float:
        """The shots of all frames that come on display before this time are settled."""
        undecided = (
            self._recent[-1 - min(self._behind - 1, len(self._recent) - 1)] if self._behind else self._recent[-1]
        )
        return min(undecided.time_s, *(c.after.time_s for c in self._candidates[:1]), undecided.time_s)

    @property
    def shots(self) -> tuple[Shot, ...]:
        """What has been found; complete after `finish`."""
        ends = [*(start for start, _ in self._starts[1:]), self._end_s]
        return tuple(Shot(start, end, begins) for (start, begins), end in zip(self._starts, ends, strict=True))

    def shot_of(self, time_s: float) -> int:
        """Tell which shot, from 0, a frame belongs to by when it comes on display."""
        return max(0, bisect_right(self._starts, time_s, key=lambda start: start[0]) - 1)

    def _note_way_out_of_black(self, frame: _Frame) -> None:
        if frame.black or len(self._recent) < 2 or not (last := self._recent[-2]).black or self._picture is None:
            return
        if frame.time_s - self._picture.time_s <= self._settle_s and _returned(self._picture, last, frame):
            self._quiet_until_s = frame.time_s
        else:
            self._add(_Candidate(last, frame, "fade"))

    def _note_cut(self, number: int) -> None:
        first = self._recent[0].number
        before, after = (self._recent[at - first] if at >= first else None for at in (number - 1, number))
        if before is None or after is None or after.black or after.time_s <= self._quiet_until_s:
            return
        seen_before = self._picture is not None and self._picture.time_s < after.time_s
        if before.black and not any(c.after is after for c in self._candidates):
            return  # out of the black that a medium begins with, or of a black flash
        if seen_before or not before.black:
            self._add(_Candidate(before, after, "cut"))

    def _add(self, candidate: _Candidate) -> None:
        """Keep candidates in order, one per frame; what is there at once did not fade in."""
        for at, known in enumerate(self._candidates):
            if known.after is candidate.after:
                self._candidates[at] = replace(known, begins="cut")
                return
        self._candidates.append(candidate)
        self._candidates.sort(key=lambda c: c.after.number)

    def _settle(self, now_s: float) -> None:
        """Decide about candidates whose flash, if it is one, must be over by now."""
        while self._candidates and now_s - self._candidates[0].after.time_s >= self._settle_s:
            if self._recent[-1].number - self._candidates[0].after.number < 2 * self._behind and now_s != float("inf"):
                return
            candidate = self._candidates.pop(0)
            end = self._end_of_flash(candidate)
            if end is not None:
                self._quiet_until_s = end.time_s
                self._candidates = [c for c in self._candidates if c.after.number > end.number]
            elif candidate.after.time_s - self._starts[-1][0] >= self._settle_s:
                self._starts.append((candidate.after.time_s, candidate.begins))

    def _end_of_flash(self, candidate: _Candidate) -> _Frame | None:
        until_s = candidate.after.time_s + self._settle_s
        for frame in self._recent:
            later = candidate.after.number < frame.number and frame.time_s < until_s
            if later and _returned(candidate.before, candidate.after, frame):
                return frame
        return None

    def _forget(self) -> None:
        """Keep the frames that a candidate, or one that the detector may yet name, needs."""
        oldest = self._candidates[0].before.number if self._candidates else self._recent[-1].number
        while self._recent[0].number < min(oldest, self._recent[-1].number - 2 * self._behind - 1):
            self._recent.popleft()


def _is_black(thumbnail: UInt8) -> bool:
    black = cv2.countNonZero(cv2.inRange(thumbnail, (0, 0, 0), (_BLACK_AT_MOST,) * 3))
    return bool(black >= _BLACK_SHARE * thumbnail.shape[0] * thumbnail.shape[1])


def _returned(before: _Frame, during: _Frame, after: _Frame) -> bool:
    """Tell whether a picture is back after it was replaced."""
    jump = float(cv2.norm(before.thumbnail, during.thumbnail, cv2.NORM_L1))
    return bool(cv2.norm(before.thumbnail, after.thumbnail, cv2.NORM_L1) < _BACK_AGAIN * jump)
