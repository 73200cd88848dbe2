"""Waiting for jobs in the server's process, and waking workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mediaan.server.storage.jobs import JobResult, Jobs

_LOOK_EVERY_S = 0.02
"""A look costs some 50 µs however many wait, and a picture takes several hundred ms."""


class Waiting:
    """Looks how far jobs are on behalf of all requests that wait for one.

    Parameters
    ----------
    jobs : Jobs
    """

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._wake: Callable[[], None] = lambda: None
        self._waiters: dict[int, set[asyncio.Future[JobResult]]] = {}
        self._looking: asyncio.Task[None] | None = None

    def wakes(self, wake: Callable[[], None]) -> None:
        """Have `wake` called, from any thread, whenever there is new work."""
        self._wake = wake

    def wake(self) -> None:
        """Tell idle workers that there is work."""
        self._wake()

    async def result(self, job_id: int, timeout_s: float) -> JobResult:
        """Return how a job ended, or how far it is when time is up."""
        future = asyncio.get_running_loop().create_future()
        self._waiters.setdefault(job_id, set()).add(future)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            return await asyncio.wait_for(future, timeout_s)
        except TimeoutError:
            return self._jobs.results([job_id])[job_id]
        finally:
            waiters = self._waiters.get(job_id, set())
            waiters.discard(future)
            if not waiters:
                self._waiters.pop(job_id, None)

    def give_up(self) -> None:
        """Let all who wait know that their jobs are under way: the server ends, and the next one goes on with them."""
        for job_id in list(self._waiters):
            self._settle(job_id, JobResult("running"))

    async def _look(self) -> None:
        """Hand results to those who wait, for as long as anybody does."""
        while self._waiters:
            try:
                found = self._jobs.results(list(self._waiters))
            except Exception as error:  # a matter of all who wait
                for waiters in self._waiters.values():
                    for future in waiters:
                        if not future.done():
                            future.set_exception(error)
                self._waiters.clear()
                return
            for job_id, result in found.items():
                if result.state not in ("waiting", "running"):
                    self._settle(job_id, result)
            await asyncio.sleep(_LOOK_EVERY_S)

    def _settle(self, job_id: int, result: JobResult) -> None:
        for future in self._waiters.pop(job_id, ()):
            if not future.done():
                future.set_result(result)
