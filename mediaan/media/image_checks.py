"""Look at an image file before it is decoded: whether it is whole, and what would keep a decoder busy."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

_QOI_END = bytes(7) + b"\x01"
_MAX_BOXES = 10_000

_CODESTREAM, _CODESTREAM_END = b"\xff\x4f\xff\x51", b"\xff\xd9"
_SIZ = struct.Struct(">4sHHIIIIIIIIH")
_MAX_TILES = 10_000
"""A decoder makes room for all at once, some 6 KB each; 100 megapixels in tiles of 128 px have 6,100."""

_MAX_CHANNELS = 5
_RESTRICTED_PROFILE = 2

_MAX_SCANS = 500
"""Encoders write about ten, and the standard has use for a few hundred; each goes over all pixels."""

_MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd8\xff]")
"""Markers that end entropy-coded data or begin a segment (ITU-T T.81, B.1.1)."""

_END, _SCAN = 0xD9, 0xDA

_SEGMENT = re.compile(rb"\xff[^\x00\xff]")
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xDA)})
_MAX_SEGMENTS = 10_000
"""The largest metadata come in some hundred pieces of 64 KiB; a decoder takes each on its own."""
_MAX_JUNK_BYTES = 1 << 20
"""Between segments; a decoder goes over them one by one. Cameras leave a few for alignment."""


def is_truncated(data: bytes, codec: str) -> bool:
    """Return True if a file states that it is longer than it is; formats that state no length never do.

    >>> is_truncated(b"RIFF" + (1000).to_bytes(4, "little") + b"WEBP", "webp")
    True
    """
    if codec == "webp":
        # Some writers count the padding byte and leave it out.
        return 8 + int.from_bytes(data[4:8], "little") > len(data) + 1
    if codec == "tiff" and data[2:4] in {b"*\x00", b"\x00*"}:
        return int.from_bytes(data[4:8], "little" if data[:2] == b"II" else "big") >= len(data)
    if codec == "jpeg-2000":
        return _is_cut_off(data)
    if codec == "qoi":
        return not data.endswith(_QOI_END)
    if codec not in {"avif", "heic"}:
        return False
    at = 0
    while at < len(data):  # over the boxes of an ISO base media file
        size = int.from_bytes(data[at : at + 4], "big")
        if size == 1:
            size = int.from_bytes(data[at + 8 : at + 16], "big")
        if size < 8:  # 0: to the end of the file; others are damaged, which is for the decoder to say
            return False
        at += size
    return at > len(data)


def has_excessive_header(data: bytes) -> bool:
    """Return True if the segments before the pixels of a JPEG would keep a decoder busy for minutes.

    >>> start, comment, scan = bytes.fromhex("ffd8"), bytes.fromhex("fffe 0002"), bytes.fromhex("ffda 0002")
    >>> has_excessive_header(start + 9 * comment + scan), has_excessive_header(start + 99999 * comment + scan)
    (False, True)
    >>> has_excessive_header(start + 2_000_000 * b"\\xff" + scan)
    True
    """
    at, junk = 2, 0
    for _ in range(_MAX_SEGMENTS):
        marker = _SEGMENT.search(data, at, at + _MAX_JUNK_BYTES)
        if marker is None:
            return len(data) - at > _MAX_JUNK_BYTES
        kind, junk = data[marker.start() + 1], junk + marker.start() - at
        if junk > _MAX_JUNK_BYTES:
            return True
        if kind == _SCAN:
            return False
        length = 0 if kind in _WITHOUT_LENGTH else int.from_bytes(data[marker.end() : marker.end() + 2], "big")
        at = marker.end() + length
    return True


def has_excessive_scans(data: bytes) -> bool:
    """Return True if a JPEG has so many scans that decoding it would take minutes.

    >>> image, scan = bytes.fromhex("ffd8 ffc2 0002"), bytes.fromhex("ffda 0002 00ff00")
    >>> has_excessive_scans(image + 9 * scan), has_excessive_scans(image + 999 * scan)
    (False, True)
    """
    if data.count(b"\xff\xda") <= _MAX_SCANS:  # a quick test; previews that are embedded or appended count, too
        return False
    at, scans = 0, 0
    while (marker := _MARKER.search(data, at)) and data[marker.start() + 1] != _END and scans <= _MAX_SCANS:
        scans += data[marker.start() + 1] == _SCAN
        at = marker.end() + max(2, int.from_bytes(data[marker.end() : marker.end() + 2], "big"))
    return scans > _MAX_SCANS


def boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and content of each box; damage ends them."""
    at = 0
    for _ in range(_MAX_BOXES):
        head = data[at : at + 16]
        length, begin = int.from_bytes(head[:4], "big"), 8
        if length == 1:
            length, begin = int.from_bytes(head[8:], "big"), 16
        if not length:
            length = len(data) - at
        if len(head) < 8 or length < begin:
            return
        yield head[4:8], data[at + begin : at + length]
        at += length


def codestream(data: bytes) -> bytes:
    """Return the codestream of a file: all of it, or what its box holds; empty if there is none."""
    if data.startswith(_CODESTREAM):
        return data
    return next((content for kind, content in boxes(data) if kind == b"jp2c"), b"")


def _is_cut_off(data: bytes) -> bool:
    """Return True if a file has no codestream, or one that does not end with its mark."""
    stream = codestream(data)
    return not stream.rstrip(b"\0").endswith(_CODESTREAM_END)


def states_too_much(data: bytes, size: tuple[int, int]) -> bool:
    """Return True if the codestream has another size than the file states, px, or an enormous number of tiles."""
    stream = codestream(data)
    if len(stream) < _SIZ.size:
        return True
    mark, _, _, right, bottom, left, top, tile_width, tile_height, tile_left, tile_top, channels = _SIZ.unpack_from(
        stream
    )
    if mark != _CODESTREAM or (right - left, bottom - top) != size or not tile_width or not tile_height:
        return True
    tiles = -(-(right - tile_left) // tile_width) * -(-(bottom - tile_top) // tile_height)
    return bool(tiles > _MAX_TILES or channels > _MAX_CHANNELS)


def depths(data: bytes) -> list[int]:
    """Return the bits of each channel of the codestream; nothing for one whose header is damaged."""
    stream = codestream(data)
    if len(stream) < _SIZ.size:
        return []
    channels = _SIZ.unpack_from(stream)[-1]
    depth = stream[_SIZ.size : _SIZ.size + 3 * channels : 3]
    return [(bits & 127) + 1 for bits in depth] if len(depth) == channels <= _MAX_CHANNELS else []


def icc_profile(data: bytes) -> bytes | None:
    """Return the ICC profile of a file, if it has one."""
    header = next((content for kind, content in boxes(data) if kind == b"jp2h"), b"")
    colours = (content for kind, content in boxes(header) if kind == b"colr")
    return next((content[3:] for content in colours if content[:1] == bytes([_RESTRICTED_PROFILE])), None)
