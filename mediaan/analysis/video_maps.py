"""Choose the frames on which a video's maps are drawn, and write its preview and overlay videos."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from mediaan.analysis.timeline import WINDOW_S, MeanDensity
from mediaan.maps import OverlayKind, OverlayRenderer
from mediaan.media.limits import MediaLimits
from mediaan.media.overlay_video import VideoWriter, write_overlay_video
from mediaan.saliency.density_storage import DensityTrack
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Window

MAX_SCENES = 60
"""Scenes on the contact sheet; of more, every second is kept, of more than twice as many every fourth, and so on."""

_THUMBNAIL_PX = 320
_FIRST_AGE_S = 0.5


@dataclass(frozen=True, slots=True)
class KeyFrame:
    """A frame and its time."""

    rgb: UInt8
    t_s: float


@dataclass(slots=True)
class SceneFrame:
    """A scene's key frame, small, and its mean density."""

    scene_id: int
    frame: KeyFrame
    mean: MeanDensity = field(default_factory=MeanDensity)


class KeyFrameSelector:
    """Chooses key frames: one for the video and each of its windows, one per scene.

    A scene is shown by the last of the frames at 0.5, 1, 2, 4 ... s after its cut, thus by one from its second half,
    after fades and titles have come up. The video is shown by its longest scene, the first and the last two seconds by
    the frame at their middle.
    """

    def __init__(self) -> None:
        self._scenes: list[SceneFrame] = []
        self._stride = 1
        self._current: SceneFrame | None = None
        self._began_s = 0.0
        self._next_age_s = 0.0
        self._candidate: KeyFrame | None = None
        self._longest: KeyFrame | None = None
        self._longest_s = -1.0
        self._start: KeyFrame | None = None
        self._recent: deque[KeyFrame] = deque()

    def add(self, rgb: UInt8, t: float, weight: float, scene: int, density: Float32) -> None:
        """Add a sample with its frame, (H, W, 3), and its density."""
        if self._current is None or scene != self._current.scene_id:
            self._begin(rgb, t, scene)
        current = self._current
        assert current is not None
        age = t - self._began_s
        if age >= self._next_age_s:
            self._candidate = KeyFrame(rgb, t)
            current.frame = KeyFrame(_thumbnail(rgb), t)
            self._next_age_s = max(_FIRST_AGE_S, 2 * self._next_age_s)
        current.mean.add(density, weight)
        if age + weight > self._longest_s:
            self._longest, self._longest_s = self._candidate, age + weight
        if self._start is None or t <= WINDOW_S / 2:
            self._start = KeyFrame(rgb, t)
        if not self._recent or t - self._recent[-1].t_s >= WINDOW_S / 10:
            self._recent.append(KeyFrame(rgb, t))
        while len(self._recent) > 1 and self._recent[1].t_s <= t - WINDOW_S / 2:
            self._recent.popleft()

    def frame(self, window: Window) -> KeyFrame:
        """Return the key frame of a window.

        Raises ValueError: no sample was added.
        """
        frame = {"total": self._longest, "start": self._start, "end": self._recent[0] if self._recent else None}[window]
        if frame is None:
            raise ValueError("no frame was taken in")
        return frame

    def scenes(self) -> list[SceneFrame]:
        """Return at most `MAX_SCENES` scenes, evenly spaced, in order."""
        return list(self._scenes)

    def _begin(self, rgb: UInt8, t: float, scene: int) -> None:
        self._began_s, self._next_age_s, self._candidate = t, 0.0, KeyFrame(rgb, t)
        self._current = SceneFrame(scene, KeyFrame(_thumbnail(rgb), t))
        if scene % self._stride == 0:
            self._scenes.append(self._current)
        if len(self._scenes) > MAX_SCENES:  # memory must not grow with the number of cuts
            self._stride *= 2
            self._scenes = [kept for kept in self._scenes if kept.scene_id % self._stride == 0]


def _thumbnail(rgb: UInt8) -> UInt8:
    factor = _THUMBNAIL_PX / max(rgb.shape[:2])
    if factor >= 1:
        return rgb
    size = (max(1, round(rgb.shape[1] * factor)), max(1, round(rgb.shape[0] * factor)))
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


PREVIEWS: tuple[str, ...] = ("preview", "preview_heat")


def render_overlay_video(
    path: Path,
    target: Path,
    track: DensityTrack,
    kind: OverlayKind,
    limits: MediaLimits,
    *,
    threads: int = 0,
) -> None:
    """Write a copy of a video with its density over each frame; timing and sound are kept.

    `path`: a video or an animation.
    `target`: the MP4 to write.
    `track`: densities at the sampled times.
    `threads`: of decoder and encoder; 0 leaves it to them.
    Raises MediumError: the file is bad, or breaks a limit.
    Raises SetupError: no H.264 encoder is here, or the target cannot be written.
    """
    overlay = OverlayRenderer(kind)

    def draw(rgb: UInt8, t_s: float) -> UInt8:
        return overlay(rgb, track.at(t_s))

    write_overlay_video(path, target, draw, limits, threads)


class PreviewWriter:
    """Writes the samples of a video as two small videos, without and with a heatmap.

    Use it in a ``with`` statement and close it there: videos that are not finished at its end are dropped.

    `folder`: for ``preview.mp4`` and ``preview_heat.mp4``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._overlay = OverlayRenderer("heat")
        self._writers: dict[str, VideoWriter] = {}

    def add(self, rgb: UInt8, density: Float32, t_s: float, weight_s: float) -> None:
        """Write a sample.

        `rgb` (H, W, 3) uint8: small, such as the view for the drivers; the same size each time.
        `density`: (h, w) float32.
        `t_s`, `weight_s`: time and duration, s; times must rise.
        """
        if not self._writers:
            size = rgb.shape[1], rgb.shape[0]
            rate = min(max(1.0 / weight_s, 1.0), 60.0)
            self._writers = {
                name: VideoWriter(self.folder / f"{name}.mp4", size, rate, preset="ultrafast") for name in PREVIEWS
            }
        self._writers["preview"].add(rgb, t_s, weight_s)
        self._writers["preview_heat"].add(self._overlay(rgb, density), t_s, weight_s)

    def close(self) -> dict[str, Path]:
        """Finish the videos and return their files by name; none if there was no sample."""
        for writer in self._writers.values():
            writer.close()
        return {name: writer.path for name, writer in self._writers.items()}

    def abort(self) -> None:
        """Drop videos that are not finished."""
        for writer in self._writers.values():
            writer.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abort()
