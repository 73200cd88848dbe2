"""The scans of a JPEG: how often it goes over its pixels."""

from __future__ import annotations

import re

_SCANS_AT_MOST = 500
"""Encoders write about ten, and the standard has use for a few hundred; each goes over all pixels."""

_MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd8\xff]")
"""Of all markers those that end entropy-coded data or begin a segment (ITU-T T.81, B.1.1)."""

_END, _SCAN = 0xD9, 0xDA


def has_endless_scans(data: bytes) -> bool:
    """Tell whether a JPEG has so many scans that decoding it would take minutes.

    Examples
    --------
    >>> picture, scan = bytes.fromhex("ffd8 ffc2 0002"), bytes.fromhex("ffda 0002 00ff00")
    >>> has_endless_scans(picture + 9 * scan), has_endless_scans(picture + 999 * scan)
    (False, True)
    """
    if data.count(b"\xff\xda") <= _SCANS_AT_MOST:  # which is quick; what is appended or embedded counts too
        return False
    at, scans = 0, 0
    while (marker := _MARKER.search(data, at)) and data[marker.start() + 1] != _END and scans <= _SCANS_AT_MOST:
        scans += data[marker.start() + 1] == _SCAN
        at = marker.end() + max(2, int.from_bytes(data[marker.end() : marker.end() + 2], "big"))
    return scans > _SCANS_AT_MOST
