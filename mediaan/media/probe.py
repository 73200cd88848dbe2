"""Tell the format and the identity of a file by its content, and what to give instead of one that cannot be opened."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path, PurePath
from uuid import UUID

from mediaan.errors import MediumError
from mediaan.media.limits import translate_read_errors

MAX_FILE_BYTES = 64 << 30
"""Larger files are refused before they are read; telling their content takes a minute or more for so much."""

HEAD_BYTES = 4096
"""Bytes of a file's beginning that `sniff` needs: encoders of H.264 write a text of 700 before anything else."""

_TEXT_BYTES = 512

IMAGE_FORMATS = frozenset(
    {"jpeg", "png", "webp", "tiff", "bmp", "avif", "heic", "gif", "jpeg-2000", "psd", "pnm", "qoi"}
)
"""Images and animations that can be opened; heic needs the extra ``mediaan[heif]``."""

OTHER_IMAGE_FORMATS = frozenset({"svg", "jpeg-xl", "openexr"})
"""Formats that are recognized only to be named in an error."""

ANIMATED_FORMATS = frozenset({"gif", "webp", "png"})
"""Of pictures that may hold several frames."""
VIDEO_FORMATS = frozenset(
    {"mp4", "quicktime", "matroska", "avi", "mpeg-ps", "mpeg-ts", "flv", "asf", "mxf", "ogg", "h264", "hevc"}
)
"""Video containers that can be opened, and two codecs whose streams come without one. MP4 can also hold sound alone,
which only opening it shows."""

_SIGNATURES = {
    b"\xff\xd8\xff": "jpeg",
    b"\x89PNG\r\n\x1a\n": "png",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
    b"II*\x00": "tiff",
    b"MM\x00*": "tiff",
    b"II+\x00": "tiff",
    b"MM\x00+": "tiff",
    b"8BPS": "psd",
    b"\xff\x0a": "jpeg-xl",
    b"\x00\x00\x00\x0cJXL \r\n\x87\n": "jpeg-xl",
    b"\x00\x00\x00\x0cjP  \r\n\x87\n": "jpeg-2000",
    b"\xff\x4f\xff\x51": "jpeg-2000",
    b"qoif": "qoi",
    b"v/1\x01": "openexr",
    b"\x1aE\xdf\xa3": "matroska",
    b"\x00\x00\x01\xba": "mpeg-ps",
    b"\x00\x00\x01\xb3": "mpeg-ps",
    b"FLV\x01": "flv",
    b"\x30\x26\xb2\x75\x8e\x66\xcf\x11": "asf",
    b"\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01\x02": "mxf",  # header partition (SMPTE ST 377-1)
}
_RIFF_FORMATS = {b"WEBP": "webp", b"AVI ": "avi"}
_HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_QUICKTIME_ATOMS = frozenset({b"moov", b"mdat", b"wide", b"pnot"})
_BMP_HEADER_BYTES = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
_TS_PACKETS = ((0, 188), (4, 192))
"""Start of the first packet of an MPEG transport stream, and length of each: plain, and with times (M2TS)."""

_PNM_GAP = rb"(?:\s|#[^\r\n]*[\r\n])+"
_PNM = re.compile(rb"P[1-6]\r?\n" + _PNM_GAP.replace(b"+", b"*") + rb"\d+" + _PNM_GAP + rb"\d+\s")
"""A line of its own for the kind, then two sizes: a text that begins with P6 is no picture."""

_FIRST_START_CODE = re.compile(rb"\x00{2,}\x01")
_START_CODE = re.compile(rb"\x00?\x00\x00\x01")
_H264_BEFORE_PARAMETERS = frozenset({6, 8, 9, 12, 13, 15})
_HEVC_BEFORE_PARAMETERS = frozenset({33, 34, 35, 38, 39, 40})
"""Types of unit that may come first: delimiters, additional information, filler, other parameters."""
_H264_PROFILES = frozenset({44, 66, 77, 88, 100, 110, 118, 122, 128, 244})
"""Those that decoders know (ITU-T H.264, annexes A and G to J)."""

_BLOCK_BYTES = 1 << 20


