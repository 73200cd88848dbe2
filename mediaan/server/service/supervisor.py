"""The supervisor: starts workers, replaces those that die, gives their jobs to others, and ends them."""

from __future__ import annotations

import contextlib
import logging
import math
import multiprocessing
import multiprocessing.connection
import secrets
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.synchronize import Semaphore
from typing import TypeAlias

from mediaan.execution.child_process import single_threaded_blas
from mediaan.server.service.jobs import CALLED_OFF, Lane
from mediaan.server.service.service import Service
from mediaan.server.service.sweep import QUIET_S, sweep_runs, sweep_uploads
from mediaan.server.settings import ServerSettings

_LOOK_EVERY_S = 0.5
_SHORT_LIFE_S = 10.0
"""A worker that dies sooner without a job may fail at its start: each next start waits longer."""
_LONGEST_PAUSE_S = 30.0
_HELD_S = 2.0
"""Leases are renewed every second; after a longer lock of the database no worker is to blame."""
_HEAD_START_S = 20.0
"""The first worker starts alone for this long: side by side all would be ready late."""

_LOG = logging.getLogger(__name__)

Work: TypeAlias = Callable[[str, tuple[Lane, ...], Semaphore, Semaphore, ServerSettings, Connection], None]


class WorkerSlot:
    """One worker, whose process is replaced when it dies.

    `settled`: True since it is known whether its first process can work.
    `trouble`: reason why the latest process of which that is known cannot work.
    """

    def __init__(self, number: int, lanes: tuple[Lane, ...], context: SpawnContext) -> None:
        self.number, self.lanes = number, lanes
        self.wake, self.stop = context.Semaphore(0), context.Semaphore(0)
        self.process: SpawnProcess | None = None
        self.name = ""
        self.since = self.next_at = 0.0
        self.short_lives = 0
        self.settled = self._heard = False
        self.trouble: str | None = None
        self.news: Connection | None = None

    def start(self, context: SpawnContext, work: Work, settings: ServerSettings) -> None:
        """Start a process."""
        self.name = f"{self.number}-{secrets.token_hex(4)}"
        self.news, sender = context.Pipe(duplex=False)
        arguments = (self.name, self.lanes, self.wake, self.stop, settings, sender)
        process = context.Process(target=work, args=arguments, name=f"worker {self.number}", daemon=True)
        with single_threaded_blas(), sender:
            process.start()
        self.process, self.since, self._heard = process, time.monotonic(), False

    def hear(self) -> None:
        """Read what the process reports about its start."""
        assert self.news is not None
        with contextlib.suppress(EOFError, OSError):  # it has ended, perhaps in the middle of a word
            while self.news.poll():
                self.trouble = self.news.recv()
                self.settled = self._heard = True

    def leave(self, *, at_work: bool) -> int:
        """Record the end of the process, and schedule the next; returns the exit code."""
        assert self.process is not None
        assert self.news is not None
        self.process.join()
        self.hear()
        self.news.close()
        code, self.process, self.news = self.process.exitcode or 0, None, None
        if not self._heard:
            self.settled, self.trouble = True, f"its process ended with exit code {code} while it started"
        of_itself = not at_work and code != CALLED_OFF and time.monotonic() - self.since < _SHORT_LIFE_S
        self.short_lives = self.short_lives + 1 if of_itself else 0
        pause_s = min(_LONGEST_PAUSE_S, 2.0 ** (self.short_lives - 2)) if of_itself else 0.0
        self.next_at = time.monotonic() + pause_s
        return code


