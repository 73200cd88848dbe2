"""The queue of jobs: nothing twice, nothing lost, whatever dies; and requests that wait for jobs."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from multiprocessing.synchronize import Barrier
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from mediaan.server.service.database import Database
from mediaan.server.service.errors import RefusedError
from mediaan.server.service.folder import DataFolder
from mediaan.server.service.jobs import Job, JobKind, Jobs, Lane, Outcome
from mediaan.server.service.media import Media, StoredMedium
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

BOTH: tuple[Lane, ...] = ("short", "long")


class Store:
    """Media and jobs of a company."""

    def __init__(self, service: Service) -> None:
        service.keys.create("acme")
        self.database, self.media, self.jobs = service.database, service.media, service.jobs

    def medium(self) -> UUID:
        return self.media.add(1, "image", "ad.png", "image/png", 10).media_id

    def facts(self, media_id: UUID) -> StoredMedium:
        found = self.media.get(media_id)
        assert found
        return found

    def add(self, media_id: UUID, kind: JobKind = "predict", lane: Lane = "short", **payload: Any) -> int:
        job_id = self.jobs.add(media_id, kind, lane, payload)
        assert job_id is not None
        return job_id

    def take(self, worker: str = "worker", lanes: tuple[Lane, ...] = BOTH) -> Job:
        job = self.jobs.take(worker, lanes)
        assert job
        return job

    def state(self, job_id: int) -> str:
        return self.jobs.result(job_id).state


@pytest.fixture
def store(service: Service) -> Store:
    return Store(service)


def test_a_job_is_taken_once_with_all_that_it_needs(store: Store) -> None:
    media_id = store.medium()
    job_id = store.add(media_id, "draw", aois=[{"label": "Ünï"}])
    job = store.take()
    assert (job.job_id, job.media_id, job.kind, job.payload) == (job_id, media_id, "draw", {"aois": [{"label": "Ünï"}]})
    assert store.jobs.take("other", BOTH) is None
    assert store.state(job_id) == "running"


def test_what_was_there_stays_readable_during_a_rerun_and_after_it_failed(store: Store) -> None:
    media_id = store.medium()
    store.add(media_id)
    store.jobs.finish(store.take(), Outcome(run="r1", metrics={"focus": 50.5}, results={"heat": "h.webp"}))
    store.add(media_id)
    assert (store.facts(media_id).status, store.facts(media_id).metrics) == ("started", {"focus": 50.5})
    job = store.take()
    assert store.jobs.fail(job, "truncated", "It ends too early")
    after = store.facts(media_id)
    assert (after.status, after.error, after.run, after.metrics) == (
        "failed",
        "It ends too early",
        "r1",
        {"focus": 50.5},
    )
    result = store.jobs.result(job.job_id)
    assert (result.state, result.error_code, result.error) == ("failed", "truncated", "It ends too early")
    store.add(media_id)
    assert store.facts(media_id).error is None, "it is being tried again"


def test_a_medium_is_predicted_once_at_a_time(store: Store) -> None:
    media_id = store.medium()
    kinds: tuple[JobKind, ...] = ("predict", "detect")
    for kind in kinds:
        store.add(media_id, kind)
        assert store.jobs.add(media_id, kind, "short") is None, "it waits"
    job = store.take()
    assert store.jobs.add(media_id, "predict", "short") is None, "it runs"
    store.jobs.finish(job, Outcome())
    assert store.jobs.add(media_id, "predict", "short") is not None
    assert store.add(media_id, "draw") != store.add(media_id, "draw"), "each drawing counts"
    assert store.jobs.add(store.medium(), "predict", "short") is not None, "another medium"


def test_jobs_of_one_medium_come_one_after_the_other_in_their_order(store: Store) -> None:
    one, other = store.medium(), store.medium()
    first = store.add(one, "predict", "long")
    second, third = store.add(one, "draw"), store.add(one, "draw")
    elsewhere = store.add(other, "draw")
    job = store.take()
    assert job.job_id == elsewhere, "the short one that nothing is in the way of"
    job = store.take()
    assert job.job_id == first
    assert store.jobs.take("idle", BOTH) is None
    store.jobs.finish(job, Outcome())
    job = store.take()
    assert job.job_id == second
    assert store.jobs.take("idle", BOTH) is None
    store.jobs.fail(job, "internal", "why")
    assert store.take().job_id == third


def test_short_jobs_go_first_and_a_worker_takes_its_lanes_only(store: Store) -> None:
    long = store.add(store.medium(), "predict", "long")
    short = [store.add(store.medium(), "predict", "short") for _ in range(2)]
    assert [store.take(lanes=("short",)).job_id for _ in short] == short
    assert store.jobs.take("short only", ["short"]) is None
    assert store.take().job_id == long


def test_what_somebody_waits_for_goes_before_what_takes_longer(store: Store) -> None:
    uploads = [store.add(store.medium(), kind) for kind in ("predict", "detect", "predict")]
    edits = [store.add(store.medium(), kind) for kind in ("draw", "rate", "report")]
    assert [store.take().job_id for _ in range(6)] == [*edits, *uploads]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of leases, s."""
    clock = [0.0]
    monkeypatch.setattr("mediaan.server.service.jobs.time", SimpleNamespace(monotonic=lambda: clock[0]))
    return clock


