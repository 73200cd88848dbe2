"""Detect shots, by cuts and fades from black, in one pass over the frames."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from mediaan.types.arrays import Float32, UInt8
from mediaan.types.media import Shot, Transition

with warnings.catch_warnings():
    # in a notebook the progress bars that it loads, and nobody sees, ask for ipywidgets
    warnings.filterwarnings("ignore", message="IProgress not found")
    from scenedetect import AdaptiveDetector, ContentDetector, FrameTimecode, SceneDetector

THUMBNAIL_WIDTH = 64
"""Longer side, px. Cuts change whole frames: more pixels cost time and only add noise."""

_LAYOUT_SIDE = 32
"""px. Motion moves fewer of the pixels of a smaller frame: on 945 cuts between moving frames a side of 128 px told
89 % from motion, 32 px 98 %."""

_MIN_LAYOUT_CHANGE = 15.0
"""Least mean difference of hue, saturation and value, 0-255, at a cut: PySceneDetect's default."""

_PALETTE_GRID, _PALETTE_BINS = (4, 2), 32
_MIN_PALETTE_CHANGE = 6.0
"""Least mean shift of colours within the cells of a grid, 0-255, at a cut; slow motion stays below 4."""

_MIN_CHANGE_RATIO = 3.0
"""Least change at a cut over that of the neighboring frames: PySceneDetect's default."""

MIN_SHOT_S = 0.2
"""Shorter than any shot is meant to be; a frame that is gone and back within that time is a flash."""

_SPARSE_FPS = 5.0
"""Below this rate neighbours differ by motion as much as by cuts: there is no usual difference to compare with."""

_WIDE_WINDOW_FPS = 12.0
"""From this rate on, two frames to either side lie within the shortest of shots in use (0.4 s)."""

_CONTENT_THRESHOLD = 27.0
"""PySceneDetect's own default for cuts told by difference alone, mean of hue, saturation and value, 0-255."""

_MAX_BLACK = 24
"""8-bit code value up to which a pixel counts as black: limited-range black with the noise of compression."""

_BLACK_SHARE = 0.99
"""A frame is black when so many of its pixels are; a title on black is not."""

_BACK_AGAIN = 0.5
"""A flash has ended when the frame differs from the one before it by less than this share of the jump."""

_MIN_CORRELATION = 0.75
"""Correlation from which on the middle of a frame counts as found in another."""

_FLAT = 4.0
"""Standard deviation, 0-255, under which a frame has nothing that could be found again."""

_TICK_S = 0.001
_CLOCK = Fraction(25)
"""The detectors are given frame numbers, which are exact; presentation times are kept here."""


