"""Take key frames of scenes from the preview of a video."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import av
from av.error import FFmpegError

from mediaan.report.sheets.film_sheet import scene_title
from mediaan.storage import Storage
from mediaan.types.aoi import Aoi
from mediaan.types.metrics import Scene

if TYPE_CHECKING:
    from mediaan.report.sheets.medium_sheet import MediumSheet

_QUALITY = 88  # of JPEG
_PREVIEW = "preview_heat"


@dataclass(frozen=True, slots=True)
class ScenePicture:
    """A frame of a video with its heat."""

    jpeg: bytes
    width: int
    height: int
    at_s: float  # moment, s from the first frame
    scene: Scene
    areas: Mapping[int, Aoi]  # on screen at that moment, each where it is then, by number

    @property
    def title(self) -> str:
        """Number and times of its scene."""
        return scene_title(self.scene)

    def alt(self, name: str) -> str:
        """Return the alternative text of the frame, of a video with this name."""
        return f"Key frame of {name} at {self.at_s:.1f} s with predicted attention"


def read_key_frames(sheet: MediumSheet, storage: Storage) -> list[ScenePicture]:
    """Take a frame of each scene that the sheet shows, at the moment that shows most of its areas.

    Returns: in order of time; empty where the run keeps no preview of it, or one that cannot be read.
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
                frame = None
                for decoded in container.decode(stream):
                    if decoded.time is not None and decoded.time > moment and frame is not None:
                        break
                    frame = decoded
                if frame is None:
                    continue
                image, data = frame.to_image(), BytesIO()  # type: ignore[no-untyped-call]
                image.save(data, "JPEG", quality=_QUALITY)
                at_s = frame.time if frame.time is not None else moment
                areas = film.areas_at(moment)
                frames.append(ScenePicture(data.getvalue(), image.width, image.height, at_s, scene, areas))
    except (FFmpegError, FileNotFoundError):
        return []
    return frames
