"""Jobs that fail and media that cannot be analysed: what their owners and clients hear of it, and what stays."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from job_store import WorkedJobStore
from plain_client import PlainClient
from serving import RunningServer
from short_film import SAMPLES, short_film

from mediaan.errors import SetupError
from mediaan.server.service import perform as server_perform
from mediaan.server.service.jobs import Job, Jobs, Outcome

PLAIN = SAMPLES / "ads" / "coffee_leaderboard.jpg"


def raiser(error: Exception) -> Callable[[object], NoReturn]:
    def fail(work: object) -> NoReturn:
        raise error

    return fail


@pytest.mark.parametrize(
    ("kind", "file", "code"),
    [
        ("image", "videos/sofa_banner.gif", "not_an_image"),
        ("video", "ads/serum_square.jpg", "not_a_video"),
        ("mixed", "ads/serum_square.jpg", "not_mixed_media"),
    ],
)
def test_a_file_of_another_kind_fails_with_a_sentence_for_its_owner(
    store: WorkedJobStore, tmp_path: Path, kind: Any, file: str, code: str
) -> None:
    shutil.copy(SAMPLES / file, tmp_path / "mine.png")
    media_id = store.bring(kind, tmp_path / "mine.png")
    result = store.do(media_id, "predict")
    assert (result.state, result.error_code) == ("failed", code)
    medium = store.medium(media_id)
    assert (medium.status, medium.error, medium.run) == ("failed", result.error, None)
    assert (result.error or "").startswith("mine.png: ")
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
    store.worker.replaced_runs.remove_expired()
    assert store.runs(media_id) == {first, second}
    (store.service.folder.run(media_id, "dead") / "maps").mkdir(parents=True)  # as a dead worker leaves it
    old = store.service.folder.run(media_id, str(first)) / ".replaced"
    os.utime(old, (0, 0))
    assert store.do(media_id, "rate", objectives={}).state == "done"
    assert store.runs(media_id) == {second, store.medium(media_id).run}


PICTURE = SAMPLES / "ads" / "serum_square.jpg"
HEADER = b"IHDR" + struct.pack(">IIBBBBB", 99_000_000, 1, 8, 2, 0, 0, 0)
LINE = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + HEADER + struct.pack(">I", zlib.crc32(HEADER)) + b"\0\0\0\4IDAT"


@pytest.fixture
def client(server: RunningServer) -> PlainClient:
    return PlainClient(server.url, server.new_key("fresh"))


def predicted(client: PlainClient, data: bytes, path: str = "mixed-media") -> dict[str, Any]:
    created = client.ask("POST", path, {"content_type": "video/mp4", "total_bytes": len(data)}).body
    assert client.put_bytes(created["resumable_url"], data).status == 200
    assert client.ask("PUT", f"{path}/{created['media_id']}/predict").status == 200
    found: dict[str, Any] = client.poll(f"media/{created['media_id']}", "status").body
    return found


def files(server: RunningServer) -> set[Path]:
    return {path for path in server.data.rglob("*") if path.is_file() and path.parent != server.data}


@pytest.mark.parametrize(
    ("name", "content", "status", "said"),
    [
        ("ad.png", b"\x89PNG\r\n\x1a\n" + bytes(100), 422, "ad.png: the file is damaged"),
        ("line.png", LINE, 422, "line.png: has 99000000 x 1 px, above the limit"),
        ("ad.jpg", PICTURE.read_bytes()[:5000], 422, "ad.jpg: "),
        ("ad.gif", (SAMPLES / "videos" / "sofa_banner.gif").read_bytes(), 422, "is a video or an animation"),
        ("ad.jpg", (SAMPLES / "videos" / "coffee_spot.mp4").read_bytes(), 415, "file: is mp4"),
        ("ad.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", 415, "file: is svg"),
        ("ad.jpg", b"Dear all,", 415, "file: is of no known format"),
    ],
)
def test_a_picture_that_is_refused_leaves_nothing(
    server: RunningServer, client: PlainClient, tmp_path: Path, name: str, content: bytes, status: int, said: str
) -> None:
    before = files(server)
    usage = client.ask("GET", "account/usage").body
    file = tmp_path / name
    file.write_bytes(content)
    answer = client.upload_picture(file)
    assert answer.status == status
    assert said in answer.body["detail"]
    assert str(server.data) not in answer.body["detail"]
    assert client.ask("GET", "media").body["total"] == 0
    assert client.ask("GET", "account/usage").body == usage
    assert files(server) <= before


def test_a_film_that_is_broken_is_a_medium_that_failed(
    server: RunningServer, client: PlainClient, tmp_path: Path
) -> None:
    whole = short_film(tmp_path / "film.mp4", last_s=3.0).read_bytes()
    medium = predicted(client, whole[: len(whole) // 10] + bytes(len(whole)))
    assert medium["status"] == "failed"
    assert medium["error"]
    assert str(server.data) not in medium["error"]
    assert set(medium["metrics"].values()) == {None}
    assert set(medium["results"].values()) == {""}
    path = f"mixed-media/{medium['media_id']}"
    assert client.ask("GET", f"{path}/aois").status == 412
    answer = client.ask("POST", f"{path}/aois/detect")
    assert (answer.status, answer.body) == (202, {"detail": "AOI detection started"})
    assert client.poll(f"{path}/aois/status", "aoi_status").body["aoi_status"] == "failed"


def test_a_prediction_that_fails_takes_nothing_away(server: RunningServer, client: PlainClient) -> None:
    medium = client.upload_picture(PICTURE).body
    media_id = medium["media_id"]
    client.ask("PUT", f"media/{media_id}/objectives", {"industry": "food"})
    box = {"aoi_type": "face", "box": [0.1, 0.1, 0.5, 0.5]}
    aois = client.ask("PUT", f"images/{media_id}/aois", {"aois": [box]}).body["aois"]
    ranges = client.ask("GET", f"media/{media_id}/benchmark_ranges").body
    (source,) = (server.data / "media" / media_id / "source").iterdir()
    content = source.read_bytes()
    source.write_bytes(content[:3000])

    answer = client.ask("PUT", f"images/{media_id}/predict")
    assert answer.status == 422
    assert answer.body["detail"].startswith(f"{PICTURE.name}: ")
    after = client.ask("GET", f"media/{media_id}").body
    assert (after["status"], after["error"]) == ("failed", answer.body["detail"])
    assert after["metrics"] == medium["metrics"]
    assert all(after["results"].values())
    assert client.ask("GET", f"images/{media_id}/aois").body["aois"] == aois
    assert client.ask("GET", f"media/{media_id}/benchmark_ranges").body == ranges

    source.write_bytes(content)
    healed = client.ask("PUT", f"images/{media_id}/predict").body
    assert (healed["status"], healed["error"], healed["metrics"]) == ("done", None, medium["metrics"])
    assert client.ask("GET", f"images/{media_id}/aois").body["aois"] == aois
    client.ask("DELETE", f"media/{media_id}")
