"""Kill workers that exceed the memory limit or send no heartbeat."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import TYPE_CHECKING, Self

from mediaan.execution.tasks import TaskLimits
from mediaan.execution.worker import KillReason, PoolWorker

if TYPE_CHECKING:
    from mediaan.execution.worker_pool import WorkerPool

_MEMORY_SHARE = 0.8
"""The rest is for the parent, the system and the growth of a worker between two checks."""

_LEAST_MEMORY_BYTES = 3 * 2**29
"""1.5 GiB: models and a large image need about half of it."""

_CHECK_EVERY_S = 0.2
_SHORTEST_PAUSE_S = 0.02
_FASTEST_GROWTH_BYTES_PER_S = 4e9
"""About what one thread can fill; the nearer a worker is to the limit, the sooner it is checked."""

_LONGEST_TICK_S = 1.0
"""In a longer tick this process was stopped, and its workers most likely too (Ctrl-Z); the rest is not counted."""


class Watchdog:
    """Checks the workers of a pool in a thread of its own, and keeps the pool's clock."""

    def __init__(self, pool: WorkerPool, limits: TaskLimits) -> None:
        self._pool, self._limits = pool, limits
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watches workers", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._has_ended.set()
        self._thread.join()

    def _watch(self) -> None:
        memory_bytes, timeout_s = self._limits.memory_bytes, self._limits.heartbeat_timeout_s
        memory_due: dict[PoolWorker, float] = {}
        before, pause = time.monotonic(), _CHECK_EVERY_S
        while not self._has_ended.wait(pause):
            now = time.monotonic()
            self._pool.now += min(now - before, _LONGEST_TICK_S)
            before = now
            workers = self._pool.workers
            for worker in workers:
                if worker.kill_reason is not None:
                    continue
                if timeout_s is not None:
                    silent = worker.silent_since(self._pool.now - timeout_s)
                    started_s = self._pool.now - worker.started_at
                    if silent:
                        message = f"there was no sign of life from its analysis for {timeout_s:g} s"
                        worker.kill_because(KillReason("time_limit", message, silent))
                    elif not worker.is_ready and started_s > max(timeout_s, worker.start_timeout_s):
                        worker.kill_because(KillReason("time_limit", "it did not start", silent))
                if memory_bytes is not None and now >= memory_due.get(worker, 0.0):
                    # read before its memory: the next task may have no part in it
                    task_ids = frozenset(task.task_id for task in worker.tasks)
                    left_bytes = memory_bytes - worker.rss_bytes()
                    if left_bytes < 0:
                        worker.kill_because(KillReason.memory(memory_bytes, task_ids))
                    soonest_s = left_bytes / _FASTEST_GROWTH_BYTES_PER_S
                    memory_due[worker] = now + max(_SHORTEST_PAUSE_S, min(_CHECK_EVERY_S, soonest_s))
            memory_due = {worker: memory_due[worker] for worker in workers if worker in memory_due}
            pause = max(_SHORTEST_PAUSE_S, min([_CHECK_EVERY_S, *(due - now for due in memory_due.values())]))


def default_memory_limit(workers: int) -> int:
    """Return the resident memory that each of several workers may take, bytes.

    It is four fifths of the memory of this machine, or of the control group (container) that this process belongs to,
    divided by the workers; at least 1.5 GiB.

    `workers`: on this machine, at least 1.
    """
    import psutil

    available: int = psutil.virtual_memory().total
    return max(_LEAST_MEMORY_BYTES, int(_MEMORY_SHARE * min([available, *control_group_limits()]) / workers))


def control_group_limits(
    groups: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")
) -> Iterator[int]:
    """Yield the memory limits of the control groups of this process, bytes; a huge one stands for no limit.

    `groups`: lines of ``number:controllers:path``, as the Linux kernel gives them; without it there are no limits.
    `root`: where the groups are mounted; in a container its own group is the root, whatever `groups` says.
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
            try:
                yield int((base / group.relative_to("/") / name).read_text(encoding="ascii"))
            except (OSError, ValueError):  # not there, or "max"
                continue
