"""Refuse JPEG files whose headers or scans would keep a decoder busy for minutes."""

from __future__ import annotations

import re

_SCANS_AT_MOST = 500
"""Encoders write about ten, and the standard has use for a few hundred; each goes over all pixels."""

_MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd8\xff]")
"""Of all markers those that end entropy-coded data or begin a segment (ITU-T T.81, B.1.1)."""

_END, _SCAN = 0xD9, 0xDA

_SEGMENT = re.compile(rb"\xff[^\x00\xff]")
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xDA)})
_SEGMENTS_AT_MOST = 10_000
"""The largest metadata come in some hundred pieces of 64 KiB; a decoder takes each on its own."""
_JUNK_AT_MOST = 1 << 20
"""Bytes between segments, which a decoder goes over one by one; cameras leave a few to align what follows."""


def has_excessive_header(data: bytes) -> bool:
    """Tell whether what lies before the pixels of a JPEG would keep a decoder busy for minutes.

    Examples
    --------
    >>> start, comment, scan = bytes.fromhex("ffd8"), bytes.fromhex("fffe 0002"), bytes.fromhex("ffda 0002")
    >>> has_excessive_header(start + 9 * comment + scan), has_excessive_header(start + 99999 * comment + scan)
    (False, True)
    >>> has_excessive_header(start + 2_000_000 * b"\\xff" + scan)
    True
    """
    at, junk = 2, 0
    for _ in range(_SEGMENTS_AT_MOST):
        marker = _SEGMENT.search(data, at, at + _JUNK_AT_MOST)
        if marker is None:
            return len(data) - at > _JUNK_AT_MOST
        kind, junk = data[marker.start() + 1], junk + marker.start() - at
        if junk > _JUNK_AT_MOST:
            return True
        if kind == _SCAN:
            return False
        length = 0 if kind in _WITHOUT_LENGTH else int.from_bytes(data[marker.end() : marker.end() + 2], "big")
        at = marker.end() + length
    return True


def has_excessive_scans(data: bytes) -> bool:
    """Tell whether a JPEG has so many scans that decoding it would take minutes.

    Examples
    --------
    >>> picture, scan = bytes.fromhex("ffd8 ffc2 0002"), bytes.fromhex("ffda 0002 00ff00")
    >>> has_excessive_scans(picture + 9 * scan), has_excessive_scans(picture + 999 * scan)
    (False, True)
    """
    if data.count(b"\xff\xda") <= _SCANS_AT_MOST:  # which is quick; what is appended or embedded counts too
        return False
    at, scans = 0, 0
    while (marker := _MARKER.search(data, at)) and data[marker.start() + 1] != _END and scans <= _SCANS_AT_MOST:
        scans += data[marker.start() + 1] == _SCAN
        at = marker.end() + max(2, int.from_bytes(data[marker.end() : marker.end() + 2], "big"))
    return scans > _SCANS_AT_MOST
