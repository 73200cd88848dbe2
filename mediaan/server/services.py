"""What the handlers of requests work with, put together once when the server starts."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.server.links import Links
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.database import Database
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.jobs import Jobs
from mediaan.server.storage.keys import Keys
from mediaan.server.storage.media import Media
from mediaan.server.storage.usage import Usage
from mediaan.server.uploads.uploads import Uploads
from mediaan.server.work.waiting import Waiting


@dataclass(frozen=True, slots=True)
class Services:
    """Storage, jobs and secrets of a running server.

    Attributes
    ----------
    settings : ServerSettings
    folder : DataFolder
    database : Database
    keys : Keys
        Companies and their keys.
    media : Media
    jobs : Jobs
    usage : Usage
    uploads : Uploads
        Resumable uploads.
    links : Links
        Signed addresses of result files.
    waiting : Waiting
        Waits for jobs, and wakes workers.
    """

    settings: ServerSettings
    folder: DataFolder
    database: Database
    keys: Keys
    media: Media
    jobs: Jobs
    usage: Usage
    uploads: Uploads
    links: Links
    waiting: Waiting
