"""Represent a worker process in its parent: its pipe, its tasks and its memory."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mediaan.execution.child_process import single_threaded_blas
from mediaan.execution.retry import Task
from mediaan.execution.worker_main import InstallProgress, WorkerMessage, run_worker

if TYPE_CHECKING:
    import psutil

_CONTEXT = multiprocessing.get_context("spawn")
# spawn: forking a process that holds threads of numeric libraries can deadlock the child
_EXIT_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """What all workers of a run are started with; see `desk.serve`."""

    function: Callable[[Any], Any]
    install: InstallProgress | None
    depth: int
    weigh: bool


@dataclass(frozen=True, slots=True)
class KillReason:
    """Why a worker was killed by us.

    Attributes
    ----------
    code : {'time_limit', 'memory_limit'}
    message : str
    tickets : frozenset of int
        Of the items that are to blame: what was under way when that was found.
    """

    code: str
    message: str
    tickets: frozenset[int]


class WorkerProcess:
    """A process that works on at most `depth` items at the same time.

    Attributes
    ----------
    ready : bool
        Whether it has started and can take items.
    lives : int or None
        Items that it may still take; None: as many as there are.
    begun : int
        Items that it has begun to work on.
    dismissed_at : float or None
        When it was told to end.
    sentence : Sentence or None
        Why it was killed.
    resident_bytes, first_bytes : int
        Memory after its latest and its first item.
    """

    def __init__(self, duty: WorkerConfig, lives: int | None, depth: int, now: float) -> None:
        self.ready = False
        self.lives, self.begun = lives, 0
        self.dismissed_at: float | None = None
        self.sentence: KillReason | None = None
        self.resident_bytes = self.first_bytes = 0
        self.depth = depth
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._jobs: dict[int, Task[Any]] = {}
        self._signs: dict[int, float] = {}
        self.since = now
        self._connection, other = _CONTEXT.Pipe()
        arguments = (other, duty.function, duty.install, duty.depth, duty.weigh)
        self._process = _CONTEXT.Process(target=run_worker, args=arguments, name="mediaan worker")
        try:
            with single_threaded_blas(), other:
                self._process.start()
        except BaseException:
            self._connection.close()
            raise
        self._statistics = _statistics(self._process.pid)

    @property
    def jobs(self) -> list[Task[Any]]:
        """What it is working on."""
        with self._lock:
            return list(self._jobs.values())

    @property
    def has_room(self) -> bool:
        """Whether it could take one more item."""
        return self.ready and self.dismissed_at is None and self.lives != 0 and len(self._jobs) < self.depth

    def take(self, job: Task[Any], now: float) -> None:
        """Book an item for it."""
        with self._lock:
            self._jobs[job.ticket] = job
            self._signs[job.ticket] = now
            self.lives = None if self.lives is None else self.lives - 1

    def send(self, job: Task[Any]) -> bool:
        """Send an item that was booked; False, and it is not booked any more, when nobody is there to take it."""
        try:
            with self._writing:
                self._connection.send((job.ticket, job.parcel))
        except OSError:
            self.finish(job.ticket)
            return False
        return True

    def finish(self, ticket: int) -> Task[Any]:
        """Take an item from it."""
        with self._lock:
            self._signs.pop(ticket)
            return self._jobs.pop(ticket)

    def begin(self, ticket: int, now: float) -> None:
        """Take note that it has begun to work on an item."""
        with self._lock:
            self.begun += 1
            self._jobs[ticket].begun = True
            self._signs[ticket] = now

    def sign(self, ticket: int | None, now: float) -> None:
        """Take note that an item is alive."""
        with self._lock:
            if ticket in self._signs:
                self._signs[ticket] = now

    def silent_since(self, moment: float) -> frozenset[int]:
        """Items of which nothing was heard after a moment."""
        with self._lock:
            return frozenset(ticket for ticket, sign in self._signs.items() if sign < moment)

    def weigh(self) -> int:
        """Resident memory, bytes; 0 when the process has gone."""
        import psutil

        try:
            return 0 if self._statistics is None else int(self._statistics.memory_info().rss)
        except psutil.Error:
            return 0

    def listen(self, hear: MessageHandler, ended: Callable[[WorkerProcess, Exception | None], None]) -> None:
        """Have a thread bring what it says, and at last that it has ended, or what was raised while it was heard."""
        threading.Thread(target=self._listen, args=(hear, ended), name="listens to a worker", daemon=True).start()

    def _listen(self, hear: MessageHandler, ended: Callable[[WorkerProcess, Exception | None], None]) -> None:
        fault: Exception | None = None
        try:
            while (message := self._heard()) is not None:
                hear(self, message)
        except Exception as error:  # of functions that the caller gave; who takes the replies shall see it
            fault = error
            self.kill()
        if not multiprocessing.connection.wait([self._process.sentinel], _EXIT_TIMEOUT_S):
            self.kill()
        self._process.join()
        ended(self, fault)

    def _heard(self) -> WorkerMessage | None:
        try:
            return WorkerMessage(*self._connection.recv())
        except (EOFError, OSError):  # it has ended, perhaps in the middle of a word
            return None

    def dismiss(self) -> None:
        """Tell it to end when what it is at is done."""
        if self.dismissed_at is None:
            self.dismissed_at = time.monotonic()
            with contextlib.suppress(OSError), self._writing:
                self._connection.send(None)

    def condemn(self, sentence: KillReason) -> None:
        """Kill it for a reason."""
        self.sentence = self.sentence or sentence
        self.kill()

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(ValueError):  # it was put away already
            self._process.kill()

    def kill_if_late(self) -> None:
        """End it at once if it was told to end and does not."""
        if self.dismissed_at is not None and time.monotonic() - self.dismissed_at > _EXIT_TIMEOUT_S and not self._jobs:
            self.kill()

    def put_away(self) -> int:
        """Let go of a process that has ended; returns its exit code."""
        code = self._process.exitcode
        self._connection.close()
        self._process.close()
        return 0 if code is None else code


MessageHandler = Callable[[WorkerProcess, WorkerMessage], None]


def _statistics(process_id: int | None) -> psutil.Process | None:
    import psutil  # only where there are processes

    try:
        return psutil.Process(process_id)
    except psutil.Error:  # it has ended already
        return None
