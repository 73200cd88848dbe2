"""A picture's upload while workers do, or fail, or take their time; no model runs here."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import API, Asker

from mediaan.server.service.jobs import Job
from mediaan.server.service.service import Service

PICTURE = (Path(__file__).resolve().parents[1] / "sample_ads" / "ads" / "serum_square.jpg").read_bytes()


def rows(service: Service) -> dict[str, int]:
    tables = ("media", "jobs", "usage")
    return {name: service.database.connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}


def files(service: Service) -> list[Path]:
    folders = (service.folder.incoming, service.folder.path / "media")
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


def test_the_worker_finds_the_file_as_it_was_sent(ask: Asker) -> None:
    def end(job: Job) -> None:
        medium = ask.service.media.get(job.media_id)
        assert medium is not None
        assert medium.file is not None
        assert ask.service.folder.source(medium.media_id, medium.file).read_bytes() == PICTURE
        assert (medium.kind, medium.content_type, medium.size_bytes) == ("image", "image/jpeg", len(PICTURE))
        ask.succeed(job)

    answer = ask.upload(end, PICTURE, "../Sommer 2026.jpg")
    assert answer.status_code == 201
    body = answer.json()
    assert (body["name"], body["status"], body["metrics"]["focus"]) == ("Sommer 2026.jpg", "done", 50.5)
    assert len(files(ask.service)) == 1


@pytest.mark.parametrize(
    ("code", "status"), [("damaged", 422), ("setup", 503), ("internal", 500), ("analysis", 500), ("worker_died", 500)]
)
def test_an_upload_that_is_answered_with_an_error_leaves_nothing(ask: Asker, code: str, status: int) -> None:
    answer = ask.upload(lambda job: ask.service.jobs.fail(job, code, "what happened"), PICTURE)
    assert (answer.status_code, answer.json()) == (status, {"detail": "what happened"})
    assert rows(ask.service) == {"media": 0, "jobs": 0, "usage": 0}
    assert files(ask.service) == []


def test_what_takes_longer_is_answered_as_started_and_stays(ask: Asker) -> None:
    ask.limit(answer_within_s=0.05)
    answer = ask("POST", f"{API}/images", files={"file": ("ad.jpg", PICTURE)})
    assert (answer.status_code, answer.json()["status"]) == (202, "started")
    media_id = answer.json()["media_id"]
    job = ask.service.jobs.take("w", ["short"])
    assert job is not None
    assert str(job.media_id) == media_id
    ask.service.jobs.fail(job, "damaged", "what happened")
    found = ask("GET", f"{API}/media/{media_id}").json()
    assert (found["status"], found["error"]) == ("failed", "what happened")
