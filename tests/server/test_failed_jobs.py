"""Jobs that fail: what their owners hear of it, and what stays."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from job_store import WorkedJobStore

from mediaan.errors import SetupError
from mediaan.server.service.jobs import Job, Jobs, Outcome
from mediaan.server.service.work import perform as server_perform
from mediaan.server.settings import ServerSettings

SAMPLES = Path(__file__).resolve().parents[1] / "sample_ads"
AD = SAMPLES / "ads" / "serum_square.jpg"
PLAIN = SAMPLES / "ads" / "coffee_leaderboard.jpg"
BANNER = SAMPLES / "videos" / "sofa_banner.gif"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkedJobStore]:
    made = WorkedJobStore(ServerSettings(tmp_path_factory.mktemp("store") / "data", workers=1))
    yield made
    made.close()


def raiser(error: Exception) -> Callable[[object], NoReturn]:
    def fail(work: object) -> NoReturn:
        raise error

    return fail


@pytest.mark.parametrize(
    ("kind", "content", "code"),
    [
        ("image", b"this is a text", "not_a_picture"),
        ("image", AD.read_bytes()[:30_000], "truncated"),
        ("image", BANNER.read_bytes(), "not_an_image"),
        ("video", AD.read_bytes(), "not_a_video"),
        ("mixed", AD.read_bytes(), "not_mixed_media"),
    ],
)
def test_a_bad_file_fails_with_a_sentence_for_its_owner(
    store: WorkedJobStore, tmp_path: Path, kind: Any, content: bytes, code: str
) -> None:
    (tmp_path / "mine.png").write_bytes(content)
    media_id = store.bring(kind, tmp_path / "mine.png")
    result = store.do(media_id, "predict")
    assert (result.state, result.error_code) == ("failed", code)
    medium = store.medium(media_id)
    assert (medium.status, medium.error, medium.run) == ("failed", result.error, None)
    assert (result.error or "").startswith("mine.png: ")
    assert "/" not in (result.error or "")
    assert store.runs(media_id) == set()


def test_faults_of_ours_are_told_without_their_insides(
    store: WorkedJobStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    media_id = store.bring("image", PLAIN)
    for error, code in (
        (ValueError("a secret of /etc"), "internal"),
        (
            SetupError(f"{store.service.folder.run(media_id, '1')}/a.jpg cannot be written (No space left on device)"),
            "setup",
        ),
    ):
        monkeypatch.setattr(server_perform, "perform", raiser(error))
        result = store.do(media_id, "predict")
        assert (result.state, result.error_code) == ("failed", code)
        assert "secret" not in (result.error or "")
        assert str(store.settings.data) not in (result.error or "")
        assert str(error) in caplog.text


@pytest.mark.parametrize("where", ["a file", "a copy", "the report", "the database"])
def test_a_full_disk_is_told_as_such_and_changes_nothing(
    store: WorkedJobStore, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    media_id = store.predicted(PLAIN)
    before = store.medium(media_id)
    full = OSError(errno.ENOSPC, "No space left on device")

    def perform(one: server_perform.JobInputs) -> Outcome:
        one.target.mkdir(parents=True)
        if where == "a file":
            raise SetupError("/data/x.jpg cannot be written; make room or name another --out") from full
        if where == "a copy":
            raise SetupError("/data cannot be written") from shutil.Error([("a", "b", str(full))])
        if where == "the report":
            raise full
        return Outcome(run=one.target.name)

    def finish(*_: object) -> NoReturn:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    fail = Jobs.fail

    def fail_with_room(jobs: Jobs, job: Job, code: str, message: str) -> bool:
        assert store.runs(media_id) == {before.run}, "what makes room goes first"
        return fail(jobs, job, code, message)

    monkeypatch.setattr(server_perform, "perform", perform)
    monkeypatch.setattr(Jobs, "fail", fail_with_room)
    if where == "the database":
        monkeypatch.setattr(Jobs, "finish", finish)
    result = store.do(media_id, "predict")
    assert (result.state, result.error_code) == ("failed", "setup")
    assert result.error == f"{PLAIN.name}: the server's disk is full; nothing was changed, try again later"
    after = store.medium(media_id)
    assert (after.run, after.metrics, after.status) == (before.run, before.metrics, "failed")


def test_replaced_runs_stay_for_those_who_read_them(store: WorkedJobStore) -> None:
    media_id = store.predicted(PLAIN)
    first = store.medium(media_id).run
    assert store.do(media_id, "rate", objectives={}).state == "done"
    second = store.medium(media_id).run
    store.worker.rest()
    assert store.runs(media_id) == {first, second}
    (store.service.folder.run(media_id, "dead") / "maps").mkdir(parents=True)  # as a dead worker leaves it
    old = store.service.folder.run(media_id, str(first)) / ".replaced"
    os.utime(old, (0, 0))
    assert store.do(media_id, "rate", objectives={}).state == "done"
    assert store.runs(media_id) == {second, store.medium(media_id).run}
