"""Find media files in folders and object stores, and fetch remote ones for analysis."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Literal

from mediaan.errors import MediumError, UsageError
from mediaan.media.names import displayable
from mediaan.media.probe import HEAD_BYTES, document_kind, sniff
from mediaan.storage import ObjectStorage, StoredFile, is_url, open_storage, read_many
from mediaan.storage.connection import is_contained_path
from mediaan.types.arguments import as_path
from mediaan.types.media import Problem

IMAGE_SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".apng", ".webp", ".tif", ".tiff", ".bmp", ".dib"}
    | {".avif", ".heic", ".heif", ".hif", ".gif", ".svg", ".psd", ".psb", ".jxl", ".jp2", ".j2k", ".jpf", ".jpx"}
    | {".pbm", ".pgm", ".ppm", ".pnm", ".qoi"}
)
"""Suffixes of images: such files are kept, so that a broken one is reported and not overlooked."""

VIDEO_SUFFIXES = frozenset(
    {".mp4", ".m4v", ".mov", ".qt", ".3gp", ".3g2", ".webm", ".mkv", ".avi", ".mpg", ".mpeg", ".mpe", ".vob"}
    | {".mts", ".m2ts", ".flv", ".f4v", ".wmv", ".asf", ".mxf", ".ogv", ".h264", ".264", ".h265", ".265", ".hevc"}
)
"""Suffixes of videos, likewise. A `.ts` file may be TypeScript: its content decides."""

SkipReason = Literal[
    "not_media", "document", "link_outside", "broken_link", "unreadable_folder", "unreadable_file", "unusable_key"
]

_MEDIA_SUFFIXES = IMAGE_SUFFIXES | VIDEO_SUFFIXES
_MAX_NAME_BYTES, _MAX_SUFFIX_LENGTH = 255, 8
_INVALID_ON_WINDOWS = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)
_WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A file to analyze."""

    file: str
    """Its path; relative to `storage`, if there is one. A text, since there may be millions."""
    display_path: str
    """Its name in tables and reports; unique within a listing, valid UTF-8."""
    size_bytes: int
    stamp: str = ""
    """Changes when the file does, as far as the listing knew; empty for a local file."""
    storage: ObjectStorage | None = None
    """The object store that holds it; None for a local file."""
    problems: tuple[Problem, ...] = ()
    """What was noted while the file was made: of the picture of a web page."""
    failure: MediumError | None = None
    """Why there is no such file; None where there is."""

    @property
    def path(self) -> Path:
        """The path in `file`."""
        return Path(self.file)


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """Something inside a given folder that was left out, and why.

    `reason` is ``not_media`` (neither content nor name says image or video), ``document`` (`document` names its kind, a
    key of `DOCUMENTS`), ``link_outside`` (a symbolic link that leads out of the folder), ``broken_link``,
    ``unreadable_folder``, ``unreadable_file`` or ``unusable_key`` (an object whose name has empty, ``.`` or ``..``
    parts, which libraries would resolve to another object). Hidden files are not listed. `file` is relative to
    `storage`, if there is one.
    """

    file: str
    reason: SkipReason
    storage: ObjectStorage | None = None
    document: str | None = None

    @property
    def path(self) -> Path:
        """The path in `file`."""
        return Path(self.file)


@dataclass(frozen=True, slots=True)
class MediaListing:
    """The files to analyze, sorted by `MediaFile.display_path`, and those left out, sorted by path."""

    files: tuple[MediaFile, ...]
    skipped: tuple[SkippedFile, ...]


def find_files(paths: Sequence[str | Path], *, follow_links: bool = False) -> MediaListing:
    """List the media under folders and files, local and in object stores.

    Inside folders, hidden entries are passed over and files that are no media are set aside. A file that is named
    itself is always taken, whatever it is. What is reached twice is listed once.

    `paths`: folders, searched recursively, and files; addresses such as ``s3://bucket/ads`` as text.
    `follow_links`: let symbolic links lead out of the folder in which they lie.
    Raises UsageError: a path does not exist, or is neither a file nor a folder.
    Raises SetupError: an object store cannot be reached or refuses access.
    """
    if not paths:
        raise UsageError("no path was given: name at least one file or folder")
    by_location: dict[str, _LocalEntry | _RemoteEntry] = {}
    skipped: dict[Path, SkippedFile] = {}
    for path in paths:
        folder = open_storage(str(path)).folder if is_url(str(path)) else as_path(path)
        several = len(paths) > 1
        listed = (
            _list_objects(str(path), several=several)
            if folder is None
            else _list_path(folder, follow_links, several=several)
        )
        for entry in listed:
            if isinstance(entry, SkippedFile):
                skipped[Path(entry.storage.display_name, entry.path) if entry.storage else entry.path] = entry
            else:
                by_location.setdefault(entry.location, entry)
    paths_left_out = (path for path in sorted(skipped, key=Path.as_posix) if os.path.abspath(path) not in by_location)  # noqa: PTH100
    left_out = tuple(skipped[path] for path in paths_left_out)
    entries = _disambiguate(list(by_location.values()))
    del by_location
    return MediaListing(tuple(entry.media_file for entry in entries), left_out)


