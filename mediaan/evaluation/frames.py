"""The picture as a predictor wants it, and as people saw it."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from mediaan.errors import MediumError, UsageError
from mediaan.media.picture import open_picture
from mediaan.types.arrays import UInt8
from mediaan.types.media import ViewSpec

# EXIF orientations in which rows and columns are swapped for display.
_TRANSPOSED = frozenset({5, 6, 7, 8})
_EXIF_ORIENTATION = 0x0112


def read_frame(path: Path, view: ViewSpec) -> UInt8:
    """Open a picture in the size of a view, (1, H, W, 3) uint8 RGB.

    Raises
    ------
    UsageError
        The picture cannot be opened: a set with a hole would be scored on other pictures than was asked for.
    """
    try:
        return open_picture(path, [view]).chunks[0].views[view.name]
    except MediumError as error:
        raise UsageError(f"{error.message}; mend the picture or leave it out by --pictures", code=error.code) from error


def displayed_size(path: Path) -> tuple[int, int]:
    """Width and height of a picture file, px, as displayed; only its header is read."""
    try:
        with Image.open(path) as image:
            width, height = image.size
            turned = image.getexif().get(_EXIF_ORIENTATION) in _TRANSPOSED
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise UsageError(f"{path} cannot be opened as a picture: {error}; mend it or take it out of the set") from error
    return (height, width) if turned else (width, height)
