"""Signed tokens that lead to result files for a few minutes."""

from __future__ import annotations

import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from mediaan.server.service.errors import NotFoundError, NotSignedError
from mediaan.server.service.folder import DataFolder
from mediaan.server.service.media import Media, StoredMedium
from mediaan.server.settings import LONGEST_LINK_S

_STEPS = 5
"""A token stays the same for a fifth of its lifetime, so that caches work, and is then valid for the other four."""
_MAC_BYTES = 16
_TIME_BYTES = 6


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """The file that a token leads to."""

    path: Path
    medium: StoredMedium
    run: str  # that the token was signed for, which may have been replaced since
    result: str  # its name in the media object
    seconds_left: float  # of the token


class Links:
    """Makes tokens that this server alone can have made, and reads them back.

    A token is the medium's id, the moment at which it expires, the run and the name of the result, with an
    HMAC-SHA256 of these (RFC 2104, cut to 128 bits). A media list of thousands of addresses is signed on the way to
    its client: one HMAC each, and no derivation of keys.
    """

    def __init__(self, folder: DataFolder, media: Media, lifetime_s: int) -> None:
        self._folder, self._media = folder, media
        self._lifetime_ms = 1000 * min(lifetime_s, LONGEST_LINK_S)
        # a key for this purpose alone: a signature made for another is none here
        self._key = hmac.digest(folder.secret(), b"mediaan result files", "sha256")

    def token(self, medium: StoredMedium, run: str, result: str) -> str:
        """Return the token of a result's file."""
        step_ms = max(1, self._lifetime_ms // _STEPS)
        expires = time.time_ns() // 1_000_000 // step_ms * step_ms + self._lifetime_ms  # ms since 1970
        content = medium.media_id.bytes + expires.to_bytes(_TIME_BYTES, "big") + f"{run}\0{result}".encode()
        return urlsafe_b64encode(content + self._mac(content)).rstrip(b"=").decode()

    def file(self, token: str) -> LinkedFile:
        """Return the file that a token leads to.

        Raises NotSignedError: it was not signed here, or has expired.
        Raises NotFoundError: the medium or its result is gone.
        """
        try:
            signed = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except ValueError:
            signed = b""
        content, mac = signed[:-_MAC_BYTES], signed[-_MAC_BYTES:]
        # one content has one token: what base64 reads generously, such as strange signs, was not made here either
        canonical = urlsafe_b64encode(signed).rstrip(b"=")
        if not hmac.compare_digest(mac, self._mac(content)) or canonical != token.encode(errors="replace"):
            raise NotSignedError("This address was not made by this server")
        split = 16 + _TIME_BYTES
        seconds_left = int.from_bytes(content[16:split], "big") / 1000 - time.time()
        if seconds_left <= 0:
            raise NotSignedError("This address has expired; fetch the medium again for a new one")
        run, _, result = content[split:].decode().partition("\0")
        medium = self._media.get(UUID(bytes=content[:16]))
        if medium is None or result not in medium.results:
            raise no_such_file()
        # in the run that it was signed for, also where a newer one has replaced that: files of two never mix on a page
        path = self._folder.run(medium.media_id, run) / medium.results[result]
        return LinkedFile(path, medium, run, result, seconds_left)

    def _mac(self, content: bytes) -> bytes:
        return hmac.digest(self._key, content, "sha256")[:_MAC_BYTES]


def no_such_file() -> NotFoundError:
    """Return the error for a file that was there when its address was made."""
    return NotFoundError("This file is gone: it was deleted or analyzed again")