@dataclass(frozen=True, slots=True)
class _Frame:
    number: int
    time_s: float
    thumbnail: UInt8
    is_black: bool


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A boundary that may yet turn out to be a flash: the frames on its two sides."""

    before: _Frame
    after: _Frame
    begins: Transition


class ShotDetector:
    """Finds shots in one pass, a few frames behind.

    Cuts come from PySceneDetect: its adaptive detector, which compares a frame's change with that of its neighbours
    so that motion is no cut, once over layout and once over colours; for frames that lie far apart its content
    detector. A candidate that returns to the frame before it within `MIN_SHOT_S` is a flash. Black belongs to the shot
    before it: a shot begins where frames come out of black, with a fade, or with a cut if they do so at once. Black at
    the very start belongs to the first shot.

    `frame_rate`: frames per second that will be fed, roughly; None is taken as 25.
    `sparse`: True for key frames, seconds apart.
    """

    def __init__(self, frame_rate: float | None, *, sparse: bool = False) -> None:
        rate = frame_rate or float(_CLOCK)
        self._sparse = sparse or rate < _SPARSE_FPS
        self._behind = 0 if self._sparse else 2 if rate >= _WIDE_WINDOW_FPS else 1
        if self._behind:
            usual = {"adaptive_threshold": _MIN_CHANGE_RATIO, "window_width": self._behind, "min_scene_len": 0}
            self._detectors: tuple[SceneDetector, ...] = (
                _LayoutDetector(min_content_val=_MIN_LAYOUT_CHANGE, **usual),
                _PaletteDetector(min_content_val=_MIN_PALETTE_CHANGE, **usual),
            )
        else:
            self._detectors = (ContentDetector(threshold=_CONTENT_THRESHOLD, min_scene_len=0),)
        self._settle_s = 0.0 if self._sparse else MIN_SHOT_S
        self._recent: deque[_Frame] = deque()
        self._candidates: list[_Candidate] = []
        self._starts: list[tuple[float, Transition]] = [(0.0, "start")]
        self._last_image: _Frame | None = None
        self._quiet_until_s = -1.0
        self._end_s = 0.0

    def feed(self, time_s: float, thumbnail: UInt8) -> None:
        """Process the next frame.

        `time_s`: presentation time, s; later than that of the frame before.
        `thumbnail` (h, w, 3) uint8: at most `THUMBNAIL_WIDTH` px a side, BGR order, the same size every time.
        """
        number = self._recent[-1].number + 1 if self._recent else 0
        black_pixels = cv2.countNonZero(cv2.inRange(thumbnail, (0, 0, 0), (_MAX_BLACK,) * 3))
        is_black = bool(black_pixels >= _BLACK_SHARE * thumbnail.shape[0] * thumbnail.shape[1])
        frame = _Frame(number, time_s, thumbnail, is_black)
        self._recent.append(frame)
        self._note_end_of_black(frame)
        code = FrameTimecode(number, fps=_CLOCK)
        for cut in {cut.frame_num for detector in self._detectors for cut in detector.process_frame(code, thumbnail)}:
            self._note_cut(cut)
        if not frame.is_black:
            self._last_image = frame
        self._end_s = time_s
        self._settle(time_s)
        # frames are kept as long as a candidate, or one that the detector may yet name, needs them
        oldest = self._candidates[0].before.number if self._candidates else number
        while self._recent[0].number < min(oldest, number - 2 * self._behind - 1):
            self._recent.popleft()

    def finish(self, end_s: float) -> None:
        """Settle all candidates; `end_s` is the end of the last frame, s."""
        self._candidates = [c for c in self._candidates if end_s - c.after.time_s >= self._settle_s]
        self._settle(float("inf"))
        self._end_s = end_s

    @property
    def certain_s(self) -> float:
        """Time before which the shots of all frames are settled, s."""
        undecided = (
            self._recent[-1 - min(self._behind - 1, len(self._recent) - 1)] if self._behind else self._recent[-1]
        )
        return min(undecided.time_s, *(c.after.time_s for c in self._candidates[:1]), undecided.time_s)

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots found; complete after `finish`."""
        ends = [*(start for start, _ in self._starts[1:]), self._end_s]
        return tuple(Shot(start, end, begins) for (start, begins), end in zip(self._starts, ends, strict=True))

    def shot_of(self, time_s: float) -> int:
        """Return the index of the shot that has a frame, by its presentation time."""
        return max(0, bisect_right(self._starts, time_s, key=lambda start: start[0]) - 1)

    def _note_end_of_black(self, frame: _Frame) -> None:
        """Take a frame that comes out of black for the start of a shot, unless the black was a flash."""
        if (
            frame.is_black
            or len(self._recent) < 2
            or not (last := self._recent[-2]).is_black
            or self._last_image is None
        ):
            return
        if frame.time_s - self._last_image.time_s < self._settle_s + _TICK_S and _returned(
            self._last_image, last, frame
        ):
            self._quiet_until_s = frame.time_s
        else:
            self._add(_Candidate(last, frame, "fade"))

    def _note_cut(self, number: int) -> None:
        first = self._recent[0].number
        before, after = (self._recent[at - first] if at >= first else None for at in (number - 1, number))
        if before is None or after is None or after.is_black or after.time_s <= self._quiet_until_s:
            return
        has_image_before = self._last_image is not None and self._last_image.time_s < after.time_s
        if before.is_black and not any(c.after is after for c in self._candidates):
            return  # out of the black that a medium begins with, or of a black flash
        if has_image_before or not before.is_black:
            self._add(_Candidate(before, after, "cut"))

    def _add(self, candidate: _Candidate) -> None:
        """Keep candidates in order, one per frame; a cut prevails over a fade."""
        for at, earlier in enumerate(self._candidates):
            if earlier.after is candidate.after:
                self._candidates[at] = replace(earlier, begins="cut")
                return
        self._candidates.append(candidate)
        self._candidates.sort(key=lambda c: c.after.number)

    def _settle(self, now_s: float) -> None:
        """Decide on candidates whose flash, if it is one, must be over by now."""
        while self._candidates and now_s - self._candidates[0].after.time_s >= self._settle_s:
            if self._recent[-1].number - self._candidates[0].after.number < 2 * self._behind and now_s != float("inf"):
                return
            candidate = self._candidates.pop(0)
            flash_until_s = candidate.after.time_s + self._settle_s
            later = (f for f in self._recent if candidate.after.number < f.number and f.time_s < flash_until_s)
            end = next((frame for frame in later if _returned(candidate.before, candidate.after, frame)), None)
            if end is not None:
                self._quiet_until_s = end.time_s
                self._candidates = [c for c in self._candidates if c.after.number > end.number]
            elif candidate.begins == "cut" and _is_same_image(candidate.before.thumbnail, candidate.after.thumbnail):
                continue  # a jolt of the camera
            elif candidate.after.time_s - self._starts[-1][0] >= self._settle_s:
                self._starts.append((candidate.after.time_s, candidate.begins))


