"""What the handlers of requests work with, put together once when the server starts."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.server.database import Database
from mediaan.server.folder import DataFolder
from mediaan.server.jobs import Jobs
from mediaan.server.keys import Keys
from mediaan.server.links import Links
from mediaan.server.media import Media
from mediaan.server.settings import ServerSettings
from mediaan.server.uploads import Uploads
from mediaan.server.usage import Usage
from mediaan.server.waiting import Waiting


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