def test_who_lost_a_lease_cannot_write(store: Store, clock: list[float]) -> None:
    media_id = store.medium()
    job_id = store.add(media_id)
    slow = store.take("slow")
    clock[0] += 31.0
    assert store.jobs.silent() == {"slow"}
    assert store.jobs.expire() == 1
    quick = store.take("quick")
    assert quick.job_id == slow.job_id
    assert not store.jobs.renew(slow)
    assert not store.jobs.fail(slow, "internal", "too late")
    assert not store.jobs.finish(slow, Outcome(run="slow"))
    assert (store.facts(media_id).status, store.facts(media_id).run) == ("started", None)
    assert store.jobs.finish(quick, Outcome(run="quick"))
    assert not store.jobs.finish(slow, Outcome(run="slow"))
    assert not store.jobs.finish(quick, Outcome(run="twice"))
    assert (store.facts(media_id).run, store.state(job_id)) == ("quick", "done")


def test_a_lease_that_is_renewed_does_not_end(store: Store, clock: list[float]) -> None:
    store.add(store.medium())
    job = store.take()
    for _ in range(3):
        clock[0] += 29.0
        assert store.jobs.renew(job)
        assert store.jobs.silent() == set()
        assert store.jobs.expire() == 0
    clock[0] += 31.0
    assert store.jobs.silent() == {"worker"}
    assert store.jobs.finish(job, Outcome()), "late, but nobody has taken it from it"


