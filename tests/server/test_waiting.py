"""Requests that wait for jobs: they hear how these ended, are not kept for ever, and do not disturb each other."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from mediaan.server.service.errors import RefusedError
from mediaan.server.service.jobs import Job, Outcome
from mediaan.server.service.service import Service


@pytest.fixture
def job_id(service: Service) -> int:
    service.keys.create("acme")
    found = service.jobs.add(service.media.add(1, "image", "a.png", "image/png", 5).media_id, "predict", "short")
    assert found is not None
    return found


def taken(service: Service) -> Job:
    job = service.jobs.take("w", ["short"])
    assert job is not None
    return job


def test_who_waits_hears_at_once_how_a_job_ended(service: Service, job_id: int) -> None:
    async def scenario() -> float:
        task = asyncio.create_task(service.finished(job_id))
        await asyncio.sleep(0.05)
        service.jobs.fail(taken(service), "truncated", "a.png: ends early")
        ended = time.monotonic()
        with pytest.raises(RefusedError, match=r"a\.png: ends early"):
            await task
        return time.monotonic() - ended

    assert asyncio.run(scenario()) < 0.5


def test_when_time_is_up_it_goes_on(service: Service, job_id: int) -> None:
    service.settings = replace(service.settings, answer_within_s=0.05)
    assert not asyncio.run(service.finished(job_id))


def test_nobody_waits_when_the_server_ends(service: Service, job_id: int) -> None:
    async def scenario() -> bool:
        task = asyncio.create_task(service.finished(job_id))
        await asyncio.sleep(0.05)
        service.stopping = True
        return await task

    assert not asyncio.run(scenario())


def test_hundreds_wait_and_one_who_leaves_does_not_disturb_the_others(service: Service, job_id: int) -> None:
    async def scenario() -> list[bool]:
        leaver = asyncio.create_task(service.finished(job_id))
        tasks = [asyncio.create_task(service.finished(job_id)) for _ in range(300)]
        await asyncio.sleep(0.05)
        leaver.cancel()
        service.jobs.finish(taken(service), Outcome())
        return await asyncio.gather(*tasks)

    assert asyncio.run(scenario()) == [True] * 300
