"""What the handlers of requests work with, put together once when the server starts."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.server.files import Links
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.database import Database
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.jobs import Jobs
from mediaan.server.storage.keys import Keys
from mediaan.server.storage.media import Media, Usage
from mediaan.server.uploads import Uploads
from mediaan.server.work.waiting import Waiting


@dataclass(frozen=True, slots=True)
class Services:
    """Storage, jobs and secrets of a running server."""

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


def open_services(settings: ServerSettings) -> Services:
    """Open, or make, the data folder of a server and all that works on it.

    Raises
    ------
    UsageError, SetupError
        The folder cannot be made, or holds something else.
    """
    folder = DataFolder(settings.data)
    folder.make()
    database = Database(folder.database)
    media = Media(database)
    jobs = Jobs(database, lease_s=settings.lease_s, tries=settings.tries)
    return Services(
        settings,
        folder,
        database,
        Keys(database),
        media,
        jobs,
        Usage(database),
        Uploads(database, folder, media, settings),
        Links(folder, media, settings),
        Waiting(jobs),
    )