def test_setting_the_clock_ends_no_lease(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add(store.medium())
    job = store.take()
    monkeypatch.setattr(time, "time", lambda: 4e9)
    assert store.jobs.silent() == set()
    assert store.jobs.expire() == 0
    assert store.jobs.finish(job, Outcome())


def test_a_medium_that_kills_its_workers_fails_at_the_third(store: Store) -> None:
    media_id = store.medium()
    job_id = store.add(media_id)
    for death in range(3):
        assert store.state(job_id) == "waiting"
        store.take(f"worker {death}")
        store.jobs.give_back(f"worker {death}", died=True)
    result = store.jobs.result(job_id)
    assert (result.state, result.error_code) == ("failed", "worker_died")
    assert store.facts(media_id).status == "failed"
    assert "3 times" in (store.facts(media_id).error or "")
    assert store.jobs.take("next", BOTH) is None
    store.add(media_id)
    store.take("fourth")
    store.jobs.give_back("fourth", died=True)
    assert store.facts(media_id).status == "started", "who asks again gets three tries again"


def test_ends_of_the_server_are_not_the_medium_s_fault(store: Store) -> None:
    media_id = store.medium()
    store.add(media_id)
    for _ in range(10):
        store.take()
        assert store.jobs.recover() == 1
    assert store.jobs.recover() == 0
    store.take("stopped")
    store.jobs.give_back("stopped", died=False)
    assert store.jobs.finish(store.take(), Outcome(run="r1"))
    assert store.facts(media_id).status == "done"


def test_a_medium_that_takes_the_server_with_it_does_not_do_so_for_ever(store: Store) -> None:
    media_id = store.medium()
    store.add(media_id)
    starts = 0
    while starts < 100 and store.jobs.take("worker", BOTH):
        store.jobs.recover()
        starts += 1
    assert starts == 20
    assert store.facts(media_id).status == "failed"


def test_deleting_calls_off_what_waits_and_what_runs(store: Store) -> None:
    media_id = store.medium()
    running = store.add(media_id)
    waiting = store.add(media_id, "draw")
    job = store.take()
    assert store.media.delete(1, media_id)
    assert [store.state(job_id) for job_id in (running, waiting)] == ["cancelled", "cancelled"]
    assert not store.jobs.renew(job)
    assert not store.jobs.finish(job, Outcome(run="r1", duration_s=5))
    assert not store.jobs.fail(job, "internal", "why")
    assert store.jobs.take("next", BOTH) is None
    store.jobs.give_back("worker", died=True)
    assert store.jobs.recover() == 0
    (counted,) = store.database.connection.execute(
        "SELECT count(*) FROM usage WHERE what <> 'media_deleted'"
    ).fetchone()
    assert counted == 0


@pytest.mark.parametrize("end", ["finish", "fail", "delete"])
def test_what_a_job_had_to_know_is_forgotten_when_it_ends(store: Store, end: str) -> None:
    """Thousands of boxes of tracks, drawn again and again, would make the database grow without end."""
    media_id = store.medium()
    store.add(media_id, "draw", aois=["x" * 1000])
    job = store.take()
    ends = {
        "finish": lambda: store.jobs.finish(job, Outcome()),
        "fail": lambda: store.jobs.fail(job, "internal", "why"),
        "delete": lambda: store.media.delete(1, media_id),
    }
    assert ends[end]()
    assert store.database.connection.execute("SELECT payload FROM jobs").fetchone()["payload"] == "{}"


def test_whatever_happens_in_whatever_order_the_books_balance(store: Store) -> None:
    """A thousand random steps; after each, what must always hold, does."""
    chance = random.Random(7)
    media = [store.medium() for _ in range(6)]
    held: list[Job] = []
    ended: dict[int, str] = {}
    kinds: tuple[JobKind, ...] = ("predict", "detect", "draw", "rate")

    def take() -> None:
        job = store.jobs.take(f"w{chance.randrange(4)}", BOTH)
        held.extend([job] if job else [])

    def any_held(act: Callable[[Job], object]) -> None:
        if held:
            act(chance.choice(held[-4:]))  # of older ones few are still anybody's

    steps: list[Callable[[], object]] = [
        lambda: store.jobs.add(chance.choice(media), chance.choice(kinds), chance.choice(BOTH)),
        take,
        take,
        lambda: any_held(lambda job: store.jobs.finish(job, Outcome(run=str(job.job_id)))),
        lambda: any_held(lambda job: store.jobs.fail(job, "internal", "why")),
        lambda: any_held(store.jobs.renew),
        lambda: store.jobs.give_back(f"w{chance.randrange(4)}", died=chance.random() < 0.5),
        lambda: chance.random() < 0.1 and store.jobs.recover(),
    ]
    for _ in range(1000):
        chance.choice(steps)()
        check_books(store, media, ended)
    assert {"done", "failed"} == set(ended.values())
    assert len(ended) > 50


def check_books(store: Store, media: list[UUID], ended: dict[int, str]) -> None:
    jobs = store.database.connection.execute("SELECT * FROM jobs").fetchall()
    active = [job for job in jobs if job["state"] in ("waiting", "running")]
    assert max(Counter(job["media_id"] for job in jobs if job["state"] == "running").values(), default=0) <= 1
    assert all((job["lease"] is not None) == (job["state"] == "running") for job in jobs)
    for media_id in media:
        facts = store.facts(media_id)
        of_medium = {job["kind"] for job in active if job["media_id"] == str(media_id)}
        assert (facts.status == "started") == ("predict" in of_medium)
        assert (facts.aoi_status == "started") == ("detect" in of_medium)
    for job in jobs:
        if job["job_id"] in ended:
            assert job["state"] == ended[job["job_id"]], "what has ended stays so"
        elif job["state"] in ("done", "failed"):
            ended[job["job_id"]] = job["state"]


# In processes, as workers are


def work_off(data: Path, name: str, log: Path, together: Barrier) -> None:
    """Do jobs until there are none."""
    database = Database(DataFolder(data).database)
    settings = ServerSettings(data)
    jobs, media = Jobs(database, settings), Media(database, settings)
    idle = 0
    together.wait(120)
    with log.open("a", buffering=1) as lines:
        while idle < 20:
            job = jobs.take(name, BOTH)
            if job is None:
                idle += 1
                time.sleep(0.005)
                continue
            idle = 0
            lines.write(f"{job.media_id} {job.job_id} {time.monotonic_ns()}")
            assert media.get(job.media_id)
            time.sleep(0.001)
            lines.write(f" {time.monotonic_ns()}\n")
            assert jobs.finish(job, Outcome(run=f"{name}-{job.job_id}"))
    database.close()


def test_many_processes_do_every_job_once_and_no_medium_twice_at_a_time(store: Store, tmp_path: Path) -> None:
    chance = random.Random(1)
    media = [store.medium() for _ in range(12)]
    expected = [store.add(chance.choice(media), "draw", chance.choice(BOTH)) for _ in range(150)]
    logs = [tmp_path / f"{i}.log" for i in range(4)]
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(len(logs))
    arguments = [(tmp_path / "data", f"w{i}", log, together) for i, log in enumerate(logs)]
    processes = [context.Process(target=work_off, args=given) for given in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(240)
        assert process.exitcode == 0
    done = [tuple(line.split()) for log in logs for line in log.read_text().splitlines()]
    assert sorted(int(job_id) for _, job_id, _, _ in done) == expected
    assert {result.state for result in map(store.jobs.result, expected)} == {"done"}
    assert sum(log.stat().st_size > 0 for log in logs) > 1, "more than one of them worked"
    for media_id in map(str, media):
        spans = sorted((int(begin), int(end), int(job_id)) for of, job_id, begin, end in done if of == media_id)
        assert all(end <= begin for (_, end, _), (begin, _, _) in pairwise(spans))
        assert [job_id for _, _, job_id in spans] == sorted(job_id for _, _, job_id in spans)


def test_who_waits_hears_how_a_job_ended(service: Service, store: Store) -> None:
    job_id = store.add(store.medium())

    async def scenario() -> None:
        task = asyncio.create_task(service.finished(job_id))
        await asyncio.sleep(0.05)
        service.jobs.fail(store.take(), "truncated", "a.png: ends early")
        with pytest.raises(RefusedError, match=r"a\.png: ends early"):
            await asyncio.wait_for(task, 20)

    asyncio.run(scenario())


def test_when_time_is_up_it_goes_on(service: Service, store: Store) -> None:
    job_id = store.add(store.medium())
    service.settings = replace(service.settings, answer_within_s=0.05)
    assert not asyncio.run(service.finished(job_id))


def test_nobody_waits_when_the_server_ends(service: Service, store: Store) -> None:
    job_id = store.add(store.medium())

    async def scenario() -> bool:
        task = asyncio.create_task(service.finished(job_id))
        await asyncio.sleep(0.05)
        service.stopping = True
        return await task

    assert not asyncio.run(scenario())


def test_hundreds_wait_and_one_who_leaves_does_not_disturb_the_others(service: Service, store: Store) -> None:
    job_id = store.add(store.medium())

    async def scenario() -> list[bool]:
        leaver = asyncio.create_task(service.finished(job_id))
        tasks = [asyncio.create_task(service.finished(job_id)) for _ in range(300)]
        await asyncio.sleep(0.05)
        leaver.cancel()
        service.jobs.finish(store.take(), Outcome())
        return await asyncio.gather(*tasks)

    assert asyncio.run(scenario()) == [True] * 300
