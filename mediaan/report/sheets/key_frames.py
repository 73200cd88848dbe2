"""Take key frames of scenes from the preview of a video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import av
from av.error import FFmpegError

from mediaan.report.data.contents import Row
from mediaan.report.sheets.medium_sheet import MediumSheet
from mediaan.storage import Storage

MOST_FRAMES = 6
"""On a slide or a page: more would be too small to see anything."""

_QUALITY = 88  # of JPEG
_PREVIEW = "preview_heat"


@dataclass(frozen=True, slots=True)
class ScenePicture:
    """A frame of a video with its heat.

    Attributes
    ----------
    jpeg : bytes
    width, height : int
    at_s : float
        Moment, s from the first frame.
    scene : int
        From 1.
    start_s, end_s : float
        Of its scene.
    """

    jpeg: bytes
    width: int
    height: int
    at_s: float
    scene: int
    start_s: float
    end_s: float


def read_key_frames(sheet: MediumSheet, storage: Storage) -> list[ScenePicture]:
    """Take a frame from the middle of each scene; of many scenes the longest.

    Returns
    -------
    list of ScenePicture
        In order of time; empty where the run keeps no preview of it, or one that cannot be read.
    """
    path = sheet.entry.maps.get(_PREVIEW)
    scenes = choose_scenes(sheet.scenes)
    if path is None or not scenes:
        return []
    frames = []
    try:
        with av.open(BytesIO(storage.read(path)), "r") as container:
            stream = container.streams.video[0]
            for scene in scenes:
                middle = (scene["start_s"] + scene["end_s"]) / 2
                container.seek(round(middle / (stream.time_base or 1)), stream=stream)
                shown = None
                for frame in container.decode(stream):
                    if frame.time is not None and frame.time > middle and shown is not None:
                        break
                    shown = frame
                if shown is None:
                    continue
                image, data = shown.to_image(), BytesIO()  # type: ignore[no-untyped-call]
                image.save(data, "JPEG", quality=_QUALITY)
                at_s = shown.time if shown.time is not None else middle
                number = scene["scene_id"] + 1
                place = (at_s, number, scene["start_s"], scene["end_s"])
                frames.append(ScenePicture(data.getvalue(), image.width, image.height, *place))
    except (FFmpegError, FileNotFoundError):
        return []
    return frames


def choose_scenes(scenes: Sequence[Row]) -> list[Row]:
    """Choose the longest scenes, in order of time.

    >>> scenes = [{"scene_id": i, "start_s": i, "end_s": i + 1 + i % 2} for i in range(8)]
    >>> [scene["scene_id"] for scene in choose_scenes(scenes)]
    [0, 1, 2, 3, 5, 7]
    """
    longest = sorted(scenes, key=lambda scene: scene["start_s"] - scene["end_s"])[:MOST_FRAMES]
    return sorted(longest, key=lambda scene: float(scene["start_s"]))
