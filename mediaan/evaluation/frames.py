"""The picture as a predictor wants it."""

from __future__ import annotations

from pathlib import Path

from mediaan.errors import MediumError, UsageError
from mediaan.media.picture import open_picture
from mediaan.types.arrays import UInt8
from mediaan.types.media import ViewSpec


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
