"""What videos and mixed media may be, by the names that clients give and by the bytes that they send."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from mediaan.server.storage.folder import file_name


@dataclass(frozen=True, slots=True)
class ContentType:
    """A format that can be uploaded.

    Attributes
    ----------
    name : str
        As it is stored, in lower case.
    also : frozenset of str
        Other names of the same.
    formats : frozenset of str
        What `mediaan.media.probe.sniff` may say of it. MP4 and QuickTime are one family, in which names are often
        mixed up; WebM is Matroska by its signature.
    suffixes : tuple of str
        Usual ends of such files' names; the first is added to names that have none of them.
    """

    name: str
    also: frozenset[str]
    formats: frozenset[str]
    suffixes: tuple[str, ...]


_ISO = frozenset({"mp4", "quicktime"})
_MATROSKA = frozenset({"matroska"})

VIDEOS = (
    ContentType("video/mp4", frozenset({"video/x-m4v"}), _ISO, (".mp4", ".m4v")),
    ContentType("video/webm", frozenset(), _MATROSKA, (".webm",)),
    ContentType("video/quicktime", frozenset(), _ISO, (".mov", ".qt")),
    # The specification writes matroskaa; RFC 9559 registered video/matroska.
    ContentType("video/x-matroska", frozenset({"video/x-matroskaa", "video/matroska"}), _MATROSKA, (".mkv",)),
    ContentType("video/avi", frozenset({"video/x-msvideo", "video/vnd.avi"}), frozenset({"avi"}), (".avi",)),
)
MIXED_MEDIA = (*VIDEOS, ContentType("image/gif", frozenset(), frozenset({"gif"}), (".gif",)))


def find_content_type(said: str, allowed: Iterable[ContentType] = MIXED_MEDIA) -> ContentType | None:
    """What a client means; case and parameters do not matter.

    Examples
    --------
    >>> find_content_type("Video/X-MatroskaA; codecs=vp9").name
    'video/x-matroska'
    >>> find_content_type("image/gif", VIDEOS) is None
    True
    """
    name = said.partition(";")[0].strip().lower()
    return next((one for one in allowed if name == one.name or name in one.also), None)


def source_name(name: str, content_type: ContentType) -> str:
    """A safe name for a medium's file, with a suffix that says what it is.

    Examples
    --------
    >>> source_name("../Spring/final.v2", VIDEOS[0]), source_name("a.MOV", VIDEOS[2])
    ('final.v2.mp4', 'a.MOV')
    """
    safe = file_name(name, "medium")
    return safe if PurePath(safe).suffix.lower() in content_type.suffixes else safe + content_type.suffixes[0]
