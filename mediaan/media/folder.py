"""Which files there are to analyse, and what each is called in front of users."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from mediaan.errors import UsageError
from mediaan.media.identify import HEAD_BYTES, sniff
from mediaan.storage import Place

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

SkipReason = Literal["not_media", "link_outside", "unreadable_folder"]


@dataclass(frozen=True, slots=True)
class Found:
    """A file to analyse.

    Attributes
    ----------
    path : Path
        Where it is; relative to `place`, if there is one.
    shown : str
        What it is called in tables and reports; unique within a listing, valid UTF-8.
    size_bytes : int
    stamp : str
        Changes when the file does, as far as the listing knew; empty for a file of this machine.
    place : Place or None
        The object store that holds it; None for a file of this machine.
    """

    path: Path
    shown: str
    size_bytes: int
    stamp: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something inside a given folder that was left out, and why.

    `reason` is ``not_media`` (neither content nor name says picture or video), ``link_outside`` (a symbolic link that
    leads out of the folder) or ``unreadable_folder``. Hidden files are not listed.
    """

    path: Path
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class Listing:
    """The files to analyse, sorted by `Found.shown`, and those left out, sorted by path."""

    files: tuple[Found, ...]
    skipped: tuple[Skipped, ...]


def find_files(paths: Sequence[Path], *, follow_links: bool = False) -> Listing:
    """List the media under folders and files.

    Inside folders, hidden entries are passed over and files that are no media are set aside. A file that is named
    itself is always taken, whatever it is. What is reached twice is listed once.

    Parameters
    ----------
    paths : sequence of Path
        Folders, searched recursively, and files.
    follow_links : bool
        Whether symbolic links may lead out of the folder in which they lie.

    Returns
    -------
    Listing

    Raises
    ------
    UsageError
        If a path does not exist, or is neither a file nor a folder.
    """
    if not paths:
        raise UsageError("no path was given: name at least one file or folder")
    found: dict[Path, _Entry] = {}
    skipped: dict[Path, Skipped] = {}
    for path in paths:
        for entry in _entries(Path(path), follow_links, several=len(paths) > 1):
            if isinstance(entry, Skipped):
                skipped[entry.path] = entry
            else:
                found.setdefault(_absolute(entry.path), entry)
    files = sorted(_named_apart(found), key=lambda file: file.shown)
    left_out = (skipped[path] for path in sorted(skipped, key=Path.as_posix) if _absolute(path) not in found)
    return Listing(tuple(files), tuple(left_out))


def displayable(text: str) -> str:
    """Make a file name valid UTF-8: bytes that are not become ``\\xNN``.

    Examples
    --------
    >>> displayable("caf\\udce9.jpg")
    'caf\\\\xe9.jpg'
    """
    return os.fsencode(text).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file with the number of last parts of its absolute path that users see."""

    path: Path
    depth: int
    size_bytes: int

    @property
    def shown(self) -> str:
        parts = _absolute(self.path).parts
        return displayable(
            "/".join(parts[-self.depth :]) if self.depth < len(parts) else _absolute(self.path).as_posix()
        )


def _entries(path: Path, follow_links: bool, *, several: bool) -> Iterator[_Entry | Skipped]:
    try:
        status = path.stat()
    except OSError as error:
        raise UsageError(f"cannot find {displayable(str(path))}: {error.strerror}; check the path") from error
    if stat.S_ISREG(status.st_mode):
        yield _Entry(path, 1, status.st_size)
    elif stat.S_ISDIR(status.st_mode):
        depth_of_folder = len(_absolute(path).parts) - several
        yield from _inside(path, _Walk(path.resolve(), follow_links, depth_of_folder))
    else:
        raise UsageError(f"{displayable(str(path))} is neither a file nor a folder")


@dataclass(frozen=True, slots=True)
class _Walk:
    """What stays the same while one given folder is searched."""

    root: Path
    follow_links: bool
    depth_of_folder: int

    def may_enter(self, link: Path) -> bool:
        return self.follow_links or link.resolve().is_relative_to(self.root)


def _inside(folder: Path, walk: _Walk, above: frozenset[Path] = frozenset()) -> Iterator[_Entry | Skipped]:
    """Search a folder; `above` holds the real folders that lead to it, so that links in a circle end."""
    try:
        children = sorted(child for child in folder.iterdir() if not child.name.startswith("."))
    except OSError:
        yield Skipped(folder, "unreadable_folder")
        return
    above |= {folder.resolve()}
    for child in children:
        if child.is_symlink() and not walk.may_enter(child):
            yield Skipped(child, "link_outside")
        elif not child.is_dir():
            yield _file_inside(child, walk)
        elif not child.is_symlink() or (walk.follow_links and child.resolve() not in above):
            yield from _inside(child, walk, above)


def _file_inside(path: Path, walk: _Walk) -> _Entry | Skipped:
    depth = len(_absolute(path).parts) - walk.depth_of_folder
    promised = path.suffix.lower() in PICTURE_SUFFIXES | VIDEO_SUFFIXES
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return Skipped(path, "not_media")
        if promised or sniff(_head(path)) is not None:
            return _Entry(path, depth, status.st_size)
    except OSError:
        # A dangling link or a file that may not be read is the reader's to report, if its name promises a medium.
        if promised:
            return _Entry(path, depth, 0)
    return Skipped(path, "not_media")


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def _absolute(path: Path) -> Path:
    """Make a path absolute and free of ``..`` without resolving links: a link is its own entry."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _named_apart(found: dict[Path, _Entry]) -> Iterable[Found]:
    """Show more of the path of files that would be shown alike, until all differ."""
    entries = list(found.values())
    deepest = max((len(path.parts) for path in found), default=0)
    for _ in range(deepest):
        uses = Counter(entry.shown for entry in entries)
        if len(uses) == len(entries):
            break
        entries = [replace(entry, depth=entry.depth + (uses[entry.shown] > 1)) for entry in entries]
    return [Found(entry.path, entry.shown, entry.size_bytes) for entry in entries]
