"""What waits is bounded, what is deleted is gone from the disk, what is kept is for its owner, and for how long."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from asking import API, Asker
from job_store import WorkedJobStore

from mediaan.errors import SetupError
from mediaan.server.service.database import Database
from mediaan.server.service.jobs import MOST_WAITING, Jobs, Outcome
from mediaan.server.service.service import Service
from mediaan.server.service.supervisor import Supervisor
from mediaan.server.service.sweep import KEEP_S, MOST_KEPT, ReplacedRuns, sweep_runs
from mediaan.server.service.worker import work
from mediaan.server.settings import LONGEST_LINK_S, ServerSettings

SECRETS = ("Unreleased-campaign.png", "Geheimmarke", "why-it-failed", "drawn-secret", "0.4242424242")


def on_disk(service: Service) -> bytes:
    return b"".join(file.read_bytes() for file in service.folder.path.glob("server.sqlite*"))


def test_a_deleted_medium_leaves_nothing_in_the_database_or_its_log(ask: Asker) -> None:
    service = ask.service
    media_id = ask.add(name=SECRETS[0])
    objectives = {"brand": {"name": SECRETS[1]}}
    service.jobs.add(media_id, "rate", "short", objectives=objectives)
    job = service.jobs.take("w", ["short"])
    assert job
    service.jobs.finish(job, Outcome(run="r", metrics={"focus": float(SECRETS[4])}, results={"heat": "h"}))
    service.jobs.add(media_id, "predict", "short")
    job = service.jobs.take("w", ["short"])
    assert job
    service.jobs.fail(job, "broken", SECRETS[2])
    service.jobs.add(media_id, "draw", "short", payload={"aois": [{"label": SECRETS[3] * 2000}]})
    assert all(text.encode() in on_disk(service) for text in SECRETS), "they are there before"
    deleted = ask("DELETE", f"{API}/media/{media_id}")
    assert (deleted.status_code, deleted.json()["name"]) == (200, SECRETS[0])
    assert [text for text in SECRETS if text.encode() in on_disk(service)] == []
    assert service.media.usage(1, None, None)["media_deleted"] == 1


def test_changes_that_wait_are_few_and_count_in_a_company_s_room(tmp_path: Path) -> None:
    service = Service(ServerSettings(tmp_path / "data", max_company_bytes=1_000_000))
    ask = Asker(service)
    media_id = ask.add()
    ask.change(media_id, run="r", status="done")
    areas = [{"aoi_type": "other", "box": [0, 0, 1, 1], "label": "x" * 200} for _ in range(1500)]
    path = f"{API}/images/{media_id}/aois"
    service.settings = replace(service.settings, answer_within_s=0.01)
    answers = [ask("PUT", path, json={"aois": areas}).status_code for _ in range(8)]
    assert answers == [202] * 2 + [413] * 6
    assert ask("POST", f"{API}/videos", json={"content_type": "video/mp4", "total_bytes": 700_000}).status_code == 413
    rated = [ask("PUT", f"{API}/media/{media_id}/objectives", json={}).status_code for _ in range(MOST_WAITING + 5)]
    assert rated == [202] * (MOST_WAITING + 5), "they are one change"
    small = [ask("PUT", path, json={"aois": areas[:1]}).status_code for _ in range(MOST_WAITING + 5)]
    assert set(small) == {202, 429}
    assert small.count(202) == MOST_WAITING - 3
    assert len(on_disk(service)) < 3_000_000
    service.database.close()


def test_what_waited_is_given_back_to_the_disk(service: Service) -> None:
    ask = Asker(service)
    media_id = ask.add()
    for _ in range(MOST_WAITING):
        service.jobs.add(media_id, "draw", "short", payload={"aois": ["x" * 1_000_000]})
    assert len(on_disk(service)) > 15_000_000
    assert ask("DELETE", f"{API}/media/{media_id}").status_code == 200
    assert len(on_disk(service)) < 1_000_000


def test_many_areas_leave_a_worker_free_for_pictures(service: Service) -> None:
    ask = Asker(service)
    media_id = ask.add()
    ask.change(media_id, run="r", status="done")
    service.settings = replace(service.settings, answer_within_s=0.01)
    area = {"aoi_type": "other", "box": [0, 0, 1, 1]}
    for count in (1, 1500):
        assert ask("PUT", f"{API}/images/{media_id}/aois", json={"aois": [area] * count}).status_code == 202
    lanes = service.database.connection.execute("SELECT lane FROM jobs ORDER BY job_id").fetchall()
    assert [row["lane"] for row in lanes] == ["short", "long"]


@pytest.fixture
def runs(service: Service) -> tuple[Service, ReplacedRuns, Asker]:
    return service, ReplacedRuns(service.folder), Asker(service)


def test_replaced_runs_go_when_their_addresses_end_and_are_few(runs: tuple[Service, ReplacedRuns, Asker]) -> None:
    service, replaced, ask = runs
    assert KEEP_S > LONGEST_LINK_S
    media_id = ask.add()
    for number in range(50):
        service.folder.run(media_id, f"r{number}").mkdir(parents=True)
        ask.change(media_id, run=f"r{number}")
        medium = service.media.get(media_id)
        assert medium
        replaced.clear(medium)
        replaced.add(medium)
        at = time.time() - 50 + number
        os.utime(service.folder.run(media_id, f"r{number}") / ".replaced", (at, at))
    folder = service.folder.run(media_id, "x").parent
    left = {run.name for run in folder.iterdir()}
    assert left == {f"r{number}" for number in range(49, 49 - MOST_KEPT, -1)}
    sweep_runs(service, KEEP_S)
    assert len(list(folder.iterdir())) == MOST_KEPT
    sweep_runs(service, 40.0)
    assert len(list(folder.iterdir())) == MOST_KEPT, "those are younger"
    sweep_runs(service, 0.0)
    assert list(folder.iterdir()) == []


def test_a_held_database_ends_no_lease(service: Service) -> None:
    """Another program writes for longer than a lease lasts; nobody can renew it, and nobody is dead."""
    ask = Asker(service)
    service.jobs = Jobs(service.database, replace(service.settings, lease_s=3.0))
    supervisor = Supervisor(replace(service.settings, workers=1), service, work)
    for slot in supervisor._slots:
        slot.next_at = float("inf")  # no process
        slot.settled = True
    job_id = service.jobs.add(ask.add(), "predict", "short")
    job = service.jobs.take("alive", ["short"])
    assert job
    service.database.connection.execute("PRAGMA busy_timeout = 10")
    with closing(sqlite3.connect(service.folder.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        supervisor._writable_at -= 60.0
        with pytest.raises(sqlite3.OperationalError):
            supervisor._look_after()
        other.execute("ROLLBACK")
    with service.database.transaction() as connection:
        connection.execute("UPDATE jobs SET lease_until = lease_until - 60")
    supervisor._look_after()
    assert service.jobs.result(int(job_id or 0)).state == "running"
    assert service.jobs.silent() == set()
    with service.database.transaction() as connection:
        connection.execute("UPDATE jobs SET lease_until = lease_until - 60")
    supervisor._look_after()
    assert service.jobs.result(int(job_id or 0)).state == "waiting", "now it is silent"


def test_a_worker_waits_for_a_held_database_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = WorkedJobStore(ServerSettings(tmp_path / "data"))
    finish, tries = Jobs.finish, []

    def held(jobs: Jobs, *parts: object) -> bool:
        tries.append(1)
        if len(tries) < 4:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return finish(jobs, *parts)  # type: ignore[arg-type]

    monkeypatch.setattr(Jobs, "finish", held)
    monkeypatch.setattr("mediaan.server.service.perform.perform", lambda work: Outcome())
    media_id = store.service.media.add(store.company_id, "image", "a.png", "image/png", 1).media_id
    assert store.do(media_id, "predict").state == "done"
    assert len(tries) == 4
    assert store.job(1)["deaths"] == 0
    store.close()


@pytest.mark.parametrize("column", ["DROP TABLE usage", "ALTER TABLE media DROP COLUMN metrics", "DROP TABLE turns"])
def test_a_database_without_a_table_or_column_is_told_of(service: Service, column: str) -> None:
    service.database.connection.execute(column)
    service.database.close()
    with pytest.raises(SetupError, match="is damaged"):
        Database(service.folder.database)
