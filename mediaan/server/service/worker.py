"""A worker: a process that takes jobs, one after the other, until it is told to stop."""

from __future__ import annotations

import logging
import math
import os
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Semaphore
from pathlib import Path

from mediaan.errors import AnalysisError, MediaanError, SetupError
from mediaan.execution.child_process import end_with_parent, prefer_oom_kill
from mediaan.server.log import start_log
from mediaan.server.service.database import Database, is_held
from mediaan.server.service.folder import DataFolder, is_full_disk
from mediaan.server.service.jobs import CALLED_OFF, Job, Jobs, Lane
from mediaan.server.service.media import Media, StoredMedium
from mediaan.server.service.sweep import ReplacedRuns
from mediaan.server.settings import ServerSettings

_LOOK_EVERY_S = 1.0
"""Poll for jobs, in case that a wake-up was lost."""
_RENEW_EVERY_S = 1.0
_WARM_UP_EVERY_S = 30.0
"""Retry after this time: a missing model may be installed meanwhile."""
_TURNS = 10
"""Every tenth job is taken from the last lane first, so that videos proceed however many images come."""
_NICE = 10
_FOLDERS = re.compile(r"(?<![^\s'\"(])(?:[A-Za-z]:)?[\\/](?:[^\s\\/'\"]+[\\/])*")

_LOG = logging.getLogger(__name__)


def work(
    name: str, lanes: tuple[Lane, ...], wake: Semaphore, stop: Semaphore, settings: ServerSettings, news: Connection
) -> None:
    """Do jobs until told to stop, as the process of a worker.

    `name`: no other worker has had it.
    `lanes`: from which it takes jobs, in the order in which it prefers them.
    `wake`, `stop`: released when there may be work, and when it is to end after what it is at.
    `news`: gets what `JobWorker.warm_up` returns.
    """
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(_NICE)  # the server goes first
    prefer_oom_kill()
    start_log(requests=False)
    database = Database(DataFolder(settings.data).database)
    worker = JobWorker(name, lanes, settings, database)
    while not stop.acquire(block=False):
        if worker.cold:
            news.send(worker.warm_up())
        if not worker.work_once():
            worker.replaced_runs.remove_expired()
            wake.acquire(timeout=_LOOK_EVERY_S)
            while wake.acquire(block=False):
                pass
    database.close()


class JobWorker:
    """Takes jobs and does them."""

    def __init__(self, name: str, lanes: tuple[Lane, ...], settings: ServerSettings, database: Database) -> None:
        self._name, self._lanes, self._settings = name, lanes, settings
        self._folder = DataFolder(settings.data)
        self._media, self._jobs = Media(database, settings), Jobs(database, settings)
        self.replaced_runs = ReplacedRuns(self._folder)
        self._taken = 0
        self._trouble: str | None = None
        self._warm_up_at = 0.0

    @property
    def cold(self) -> bool:
        """True when it is time to warm up: at the start, and now and then while that fails."""
        return time.monotonic() >= self._warm_up_at

    def warm_up(self) -> str | None:
        """Load the models, so that the first image is no slower than the others; returns what keeps it from that."""
        from mediaan.server.service.perform import warm_up

        try:
            warm_up(self._settings)
        except Exception as error:  # jobs that do not need what is missing can be done all the same
            self._warm_up_at = time.monotonic() + _WARM_UP_EVERY_S
            trouble = error.message if isinstance(error, MediaanError) else f"{type(error).__name__}: {error}"
            if trouble != self._trouble:
                cause = None if isinstance(error, MediaanError) else error
                _LOG.error("worker %s cannot work: %s", self._name, trouble, exc_info=cause)
            self._trouble = trouble
            return without_folders(trouble)
        self._warm_up_at = math.inf
        return None

    def work_once(self) -> bool:
        """Do the next job; False: there is none."""
        from mediaan.server.service.perform import JobInputs, perform

        turn = self._taken % _TURNS == _TURNS - 1
        try:
            job = self._jobs.take(self._name, self._lanes[::-1] if turn else self._lanes)
        except sqlite3.OperationalError as error:  # held by another program, or the disk is full: it may pass
            _LOG.error("worker %s can take no job: %s", self._name, error)
            return False
        if job is None:
            return False
        self.replaced_runs.remove_expired()  # also where it never rests
        self._taken += 1
        medium = self._media.get(job.media_id)
        if medium is None:
            return True
        self.replaced_runs.clear(medium)
        target = self._folder.run(medium.media_id, f"{job.job_id}-{job.lease}")
        try:
            with _leased(self._jobs, job):
                outcome = perform(JobInputs(self._folder, medium, job, self._settings, target))
            written = self._write(lambda: self._jobs.finish(job, outcome))
        except Exception as error:  # whatever a job comes to, the worker must outlive it
            self._remove(target, medium)  # first: on a full disk it makes the room that is needed to say so
            reason = _failure(error, self._folder, medium, self._settings)
            if not self._write(lambda: self._jobs.fail(job, *reason)):
                return True
            what = f"job {job.job_id} ({job.kind} of {job.media_id}) failed"
            if isinstance(error, SetupError) or is_full_disk(error):  # this machine's fault
                _LOG.error("%s: %s", what, error)
            elif isinstance(error, AnalysisError) or not isinstance(error, MediaanError):  # ours
                _LOG.error("%s", what, exc_info=error)
            return True
        if written and outcome.run is not None:
            self.replaced_runs.add(medium)
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
                _LOG.error("worker %s waits to write what became of its job: %s", self._name, error)

    def _remove(self, target: Path, medium: StoredMedium) -> None:
        """Remove an unused run, or everything if the medium was deleted meanwhile."""
        shutil.rmtree(target, ignore_errors=True)
        if self._media.get(medium.media_id) is None:
            self._folder.discard(medium.media_id)


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


def _failure(error: Exception, folder: DataFolder, medium: StoredMedium, settings: ServerSettings) -> tuple[str, str]:
    """Return code and sentence of a failure, as the client may see them."""
    if is_full_disk(error):
        return "setup", f"{medium.name}: the server's disk is full; nothing was changed, try again later"
    if not isinstance(error, MediaanError):
        return "internal", f"{medium.name}: the analysis failed ({type(error).__name__}); the server's log says more"
    message = error.message
    source = folder.source(medium.media_id, "x").parent
    for path in (source.absolute(), source, folder.path.absolute(), folder.path):  # not where the server keeps the file
        message = message.replace(f"{path}{os.sep}", "").replace(str(path), "the server's data folder")
    message = settings.without_kit_folder(message)
    family = {SetupError: "setup", AnalysisError: "analysis"}.get(type(error))
    return family or error.code, without_folders(message) if family == "setup" else message


def without_folders(message: str) -> str:
    """Remove folders from a sentence for clients, who should not learn about this machine's disk.

    >>> without_folders("model a: /opt/models/a.onnx cannot be read: [Errno 2] No such file: '/opt/models/a.onnx'")
    "model a: a.onnx cannot be read: [Errno 2] No such file: 'a.onnx'"
    """
    return _FOLDERS.sub("", message)
