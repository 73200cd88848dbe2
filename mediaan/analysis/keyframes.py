"""Which frames of a medium that moves its maps are drawn on, chosen while it streams by."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import cv2
import numpy as np

from mediaan.analysis.timeline import WINDOW_S, MeanDensity
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.maps import Window

MOST_SCENES = 60
"""On the contact sheet; of more, every second is kept, of more than twice as many every fourth, and so on."""

_THUMB_PX = 320
_FIRST_AGE_S = 0.5


@dataclass(frozen=True, slots=True)
class Still:
    """A frame and when it is shown."""

    rgb: UInt8
    t_s: float


@dataclass(slots=True)
class SceneStill:
    """A scene's frame, small, and its mean density."""

    scene_id: int
    still: Still
    mean: MeanDensity = field(default_factory=MeanDensity)


class KeyFrames:
    """Chooses frames: one for the medium and each of its windows, one per scene.

    A scene is shown by the last of the frames at 0.5, 1, 2, 4 ... s after its cut, thus by one from its second half,
    after fades and titles have come up. The medium is shown by its longest scene, the first two seconds by the frame at
    their middle, and the last two likewise.
    """

    def __init__(self) -> None:
        self._scenes: list[SceneStill] = []
        self._stride = 1
        self._current: SceneStill | None = None
        self._began_s = 0.0
        self._next_age_s = 0.0
        self._candidate: Still | None = None
        self._longest: Still | None = None
        self._longest_s = -1.0
        self._start: Still | None = None
        self._recent: deque[Still] = deque()

    def add(self, rgb: UInt8, t: float, weight: float, scene: int, density: Float32) -> None:
        """Take in a sample with its frame, (H, W, 3), and its density."""
        if self._current is None or scene != self._current.scene_id:
            self._begin(rgb, t, scene)
        current = self._current
        assert current is not None
        age = t - self._began_s
        if age >= self._next_age_s:
            self._candidate = Still(rgb, t)
            current.still = Still(_thumb(rgb), t)
            self._next_age_s = max(_FIRST_AGE_S, 2 * self._next_age_s)
        current.mean.add(density, weight)
        if age + weight > self._longest_s:
            self._longest, self._longest_s = self._candidate, age + weight
        self._note_windows(rgb, t)

    def still(self, window: Window) -> Still:
        """The frame that stands for a window of the medium.

        Raises
        ------
        ValueError
            Nothing was taken in.
        """
        found = {"total": self._longest, "start": self._start, "end": self._recent[0] if self._recent else None}[window]
        if found is None:
            raise ValueError("no frame was taken in")
        return found

    def scenes(self) -> list[SceneStill]:
        """At most `MOST_SCENES` scenes, evenly spaced, in order."""
        return list(self._scenes)

    def _begin(self, rgb: UInt8, t: float, scene: int) -> None:
        self._began_s, self._next_age_s, self._candidate = t, 0.0, Still(rgb, t)
        self._current = SceneStill(scene, Still(_thumb(rgb), t))
        if scene % self._stride == 0:
            self._scenes.append(self._current)
        if len(self._scenes) > MOST_SCENES:  # memory must not grow with the number of cuts
            self._stride *= 2
            self._scenes = [kept for kept in self._scenes if kept.scene_id % self._stride == 0]

    def _note_windows(self, rgb: UInt8, t: float) -> None:
        if self._start is None or t <= WINDOW_S / 2:
            self._start = Still(rgb, t)
        if not self._recent or t - self._recent[-1].t_s >= WINDOW_S / 10:
            self._recent.append(Still(rgb, t))
        while len(self._recent) > 1 and self._recent[1].t_s <= t - WINDOW_S / 2:
            self._recent.popleft()


def _thumb(rgb: UInt8) -> UInt8:
    factor = _THUMB_PX / max(rgb.shape[:2])
    if factor >= 1:
        return rgb
    size = (max(1, round(rgb.shape[1] * factor)), max(1, round(rgb.shape[0] * factor)))
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
