"""Take key frames of scenes from the preview of a video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import av
from av.error import FFmpegError

from mediaan.report.sheets.medium_sheet import MediumSheet
from mediaan.report.sheets.sheet_area import SheetArea
from mediaan.storage import Storage

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
    areas : sequence of SheetArea
        On screen at that moment, each where it is then.
    """

    jpeg: bytes
    width: int
    height: int
    at_s: float
    scene: int
    start_s: float
    end_s: float
    areas: Sequence[SheetArea]


def read_key_frames(sheet: MediumSheet, storage: Storage) -> list[ScenePicture]:
    """Take a frame of each scene that the sheet shows, at the moment that shows most of its areas.

    Returns
    -------
    list of ScenePicture
        In order of time; empty where the run keeps no preview of it, or one that cannot be read.
    """
    path = sheet.entry.maps.get(_PREVIEW)
    film = sheet.film
    if path is None or film is None or not film.scenes:
        return []
    frames = []
    try:
        with av.open(BytesIO(storage.read(path)), "r") as container:
            stream = container.streams.video[0]
            for scene in film.scenes:
                moment = film.moment_of(scene)
                container.seek(round(moment / (stream.time_base or 1)), stream=stream)
                shown = None
                for frame in container.decode(stream):
                    if frame.time is not None and frame.time > moment and shown is not None:
                        break
                    shown = frame
                if shown is None:
                    continue
                image, data = shown.to_image(), BytesIO()  # type: ignore[no-untyped-call]
                image.save(data, "JPEG", quality=_QUALITY)
                at_s = shown.time if shown.time is not None else moment
                number = scene["scene_id"] + 1
                place = (at_s, number, scene["start_s"], scene["end_s"], film.areas_at(moment))
                frames.append(ScenePicture(data.getvalue(), image.width, image.height, *place))
    except (FFmpegError, FileNotFoundError):
        return []
    return frames
