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
from mediaan.media.probe import HEAD_BYTES, sniff
from mediaan.storage import ObjectStorage, StoredFile, is_url, open_storage, read_many
from mediaan.storage.address import is_contained_path

IMAGE_SUFFIXES = frozenset(
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
class MediaFile:
    """A file to analyse.

    Attributes
    ----------
    file : str
        Where it is; relative to `place`, if there is one. A text, since there may be millions.
    display_path : str
        What it is called in tables and reports; unique within a listing, valid UTF-8.
    size_bytes : int
    stamp : str
        Changes when the file does, as far as the listing knew; empty for a file of this machine.
    storage : ObjectStorage or None
        The object store that holds it; None for a file of this machine.
    """

    file: str
    display_path: str
    size_bytes: int
    stamp: str = ""
    storage: ObjectStorage | None = None

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.file)


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """Something inside a given folder that was left out, and why.

    `reason` is ``not_media`` (neither content nor name says picture or video), ``link_outside`` (a symbolic link that
    leads out of the folder), ``unreadable_folder`` or ``unusable_key`` (an object whose name has empty, ``.`` or ``..``
    parts, which libraries would resolve to another object). Hidden files are not listed. `file` is relative to `place`,
    if there is one.
    """

    file: str
    reason: SkipReason
    storage: ObjectStorage | None = None

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.file)


@dataclass(frozen=True, slots=True)
class MediaListing:
    """The files to analyse, sorted by `MediaFile.display_path`, and those left out, sorted by path."""

    files: tuple[MediaFile, ...]
    skipped: tuple[SkippedFile, ...]


_NAME_BYTES, _SUFFIX_LENGTH = 255, 8
_ODD_ON_WINDOWS = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _RemoteEntry:
    """An object with the number of last parts of its path that users see."""

    storage: ObjectStorage
    file: StoredFile
    depth: int

    @property
    def where(self) -> str:
        """What it is, however it was reached."""
        return "/".join(self._parts)

    @property
    def deepest(self) -> int:
        """Parts of its whole address."""
        return len(self._parts)

    @property
    def display_path(self) -> str:
        """What it is called in front of users."""
        return "/".join(self._parts[-self.depth :])

    @property
    def found(self) -> MediaFile:
        """The file to analyse."""
        return MediaFile(self.file.path, self.display_path, self.file.size_bytes, self.file.stamp, self.storage)

    @property
    def _parts(self) -> list[str]:
        address = self.storage.address
        below = f"{address.path}/{self.file.path}" if address.path else self.file.path
        return [f"{address.scheme}:", "", address.host, *below.split("/")]


def _list_objects(url: str, *, several: bool) -> Iterator[_RemoteEntry | SkippedFile]:
    """List the media below an address; an address of one object is taken, whatever it is.

    Parameters
    ----------
    url : str
    several : bool
        Whether other folders are listed beside it, so that its own name must be seen.

    Raises
    ------
    UsageError
        There is nothing of that name.
    SetupError
        The store cannot be reached or refuses access.
    """
    storage = ObjectStorage(url)
    above, name = storage.parent()
    named = None if not name or url.partition("?")[0].endswith("/") else above.find(name)
    if named is not None:
        yield _RemoteEntry(above, named, 1)
        return
    empty, unknown = True, []
    for file in storage.files():
        empty = False
        if not is_contained_path(file.path):
            yield SkippedFile(file.path, "unusable_key", storage)
        elif not any(part.startswith(".") for part in file.path.split("/")):
            if _has_media_suffix(file.path):
                yield _RemoteEntry(storage, file, _depth(file, several))
            else:
                unknown.append(file)
    if empty:
        raise UsageError(f"cannot find {storage.display_name}: there is neither a file nor a folder of that name")
    yield from _sniff_objects(storage, unknown, several)


def _has_media_suffix(path: str) -> bool:
    """Whether a name says picture or video."""
    return PurePosixPath(path).suffix.lower() in IMAGE_SUFFIXES | VIDEO_SUFFIXES


@contextmanager
def local_copy(found: MediaFile, scratch: Path | None = None) -> Iterator[Path]:
    """A file of this machine that holds what was found; one that is fetched for this is gone afterwards.

    Parameters
    ----------
    found : MediaFile
    scratch : Path or None
        Folder for what is fetched; None takes the system's.

    Raises
    ------
    MediumError
        The object changed or vanished after it was listed.
    SetupError
        The store cannot be reached or refuses access, or there is no room for the file.
    """
    if found.storage is None:
        yield found.path
        return
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        copy = folder / _file_name(found)
        _fetch(found, found.storage, copy)
        yield copy
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _file_name(found: MediaFile) -> str:
    """The last part of the key, where that can be the name of a file here; it leads nowhere else, having no slash."""
    name = found.path.name
    if len(os.fsencode(name)) <= _NAME_BYTES and not (os.name == "nt" and _ODD_ON_WINDOWS.search(name)):
        return name
    return "medium" + re.sub(r"[^.A-Za-z0-9]", "", found.path.suffix)[:_SUFFIX_LENGTH]


