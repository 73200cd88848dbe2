"""Waiting for jobs in the server's process, and waking workers."""

from __future__ import annotations

from mediaan.server.jobs import JobResult, Jobs


class Waiting:
    """Looks how far jobs are on behalf of all requests that wait for one."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def wake(self) -> None:
        """Tell idle workers that there is work."""

    async def result(self, job_id: int, timeout_s: float) -> JobResult:
        """How a job ended, or how far it is when time is up."""
        raise NotImplementedError