class _LayoutDetector(AdaptiveDetector):  # type: ignore[misc]
    """Compares frames pixel by pixel, scaled down."""

    def process_frame(self, timecode: FrameTimecode, frame_img: UInt8) -> list[FrameTimecode]:
        height, width = frame_img.shape[:2]
        scale = min(1.0, _LAYOUT_SIDE / max(height, width))
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        small = np.asarray(cv2.resize(frame_img, size, interpolation=cv2.INTER_AREA))
        cuts: list[FrameTimecode] = super().process_frame(timecode, small)
        return cuts


class _PaletteDetector(AdaptiveDetector):  # type: ignore[misc]
    """Compares the colours in each cell of a grid, which motion hardly changes (earth mover's distance)."""

    _before: Float32 | None = None

    def _calculate_frame_score(self, timecode: FrameTimecode, frame_img: UInt8) -> float:
        # cumulative histograms by cell and channel (luma and two of chroma): (cells * 3, bins), 0-1
        first_bins = _first_bins(frame_img.shape[0], frame_img.shape[1])
        places = first_bins + cv2.cvtColor(frame_img, cv2.COLOR_BGR2YCrCb) // (256 // _PALETTE_BINS)
        number = _PALETTE_GRID[0] * _PALETTE_GRID[1] * 3 * _PALETTE_BINS
        counts = np.bincount(places.ravel(), minlength=number).reshape(-1, _PALETTE_BINS)
        shares = counts.cumsum(axis=1) / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        palette: Float32 = shares.astype(np.float32)
        before, self._before = self._before, palette
        # Per bin of cumulative histograms; times its width, code values.
        return 0.0 if before is None else float(np.abs(palette - before).mean(dtype=np.float64)) * 256


@lru_cache(maxsize=8)
def _first_bins(height: int, width: int) -> npt.NDArray[np.intp]:
    """Return where the histogram of each pixel's cell and channel begins, (height, width, 3)."""
    columns, rows = _PALETTE_GRID
    cells = (np.arange(height) * rows // height)[:, None] * columns + np.arange(width) * columns // width
    return np.asarray((cells[..., None] * 3 + np.arange(3)) * _PALETTE_BINS, np.intp)


def _returned(before: _Frame, during: _Frame, after: _Frame) -> bool:
    """Return True if a frame is back after it was replaced."""
    jump = _difference(before.thumbnail, during.thumbnail)
    back = _difference(before.thumbnail, after.thumbnail) < _BACK_AGAIN * jump
    return back and _is_same_image(before.thumbnail, after.thumbnail)


def _is_same_image(first: UInt8, second: UInt8) -> bool:
    """Return True if the middle of one frame is found in another, where a camera may have moved it."""
    height, width = first.shape[:2]
    middle = first[height // 5 : -(height // 5) or None, width // 5 : -(width // 5) or None]
    if middle.std(axis=(0, 1)).max() < _FLAT:
        return _difference(first, second) < 2 * _FLAT
    match = cv2.matchTemplate(second, np.ascontiguousarray(middle), cv2.TM_CCOEFF_NORMED)
    return bool(match.max() >= _MIN_CORRELATION)


def _difference(first: UInt8, second: UInt8) -> float:
    return float(cv2.norm(first, second, cv2.NORM_L1)) / first.size