def _fetch(found: MediaFile, storage: ObjectStorage, copy: Path) -> None:
    key = found.path.as_posix()
    try:
        storage.fetch(key, copy)
        now = storage.find(key)
    except FileNotFoundError:
        now = None
    if now is None:
        message = f"{found.display_path}: is gone since it was listed; run the command again"
        raise MediumError(message, code="unreadable") from None
    if (now.size_bytes, now.stamp) != (found.size_bytes, found.stamp) or copy.stat().st_size != found.size_bytes:
        raise MediumError(f"{found.display_path}: changed since it was listed; run the command again", code="changed")


def _sniff_objects(
    storage: ObjectStorage, files: list[StoredFile], several: bool
) -> Iterator[_RemoteEntry | SkippedFile]:
    heads = read_many(storage, (file.path for file in files), limit=HEAD_BYTES)
    for file, (_, head) in zip(files, heads, strict=True):
        if head is not None and sniff(head) is not None:
            yield _RemoteEntry(storage, file, _depth(file, several))
        else:
            yield SkippedFile(file.path, "not_media", storage)


def _depth(file: StoredFile, several: bool) -> int:
    return file.path.count("/") + 1 + several


_SUFFIXES = IMAGE_SUFFIXES | VIDEO_SUFFIXES
_WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def find_files(paths: Sequence[str | Path], *, follow_links: bool = False) -> MediaListing:
    """List the media under folders and files, here and in object stores.

    Inside folders, hidden entries are passed over and files that are no media are set aside. A file that is named
    itself is always taken, whatever it is. What is reached twice is listed once.

    Parameters
    ----------
    paths : sequence of str or Path
        Folders, searched recursively, and files; addresses such as ``s3://bucket/ads`` as text.
    follow_links : bool
        Whether symbolic links may lead out of the folder in which they lie.

    Returns
    -------
    MediaListing

    Raises
    ------
    UsageError
        If a path does not exist, or is neither a file nor a folder.
    SetupError
        If an object store cannot be reached or refuses access.
    """
    if not paths:
        raise UsageError("no path was given: name at least one file or folder")
    found: dict[str, _LocalEntry | _RemoteEntry] = {}
    skipped: dict[Path, SkippedFile] = {}
    for path in paths:
        for entry in _list_any(path, follow_links, several=len(paths) > 1):
            if isinstance(entry, SkippedFile):
                skipped[Path(entry.storage.display_name, entry.path) if entry.storage else entry.path] = entry
            else:
                found.setdefault(entry.where, entry)
    left_out = [skipped[path] for path in sorted(skipped, key=Path.as_posix) if os.path.abspath(path) not in found]  # noqa: PTH100
    entries = _disambiguate(list(found.values()))
    del found
    return MediaListing(tuple(entry.found for entry in entries), tuple(left_out))


def displayable(text: str) -> str:
    """Make a file name valid UTF-8: bytes that are not become ``\\xNN``.

    Examples
    --------
    >>> displayable("caf\\udce9.jpg")
    'caf\\\\xe9.jpg'
    """
    return os.fsencode(text).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class _LocalEntry:
    """A file of this machine: its path as it was reached, its absolute one, and how many last parts of it users see.

    Paths are texts, since a listing may hold millions: objects take ten times the room and the time.
    """

    path: str
    where: str
    depth: int
    size_bytes: int

    @property
    def deepest(self) -> int:
        return len(Path(self.where).parts)

    @property
    def found(self) -> MediaFile:
        return MediaFile(self.path, self.display_path, self.size_bytes)

    @property
    def display_path(self) -> str:
        parts = self.where.replace(os.sep, "/").split("/")
        path = "/".join(parts[-self.depth :] if self.depth < len(parts) else parts)
        return path if path.isascii() else displayable(path)


def _list_any(
    path: str | Path, follow_links: bool, *, several: bool
) -> Iterator[_LocalEntry | _RemoteEntry | SkippedFile]:
    if not is_url(str(path)):
        return _list_path(Path(path), follow_links, several=several)
    folder = open_storage(str(path)).folder  # of file:///...
    if folder is not None:
        return _list_path(folder, follow_links, several=several)
    return _list_objects(str(path), several=several)


