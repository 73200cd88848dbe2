"""Tell the format of a file, and what to give instead of one that is neither an image nor a video."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path, PurePath

from mediaan.errors import MediumError
from mediaan.media.errors import translate_read_errors
from mediaan.media.probe import HEAD_BYTES, IMAGE_FORMATS, MAX_FILE_BYTES, VIDEO_FORMATS, sniff

DOCUMENTS: Mapping[str, str] = {
    "PDF": "export its pages as PNG",
    "PostScript document": "export it as PNG",
    "Illustrator document": "export it as PNG",
    "InDesign document": "export its pages as PNG",
    "design document": "export it as PNG",
    "presentation": "export its slides as PNG",
    "text document": "export its pages as PNG",
    "web page": "save a picture of it as PNG",
    "archive": "unpack it",
}
"""Advice for each kind."""

_SIGNATURES: Mapping[bytes, str] = {
    b"%!PS": "PostScript document",
    b"\xc5\xd0\xd3\xc6": "PostScript document",  # EPS with a preview
    b"\x06\x06\xed\xf5": "InDesign document",
    b"fig-kiwi": "design document",
    b"gimp xcf": "design document",
    b"\x00\xffKA": "design document",  # Affinity
    b"7z\xbc\xaf\x27\x1c": "archive",
    b"Rar!\x1a\x07": "archive",
    b"\x1f\x8b": "archive",
}
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BY_SUFFIX: Mapping[str, str] = {
    **dict.fromkeys((".pptx", ".ppsx", ".potx", ".ppt", ".pps", ".odp", ".key"), "presentation"),
    **dict.fromkeys((".docx", ".doc", ".odt", ".pages", ".pub"), "text document"),
    **dict.fromkeys((".sketch", ".fig", ".xd", ".kra", ".odg", ".procreate", ".afdesign"), "design document"),
    ".idml": "InDesign document",
    ".zip": "archive",
}
"""Of files in the containers of office programs (ZIP and OLE), which look alike at their beginning."""
_WEB_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NOT_MEDIA = (
    (b"#EXTM3U", "a playlist", "it only names other files; give those"),
    (b"[playlist]", "a playlist", "it only names other files; give those"),
    (b"ffconcat", "a concat script", "it only names other files; give those"),
    (b"v=0", "a session description (SDP)", "it only names an address; record the stream to a file"),
    (b"OggS", "an Ogg file", "export it as MP4 or WebM"),
)
"""Files that are given by mistake: first bytes, kind, and advice."""

_OGG_SOUND = (b"\x01vorbis", b"OpusHead", b"\x7fFLAC", b"Speex   ")
_AUDIO_SIGNATURES = (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xf1", b"\xff\xf9", b"fLaC")


def read_format(path: Path) -> str:
    """Return the format of a file that can be opened, a member of `IMAGE_FORMATS` or `VIDEO_FORMATS`.

    Raises MediumError: it holds anything else, cannot be read, or is larger than `MAX_FILE_BYTES`; the message says
        what to do.
    """
    with translate_read_errors():
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise MediumError("is not a regular file", code="unreadable")
        if status.st_size > MAX_FILE_BYTES:
            message = f"{status.st_size / 1e9:.0f} GB are more than the limit of {MAX_FILE_BYTES / 1e9:.0f} GB"
            raise MediumError(f"{message}; export it shorter or smaller", code="too_large")
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    if not head:
        raise MediumError("the file is empty; fetch or export it again", code="empty_file")
    codec = sniff(head)
    if codec in IMAGE_FORMATS | VIDEO_FORMATS:
        return codec
    if codec is not None:
        raise MediumError(f"{codec} is not supported; export it as PNG or JPEG", code="unsupported_format")
    is_ogg_sound = head[:4] == b"OggS" and head[28:].startswith(_OGG_SOUND)
    if head.startswith(_AUDIO_SIGNATURES) or (head[:4], head[8:12]) == (b"RIFF", b"WAVE") or is_ogg_sound:
        raise MediumError("is sound alone: there is nothing to look at", code="no_video")
    if kind := document_kind(head, path.name):
        article = "an" if kind[0] in "aeiouAEIOU" else "a"
        raise MediumError(f"is {article} {kind}: {DOCUMENTS[kind]}", code="unsupported_format")
    text = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    for first_bytes, kind, advice in _NOT_MEDIA:
        if text.startswith(first_bytes):
            raise MediumError(f"is {kind}: {advice}", code="unsupported_format")
    if text.startswith(b"<") and b"<MPD" in text:
        raise MediumError("is a playlist (DASH): it only names other files; give those", code="unsupported_format")
    message = "by its content this is neither an image nor a video, whatever its name says"
    raise MediumError(message, code="not_a_picture")


def document_kind(head: bytes, name: str) -> str | None:
    """Name the kind of a document by its first bytes and, where these fit several, by its name.

    `head`: the first `probe.HEAD_BYTES`.
    `name`: file name.
    Returns: a key of `DOCUMENTS`; None for anything else.

    >>> document_kind(b"%PDF-1.7", "flyer.pdf"), document_kind(b"Dear all,", "letter.pdf")
    ('PDF', None)
    """
    suffix = PurePath(name).suffix.lower()
    content = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if content.startswith(b"%PDF-"):
        return "Illustrator document" if suffix == ".ai" else "PDF"
    if head.startswith(b"RIFF") and head[8:11] == b"CDR":
        return "design document"
    if head.startswith((_ZIP, _OLE)):
        return _BY_SUFFIX.get(suffix)
    if content[:64].lower().startswith((b"<!doctype html", b"<html")):
        return "web page" if suffix in _WEB_SUFFIXES else None  # else what a server sent instead of a file
    return next((kind for signature, kind in _SIGNATURES.items() if head.startswith(signature)), None)
