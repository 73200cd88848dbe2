"""A worker: a process that takes jobs, one after the other, until it is told to stop.

Run directories that a newer one has replaced stay until those who were reading them are done.
"""

from __future__ import annotations

import logging
import math
import os
import re
import shutil
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Semaphore
from pathlib import Path

from mediaan.errors import AnalysisError, MediaanError, SetupError
from mediaan.execution.child_process import end_with_parent
from mediaan.server.log import start_log
from mediaan.server.service.database import Database, is_held
from mediaan.server.service.folder import REPLACED, DataFolder, is_full_disk
from mediaan.server.service.jobs import Job, Jobs, Lane
from mediaan.server.service.kits import without_place
from mediaan.server.service.media import Media, StoredMedium
from mediaan.server.settings import LONGEST_LINK_S, ServerSettings

CALLED_OFF = 75
"""Exit code of a worker that lost the lease of its job."""

_LOOK_EVERY_S = 1.0
"""Poll for jobs, in case that a wake-up was lost."""
_RENEW_EVERY_S = 1.0
_WARM_UP_EVERY_S = 30.0
"""Retry after this time: a missing model may be installed meanwhile."""
_TURNS = 10
"""Every tenth job is taken from the last lane first, so that videos proceed however many images come."""
_NICE = 10
KEEP_S = LONGEST_LINK_S + 60.0
"""Links to a run that were handed out just before it was replaced are valid for this long, plus a margin."""
MOST_KEPT = 8
"""Replaced runs kept for one medium; the oldest of a medium that is edited very often go early."""
_KILL_FIRST = "500"
"""Of the kernel's oom_score_adj, -1000 to 1000."""

_FOLDERS = re.compile(r"(?<![^\s'\"(])(?:[A-Za-z]:)?[\\/](?:[^\s\\/'\"]+[\\/])*")

_LOG = logging.getLogger("mediaan.server.service.work.worker")


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """Name of a worker, the lanes it takes jobs from, and how it hears from the server."""

    name: str  # no other worker has had it
    lanes: tuple[Lane, ...]  # in the order in which it prefers them
    wake: Semaphore  # released when there may be work
    stop: Semaphore  # released when it is to end after what it is at


def work(context: WorkerContext, settings: ServerSettings, news: Connection) -> None:
    """Do jobs until told to stop, as the process of a worker; `news` gets what `JobWorker.warm_up` returns."""
    end_with_parent()
    lower_priority()
    start_log(requests=False)
    database = Database(DataFolder(settings.data).database)
    worker = JobWorker(context, settings, database)
    while not context.stop.acquire(block=False):
        if worker.cold:
            news.send(worker.warm_up())
        if not worker.work_once():
            worker.rest()
    database.close()


