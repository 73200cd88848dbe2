"""A worker: a process that takes jobs, one after the other, until it is told to stop."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import re
import sqlite3
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Semaphore
from pathlib import Path
from types import TracebackType
from typing import Self

from mediaan.errors import AnalysisError, MediaanError, SetupError
from mediaan.execution.child_process import end_with_parent
from mediaan.server.log import start_log
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.database import Database
from mediaan.server.storage.disk_space import is_full_disk
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.jobs import Job, Jobs, Lane
from mediaan.server.storage.media import Media, StoredMedium
from mediaan.server.work.old_runs import OldRuns

CALLED_OFF = 75
"""Exit code of a worker whose job was taken from it: nobody wants what it was computing."""

_LOOK_EVERY_S = 1.0
"""For jobs of which nobody told it; who adds one wakes it."""
_RENEW_EVERY_S = 1.0
_WARM_UP_EVERY_S = 30.0
"""Where a model is missing, somebody may put it there."""
_TURNS = 10
"""One job in so many is of the last lane first: videos get on, however many pictures keep coming."""
_NICE = 10
_KILL_FIRST = "500"
"""When memory runs out, the kernel shall take a worker and not the server; -1000 to 1000."""

_FOLDERS = re.compile(r"(?<![^\s'\"(])(?:[A-Za-z]:)?[\\/](?:[^\s\\/'\"]+[\\/])*")

_LOG = logging.getLogger("mediaan.server.work.worker")


@dataclass(frozen=True, slots=True)
class Post:
    """What a worker is given: its name, the lanes it takes jobs from, and how it hears from the server.

    Attributes
    ----------
    name : str
        No other worker has had it.
    lanes : tuple of Lane
        In the order in which it prefers them.
    wake : Semaphore
        Released when there may be work.
    stop : Semaphore
        Released when it shall end after what it is at.
    """

    name: str
    lanes: tuple[Lane, ...]
    wake: Semaphore
    stop: Semaphore


def work(post: Post, settings: ServerSettings, news: Connection) -> None:
    """What the process of a worker does; it sends what `Worker.warm_up` comes to."""
    end_with_parent()
    _stand_back()
    start_log(requests=False)
    database = Database(DataFolder(settings.data).database)
    worker = Worker(post, settings, database)
    while not post.stop.acquire(block=False):
        if worker.cold:
            news.send(worker.warm_up())
        if not worker.work_once():
            worker.rest()
    database.close()


def _stand_back() -> None:
    """Let the server, which answers people, go before."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_KILL_FIRST, encoding="ascii")