@contextmanager
def local_copy(file: MediaFile, scratch: Path | None = None) -> Iterator[Path]:
    """Give a local file with the content of a medium; one that is fetched for this is removed afterwards.

    `scratch`: folder for what is fetched; None takes the system's.
    Raises MediumError: the object changed or vanished after it was listed.
    Raises SetupError: the store cannot be reached or refuses access, or there is no room for the file.
    """
    if file.storage is None:
        yield file.path
        return
    key, name = file.path.as_posix(), file.path.name
    if len(os.fsencode(name)) > _MAX_NAME_BYTES or (os.name == "nt" and _INVALID_ON_WINDOWS.search(name)):
        name = "medium" + re.sub(r"[^.A-Za-z0-9]", "", file.path.suffix)[:_MAX_SUFFIX_LENGTH]
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        copy = folder / name
        try:
            file.storage.fetch(key, copy)
            now = file.storage.find(key)
        except FileNotFoundError:
            now = None
        if now is None:
            message = f"{file.display_path}: is gone since it was listed; run the command again"
            raise MediumError(message, code="unreadable") from None
        if (now.size_bytes, now.stamp) != (file.size_bytes, file.stamp) or copy.stat().st_size != file.size_bytes:
            message = f"{file.display_path}: changed since it was listed; run the command again"
            raise MediumError(message, code="changed")
        yield copy
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _LocalEntry:
    """A local file: its path as it was reached, its absolute one, and how many last parts of it users see.

    Paths are texts, since a listing may hold millions: objects take ten times the room and the time.
    """

    path: str
    location: str
    depth: int
    size_bytes: int

    @property
    def max_depth(self) -> int:
        return len(Path(self.location).parts)

    @property
    def media_file(self) -> MediaFile:
        return MediaFile(self.path, self.display_path, self.size_bytes)

    @property
    def display_path(self) -> str:
        parts = self.location.replace(os.sep, "/").split("/")
        path = "/".join(parts[-self.depth :] if self.depth < len(parts) else parts)
        return path if path.isascii() else displayable(path)


@dataclass(frozen=True, slots=True)
class _RemoteEntry:
    """An object with the number of last parts of its path that users see."""

    storage: ObjectStorage
    file: StoredFile
    depth: int

    @property
    def location(self) -> str:
        return "/".join(self._parts)

    @property
    def max_depth(self) -> int:
        return len(self._parts)

    @property
    def display_path(self) -> str:
        return "/".join(self._parts[-self.depth :])

    @property
    def media_file(self) -> MediaFile:
        return MediaFile(self.file.path, self.display_path, self.file.size_bytes, self.file.stamp, self.storage)

    @property
    def _parts(self) -> list[str]:
        address = self.storage.address
        below = f"{address.path}/{self.file.path}" if address.path else self.file.path
        return [f"{address.scheme}:", "", address.host, *below.split("/")]


def _list_objects(url: str, *, several: bool) -> Iterator[_RemoteEntry | SkippedFile]:
    """List the media below an address; an address of one object is taken, whatever it is.

    With `several` paths listed together, users see the last part of the address, too.
    """
    storage = ObjectStorage(url)
    parent, name = storage.parent()
    named = None if not name or url.partition("?")[0].endswith("/") else parent.find(name)
    if named is not None:
        yield _RemoteEntry(parent, named, 1)
        return
    is_empty, unknown = True, []
    for file in storage.files():
        is_empty = False
        if not is_contained_path(file.path):
            yield SkippedFile(file.path, "unusable_key", storage)
        elif not any(part.startswith(".") for part in file.path.split("/")):
            if PurePosixPath(file.path).suffix.lower() in _MEDIA_SUFFIXES:
                yield _RemoteEntry(storage, file, file.path.count("/") + 1 + several)
            else:
                unknown.append(file)
    if is_empty:
        raise UsageError(f"cannot find {storage.display_name}: there is neither a file nor a folder of that name")
    heads = read_many(storage, (file.path for file in unknown), limit=HEAD_BYTES)
    for file, (_, head) in zip(unknown, heads, strict=True):
        if head is not None and sniff(head) is not None:
            yield _RemoteEntry(storage, file, file.path.count("/") + 1 + several)
        else:
            yield _no_medium(file.path, head or b"", storage)


