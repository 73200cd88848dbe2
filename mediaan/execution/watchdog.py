"""Kill workers that exceed the memory limit or send no heartbeat."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from mediaan.execution.tasks import TaskLimits
from mediaan.execution.worker import KillReason, WorkerProcess
from mediaan.execution.worker_pool import WorkerPool

_SHARE = 0.8
"""The rest is for the parent, the system and what a worker takes between two looks at it."""
_AT_LEAST = 3 * 2**29
"""1.5 GiB: models and a large picture need about half of it."""


def default_memory_limit(workers: int) -> int:
    """Resident memory that each of several workers may take, bytes.

    Parameters
    ----------
    workers : int
        On this machine, at least 1.

    Returns
    -------
    int
        Four fifths of the memory of this machine, or of the control group (container) that this process belongs to,
        over the workers; at least 1.5 GiB.
    """
    import psutil

    available: int = psutil.virtual_memory().total
    return max(_AT_LEAST, int(_SHARE * min([available, *control_group_limits()]) / workers))


def control_group_limits(
    groups: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")
) -> Iterator[int]:
    """Memory limits of the control groups of this process, bytes; none outside Linux, huge ones stand for no limit.

    Parameters
    ----------
    groups : Path
        Lines of ``number:controllers:path``, as the kernel gives them.
    root : Path
        Where the groups are mounted; in a container its own group is the root, whatever `groups` says.
    """
    try:
        lines = groups.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        base, name = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        for group in (PurePosixPath(path), *PurePosixPath(path).parents):  # the limit of a group holds for those in it
            limit = _number(base / group.relative_to("/") / name)
            if limit is not None:
                yield limit


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # not there, or "max"
        return None


_CHECK_EVERY_S = 0.2
_SHORTEST_PAUSE_S = 0.02
_FASTEST_GROWTH_BYTES_PER_S = 4e9
"""Bytes a second: about what one thread can fill; the nearer a worker is to the limit, the sooner it is looked at."""
_LONGEST_TICK_S = 1.0
"""What is more was no time: this process was stopped, and its workers most likely too (Ctrl-Z)."""
_START_S = 60.0


class Watchdog:
    """Looks after the workers of a crew in a thread of its own, whatever who takes the replies is doing."""

    def __init__(self, crew: WorkerPool, limits: TaskLimits) -> None:
        self._crew, self._limits = crew, limits
        self._over = threading.Event()
        self._due: dict[WorkerProcess, float] = {}
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
        before, pause = time.monotonic(), _CHECK_EVERY_S
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
            pause = max(_SHORTEST_PAUSE_S, min([_CHECK_EVERY_S, *(due - now for due in self._due.values())]))

    def _listen_for(self, worker: WorkerProcess) -> None:
        limit, now = self._limits.silence_s, self._crew.now
        if limit is None:
            return
        silent = worker.silent_since(now - limit)
        if silent:
            worker.condemn(
                KillReason("time_limit", f"there was no sign of life from its analysis for {limit:g} s", silent)
            )
        elif not worker.ready and now - worker.since > max(limit, _START_S):
            worker.condemn(KillReason("time_limit", "it did not start", silent))

    def _weigh(self, worker: WorkerProcess, now: float) -> None:
        limit = self._limits.memory_bytes
        if limit is None or now < self._due.get(worker, 0.0):
            return
        tickets = frozenset(job.ticket for job in worker.jobs)  # before it is weighed: the next may have no part in it
        room = limit - worker.weigh()
        if room < 0:
            message = f"its analysis took more than {limit / 1e6:,.0f} MB of memory, the limit of each process"
            worker.condemn(KillReason("memory_limit", message, tickets))
        self._due[worker] = now + max(_SHORTEST_PAUSE_S, min(_CHECK_EVERY_S, room / _FASTEST_GROWTH_BYTES_PER_S))
