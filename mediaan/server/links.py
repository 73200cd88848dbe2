"""Signed addresses of result files, which expire."""

from __future__ import annotations

import hmac
import re
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from starlette.requests import Request

from mediaan.server.request_error import RequestError
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.media import Media, StoredMedium

LONGEST_S = 300
"""The service's results can be fetched for at most 5 minutes."""
_STEPS = 5
"""An address stays the same for a fifth of its life, so that caches are of use, and is good for the other four."""
_MAC_BYTES = 16
_TIME_BYTES = 6
_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_BASE = "mediaan.base_url"


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """What a signed address stands for.

    Attributes
    ----------
    path : Path
    medium : StoredMedium
    run : str
        The run that the address was signed for, which may have been replaced since.
    result : str
        Its name in the media object.
    seconds_left : float
        How long the address is good for yet.
    """

    path: Path
    medium: StoredMedium
    run: str
    result: str
    seconds_left: float


def no_such_file() -> RequestError:
    """The file of an address is there no more."""
    return RequestError(404, "This file is gone: its medium was deleted, or analysed again since")


class Links:
    """Makes addresses that this server alone can have made, and reads them back.

    A token is the medium's id, the moment at which it expires, the run and the name of the result, with an
    HMAC-SHA256 of these (RFC 2104, cut to 128 bits). A media list of thousands of addresses is signed on the way to
    its client: one HMAC each, and no derivation of keys.
    """

    def __init__(self, folder: DataFolder, media: Media, settings: ServerSettings) -> None:
        self._folder, self._media, self._settings = folder, media, settings
        self._lifetime_ms = 1000 * min(settings.link_lifetime_s, LONGEST_S)
        # a key for this purpose alone: a signature made for another is none here
        self._key = hmac.digest(folder.secret(), b"mediaan result files", "sha256")

    def base_url(self, request: Request) -> str:
        """Address of this server as its client sees it, without a slash at the end.

        That is `ServerSettings.public_url`, or what the request says; a ``Host`` header that holds anything but a name
        and a port is not believed.
        """
        found: str | None = request.scope.get(_BASE)
        if found is None:
            found = request.scope[_BASE] = self._base_url(request)
        return found

    def file_url(self, request: Request, medium: StoredMedium, result: str) -> str:
        """Address of a result's file, good for a few minutes; empty where there is no such result."""
        if medium.run is None or result not in medium.results:
            return ""
        return f"{self.base_url(request)}/files/{self.token(medium, medium.run, result)}"

    def expiry_ms(self) -> int:
        """When an address that is given out now expires, ms since 1970; the address changes with it."""
        step_ms = max(1, self._lifetime_ms // _STEPS)
        return time.time_ns() // 1_000_000 // step_ms * step_ms + self._lifetime_ms

    def token(self, medium: StoredMedium, run: str, result: str) -> str:
        """Last part of a file's address."""
        expires = self.expiry_ms()
        content = medium.media_id.bytes + expires.to_bytes(_TIME_BYTES, "big") + f"{run}\0{result}".encode()
        return urlsafe_b64encode(content + self._mac(content)).rstrip(b"=").decode()

    def file(self, token: str) -> LinkedFile:
        """What an address stands for.

        Raises
        ------
        RequestError
            403: not signed here, or expired; 404: the medium or its result is gone.
        """
        content = self._signed(token)
        split = 16 + _TIME_BYTES
        seconds_left = int.from_bytes(content[16:split], "big") / 1000 - time.time()
        if seconds_left <= 0:
            raise RequestError(403, "This address has expired; fetch the medium again for a new one")
        run, _, result = content[split:].decode().partition("\0")
        medium = self._media.get(UUID(bytes=content[:16]))
        if medium is None or result not in medium.results:
            raise no_such_file()
        # in the run that it was signed for, also where a newer one has replaced that: files of two never mix on a page
        path = self._folder.run(medium.media_id, run) / medium.results[result]
        return LinkedFile(path, medium, run, result, seconds_left)

    def _signed(self, token: str) -> bytes:
        """Content of a token that was signed here."""
        try:
            whole = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except ValueError:
            whole = b""
        content, mac = whole[:-_MAC_BYTES], whole[-_MAC_BYTES:]
        # one content has one address: what base64 reads generously, such as strange signs, was not made here either
        written = urlsafe_b64encode(whole).rstrip(b"=")
        if not hmac.compare_digest(mac, self._mac(content)) or written != token.encode(errors="replace"):
            raise RequestError(403, "This address was not made by this server")
        return content

    def _mac(self, content: bytes) -> bytes:
        return hmac.digest(self._key, content, "sha256")[:_MAC_BYTES]

    def _base_url(self, request: Request) -> str:
        if self._settings.public_url is not None:
            return self._settings.public_url.rstrip("/")
        host = request.headers.get("host", "")
        if not _HOST.fullmatch(host):
            address, port = request.scope.get("server") or (self._settings.host, self._settings.port)
            host = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        return f"{request.scope['scheme']}://{host}"
