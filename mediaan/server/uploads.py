"""Resumable uploads: the PUT protocol of cloud object stores."""

from __future__ import annotations

from uuid import UUID

from mediaan.server.database import Database
from mediaan.server.folder import DataFolder
from mediaan.server.media import Media
from mediaan.server.settings import ServerSettings


class Uploads:
    """The table of uploads, and the files that grow."""

    def __init__(self, database: Database, folder: DataFolder, media: Media, settings: ServerSettings) -> None:
        self._database, self._folder, self._media, self._settings = database, folder, media, settings

    def create(self, media_id: UUID, content_type: str, total_bytes: int) -> str:
        """A token that allows to upload a medium's file: the last part of its address, kept only as a hash."""
        raise NotImplementedError
