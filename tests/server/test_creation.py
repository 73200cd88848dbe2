"""Media come in: what is announced or sent, what is refused, and what a client hears while workers do, or fail."""

from __future__ import annotations

from typing import Any

import pytest
from asking import API, Asker, files_kept
from short_film import ADS

from mediaan.server.serve import create_app
from mediaan.server.service.jobs import Job
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

# As the specification lists them.
VIDEO_TYPES = ("video/mp4", "video/webm", "video/quicktime", "video/x-matroskaa", "video/avi")
REAL_NAMES = ("video/x-matroska", "video/matroska", "video/x-msvideo", "video/vnd.avi", "VIDEO/MP4", "Video/WebM")


def media_of(ask: Asker) -> list[dict[str, Any]]:
    return list(ask("GET", f"{API}/media").json()["items"])


@pytest.mark.parametrize(
    "content_type", [*VIDEO_TYPES, *REAL_NAMES, "image/gif", "Image/GIF", "video/mp4; codecs=avc1"]
)
def test_mixed_media_are_created(ask: Asker, content_type: str) -> None:
    answer = ask("POST", f"{API}/mixed-media", json={"content_type": content_type, "total_bytes": 1000})
    assert (answer.status_code, set(answer.json())) == (201, {"resumable_url", "media_id"})
    assert answer.json()["resumable_url"].startswith("http://testserver/uploads/")
    (medium,) = media_of(ask)
    assert (medium["media_id"], medium["status"], medium["type"]) == (answer.json()["media_id"], "init", "video")
    assert medium["name"].startswith("mixed.")


@pytest.mark.parametrize(
    ("path", "body", "status", "detail"),
    [
        ("mixed-media", {"content_type": "image/png", "total_bytes": 9}, 415, "video/avi, image/gif"),
        ("videos", {"content_type": "image/gif", "total_bytes": 9}, 415, "'image/gif' is not taken here"),
        ("mixed-media", {"content_type": "video/mp4"}, 422, "total_bytes: Field required"),
        ("mixed-media", {"total_bytes": 9}, 422, "content_type: Field required"),
        ("mixed-media", {"content_type": "video/mp4", "total_bytes": 0}, 422, "total_bytes"),
        ("mixed-media", {"content_type": "video/mp4", "total_bytes": "9"}, 422, "total_bytes"),
        ("videos", {"content_type": "v" * 256, "total_bytes": 9}, 422, "content_type"),
        ("videos", {"content_type": "video/mp4", "total_bytes": 9, "name": " "}, 422, "name"),
        ("videos", {"content_type": "video/mp4", "total_bytes": 9, "name": "x" * 201}, 422, "name"),
        ("videos", {"content_type": "video/mp4", "total_bytes": 9, "total_bytse": 9}, 422, "total_bytse"),
        ("videos", [], 422, ""),
    ],
)
def test_what_is_refused_makes_no_medium(ask: Asker, path: str, body: Any, status: int, detail: str) -> None:
    answer = ask("POST", f"{API}/{path}", json=body)
    assert answer.status_code == status
    assert detail in answer.json()["detail"]
    assert media_of(ask) == []


@pytest.mark.parametrize("path", ["mixed-media", "videos"])
@pytest.mark.parametrize("total_bytes", [1001, 10**30])
def test_a_file_may_have_as_many_bytes_as_the_server_says(tmp_path: Any, path: str, total_bytes: int) -> None:
    service = Service(ServerSettings(tmp_path / "data", max_video_bytes=1000))
    ask = Asker(service, create_app(service))
    body = {"content_type": "video/mp4", "total_bytes": 1000}
    assert ask("POST", f"{API}/{path}", json=body).status_code == 201
    refused = ask("POST", f"{API}/{path}", json=body | {"total_bytes": total_bytes})
    assert (refused.status_code, refused.json()) == (412, {"detail": "Max file bytes size: 1000"})
    assert len(media_of(ask)) == 1
    service.database.close()


PICTURE = (ADS / "serum_square.jpg").read_bytes()


def rows(service: Service) -> dict[str, int]:
    tables = ("media", "jobs", "usage")
    return {name: service.database.connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}


def test_the_worker_finds_the_file_as_it_was_sent(ask: Asker) -> None:
    def end(job: Job) -> None:
        medium = ask.service.media.get(job.media_id)
        assert medium.file is not None
        assert ask.service.folder.source(medium.media_id, medium.file).read_bytes() == PICTURE
        assert (medium.kind, medium.content_type, medium.size_bytes) == ("image", "image/jpeg", len(PICTURE))
        ask.succeed(job)

    answer = ask.upload(end, PICTURE, "../Sommer 2026.jpg")
    assert answer.status_code == 201
    body = answer.json()
    assert (body["name"], body["status"], body["metrics"]["focus"]) == ("Sommer 2026.jpg", "done", 50.5)
    assert len(files_kept(ask.service)) == 1


@pytest.mark.parametrize(
    ("code", "status"), [("damaged", 422), ("setup", 503), ("internal", 500), ("analysis", 500), ("worker_died", 500)]
)
def test_an_upload_that_is_answered_with_an_error_leaves_nothing(ask: Asker, code: str, status: int) -> None:
    answer = ask.upload(lambda job: ask.service.jobs.fail(job, code, "what happened"), PICTURE)
    assert (answer.status_code, answer.json()) == (status, {"detail": "what happened"})
    assert rows(ask.service) == {"media": 0, "jobs": 0, "usage": 0}
    assert files_kept(ask.service) == []


def test_what_takes_longer_is_answered_as_started_and_stays(ask: Asker) -> None:
    ask.limit(answer_within_s=0.05)
    answer = ask("POST", f"{API}/images", files={"file": ("ad.jpg", PICTURE)})
    assert (answer.status_code, answer.json()["status"]) == (202, "started")
    media_id = answer.json()["media_id"]
    job = ask.service.jobs.take("w", ["short"])
    assert str(job.media_id) == media_id
    ask.service.jobs.fail(job, "damaged", "what happened")
    found = ask("GET", f"{API}/media/{media_id}").json()
    assert (found["status"], found["error"]) == ("failed", "what happened")
