"""Refuse JPEG files whose headers or scans would keep a decoder busy for minutes."""

from __future__ import annotations

import re

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


def has_excessive_header(data: bytes) -> bool:
    """Return True if the segments before the pixels of a JPEG would keep a decoder busy for minutes.

    Examples
    --------
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

    Examples
    --------
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
