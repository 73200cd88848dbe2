"""Requests that are sent twice, files that have no room, companies that take turns, deletions that race."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import httpx
import pytest
from asking import API, Asker
from in_process import Reply, send

from mediaan.server.service.errors import ServiceError
from mediaan.server.service.jobs import Lane, Outcome
from mediaan.server.service.media import Media, StoredMedium
from mediaan.server.service.service import Service
from mediaan.server.service.sweep import sweep
from mediaan.server.service.uploads import Upload, find_content_type

PICTURE = (Path(__file__).resolve().parents[1] / "sample_ads" / "ads" / "serum_square.jpg").read_bytes()
MP4 = b"\0\0\0\x18ftypisom" + bytes(range(256)) * 8
KEY = {"Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"'}


def free(monkeypatch: pytest.MonkeyPatch, free_bytes: int) -> None:
    """Make the disk so full."""
    usage = SimpleNamespace(total=10**12, used=0, free=free_bytes)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)


def create(ask: Asker, total_bytes: int = len(MP4), **headers: str) -> httpx.Response:
    body = {"content_type": "video/mp4", "total_bytes": total_bytes}
    return ask("POST", f"{API}/videos", json=body, headers=headers)


def put(ask: Asker, created: httpx.Response, content: bytes, **headers: str) -> Reply:
    path = "/uploads/" + created.json()["resumable_url"].rpartition("/")[2]
    return asyncio.run(send(ask.app, "PUT", path, [content], {k.replace("_", "-"): v for k, v in headers.items()}))


def test_an_image_that_is_sent_again_is_predicted_and_counted_once(ask: Asker) -> None:
    first, again = ask.upload(ask.succeed, PICTURE, **KEY), ask.upload(ask.succeed, PICTURE, **KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert (first.json()["media_id"], first.json()["metrics"]) == (again.json()["media_id"], again.json()["metrics"])
    assert ask.service.usage.between(1, None, None)["images_predicted"] == 1
    assert ask("GET", f"{API}/media").json()["total"] == 1


def test_who_gave_up_waiting_gets_the_medium_that_was_being_made(ask: Asker) -> None:
    ask.limit(answer_within_s=0.05)
    first = ask("POST", f"{API}/images", files={"file": ("ad.jpg", PICTURE)}, headers=KEY)
    assert first.status_code == 202
    ask.limit(answer_within_s=60.0)
    again = ask.upload(ask.succeed, PICTURE, **KEY)
    assert (again.status_code, again.json()["media_id"]) == (201, first.json()["media_id"])
    assert ask.service.usage.between(1, None, None)["images_predicted"] == 1


def test_a_prediction_that_ends_while_its_image_is_sent_again_is_not_made_again(
    ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask.limit(answer_within_s=0.05)
    store = ask.service._store_image

    def store_and_end(*request: Any) -> StoredMedium:
        medium = store(*request)
        job = ask.service.jobs.take("w", ["short"])
        assert job is not None
        ask.succeed(job)
        return medium

    files = {"file": ("ad.jpg", PICTURE)}
    first = ask("POST", f"{API}/images", files=files, headers=KEY)
    monkeypatch.setattr(ask.service, "_store_image", store_and_end)
    again = ask("POST", f"{API}/images", files=files, headers=KEY)
    assert (again.status_code, again.json()["media_id"]) == (201, first.json()["media_id"])
    assert ask.service.jobs.take("w", ["short"]) is None


def test_a_key_for_something_else_is_refused_and_another_company_s_is_another(ask: Asker) -> None:
    assert ask.upload(ask.succeed, PICTURE, **KEY).status_code == 201
    other = ask.upload(ask.succeed, PICTURE + b" ", **KEY)
    assert (other.status_code, "another file" in other.json()["detail"]) == (422, True)
    rival = Asker.__new__(Asker)
    rival.service, rival.app, rival.key = ask.service, ask.app, ask.service.keys.create("rival")
    assert rival.upload(ask.succeed, PICTURE, **KEY).status_code == 201
    assert ask.service.media.page(2)[1] == 1


def test_an_image_that_failed_is_tried_again(ask: Asker) -> None:
    failed = ask.upload(lambda job: ask.service.jobs.fail(job, "worker_died", "what happened"), PICTURE, **KEY)
    assert failed.status_code == 500
    assert ask.upload(ask.succeed, PICTURE, **KEY).status_code == 201


def test_a_video_that_is_created_again_is_one_whose_new_address_works(ask: Asker) -> None:
    first, again = create(ask, **KEY), create(ask, **KEY)
    assert first.json()["media_id"] == again.json()["media_id"]
    assert put(ask, again, MP4).status == 200
    assert create(ask, 7, **KEY).status_code == 422
    assert ask("DELETE", f"{API}/media/{first.json()['media_id']}").status_code == 200
    assert create(ask, **KEY).status_code == 404


def test_files_are_refused_before_their_bytes_where_the_disk_would_be_too_full(
    ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask.limit(min_free_bytes=1000)
    free(monkeypatch, 1000 + len(MP4))
    created = create(ask)
    assert created.status_code == 201
    assert create(ask, len(MP4) + 1).status_code == 507
    assert ask("GET", "/healthz", key=None).json()["status"] == "ok"
    free(monkeypatch, 999)
    refused = put(ask, created, MP4[:500], content_range=f"bytes 0-499/{len(MP4)}")
    assert (refused.status, "nothing of it is kept" in refused.detail) == (507, True)
    assert ask.upload(ask.succeed, PICTURE).status_code == 507
    health = ask("GET", "/healthz", key=None)
    assert (health.status_code, health.json()["status"], "999 bytes are free" in health.json()["detail"]) == (
        200, "degraded", True,
    )  # fmt: skip
    assert [path for path in ask.service.folder.path.rglob("*.part") if path.stat().st_size] == []
    assert ask("DELETE", f"{API}/media/{created.json()['media_id']}").status_code == 200


def test_a_part_of_an_upload_that_is_refused_is_removed_and_can_be_sent_again(
    ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask.limit(min_free_bytes=1000)
    created = create(ask)
    assert put(ask, created, MP4[:500], content_range=f"bytes 0-499/{len(MP4)}").received == 500
    free(monkeypatch, 1000)
    assert put(ask, created, MP4[500:], content_range=f"bytes 500-{len(MP4) - 1}/{len(MP4)}").status == 507
    monkeypatch.undo()
    assert put(ask, created, b"", content_range="bytes */*").received == 0
    assert put(ask, created, MP4).status == 200


def test_a_company_has_its_own_room(ask: Asker) -> None:
    ask.service.media = Media(ask.service.database, max_company_bytes=3 * len(MP4))
    first = create(ask)
    assert create(ask, 2 * len(MP4)).status_code == 201, "what was announced counts"
    full = create(ask, 1)
    assert (full.status_code, "delete some" in full.json()["detail"]) == (413, True)
    assert ask.upload(ask.succeed, PICTURE).status_code == 413
    ask("DELETE", f"{API}/media/{first.json()['media_id']}")
    assert create(ask, 1).status_code == 201


@pytest.mark.parametrize("lane", ["short", "long"])
def test_companies_take_turns_and_each_keeps_its_order(ask: Asker, lane: Lane) -> None:
    ask.service.keys.create("rival")
    jobs = ask.service.jobs
    ours = [jobs.add(ask.add(), "predict", lane) for _ in range(5)]
    theirs = [jobs.add(ask.add(company="rival"), "predict", lane) for _ in range(2)]
    taken = [job for _ in range(7) if (job := jobs.take("w", [lane]))]
    assert [job.job_id for job in taken] == [ours[0], theirs[0], ours[1], theirs[1], *ours[2:]]


def test_a_company_that_has_more_running_comes_later(ask: Asker) -> None:
    """Two workers are at one company's long videos; the next free one takes the other's."""
    ask.service.keys.create("rival")
    jobs = ask.service.jobs
    theirs = jobs.add(ask.add(company="rival"), "predict", "long")
    job = jobs.take("w", ["long"])
    assert job is not None
    assert job.job_id == theirs
    jobs.finish(job, Outcome())
    for _ in range(4):
        jobs.add(ask.add(), "predict", "long")
    assert jobs.take("w1", ["long"])
    assert jobs.take("w2", ["long"])
    theirs = jobs.add(ask.add(company="rival"), "predict", "long")
    job = jobs.take("w3", ["long"])
    assert job is not None
    assert job.job_id == theirs


def test_a_deletion_while_an_upload_ends_leaves_no_folder(service: Service) -> None:
    ask = Asker(service)
    created = create(ask)
    media_id = UUID(created.json()["media_id"])
    medium, content_type = service.media.get(media_id), find_content_type("video/mp4")
    assert medium
    assert content_type
    whole = Upload(medium, content_type, len(MP4))
    file = service.uploads.open(whole)
    assert file
    file.write(MP4, 0)
    ask("DELETE", f"{API}/media/{media_id}")
    with pytest.raises((ServiceError, FileNotFoundError)):
        service.uploads.finish(whole, file)
    assert list((service.folder.path / "media").iterdir()) == []


def test_a_file_that_came_whole_before_a_kill_is_swept_when_its_time_is_up(service: Service) -> None:
    """Killed between the file's last name and the note of it: the part is gone, the source is there."""
    ask = Asker(service)
    media_id = UUID(create(ask).json()["media_id"])
    source = service.folder.source(media_id, "video.mp4")
    source.parent.mkdir(parents=True)
    source.write_bytes(MP4)
    sweep(service)
    assert source.exists(), "its client may still ask"
    service.database.close()
    later = Service(replace(service.settings, upload_lifetime_s=0))
    sweep(later)
    later.database.close()
    assert not source.exists()


def test_fields_that_are_not_known_are_left_out_and_named(ask: Asker) -> None:
    body = {"content_type": "video/mp4", "total_bytes": 9, "tags": ["a"], "x-näme": 1}
    answer = ask("POST", f"{API}/videos", json=body)
    assert (answer.status_code, answer.headers["X-Ignored-Fields"]) == (201, "tags, x-n%C3%A4me")
    misspelled = ask("POST", f"{API}/videos", json={"content_type": "video/mp4", "total_byte": 9, "total_bytes": 9})
    assert (misspelled.status_code, "total_byte: " in misspelled.json()["detail"]) == (422, True)
