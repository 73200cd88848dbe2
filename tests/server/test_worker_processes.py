"""Workers as real processes: killed, poisoned, called off, ended; what they were at is done all the same."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from job_store import JobStore, assert_same_run, lives, until
from short_film import ADS, short_film

import mediaan as mn
from mediaan.server.service.perform import analysis_options
from mediaan.server.service.supervisor import Supervisor
from mediaan.server.service.sweep import sweep
from mediaan.server.service.worker import work
from mediaan.server.settings import ServerSettings

PICTURE = ADS / "coffee_leaderboard.jpg"


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Long enough to be killed in the middle."""
    return short_film(tmp_path_factory.mktemp("film") / "spot.mp4", 0.0, 10.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JobStore]:
    made = JobStore(ServerSettings(tmp_path / "data", workers=1, films=False))
    yield made
    made.close()


@contextmanager
def supervising(store: JobStore, **settings: Any) -> Iterator[Supervisor]:
    supervisor = Supervisor(replace(store.settings, **settings), store.service, work)
    supervisor.start()
    try:
        yield supervisor
    finally:
        supervisor.stop(0.0)


@pytest.fixture
def supervised(store: JobStore) -> Iterator[Supervisor]:
    with supervising(store) as supervisor:
        yield supervisor


def worker(supervisor: Supervisor) -> int:
    until(lambda: supervisor.processes)
    (pid,) = supervisor.processes
    return pid


def files(store: JobStore) -> list[Path]:
    return [path for path in (store.settings.data / "media").rglob("*") if path.is_file()]


def test_who_is_killed_while_it_warms_up_leaves_nothing_that_the_next_start_does_not_remove(
    store: JobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    with supervising(store):
        until(lambda: any(store.service.folder.incoming.iterdir()))
    assert list(scratch.iterdir()) == []
    sweep(store.service)
    assert list(store.service.folder.incoming.iterdir()) == []


def test_a_worker_that_is_killed_costs_time_alone(store: JobStore, supervised: Supervisor, film: Path) -> None:
    media_id = store.bring("video", film)
    job_id = store.ask(media_id, "predict")
    until(lambda: store.job(job_id)["state"] == "running")
    run = store.service.folder.run(media_id, "x").parent
    until(lambda: list(run.glob("*/unfinished.json")))
    time.sleep(0.5)
    os.kill(worker(supervised), signal.SIGKILL)
    assert store.wait(job_id).state == "done"
    assert store.job(job_id)["deaths"] == 1
    undisturbed = mn.analyze_folder(film, store.settings.data / "run", *analysis_options("video", store.settings))
    assert_same_run(store.run(media_id), undisturbed)
    assert [path.name for path in run.iterdir()] == [store.medium(media_id).run]


@pytest.mark.full
def test_a_poisonous_medium_fails_and_others_do_not(
    store: JobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).with_name("poison")))
    shutil.copy(PICTURE, tmp_path / "poison.png")
    poison, good = store.bring("image", tmp_path / "poison.png"), store.bring("image", PICTURE)
    jobs = [store.ask(media_id, "predict") for media_id in (poison, good)]
    with supervising(store, workers=2):
        assert store.wait(jobs[1]).state == "done"
        result = store.wait(jobs[0])
    assert (result.state, result.error_code, store.job(jobs[0])["deaths"]) == ("failed", "worker_died", 3)
    assert store.medium(poison).status == "failed"
    assert "3 times" in (store.medium(poison).error or "")
    assert store.medium(good).status == "done"


@pytest.mark.full
def test_a_worker_whose_medium_is_deleted_ends_and_leaves_nothing(
    store: JobStore, supervised: Supervisor, film: Path
) -> None:
    """Its files stay for a while here, so that nothing but the lost lease can tell the worker."""
    media_id = store.bring("video", film)
    job_id = store.ask(media_id, "predict")
    runs = store.service.folder.run(media_id, "x").parent
    until(lambda: list(runs.glob("*/unfinished.json")))
    pid = worker(supervised)
    assert store.service.media.delete(store.company_id, media_id)
    until(lambda: not lives(pid))
    until(lambda: not store.service.folder.medium(media_id).exists())
    assert store.wait(job_id).state == "cancelled"


def test_deleting_with_all_files_frees_the_worker(store: JobStore, supervised: Supervisor, film: Path) -> None:
    media_id = store.bring("video", film)
    store.ask(media_id, "predict")
    runs = store.service.folder.run(media_id, "x").parent
    until(lambda: list(runs.glob("*/unfinished.json")))
    assert store.service.media.delete(store.company_id, media_id)
    store.service.folder.discard(media_id)
    picture = store.bring("image", PICTURE)
    assert store.wait(store.ask(picture, "predict")).state == "done"
    until(lambda: not store.service.folder.medium(media_id).exists())
    assert all(str(picture) in path.parts for path in files(store))


@pytest.mark.full
def test_jobs_of_one_medium_follow_each_other(store: JobStore, film: Path) -> None:
    """Two workers, and a second prediction, a search and a drawing for what is being predicted."""
    with supervising(store, workers=2):
        media_id = store.bring("video", film)
        job_id = store.ask(media_id, "predict")
        until(lambda: store.job(job_id)["state"] == "running")
        assert store.ask(media_id, "predict") is None
        drawn = store.ask(media_id, "draw", {"aois": [{"type": "product", "box": [0.1, 0.1, 0.5, 0.5]}]})
        picture = store.ask(store.bring("image", PICTURE), "predict")
        assert [store.wait(one).state for one in (picture, drawn)] == ["done", "done"]
    assert store.job(picture)["started_at"] < store.job(job_id)["finished_at"], "a picture waited for a video"
    assert store.job(job_id)["finished_at"] <= store.job(drawn)["started_at"]
    assert [aoi["aoi_type"] for aoi in store.answer(media_id, "aois")["aois"]] == ["product"]


def test_a_graceful_end_lets_jobs_end_that_are_soon_done(store: JobStore, film: Path) -> None:
    supervisor = Supervisor(store.settings, store.service, work)
    supervisor.start()
    short = store.ask(store.bring("image", PICTURE), "predict")
    until(lambda: store.job(short)["state"] != "waiting")
    supervisor.stop(30.0)
    assert store.job(short)["state"] == "done"
    assert not supervisor.processes or not any(map(lives, supervisor.processes))


@pytest.mark.full
def test_what_a_server_does_not_finish_the_next_one_does(store: JobStore, film: Path) -> None:
    media_id = store.bring("video", film)
    job_id = store.ask(media_id, "predict")
    first = Supervisor(store.settings, store.service, work)
    first.start()
    until(lambda: store.job(job_id)["state"] == "running")
    first.stop(0.1)
    assert (store.job(job_id)["state"], store.job(job_id)["interruptions"]) == ("waiting", 1)
    with supervising(store):
        assert store.wait(job_id).state == "done"
    assert store.job(job_id)["deaths"] == 0


@pytest.mark.full
def test_a_worker_that_hangs_is_replaced(store: JobStore, film: Path) -> None:
    """SIGSTOP stands in for a library that never comes back and lets nothing else of the process run."""
    with supervising(store, lease_s=3.0) as supervisor:
        media_id = store.bring("video", film)
        job_id = store.ask(media_id, "predict")
        until(lambda: store.job(job_id)["state"] == "running")
        hanging = worker(supervisor)
        os.kill(hanging, signal.SIGSTOP)
        until(lambda: not lives(hanging))
        assert store.wait(job_id).state == "done"
    assert store.job(job_id)["deaths"] == 1
