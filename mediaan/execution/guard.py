"""A guard: ends workers that take more memory, or are silent for longer, than an item may."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from mediaan.execution.crew import Crew
from mediaan.execution.port import Limits
from mediaan.execution.worker import Sentence, Worker

_LOOK_EVERY_S = 0.2
_LOOK_AT_LEAST_S = 0.02
_FASTEST_GROWTH = 4e9
"""Bytes a second: about what one thread can fill; the nearer a worker is to the limit, the sooner it is looked at."""
_LONGEST_TICK_S = 1.0
"""What is more was no time: this process was stopped, and its workers most likely too (Ctrl-Z)."""
_START_S = 60.0


class Guard:
    """Looks after the workers of a crew in a thread of its own, whatever who takes the replies is doing."""

    def __init__(self, crew: Crew, limits: Limits) -> None:
        self._crew, self._limits = crew, limits
        self._over = threading.Event()
        self._due: dict[Worker, float] = {}
        self._thread = threading.Thread(target=self._watch, name="guards workers", daemon=True)

    def __enter__(self) -> Self:
        if self._limits.memory_bytes is not None or self._limits.silence_s is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self) -> None:
        before, pause = time.monotonic(), _LOOK_EVERY_S
        while not self._over.wait(pause):
            now = time.monotonic()
            self._crew.now += min(now - before, _LONGEST_TICK_S)
            before = now
            workers = self._crew.workers
            for worker in workers:
                if worker.sentence is None:
                    self._listen_for(worker)
                    self._weigh(worker, now)
            self._due = {worker: self._due[worker] for worker in workers if worker in self._due}
            pause = max(_LOOK_AT_LEAST_S, min([_LOOK_EVERY_S, *(due - now for due in self._due.values())]))

    def _listen_for(self, worker: Worker) -> None:
        limit, now = self._limits.silence_s, self._crew.now
        if limit is None:
            return
        silent = worker.silent_since(now - limit)
        if silent:
            worker.condemn(
                Sentence("time_limit", f"there was no sign of life from its analysis for {limit:g} s", silent)
            )
        elif not worker.ready and now - worker.since > max(limit, _START_S):
            worker.condemn(Sentence("time_limit", "it did not start", silent))

    def _weigh(self, worker: Worker, now: float) -> None:
        limit = self._limits.memory_bytes
        if limit is None or now < self._due.get(worker, 0.0):
            return
        tickets = frozenset(job.ticket for job in worker.jobs)  # before it is weighed: the next may have no part in it
        room = limit - worker.weigh()
        if room < 0:
            message = f"its analysis took more than {limit / 1e6:,.0f} MB of memory, the limit of each process"
            worker.condemn(Sentence("memory_limit", message, tickets))
        self._due[worker] = now + max(_LOOK_AT_LEAST_S, min(_LOOK_EVERY_S, room / _FASTEST_GROWTH))
