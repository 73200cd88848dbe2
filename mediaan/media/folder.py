"""Which files there are to analyse, and what each is called in front of users."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.media.identify import HEAD_BYTES, sniff
from mediaan.media.listing import PICTURE_SUFFIXES, VIDEO_SUFFIXES, Found, Listing, Skipped
from mediaan.media.remote import RemoteEntry, remote_entries
from mediaan.storage import is_url, open_place


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
    found: dict[Path | str, _Entry | RemoteEntry] = {}
    skipped: dict[Path, Skipped] = {}
    for path in paths:
        for entry in _given(path, follow_links, several=len(paths) > 1):
            if isinstance(entry, Skipped):
                skipped[Path(entry.place.shown, entry.path) if entry.place else entry.path] = entry
            else:
                found.setdefault(entry.where, entry)
    files = sorted(_named_apart(list(found.values())), key=lambda file: file.shown)
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
    def where(self) -> Path:
        return _absolute(self.path)

    @property
    def deepest(self) -> int:
        return len(_absolute(self.path).parts)

    @property
    def found(self) -> Found:
        return Found(self.path, self.shown, self.size_bytes)

    @property
    def shown(self) -> str:
        parts = _absolute(self.path).parts
        return displayable(
            "/".join(parts[-self.depth :]) if self.depth < len(parts) else _absolute(self.path).as_posix()
        )


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


def _named_apart(entries: list[_Entry | RemoteEntry]) -> Iterable[Found]:
    """Show more of the path of files that would be shown alike, until all differ."""
    for _ in range(max((entry.deepest for entry in entries), default=0)):
        uses = Counter(entry.shown for entry in entries)
        if len(uses) == len(entries):
            break
        entries = [replace(entry, depth=entry.depth + (uses[entry.shown] > 1)) for entry in entries]
    return [entry.found for entry in entries]
