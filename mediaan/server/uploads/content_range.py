"""Where in a file the body of a request belongs: the header Content-Range of resumable uploads."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mediaan.server.request_error import RequestError

_HEADER = re.compile(r"\s*bytes\s+(?:(\d{1,18})-(\d{1,18})|\*)/(\d{1,18}|\*)\s*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ContentRange:
    """A part of a file.

    Attributes
    ----------
    start, end : int
        Half-open, bytes.
    """

    start: int
    end: int


def content_range(header: str | None, total_bytes: int) -> ContentRange | None:
    """Read the header.

    Parameters
    ----------
    header : str or None
        ``bytes FIRST-LAST/TOTAL``, where TOTAL may be ``*``; ``bytes */TOTAL`` asks how far the upload is; None: there
        is no such header, the body is the whole file.
    total_bytes : int
        Of the file, as it was declared.

    Returns
    -------
    ContentRange or None
        None: it only asks.

    Raises
    ------
    RequestError
        400: it is not of that form, or contradicts what was declared.

    Examples
    --------
    >>> content_range("bytes 0-524287/*", 1000000)
    ContentRange(start=0, end=524288)
    >>> content_range("bytes */1000000", 1000000) is None
    True
    """
    if header is None:
        return ContentRange(0, total_bytes)
    found = _HEADER.fullmatch(header)
    if found is None:
        forms = f"'bytes FIRST-LAST/{total_bytes}' or 'bytes */{total_bytes}'"
        raise RequestError(400, f"Content-Range: {header!r} is not understood; send {forms}")
    first, last, total = found.groups()
    if total not in ("*", None) and int(total) != total_bytes:
        raise RequestError(400, f"Content-Range: the file has {total} bytes here, but total_bytes was {total_bytes}")
    if first is None:
        return None
    if int(last) < int(first) or int(last) >= total_bytes:
        raise RequestError(400, f"Content-Range: {first}-{last} is no part of {total_bytes} bytes")
    return ContentRange(int(first), int(last) + 1)
