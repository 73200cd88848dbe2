"""Media in object stores: listed by the rules of folders, fetched when they are analysed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mediaan.errors import MediumError, UsageError
from mediaan.media.identify import HEAD_BYTES, sniff
from mediaan.media.listing import PICTURE_SUFFIXES, VIDEO_SUFFIXES, Found, Skipped
from mediaan.storage import RemotePlace, StoredFile, read_many
from mediaan.storage.address import is_plain

_NAME_BYTES, _SUFFIX_LENGTH = 255, 8
_ODD_ON_WINDOWS = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RemoteEntry:
    """An object with the number of last parts of its path that users see."""

    place: RemotePlace
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
    def shown(self) -> str:
        """What it is called in front of users."""
        return "/".join(self._parts[-self.depth :])

    @property
    def found(self) -> Found:
        """The file to analyse."""
        return Found(self.file.path, self.shown, self.file.size_bytes, self.file.stamp, self.place)

    @property
    def _parts(self) -> list[str]:
        address = self.place.address
        below = f"{address.path}/{self.file.path}" if address.path else self.file.path
        return [f"{address.scheme}:", "", address.host, *below.split("/")]


def remote_entries(url: str, *, several: bool) -> Iterator[RemoteEntry | Skipped]:
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
    place = RemotePlace(url)
    above, name = place.above()
    named = None if not name or url.partition("?")[0].endswith("/") else above.find(name)
    if named is not None:
        yield RemoteEntry(above, named, 1)
        return
    empty, unknown = True, []
    for file in place.files():
        empty = False
        if not is_plain(file.path):
            yield Skipped(file.path, "unusable_key", place)
        elif not any(part.startswith(".") for part in file.path.split("/")):
            if promises_medium(file.path):
                yield RemoteEntry(place, file, _depth(file, several))
            else:
                unknown.append(file)
    if empty:
        raise UsageError(f"cannot find {place.shown}: there is neither a file nor a folder of that name")
    yield from _sniffed(place, unknown, several)


def promises_medium(path: str) -> bool:
    """Whether a name says picture or video."""
    return PurePosixPath(path).suffix.lower() in PICTURE_SUFFIXES | VIDEO_SUFFIXES


@contextmanager
def local_copy(found: Found, scratch: Path | None = None) -> Iterator[Path]:
    """A file of this machine that holds what was found; one that is fetched for this is gone afterwards.

    Parameters
    ----------
    found : Found
    scratch : Path or None
        Folder for what is fetched; None takes the system's.

    Raises
    ------
    MediumError
        The object changed or vanished after it was listed.
    SetupError
        The store cannot be reached or refuses access, or there is no room for the file.
    """
    if found.place is None:
        yield found.path
        return
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        copy = folder / _file_name(found)
        _fetch(found, found.place, copy)
        yield copy
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _file_name(found: Found) -> str:
    """The last part of the key, where that can be the name of a file here; it leads nowhere else, having no slash."""
    name = found.path.name
    if len(os.fsencode(name)) <= _NAME_BYTES and not (os.name == "nt" and _ODD_ON_WINDOWS.search(name)):
        return name
    return "medium" + re.sub(r"[^.A-Za-z0-9]", "", found.path.suffix)[:_SUFFIX_LENGTH]


def _fetch(found: Found, place: RemotePlace, copy: Path) -> None:
    key = found.path.as_posix()
    try:
        place.fetch(key, copy)
        now = place.find(key)
    except FileNotFoundError:
        now = None
    if now is None:
        message = f"{found.shown}: is gone since it was listed; run the command again"
        raise MediumError(message, code="unreadable") from None
    if (now.size_bytes, now.stamp) != (found.size_bytes, found.stamp) or copy.stat().st_size != found.size_bytes:
        raise MediumError(f"{found.shown}: changed since it was listed; run the command again", code="changed")


def _sniffed(place: RemotePlace, files: list[StoredFile], several: bool) -> Iterator[RemoteEntry | Skipped]:
    heads = read_many(place, (file.path for file in files), limit=HEAD_BYTES)
    for file, (_, head) in zip(files, heads, strict=True):
        if head is not None and sniff(head) is not None:
            yield RemoteEntry(place, file, _depth(file, several))
        else:
            yield Skipped(file.path, "not_media", place)


def _depth(file: StoredFile, several: bool) -> int:
    return file.path.count("/") + 1 + several