def lower_priority() -> None:
    """Give the server priority, and have the kernel kill a worker first when memory runs out."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_KILL_FIRST, encoding="ascii")


class JobWorker:
    """Takes jobs and does them."""

    def __init__(self, context: WorkerContext, settings: ServerSettings, database: Database) -> None:
        self._context, self._settings = context, settings
        self._folder = DataFolder(settings.data)
        self._media = Media(database)
        self._jobs = Jobs(database, lease_s=settings.lease_s, tries=settings.tries)
        self._replaced_runs = ReplacedRuns(self._folder)
        self._taken = 0
        self._trouble: str | None = None
        self._warm_up_at = 0.0

    @property
    def cold(self) -> bool:
        """True when it is time to warm up: at the start, and now and then while that fails."""
        return time.monotonic() >= self._warm_up_at

    def warm_up(self) -> str | None:
        """Load the models, so that the first image is no slower than the others.

        Returns: what keeps it from working, without folders; None: it is warm.
        """
        from mediaan.server.service.work.perform import warm_up

        try:
            warm_up(self._settings)
        except Exception as error:  # jobs that do not need what is missing can be done all the same
            self._warm_up_at = time.monotonic() + _WARM_UP_EVERY_S
            trouble = error.message if isinstance(error, MediaanError) else f"{type(error).__name__}: {error}"
            if trouble != self._trouble:
                cause = None if isinstance(error, MediaanError) else error
                _LOG.error("worker %s cannot work: %s", self._context.name, trouble, exc_info=cause)
            self._trouble = trouble
            return without_folders(trouble)
        self._warm_up_at = math.inf
        return None

    def rest(self) -> None:
        """Wait until there may be work."""
        self._replaced_runs.remove_expired()
        self._context.wake.acquire(timeout=_LOOK_EVERY_S)
        while self._context.wake.acquire(block=False):
            pass

    def work_once(self) -> bool:
        """Do the next job; False: there is none."""
        from mediaan.server.service.work.perform import JobInputs, perform

        turn = self._taken % _TURNS == _TURNS - 1
        try:
            job = self._jobs.take(self._context.name, self._context.lanes[::-1] if turn else self._context.lanes)
        except sqlite3.OperationalError as error:  # held by another program, or the disk is full: it may pass
            _LOG.error("worker %s can take no job: %s", self._context.name, error)
            return False
        if job is None:
            return False
        self._replaced_runs.remove_expired()  # also where it never rests
        self._taken += 1
        medium = self._media.get(job.media_id)
        if medium is None:
            return True
        self._replaced_runs.clear(medium)
        target = self._folder.run(medium.media_id, f"{job.job_id}-{job.lease}")
        try:
            with _leased(self._jobs, job):
                outcome = perform(JobInputs(self._folder, medium, job, self._settings, target))
            written = self._write(lambda: self._jobs.finish(job, outcome))
        except Exception as error:  # whatever a job comes to, the worker must outlive it
            self._remove(target, medium)  # first: on a full disk it makes the room that is needed to say so
            reason = _failure(error, self._folder, medium, self._settings.brand_kits)
            if not self._write(lambda: self._jobs.fail(job, *reason)):
                return True
            what = f"job {job.job_id} ({job.kind} of {job.media_id}) failed"
            if isinstance(error, SetupError) or is_full_disk(error):  # this machine's fault
                _LOG.error("%s: %s", what, error)
            elif isinstance(error, AnalysisError) or not isinstance(error, MediaanError):  # ours
                _LOG.error("%s", what, exc_info=error)
            return True
        if written and outcome.run is not None:
            self._replaced_runs.add(medium)
        elif not written:
            self._remove(target, medium)
        return True

    def _write(self, write: Callable[[], bool]) -> bool:
        """Record the end of a job, waiting while another program holds the database."""
        while True:
            try:
                return write()
            except sqlite3.OperationalError as error:
                if not is_held(error):
                    raise
                _LOG.error("worker %s waits to write what became of its job: %s", self._context.name, error)

    def _remove(self, target: Path, medium: StoredMedium) -> None:
        """Remove an unused run, or everything if the medium was deleted meanwhile."""
        shutil.rmtree(target, ignore_errors=True)
        if self._media.get(medium.media_id) is None:
            self._folder.discard(medium.media_id)


class ReplacedRuns:
    """Run directories that a newer one has replaced, each kept for `keep_s` seconds since."""

    def __init__(self, folder: DataFolder, keep_s: float = KEEP_S) -> None:
        self._folder, self._keep_s = folder, keep_s
        self._waiting: deque[tuple[float, Path]] = deque()

    def add(self, medium: StoredMedium) -> None:
        """Note that the run which a medium had was replaced."""
        if medium.run is None:
            return
        run = self._folder.run(medium.media_id, medium.run)
        if run.is_dir():
            (run / REPLACED).touch()
            self._waiting.append((time.monotonic() + self._keep_s, run))

    def remove_expired(self) -> None:
        """Remove those that this worker saw replaced long enough ago."""
        while self._waiting and self._waiting[0][0] <= time.monotonic():
            shutil.rmtree(self._waiting.popleft()[1], ignore_errors=True)

    def clear(self, medium: StoredMedium) -> None:
        """Remove runs of a medium that dead workers left, that are old enough, or too many."""
        runs = self._folder.run(medium.media_id, "x").parent
        kept: list[tuple[float, Path]] = []
        for run in runs.iterdir() if runs.is_dir() else ():
            if run.name == medium.run:
                continue
            with suppress(FileNotFoundError):
                since = (run / REPLACED).stat().st_mtime
                if time.time() - since < self._keep_s:
                    kept.append((since, run))
                    continue
            shutil.rmtree(run, ignore_errors=True)
        for _, run in sorted(kept, reverse=True)[MOST_KEPT - 1 :]:  # the current one comes to them soon
            shutil.rmtree(run, ignore_errors=True)


@contextmanager
def _leased(jobs: Jobs, job: Job) -> Iterator[None]:
    """Renew the lease of a job while it is worked on; end the process if it is lost.

    A computation in a library cannot be interrupted otherwise; a new worker is there in seconds.
    """
    done = threading.Event()

    def renew() -> None:
        while not done.wait(_RENEW_EVERY_S):
            try:
                kept = jobs.renew(job)
            except sqlite3.OperationalError:  # another writes for long; the lease is for longer
                continue
            if not kept:
                os._exit(CALLED_OFF)

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _failure(error: Exception, folder: DataFolder, medium: StoredMedium, kits: Path | None) -> tuple[str, str]:
    """Return code and sentence of a failure, as the client may see them."""
    if is_full_disk(error):
        return "setup", f"{medium.name}: the server's disk is full; nothing was changed, try again later"
    if not isinstance(error, MediaanError):
        return "internal", f"{medium.name}: the analysis failed ({type(error).__name__}); the server's log says more"
    message = error.message
    source = folder.source(medium.media_id, "x").parent
    for path in (source.absolute(), source, folder.path.absolute(), folder.path):  # not where the server keeps the file
        message = message.replace(f"{path}{os.sep}", "").replace(str(path), "the server's data folder")
    message = message if kits is None else without_place(message, kits)
    family = {SetupError: "setup", AnalysisError: "analysis"}.get(type(error))
    return family or error.code, without_folders(message) if family == "setup" else message


def without_folders(message: str) -> str:
    """Remove folders from a sentence for clients, who should not learn about this machine's disk.

    >>> without_folders("model a: /opt/models/a.onnx cannot be read: [Errno 2] No such file: '/opt/models/a.onnx'")
    "model a: a.onnx cannot be read: [Errno 2] No such file: 'a.onnx'"
    """
    return _FOLDERS.sub("", message)
