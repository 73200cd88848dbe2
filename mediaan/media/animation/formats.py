"""The formats of pictures that may hold several frames, and whether a file does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mediaan.errors import MediumError
from mediaan.media.animation.apng import ApngFile
from mediaan.media.animation.gif import GifFile
from mediaan.media.animation.webp import WebpFile

READERS: Mapping[str, type[GifFile] | type[WebpFile] | type[ApngFile]] = {
    "gif": GifFile,
    "webp": WebpFile,
    "png": ApngFile,
}


def is_animated(path: Path, codec: str) -> bool:
    """Return True if a file has several frames.

    `codec`: a member of `ANIMATED_FORMATS`.
    Returns: False also for a file whose beginning is damaged: as a picture it says best what is wrong.
    Raises OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        try:
            animation = READERS[codec](file)
        except MediumError:
            return False
        return animation.is_animated