class Worker:
    """Takes jobs and does them.

    Parameters
    ----------
    post : Post
    settings : ServerSettings
    database : Database
    """

    def __init__(self, post: Post, settings: ServerSettings, database: Database) -> None:
        self._post, self._settings = post, settings
        self._folder = DataFolder(settings.data)
        self._media = Media(database)
        self._jobs = Jobs(database, lease_s=settings.lease_s, tries=settings.tries)
        self._old_runs = OldRuns(self._folder)
        self._taken = 0
        self._trouble: str | None = None
        self._warm_up_at = 0.0

    @property
    def cold(self) -> bool:
        """Whether it is time to warm up: at the start, and now and then while that fails."""
        return time.monotonic() >= self._warm_up_at

    def warm_up(self) -> str | None:
        """Load what every picture needs, so that the first is no slower than the others.

        Returns
        -------
        str or None
            What keeps it from working, without folders; None: it is warm.
        """
        from mediaan.server.work.warming import warm_up

        try:
            warm_up(self._settings)
        except Exception as error:  # jobs that do not need what is missing can be done all the same
            self._warm_up_at = time.monotonic() + _WARM_UP_EVERY_S
            trouble = error.message if isinstance(error, MediaanError) else f"{type(error).__name__}: {error}"
            if trouble != self._trouble:
                known = isinstance(error, MediaanError)
                _LOG.error("worker %s cannot work: %s", self._post.name, trouble, exc_info=None if known else error)
            self._trouble = trouble
            return without_folders(trouble)
        self._warm_up_at = math.inf
        return None

    def rest(self) -> None:
        """Wait until there may be work."""
        self._old_runs.remove_expired()
        self._post.wake.acquire(timeout=_LOOK_EVERY_S)
        while self._post.wake.acquire(block=False):
            pass

    def work_once(self) -> bool:
        """Do the next job; False: there is none."""
        job = self._take()
        if job is None:
            return False
        self._taken += 1
        medium = self._media.get(job.media_id)
        if medium is not None:
            self._do(job, medium)
        return True

    def _take(self) -> Job | None:
        turn = self._taken % _TURNS == _TURNS - 1
        try:
            return self._jobs.take(self._post.name, self._post.lanes[::-1] if turn else self._post.lanes)
        except sqlite3.OperationalError as error:  # held by another program, or the disk is full: it may pass
            _LOG.error("worker %s can take no job: %s", self._post.name, error)
            return None

    def _do(self, job: Job, medium: StoredMedium) -> None:
        from mediaan.server.work.work import Work, perform

        self._old_runs.clear(medium)
        target = self._folder.run(medium.media_id, f"{job.job_id}-{job.lease}")
        try:
            with _Lease(self._jobs, job):
                outcome = perform(Work(self._folder, medium, job, self._settings, target))
            wanted = self._jobs.finish(job, outcome)
        except Exception as error:  # whatever a job comes to, the worker must outlive it
            self._remove(target, medium)  # first: on a full disk it makes the room that is needed to say so
            if isinstance(error, sqlite3.OperationalError) and not is_full_disk(error):
                raise  # another program holds the database for long; what does not fail of it is done again
            if self._jobs.fail(job, *_told(error, self._folder, medium)):
                _note(error, job)
            return
        if wanted:
            self._old_runs.replaced(medium)
        else:
            self._remove(target, medium)

    def _remove(self, target: Path, medium: StoredMedium) -> None:
        """Remove what nobody wants, which is all there is where the medium was deleted meanwhile."""
        self._old_runs.remove(target)
        if self._media.get(medium.media_id) is None:
            self._folder.discard(medium.media_id)


class _Lease:
    """Renews the lease of a job while it is worked on, and ends the process when it is lost.

    A computation in a library cannot be interrupted otherwise; a new worker is there in seconds.
    """

    def __init__(self, jobs: Jobs, job: Job) -> None:
        self._jobs, self._job = jobs, job
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._done.wait(_RENEW_EVERY_S):
            try:
                kept = self._jobs.renew(self._job)
            except sqlite3.OperationalError:  # another writes for long; the lease is for longer
                continue
            if not kept:
                os._exit(CALLED_OFF)


def _told(error: Exception, folder: DataFolder, medium: StoredMedium) -> tuple[str, str]:
    """Code and sentence of a failure, as the client may see them."""
    if is_full_disk(error):
        return "setup", f"{medium.name}: the server's disk is full; nothing was changed, try again later"
    if not isinstance(error, MediaanError):
        return "internal", f"{medium.name}: the analysis failed ({type(error).__name__}); the server's log says more"
    family = {SetupError: "setup", AnalysisError: "analysis"}.get(type(error))
    message = _without_paths(error.message, folder, medium)
    return family or error.code, without_folders(message) if family == "setup" else message


def _note(error: Exception, job: Job) -> None:
    """Put into the log what is our fault, or this machine's."""
    if isinstance(error, SetupError) or is_full_disk(error):
        _LOG.error("job %s (%s of %s) failed: %s", job.job_id, job.kind, job.media_id, error)
    elif isinstance(error, AnalysisError) or not isinstance(error, MediaanError):
        _LOG.error("job %s (%s of %s) failed", job.job_id, job.kind, job.media_id, exc_info=error)


def without_folders(message: str) -> str:
    """A sentence for those who may not know how this machine's disk is laid out.

    Examples
    --------
    >>> without_folders("model a: /opt/models/a.onnx cannot be read: [Errno 2] No such file: '/opt/models/a.onnx'")
    "model a: a.onnx cannot be read: [Errno 2] No such file: 'a.onnx'"
    """
    return _FOLDERS.sub("", message)


def _without_paths(message: str, folder: DataFolder, medium: StoredMedium) -> str:
    """A sentence that names the medium's file, but not where the server keeps it."""
    source = folder.source(medium.media_id, "x").parent
    for path in (source.absolute(), source, folder.path.absolute(), folder.path):
        message = message.replace(f"{path}{os.sep}", "").replace(str(path), "the server's data folder")
    return message
