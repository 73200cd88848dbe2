"""Signed addresses: of result files, which expire, and of uploads."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request

from mediaan.server.folder import DataFolder
from mediaan.server.media import Media, StoredMedium
from mediaan.server.settings import ServerSettings


class Links:
    """Makes addresses that this server alone can have made, and reads them back."""

    def __init__(self, folder: DataFolder, media: Media, settings: ServerSettings) -> None:
        self._folder, self._media, self._settings = folder, media, settings

    def base_url(self, request: Request) -> str:
        """Address of this server as its client sees it, without a slash at the end."""
        raise NotImplementedError

    def file_url(self, request: Request, medium: StoredMedium, result: str) -> str:
        """Address of a result's file, good for a few minutes; empty where there is no such result."""
        raise NotImplementedError

    def file(self, token: str) -> Path:
        """The file that an address stands for.

        Raises
        ------
        RequestError
            403: not signed here, or expired; 404: the medium or its result is gone.
        """
        raise NotImplementedError