def _list_path(path: Path, follow_links: bool, *, several: bool) -> Iterator[_LocalEntry | SkippedFile]:
    """List a file, or the media in a folder and those in it, however deep; circles of links end."""
    try:
        status = path.stat()
    except OSError as error:
        message = f"cannot find {displayable(str(path))}: {error.strerror}; {_suggestion(path)}"
        raise UsageError(message) from error
    # without ``..``, but links stay what they are: a link is its own entry
    location = os.path.abspath(path)  # noqa: PTH100
    if stat.S_ISREG(status.st_mode):
        yield _LocalEntry(str(path), location, 1, status.st_size)
        return
    if not stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{displayable(str(path))} is neither a file nor a folder")
    root = _real(location)
    waiting = [_Folder(str(path), location, int(several))]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder.path) as children:
                entries = [child for child in children if not child.name.startswith(".")]
        except OSError:
            yield SkippedFile(folder.path, "unreadable_folder")
            continue
        above = folder.above | {_real(folder.path)} if follow_links else folder.above
        for entry in entries:
            is_link = entry.is_symlink()
            try:
                is_folder = entry.is_dir()
            except OSError:
                is_folder = False
            if is_link and not follow_links and not Path(_real(entry.path)).is_relative_to(root):
                yield SkippedFile(entry.path, "link_outside" if os.path.exists(entry.path) else "broken_link")  # noqa: PTH110
            elif not is_folder:
                yield _list_file(entry, folder)
            elif not is_link or (follow_links and _real(entry.path) not in above):
                child = os.path.join(folder.location, entry.name)  # noqa: PTH118
                waiting.append(_Folder(entry.path, child, folder.depth + 1, above))


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to search, described as by `_LocalEntry`; `above` has the real folders that lead to it, and itself."""

    path: str
    location: str
    depth: int
    above: frozenset[str] = frozenset()


def _list_file(entry: os.DirEntry[str], folder: _Folder) -> _LocalEntry | SkippedFile:
    location = os.path.join(folder.location, entry.name)  # noqa: PTH118
    has_suffix = Path(entry.name).suffix.lower() in _MEDIA_SUFFIXES
    try:
        status = entry.stat()
        if not stat.S_ISREG(status.st_mode):
            return SkippedFile(entry.path, "not_media")
        head = b""
        if not has_suffix:
            with open(entry.path, "rb") as file:  # noqa: PTH123
                head = file.read(HEAD_BYTES)
        if has_suffix or sniff(head) is not None:
            return _LocalEntry(entry.path, location, folder.depth + 1, status.st_size)
    except OSError:
        # A dangling link or a file that may not be read is for the reader to report, if it is called like a medium.
        if has_suffix:
            return _LocalEntry(entry.path, location, folder.depth + 1, 0)
        is_broken = entry.is_symlink() and not os.path.exists(entry.path)  # noqa: PTH110
        return SkippedFile(entry.path, "broken_link" if is_broken else "unreadable_file")
    return _no_medium(entry.path, head)


def _no_medium(path: str, head: bytes, storage: ObjectStorage | None = None) -> SkippedFile:
    kind = document_kind(head, path)
    return SkippedFile(path, "document" if kind else "not_media", storage, kind)


def _suggestion(path: Path) -> str:
    """Say what to do about a path that leads nowhere: which of its neighbors was probably meant."""
    if _WINDOWS_PATH.match(str(path)) and os.sep == "/":
        return "paths of Windows are called otherwise here, such as /mnt/c/ads"
    try:
        neighbors = [name for name in os.listdir(path.parent) if not name.startswith(".")]  # noqa: PTH208
    except OSError:
        return "check the path"
    near = get_close_matches(path.name, neighbors, 1)
    return f"did you mean {displayable(str(path.parent / near[0]))}?" if near else "check the path"


def _real(path: str) -> str:
    """Follow links; unlike Path.resolve this also takes links that lead to themselves."""
    return os.path.realpath(path)


def _disambiguate(entries: list[_LocalEntry | _RemoteEntry]) -> list[_LocalEntry | _RemoteEntry]:
    """Sort by display path; where several have the same, show more of the path, until all differ."""
    while True:
        entries.sort(key=lambda entry: entry.display_path)
        alike = (
            (entry, following) for entry, following in pairwise(entries) if entry.display_path == following.display_path
        )
        # those of which more could be shown
        ambiguous = {a.display_path for a, b in alike if a.depth < a.max_depth or b.depth < b.max_depth}
        if not ambiguous:
            return entries
        entries = [replace(entry, depth=entry.depth + (entry.display_path in ambiguous)) for entry in entries]
