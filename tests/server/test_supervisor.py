"""Which jobs workers take, in what order, and how soon one that dies is replaced; no process is started here."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from multiprocessing import Pipe, get_context
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import pytest
from job_store import JobStore
from short_film import SAMPLES

from mediaan.errors import SetupError
from mediaan.server.service import database, perform
from mediaan.server.service import worker as server_worker
from mediaan.server.service.jobs import CALLED_OFF, Lane, Outcome
from mediaan.server.service.supervisor import Supervisor, WorkerSlot
from mediaan.server.service.worker import JobWorker, work
from mediaan.server.settings import ServerSettings

BOTH: tuple[Lane, ...] = ("short", "long")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JobStore]:
    made = JobStore(ServerSettings(tmp_path / "data"))
    yield made
    made.close()


def worker(store: JobStore, lanes: tuple[Lane, ...]) -> JobWorker:
    return JobWorker("here", lanes, store.settings, store.service.database)


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """Media in the order in which they were worked on."""
    found: list[UUID] = []

    def note(one: perform.JobInputs) -> Outcome:
        found.append(one.medium.media_id)
        return Outcome()

    monkeypatch.setattr(perform, "perform", note)
    return found


def test_pictures_go_first_and_videos_get_on(store: JobStore, done: list[UUID]) -> None:
    videos = [store.bring("video", SAMPLES / "videos" / "coffee_spot.mp4") for _ in range(2)]
    pictures = [store.bring("image", SAMPLES / "ads" / "coffee_leaderboard.jpg") for _ in range(22)]
    for media_id in (*videos, *pictures):
        store.ask(media_id, "predict")
    both = worker(store, BOTH)
    while both.work_once():
        pass
    assert done == [*pictures[:9], videos[0], *pictures[9:18], videos[1], *pictures[18:]]


def test_a_worker_outlives_a_database_that_another_program_holds(
    store: JobStore, done: list[UUID], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(database, "_BUSY_S", 0.05)
    one = worker(JobStore(store.settings), BOTH)
    store.ask(store.bring("image", SAMPLES / "ads" / "coffee_leaderboard.jpg"), "predict")
    with closing(sqlite3.connect(store.service.folder.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not one.work_once()
    assert "database is locked" in caplog.text
    assert one.work_once()


def test_a_worker_for_pictures_leaves_videos_alone(store: JobStore, done: list[UUID]) -> None:
    store.ask(store.bring("video", SAMPLES / "videos" / "coffee_spot.mp4"), "predict")
    assert not worker(store, ("short",)).work_once()
    assert done == []


def test_who_cannot_load_a_model_says_so_works_on_and_tries_again(
    store: JobStore, done: list[UUID], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    problems: list[Exception] = [SetupError("model a: /opt/a.onnx cannot be read"), MemoryError(), SetupError("no b")]

    def rehearse(_: ServerSettings) -> None:
        if problems:
            raise problems.pop(0)

    monkeypatch.setattr(perform, "warm_up", rehearse)
    monkeypatch.setattr(server_worker, "_WARM_UP_EVERY_S", 0.0)
    one = worker(store, BOTH)
    assert one.cold
    assert [one.warm_up() for _ in range(2)] == ["model a: a.onnx cannot be read", "MemoryError: "]
    store.ask(store.bring("image", SAMPLES / "ads" / "coffee_leaderboard.jpg"), "predict")
    assert one.work_once()
    assert one.cold
    monkeypatch.setattr(server_worker, "_WARM_UP_EVERY_S", 60.0)
    assert one.warm_up() == "no b"
    assert not one.cold
    assert one.warm_up() is None
    assert not one.cold
    assert "/opt/a.onnx" in caplog.text


def test_the_others_start_when_the_first_is_warm_or_has_had_its_time(
    store: JobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor = Supervisor(replace(store.settings, workers=3), store.service, work)
    started: list[int] = []
    monkeypatch.setattr(WorkerSlot, "start", lambda slot, *_: started.append(slot.number))
    for _ in range(2):
        supervisor._look_after()
    assert (set(started), supervisor.ready) == ({0}, False)
    assert "starting" in str(supervisor.trouble())
    supervisor._head_start_until = time.monotonic()
    supervisor._look_after()
    assert (set(started), supervisor.ready) == ({0, 1, 2}, True)


SOON = (1, 1.0, False)  # exit code, seconds that it lived, whether it was at work


@pytest.mark.parametrize(
    ("exits", "pauses_s"),
    [
        ([SOON] * 9, [0.5, 1, 2, 4, 8, 16, 30, 30, 30]),
        ([SOON, (-9, 1.0, True), (CALLED_OFF, 1.0, False), (-9, 60.0, False), SOON], [0.5, 0, 0, 0, 0.5]),
    ],
)
def test_who_dies_as_soon_as_it_starts_is_replaced_ever_later_and_others_at_once(
    monkeypatch: pytest.MonkeyPatch, exits: list[tuple[int, float, bool]], pauses_s: list[float]
) -> None:
    monkeypatch.setattr("mediaan.server.service.supervisor.time", SimpleNamespace(monotonic=lambda: 100.0))
    found = []
    slot = WorkerSlot(0, BOTH, get_context("spawn"))
    for code, lived_s, at_work in exits:
        slot.news, _ = Pipe(duplex=False)
        slot.process = SimpleNamespace(join=lambda: None, exitcode=code)  # type: ignore[assignment]
        slot.since = 100.0 - lived_s
        assert slot.leave(at_work=at_work) == code
        found.append(slot.next_at - 100.0)
    assert found == pauses_s