def sniff(head: bytes) -> str | None:
    """Name the format of a file by its first bytes, never by its name.

    `head`: the first `HEAD_BYTES` of the file, or all of a shorter one.
    Returns: a member of `IMAGE_FORMATS`, `OTHER_IMAGE_FORMATS` or `VIDEO_FORMATS`; None for anything else.

    >>> sniff(b"GIF89a" + bytes(20))
    'gif'
    >>> sniff(b"Dear all,") is None
    True
    """
    for signature, name in _SIGNATURES.items():
        if head.startswith(signature):
            return name
    if head[:4] == b"RIFF":
        return _RIFF_FORMATS.get(head[8:12])
    if head[4:8] == b"ftyp":
        # formats that share the ISO base media container differ by the brands in their first box
        box_bytes = min(int.from_bytes(head[:4], "big"), len(head))
        major = head[8:12]
        brands = {major} | {head[at : at + 4] for at in range(16, box_bytes - 3, 4)}
        if major in _AVIF_BRANDS or (major in {b"mif1", b"msf1"} and brands & _AVIF_BRANDS):
            return "avif"
        if major in _HEIC_BRANDS:
            return "heic"
        return "quicktime" if major == b"qt  " else "mp4"
    # signatures that alone would also match other files
    if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADER_BYTES:
        return "bmp"
    if _PNM.match(head):
        return "pnm"
    if head[4:8] in _QUICKTIME_ATOMS:
        return "quicktime"
    if any(head[start : start + 2 * length + 1 : length] == b"GGG" for start, length in _TS_PACKETS):
        return "mpeg-ts"
    if head[:4] == b"OggS":  # the first pages name the codecs: sound alone is no video
        return "ogg" if b"\x80theora" in head else None
    if codec := _bare_stream(head):
        return codec
    text = head[:_TEXT_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"<svg") or (text.startswith((b"<?xml", b"<!--", b"<!DOCTYPE svg")) and b"<svg" in text):
        return "svg"
    return None


def _bare_stream(head: bytes) -> str | None:
    """Name the codec of a stream without a container, in which parameters come first (annex B of H.264, H.265)."""
    if not (start := _FIRST_START_CODE.match(head)):
        return None
    units = [unit for unit in _START_CODE.split(head[start.end() :]) if len(unit) >= 6]
    for unit in units:
        if unit[0] in {0x27, 0x47, 0x67}:  # sequence parameters
            profile, reserved, level = unit[1:4]
            return "h264" if profile in _H264_PROFILES and not reserved & 3 and 9 <= level <= 62 else None
        if unit[0] & 128 or unit[0] & 31 not in _H264_BEFORE_PARAMETERS:
            break
    for unit in units:
        if unit[:2] == b"\x40\x01":  # video parameters
            return "hevc" if unit[4:6] == b"\xff\xff" else None
        if unit[0] & 129 or unit[1] != 1 or unit[0] >> 1 not in _HEVC_BEFORE_PARAMETERS:
            break
    return None


def medium_id(data: bytes) -> UUID:
    """Derive the identity of a medium from its bytes.

    Returns: the first 16 bytes of the sha256 with version 8 and variant set as RFC 9562 asks for custom UUIDs.

    >>> medium_id(b"abc")
    UUID('ba7816bf-8f01-8fea-8141-40de5dae2223')
    """
    return _custom_uuid(hashlib.sha256(data, usedforsecurity=False).digest())


def file_medium_id(path: Path) -> UUID:
    """Derive the identity of a medium from its file, which is read a piece at a time.

    Returns: as `medium_id` gives for all of the file's bytes.
    Raises OSError: the file cannot be read, is no regular file, or is larger than `MAX_FILE_BYTES`.
    """
    digest = hashlib.sha256(usedforsecurity=False)
    # Without waiting for whoever writes into a pipe.
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if status.st_size > MAX_FILE_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return _custom_uuid(digest.digest())


def _custom_uuid(digest: bytes) -> UUID:
    number = int.from_bytes(digest[:16], "big")
    number = number & ~(0xF << 76) | 0x8 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=number)


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

_DOCUMENT_SIGNATURES: Mapping[bytes, str] = {
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
    return next((kind for signature, kind in _DOCUMENT_SIGNATURES.items() if head.startswith(signature)), None)
