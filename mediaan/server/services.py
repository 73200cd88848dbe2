"""What the handlers of requests work with, put together once when the server starts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from anyio import CapacityLimiter
from starlette.concurrency import run_in_threadpool

from mediaan.server.errors import RequestError, no_such_medium
from mediaan.server.files import Links
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.database import Database
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.jobs import JobKind, Jobs, Lane
from mediaan.server.storage.keys import Keys
from mediaan.server.storage.media import Media, StoredMedium, Usage
from mediaan.server.uploads import Uploads

_LOOK_EVERY_S, _LOOK_LATER_S = 0.02, 0.25
"""A look at a job costs some 30 µs, and a picture takes several hundred ms."""
_MANY_AOIS = 200
"""Beyond so many, to score what a client drew takes longer than to predict a picture."""
_OUR_FAULT = {"internal": 500, "analysis": 500, "worker_died": 500, "setup": 503}
"""Status by the code of a failed job; all others say what is wrong with the medium, or with what was asked for."""

Made = TypeVar("Made")


@dataclass(slots=True)
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
    wake: Callable[[], None] = lambda: None  # tells idle workers, from any thread, that there is work
    _checks: dict[int, CapacityLimiter] = field(default_factory=dict)  # by company
    _under_way: dict[Hashable, asyncio.Future[Any]] = field(default_factory=dict)
    stopping: bool = False  # nobody waits for jobs any more; the next server goes on with them

    def checks_of(self, company_id: int) -> CapacityLimiter:
        """Return what lets one thread at a time check long bodies of a company, so that others find threads too."""
        return self._checks.setdefault(company_id, CapacityLimiter(1))

    async def once(self, key: Hashable, make: Callable[[], Awaitable[Made]]) -> Made:
        """Make something, or wait for whoever makes it already under the same key: all get the same, also an error.

        Nothing is kept: who comes after the end makes it again.
        """
        if (other := self._under_way.get(key)) is not None:
            made: Made = await asyncio.shield(other)
            return made
        future = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            made = await make()
            future.set_result(made)
            return made
        except BaseException as error:
            told = error if isinstance(error, Exception) else RequestError(503, "The server is being stopped")
            future.set_exception(told)
            future.exception()  # looked at, in case that nobody waits
            raise
        finally:
            del self._under_way[key]

    async def add_job(self, medium: StoredMedium, kind: JobKind, **parts: Any) -> int | None:
        """Add a job as `Jobs.add` does, and wake a worker for it; None: the medium has one of this kind already.

        Raises
        ------
        RequestError
            404: the medium was deleted meanwhile.
        """
        # to decode a video, to run a model over it, or to score hundreds of areas takes long; all else is done in a
        # moment, and of several workers one is kept free for it
        films = medium.kind != "image" and kind in ("predict", "detect")
        lane: Lane = "long" if films or len(parts.get("payload", {}).get("aois", ())) > _MANY_AOIS else "short"
        job_id = await run_in_threadpool(self.jobs.add, medium.media_id, kind, lane, **parts)
        if job_id is not None:
            self.wake()
        return job_id

    async def finished(self, job_id: int) -> bool:
        """Wait for a job; False: it takes longer than requests wait, and goes on.

        Raises
        ------
        RequestError
            What the job failed of; 404: its medium was deleted.
        """
        began = time.monotonic()
        while (result := self.jobs.result(job_id)).state in ("waiting", "running"):
            waited_s = time.monotonic() - began
            if self.stopping or waited_s > self.settings.answer_within_s:
                return False
            await asyncio.sleep(min(_LOOK_LATER_S, max(_LOOK_EVERY_S, waited_s / 20)))
        if result.state == "failed":
            status = _OUR_FAULT.get(result.error_code or "internal", 422)
            raise RequestError(status, result.error or "The analysis failed; the server's log has the cause")
        if result.state == "cancelled":
            raise no_such_medium()
        return True


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
    jobs = Jobs(database, lease_s=settings.lease_s, tries=settings.tries, max_company_bytes=settings.max_company_bytes)
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
    )
