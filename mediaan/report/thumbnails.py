"""Small pictures, such as travel inside the page."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path

from PIL import Image

LONG_SIDE = 320  # px; sharp at the 160 px of a card on a dense screen
_QUALITY = 70
_EFFORT = 2  # of 6: a third of the default's time for 6 % more bytes


def thumbnail_uri(picture: Path | BytesIO) -> str | None:
    """Return a picture as a WebP data URI of at most `LONG_SIDE` px; None when the file is gone or unreadable."""
    data = thumbnail(picture)
    return None if data is None else "data:image/webp;base64," + base64.b64encode(data).decode("ascii")


def thumbnail(source: Path | BytesIO) -> bytes | None:
    """The same as the contents of a WebP file."""
    try:
        with Image.open(source) as picture:
            picture.draft("RGB", (LONG_SIDE, LONG_SIDE))
            small = picture.convert("RGB")
    except OSError:
        return None
    small.thumbnail((LONG_SIDE, LONG_SIDE), Image.Resampling.HAMMING)
    data = BytesIO()
    small.save(data, "WEBP", quality=_QUALITY, method=_EFFORT)
    return data.getvalue()
