"""Which files there are to analyse, and what each is called in front of users."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.media.identify import HEAD_BYTES, sniff
from mediaan.media.listing import PICTURE_SUFFIXES, VIDEO_SUFFIXES, Found, Listing, Skipped
from mediaan.media.remote import RemoteEntry, remote_entries
from mediaan.storage import is_url, open_place

_SUFFIXES = PICTURE_SUFFIXES | VIDEO_SUFFIXES
_OF_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def find_files(paths: Sequence[str | Path], *, follow_links: bool = False) -> Listing:
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
    Listing

    Raises
    ------
    UsageError
        If a path does not exist, or is neither a file nor a folder.
    SetupError
        If an object store cannot be reached or refuses access.
    """
    if not paths:
        raise UsageError("no path was given: name at least one file or folder")
    found: dict[str, _Entry | RemoteEntry] = {}
    skipped: dict[Path, Skipped] = {}
    for path in paths:
        for entry in _given(path, follow_links, several=len(paths) > 1):
            if isinstance(entry, Skipped):
                skipped[Path(entry.place.shown, entry.path) if entry.place else entry.path] = entry
            else:
                found.setdefault(entry.where, entry)
    left_out = [skipped[path] for path in sorted(skipped, key=Path.as_posix) if os.path.abspath(path) not in found]  # noqa: PTH100
    entries = _named_apart(list(found.values()))
    del found
    return Listing(tuple(entry.found for entry in entries), tuple(left_out))


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
    def found(self) -> Found:
        return Found(self.path, self.shown, self.size_bytes)

    @property
    def shown(self) -> str:
        parts = self.where.replace(os.sep, "/").split("/")
        shown = "/".join(parts[-self.depth :] if self.depth < len(parts) else parts)
        return shown if shown.isascii() else displayable(shown)


def _given(path: str | Path, follow_links: bool, *, several: bool) -> Iterator[_Entry | RemoteEntry | Skipped]:
    if not is_url(str(path)):
        return _entries(Path(path), follow_links, several=several)
    folder = open_place(str(path)).folder  # of file:///...
    if folder is not None:
        return _entries(folder, follow_links, several=several)
    return remote_entries(str(path), several=several)


def _entries(path: Path, follow_links: bool, *, several: bool) -> Iterator[_Entry | Skipped]:
    try:
        status = path.stat()
    except OSError as error:
        message = f"cannot find {displayable(str(path))}: {error.strerror}; {_way_out(path)}"
        raise UsageError(message) from error
    # without ``..``, but links stay what they are: a link is its own entry
    where = os.path.abspath(path)  # noqa: PTH100
    if stat.S_ISREG(status.st_mode):
        yield _Entry(str(path), where, 1, status.st_size)
    elif stat.S_ISDIR(status.st_mode):
        yield from _inside(_Folder(str(path), where, int(several)), _Walk(_real(where), follow_links))
    else:
        raise UsageError(f"{displayable(str(path))} is neither a file nor a folder")


def _way_out(path: Path) -> str:
    """What to do about a path that leads nowhere: which of its neighbours was probably meant."""
    if _OF_WINDOWS.match(str(path)) and os.sep == "/":
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


def _inside(folder: _Folder, walk: _Walk) -> Iterator[_Entry | Skipped]:
    """Search a folder and those in it, however deep; circles of links end."""
    waiting = [folder]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder.path) as children:
                entries = [child for child in children if not child.name.startswith(".")]
        except OSError:
            yield Skipped(folder.path, "unreadable_folder")
            continue
        above = folder.above | {_real(folder.path)} if walk.follow_links else folder.above
        for entry in entries:
            is_link = entry.is_symlink()
            if is_link and not walk.may_enter(entry.path):
                yield Skipped(entry.path, "link_outside")
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


def _file_inside(entry: os.DirEntry[str], folder: _Folder) -> _Entry | Skipped:
    where = os.path.join(folder.where, entry.name)  # noqa: PTH118
    promised = Path(entry.name).suffix.lower() in _SUFFIXES
    try:
        status = entry.stat()
        if not stat.S_ISREG(status.st_mode):
            return Skipped(entry.path, "not_media")
        if promised or sniff(_head(entry.path)) is not None:
            return _Entry(entry.path, where, folder.depth + 1, status.st_size)
    except OSError:
        # A dangling link or a file that may not be read is the reader's to report, if its name promises a medium.
        if promised:
            return _Entry(entry.path, where, folder.depth + 1, 0)
    return Skipped(entry.path, "not_media")


def _head(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(HEAD_BYTES)


def _named_apart(entries: list[_Entry | RemoteEntry]) -> list[_Entry | RemoteEntry]:
    """By what they are called; of those that would be called alike more of the path is shown, until all differ."""
    while True:
        entries.sort(key=lambda entry: entry.shown)
        alike = _alike(entries)
        if not alike:
            return entries
        entries = [replace(entry, depth=entry.depth + (entry.shown in alike)) for entry in entries]


def _alike(entries: list[_Entry | RemoteEntry]) -> set[str]:
    """Names that several of the sorted entries have, and of which more could be shown."""
    alike = ((one, other) for one, other in pairwise(entries) if one.shown == other.shown)
    return {one.shown for one, other in alike if one.depth < one.deepest or other.depth < other.deepest}
