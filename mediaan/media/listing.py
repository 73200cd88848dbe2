"""What a listing of media holds, and which names promise one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mediaan.storage import RemotePlace

PICTURE_SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".apng", ".webp", ".tif", ".tiff", ".bmp", ".dib"}
    | {".avif", ".heic", ".heif", ".hif", ".gif", ".svg", ".psd", ".jxl", ".jp2"}
)
"""Names that promise a picture: such files are kept, so that a broken one is reported and not overlooked."""

VIDEO_SUFFIXES = frozenset(
    {".mp4", ".m4v", ".mov", ".qt", ".3gp", ".3g2", ".webm", ".mkv", ".avi", ".mpg", ".mpeg", ".mpe", ".vob"}
    | {".mts", ".m2ts", ".flv", ".f4v", ".wmv", ".asf"}
)
"""Names that promise a video, likewise. A `.ts` file may be TypeScript: its content decides."""

SkipReason = Literal["not_media", "link_outside", "unreadable_folder", "unusable_key"]


@dataclass(frozen=True, slots=True)
class Found:
    """A file to analyse.

    Attributes
    ----------
    file : str
        Where it is; relative to `place`, if there is one. A text, since there may be millions.
    shown : str
        What it is called in tables and reports; unique within a listing, valid UTF-8.
    size_bytes : int
    stamp : str
        Changes when the file does, as far as the listing knew; empty for a file of this machine.
    place : RemotePlace or None
        The object store that holds it; None for a file of this machine.
    """

    file: str
    shown: str
    size_bytes: int
    stamp: str = ""
    place: RemotePlace | None = None

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.file)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something inside a given folder that was left out, and why.

    `reason` is ``not_media`` (neither content nor name says picture or video), ``link_outside`` (a symbolic link that
    leads out of the folder), ``unreadable_folder`` or ``unusable_key`` (an object whose name has empty, ``.`` or ``..``
    parts, which libraries would resolve to another object). Hidden files are not listed. `file` is relative to `place`,
    if there is one.
    """

    file: str
    reason: SkipReason
    place: RemotePlace | None = None

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.file)


@dataclass(frozen=True, slots=True)
class Listing:
    """The files to analyse, sorted by `Found.shown`, and those left out, sorted by path."""

    files: tuple[Found, ...]
    skipped: tuple[Skipped, ...]
