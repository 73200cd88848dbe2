"""Requests that wait for jobs share one look at the queue."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection

import pytest

from mediaan.server.storage.jobs import JobResult
from mediaan.server.work.waiting import Waiting


class Queue:
    """Jobs that end when a test says so; counts how often it is asked."""

    def __init__(self) -> None:
        self.ended: dict[int, JobResult] = {}
        self.asked: list[list[int]] = []
        self.broken: Exception | None = None

    def results(self, job_ids: Collection[int]) -> dict[int, JobResult]:
        self.asked.append(sorted(job_ids))
        if self.broken:
            raise self.broken
        return {job_id: self.ended.get(job_id, JobResult("running")) for job_id in job_ids}


@pytest.fixture
def queue() -> Queue:
    return Queue()


@pytest.fixture
def waiting(queue: Queue) -> Waiting:
    return Waiting(queue)  # type: ignore[arg-type]


def test_who_waits_hears_at_once_how_a_job_ended(queue: Queue, waiting: Waiting) -> None:
    async def scenario() -> tuple[JobResult, float]:
        task = asyncio.create_task(waiting.result(1, 10.0))
        await asyncio.sleep(0.05)
        queue.ended[1] = JobResult("failed", "truncated", "a.png: ends early")
        ended = time.monotonic()
        return await task, time.monotonic() - ended

    result, delay_s = asyncio.run(scenario())
    assert result == JobResult("failed", "truncated", "a.png: ends early")
    assert delay_s < 1.0


def test_when_time_is_up_it_says_how_far_the_job_is(waiting: Waiting) -> None:
    assert asyncio.run(waiting.result(1, 0.05)).state == "running"


def test_hundreds_wait_and_one_looks(queue: Queue, waiting: Waiting) -> None:
    """Each look asks for all jobs, however many requests wait for one of them."""

    async def scenario() -> list[JobResult]:
        tasks = [asyncio.create_task(waiting.result(i % 100, 10.0)) for i in range(300)]
        await asyncio.sleep(0.2)
        queue.ended = {i: JobResult("done") for i in range(100)}
        return await asyncio.gather(*tasks)

    results = asyncio.run(scenario())
    assert [result.state for result in results] == ["done"] * 300
    assert all(len(set(asked)) == len(asked) == 100 for asked in queue.asked)
    assert len(queue.asked) < 60


def test_nobody_looks_when_nobody_waits(queue: Queue, waiting: Waiting) -> None:
    async def scenario() -> tuple[int, int]:
        queue.ended[1] = JobResult("done")
        await waiting.result(1, 1.0)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting.result(2, 10.0), 0.05)  # a client that left
        await asyncio.sleep(0.1)
        before = len(queue.asked)
        await asyncio.sleep(0.2)
        return before, len(queue.asked)

    before, after = asyncio.run(scenario())
    assert after == before


def test_one_who_leaves_does_not_disturb_the_others(queue: Queue, waiting: Waiting) -> None:
    async def scenario() -> JobResult:
        leaver = asyncio.create_task(waiting.result(1, 10.0))
        stayer = asyncio.create_task(waiting.result(1, 10.0))
        await asyncio.sleep(0.05)
        leaver.cancel()
        await asyncio.sleep(0.05)
        queue.ended[1] = JobResult("cancelled")
        return await stayer

    assert asyncio.run(scenario()).state == "cancelled"


def test_a_database_that_cannot_be_read_is_not_waited_for(queue: Queue, waiting: Waiting) -> None:
    async def scenario() -> JobResult:
        queue.broken = OSError("disk gone")
        with pytest.raises(OSError, match="disk gone"):
            await waiting.result(1, 10.0)
        queue.broken, queue.ended[1] = None, JobResult("done")
        return await waiting.result(1, 10.0)

    assert asyncio.run(scenario()).state == "done"