def _list_path(path: Path, follow_links: bool, *, several: bool) -> Iterator[_LocalEntry | SkippedFile]:
    try:
        status = path.stat()
    except OSError as error:
        message = f"cannot find {displayable(str(path))}: {error.strerror}; {_suggestion(path)}"
        raise UsageError(message) from error
    # without ``..``, but links stay what they are: a link is its own entry
    where = os.path.abspath(path)  # noqa: PTH100
    if stat.S_ISREG(status.st_mode):
        yield _LocalEntry(str(path), where, 1, status.st_size)
    elif stat.S_ISDIR(status.st_mode):
        yield from _walk_folder(_Folder(str(path), where, int(several)), _Walk(_real(where), follow_links))
    else:
        raise UsageError(f"{displayable(str(path))} is neither a file nor a folder")


def _suggestion(path: Path) -> str:
    """What to do about a path that leads nowhere: which of its neighbours was probably meant."""
    if _WINDOWS_PATH.match(str(path)) and os.sep == "/":
        return "paths of Windows are called otherwise here, such as /mnt/c/ads"
    try:
        neighbours = [name for name in os.listdir(path.parent) if not name.startswith(".")]  # noqa: PTH208
    except OSError:
        return "check the path"
    near = get_close_matches(path.name, neighbours, 1)
    return f"did you mean {displayable(str(path.parent / near[0]))}?" if near else "check the path"


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that is searched, as `_Entry` says it; `above` holds the real folders that lead to it, and itself."""

    path: str
    where: str
    depth: int
    above: frozenset[str] = frozenset()

    def child(self, entry: os.DirEntry[str], above: frozenset[str]) -> _Folder:
        return _Folder(entry.path, os.path.join(self.where, entry.name), self.depth + 1, above)  # noqa: PTH118


@dataclass(frozen=True, slots=True)
class _Walk:
    """What stays the same while one given folder is searched."""

    root: str
    follow_links: bool

    def may_enter(self, link: str) -> bool:
        return self.follow_links or Path(_real(link)).is_relative_to(self.root)


def _walk_folder(folder: _Folder, walk: _Walk) -> Iterator[_LocalEntry | SkippedFile]:
    """Search a folder and those in it, however deep; circles of links end."""
    waiting = [folder]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder.path) as children:
                entries = [child for child in children if not child.name.startswith(".")]
        except OSError:
            yield SkippedFile(folder.path, "unreadable_folder")
            continue
        above = folder.above | {_real(folder.path)} if walk.follow_links else folder.above
        for entry in entries:
            is_link = entry.is_symlink()
            if is_link and not walk.may_enter(entry.path):
                yield SkippedFile(entry.path, "link_outside")
            elif not _is_folder(entry):
                yield _file_inside(entry, folder)
            elif not is_link or (walk.follow_links and _real(entry.path) not in above):
                waiting.append(folder.child(entry, above))


def _real(path: str) -> str:
    """Follow links; unlike Path.resolve this also takes links that lead to themselves."""
    return os.path.realpath(path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """What may not be asked is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _file_inside(entry: os.DirEntry[str], folder: _Folder) -> _LocalEntry | SkippedFile:
    where = os.path.join(folder.where, entry.name)  # noqa: PTH118
    promised = Path(entry.name).suffix.lower() in _SUFFIXES
    try:
        status = entry.stat()
        if not stat.S_ISREG(status.st_mode):
            return SkippedFile(entry.path, "not_media")
        if promised or sniff(_head(entry.path)) is not None:
            return _LocalEntry(entry.path, where, folder.depth + 1, status.st_size)
    except OSError:
        # A dangling link or a file that may not be read is the reader's to report, if its name promises a medium.
        if promised:
            return _LocalEntry(entry.path, where, folder.depth + 1, 0)
    return SkippedFile(entry.path, "not_media")


def _head(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(HEAD_BYTES)


def _disambiguate(entries: list[_LocalEntry | _RemoteEntry]) -> list[_LocalEntry | _RemoteEntry]:
    """By what they are called; of those that would be called alike more of the path is shown, until all differ."""
    while True:
        entries.sort(key=lambda entry: entry.display_path)
        alike = _ambiguous(entries)
        if not alike:
            return entries
        entries = [replace(entry, depth=entry.depth + (entry.display_path in alike)) for entry in entries]


def _ambiguous(entries: list[_LocalEntry | _RemoteEntry]) -> set[str]:
    """Names that several of the sorted entries have, and of which more could be shown."""
    alike = ((one, other) for one, other in pairwise(entries) if one.display_path == other.display_path)
    return {one.display_path for one, other in alike if one.depth < one.deepest or other.depth < other.deepest}