class Supervisor:
    """The workers of a server; each process calls `work`, which is `mediaan.server.service.worker.work`.

    With two workers or more the first takes short jobs alone, so that a picture never waits for a video; the others
    start when it is ready.
    """

    def __init__(self, settings: ServerSettings, service: Service, work: Work) -> None:
        self._settings, self._service, self._work = settings, service, work
        self._context = multiprocessing.get_context("spawn")
        self._slots = [WorkerSlot(i, lanes, self._context) for i, lanes in enumerate(_lanes(settings.workers))]
        self._ending = threading.Event()
        self._ended: dict[str, str] = {}  # workers that died and still have to give back their jobs, and of what
        self._writable_at = time.monotonic()
        self._sweep_at = time.monotonic() + QUIET_S
        self._head_start_until = math.inf
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)

    def start(self) -> None:
        """Requeue jobs that an earlier server left, and start the workers; returns before they are ready."""
        self._head_start_until = time.monotonic() + _HEAD_START_S
        self._service.jobs.recover()
        self._clear()
        self._service.wake = self.wake
        self._thread.start()

    def wake(self) -> None:
        """Tell all workers that there may be work."""
        for slot in self._slots:
            slot.wake.release()

    def stop(self, grace_s: float = 10.0) -> None:
        """End all workers: those that have a job when it is done, or time is up; the others at once.

        Jobs that were not done are taken up by the next server.
        """
        self._ending.set()
        self._thread.join()
        working = self._service.jobs.working()
        deadline = time.monotonic() + grace_s
        for slot in self._slots:
            slot.stop.release()
            slot.wake.release()
            if slot.process is not None and slot.name not in working:
                slot.process.kill()
        for slot in self._slots:
            if slot.process is not None:
                slot.process.join(max(0.0, deadline - time.monotonic()))
                slot.process.kill()
                slot.process.join()
            self._service.jobs.give_back(slot.name, died=False)

    @property
    def processes(self) -> list[int]:
        """Process ids of the workers that live."""
        return [slot.process.pid for slot in self._slots if slot.process is not None and slot.process.pid]

    @property
    def ready(self) -> bool:
        """True once the first worker has loaded its models, or its head start is over."""
        return self._slots[0].settled or time.monotonic() >= self._head_start_until

    def trouble(self) -> str | None:
        """Return why work cannot be done at the moment; None: it can."""
        if not self.ready:
            return "The server is starting: its first worker still loads its models"
        for slot in self._slots:
            if slot.trouble is not None:
                return f"Worker {slot.number} cannot work: {slot.trouble}"
        return None if self.processes else "No worker is running"

    def _run(self) -> None:
        # what is started here inherits that these signals are blocked: the server alone decides when workers end
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        while not self._ending.is_set():
            try:
                self._look_after()
            except Exception as error:  # a full disk, a held database: workers are looked after all the same, later
                passing = isinstance(error, sqlite3.OperationalError)
                _LOG.error("workers cannot be looked after: %s", error, exc_info=None if passing else error)
                self._ending.wait(_LOOK_EVERY_S)

    def _look_after(self) -> None:
        for slot in self._slots if self.ready else self._slots[:1]:
            if slot.process is None and time.monotonic() >= slot.next_at:
                slot.start(self._context, self._work, self._settings)
        sources: list[int | Connection] = []  # a process ends, or says something
        for slot in self._slots:
            if slot.process is not None and slot.news is not None:
                sources += [slot.process.sentinel, slot.news]
        multiprocessing.connection.wait(sources, _LOOK_EVERY_S) if sources else self._ending.wait(_LOOK_EVERY_S)
        for slot in self._slots:
            if slot.process is not None and not slot.process.is_alive():
                code = slot.leave(at_work=slot.name in self._service.jobs.working())
                if code != CALLED_OFF:
                    _LOG.error("worker %s ended with exit code %s", slot.name, code)
                self._ended[slot.name] = _cause(code)
            elif slot.process is not None:
                slot.hear()
        with self._service.database.transaction():
            pass  # while another program holds the database, nobody can renew a lease, and this fails
        if time.monotonic() - self._writable_at > _HELD_S:
            self._service.jobs.extend()
        self._writable_at = time.monotonic()
        for name, cause in list(self._ended.items()):
            self._service.jobs.give_back(name, died=True, cause=cause)
            del self._ended[name]
            self._clear()
            self.wake()
        silent = self._service.jobs.silent()  # such as one that hangs in a decoder
        for slot in self._slots:
            if slot.name in silent and slot.process is not None:
                _LOG.error("worker %s has not been heard of for %s s", slot.name, self._settings.lease_s)
                slot.process.kill()
        if silent:
            self._service.jobs.expire()
        if time.monotonic() >= self._sweep_at:
            self._sweep_at = time.monotonic() + QUIET_S
            sweep_uploads(self._service)
            sweep_runs(self._service)

    def _clear(self) -> None:
        """Remove files that were written for media during their deletion."""
        for media_id in self._service.media.deleted():
            if self._service.folder.medium(media_id).exists():
                self._service.folder.discard(media_id)


def _cause(code: int) -> str:
    """Describe the death of a worker by its exit code.

    >>> _cause(1), _cause(-9)
    ('it ended with exit code 1, see the log of the server', 'it was killed (SIGKILL), as when memory is short')
    >>> _cause(-11)
    'it ended of SIGSEGV, as of a fault in a decoder'
    """
    if code >= 0:
        return f"it ended with exit code {code}, see the log of the server"
    if code == -signal.SIGKILL:
        return "it was killed (SIGKILL), as when memory is short"
    return f"it ended of {signal.Signals(-code).name}, as of a fault in a decoder"


def _lanes(workers: int) -> list[tuple[Lane, ...]]:
    """Return the lanes of each worker.

    >>> _lanes(1), _lanes(2)
    ([('short', 'long')], [('short',), ('short', 'long')])
    """
    both: tuple[Lane, ...] = ("short", "long")
    return [both] if workers == 1 else [("short",), *([both] * (workers - 1))]
