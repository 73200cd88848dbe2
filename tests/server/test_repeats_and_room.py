"""Requests that are sent twice, files that have no room, companies that take turns, deletions that race."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import httpx
import pytest
from asking import API, Asker
from in_process import Reply, send
from short_film import ADS

from mediaan.server.service.errors import ServiceError
from mediaan.server.service.jobs import Job, Lane, Outcome
from mediaan.server.service.media import StoredMedium
from mediaan.server.service.service import Service
from mediaan.server.service.sweep import sweep
from mediaan.server.service.uploads import Upload, find_content_type

PICTURE = (ADS / "serum_square.jpg").read_bytes()
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
    assert ask.service.media.usage(1, None, None)["images_predicted"] == 1
    assert ask("GET", f"{API}/media").json()["total"] == 1


def test_who_gave_up_waiting_gets_the_medium_that_was_being_made(ask: Asker) -> None:
    ask.limit(answer_within_s=0.05)
    first = ask("POST", f"{API}/images", files={"file": ("ad.jpg", PICTURE)}, headers=KEY)
    assert first.status_code == 202
    ask.limit(answer_within_s=60.0)
    again = ask.upload(ask.succeed, PICTURE, **KEY)
    assert (again.status_code, again.json()["media_id"]) == (201, first.json()["media_id"])
    assert ask.service.media.usage(1, None, None)["images_predicted"] == 1


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
    ask.limit(max_company_bytes=3 * len(MP4))
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
    assert job.job_id == theirs
    jobs.finish(job, Outcome())
    for _ in range(4):
        jobs.add(ask.add(), "predict", "long")
    assert jobs.take("w1", ["long"])
    assert jobs.take("w2", ["long"])
    theirs = jobs.add(ask.add(company="rival"), "predict", "long")
    job = jobs.take("w3", ["long"])
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


OTHER = PICTURE + b"\1"


def broken(ask: Asker, ended: list[int] | None = None) -> Callable[[Job], object]:
    def end(job: Job) -> None:
        if ended is not None:
            ended.append(job.job_id)
        ask.service.jobs.fail(job, "broken", "ad.jpg: is broken")

    return end


def test_a_file_that_fails_has_one_answer_however_often_it_is_sent(ask: Asker) -> None:
    ended: list[int] = []
    parts = {"files": {"file": ("ad.jpg", PICTURE)}, "headers": KEY}
    sent = [ask.at_work(broken(ask, ended), "POST", f"{API}/images", count=8, **parts) for _ in range(6)]
    answers = [answer for answers in sent for answer in answers]
    assert {(answer.status_code, answer.json()["detail"]) for answer in answers} == {(422, "ad.jpg: is broken")}
    assert len(ended) == 1, "it is analyzed once"
    assert ask("GET", f"{API}/media").json()["total"] == 0
    assert ask.upload(ask.succeed, OTHER, **KEY).status_code == 422, "the key belongs to the other file"


def test_files_that_fail_without_a_key_are_never_the_server_s_fault(ask: Asker) -> None:
    """Another client of the company sees them in the list, and asks for a prediction, until they are withdrawn."""
    seen: list[int] = []

    sending = asyncio.Event()  # a flag: a request that is canceled is answered by 503, as where the server ends

    async def meddle() -> None:
        while sending.is_set():
            for medium in (await ask.send("GET", f"{API}/media")).json()["items"]:
                answer = await ask.send("PUT", f"{API}/images/{medium['media_id']}/predict")
                seen.append(answer.status_code)
            await asyncio.sleep(0)

    async def both() -> list[httpx.Response]:
        async with ask.working(broken(ask)):
            sending.set()
            meddling = asyncio.create_task(meddle())
            files = {"file": ("ad.jpg", PICTURE)}
            answers = [await ask.send("POST", f"{API}/images", files=files) for _ in range(10)]
            sending.clear()
            await meddling
            return answers

    assert {answer.status_code for answer in asyncio.run(both())} <= {404, 422}
    assert set(seen) <= {202, 404, 412, 422}


def test_videos_that_are_created_at_once_are_one(ask: Asker) -> None:
    async def create() -> list[httpx.Response]:
        body = {"content_type": "video/mp4", "total_bytes": 9}
        return await asyncio.gather(*(ask.send("POST", f"{API}/videos", json=body, headers=KEY) for _ in range(8)))

    answers = asyncio.run(create())
    assert [one.status_code for one in answers] == [201] * 8
    assert len({one.json()["media_id"] for one in answers}) == 1


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        ("filename*=UTF-8''n%C3%A4h%20bild.png", "näh bild.png"),
        ("filename*=iso-8859-1''gr%FCn.png", "grün.png"),
        ("filename*=\"UTF-8''ad.png\"", "ad.png"),
        ("filename*=UTF-8''a%22b.png", "ab.png"),
        ("filename*=no-such''ad.png", "ad.png"),
        ("filename*=UTF-8''", "image.jpeg"),
        ("filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("filename*=UTF-8''a%0D%0AX: y.png", "aX y.png"),
        ('filename*0="long"; filename*1="er.png"', "longer.png"),
        ("filename=\"plain.png\"; filename*=UTF-8''other.png", "plain.png"),
        ("filename*=UTF-8''other.png; filename=\"plain.png\"", "plain.png"),
        ("filename*=UTF-8''%E2%80%AEgnp.exe.png", "gnp.exe.png"),
    ],
)
def test_a_name_that_is_written_in_the_extended_way_is_that_of_a_file(ask: Asker, parameter: str, name: str) -> None:
    head = f'--x\r\nContent-Disposition: form-data; name="file"; {parameter}\r\n\r\n'.encode()
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    content = head + PICTURE + b"\r\n--x--\r\n"
    (answer,) = ask.at_work(ask.succeed, "POST", f"{API}/images", content=content, headers=headers)
    assert (answer.status_code, answer.json().get("name", answer.text)) == (201, name)
