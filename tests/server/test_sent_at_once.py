"""The same request sent at once, or again: one answer for all. And uploads whose name is written in other ways."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
import pytest
from asking import API, Asker

from mediaan.server.service.jobs import Job

PICTURE = b"\xff\xd8\xff\xe0" + b"\0" * 60
OTHER = PICTURE + b"\1"
KEY = {"Idempotency-Key": "the-same"}


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
    answered = asyncio.Event()

    async def meddle() -> None:
        said = {"X-API-Key": ask.key}
        while not answered.is_set():
            for medium in (await ask._ask("GET", f"{API}/media", said, {})).json()["items"]:
                path = f"{API}/images/{medium['media_id']}/predict"
                seen.append((await ask._ask("PUT", path, said, {})).status_code)
            await asyncio.sleep(0)

    async def both() -> list[httpx.Response]:
        ends = broken(ask)

        async def worker() -> None:
            while not answered.is_set():
                if (job := ask.service.jobs.take("w", ["short"])) is not None:
                    await asyncio.sleep(0.01)
                    ends(job)
                await asyncio.sleep(0.002)

        tasks = [asyncio.create_task(worker()), asyncio.create_task(meddle())]
        parts = {"files": {"file": ("ad.jpg", PICTURE)}}
        found = [await ask._ask("POST", f"{API}/images", {"X-API-Key": ask.key}, parts) for _ in range(10)]
        answered.set()
        await asyncio.gather(*tasks)
        return found

    assert {one.status_code for one in asyncio.run(both())} <= {404, 422}
    assert set(seen) <= {202, 404, 412, 422}


def test_videos_that_are_created_at_once_are_one(ask: Asker) -> None:
    async def create() -> list[httpx.Response]:
        said = {"X-API-Key": ask.key, **KEY}
        body = {"json": {"content_type": "video/mp4", "total_bytes": 9}}
        return list(await asyncio.gather(*(ask._ask("POST", f"{API}/videos", said, body) for _ in range(8))))

    answers = asyncio.run(create())
    assert [one.status_code for one in answers] == [201] * 8
    assert len({one.json()["media_id"] for one in answers}) == 1


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        ("filename*=UTF-8''n%C3%A4h%20bild.png", "näh bild.png"),
        ("filename*=utf-8'de'ad.png", "ad.png"),
        ("filename*=iso-8859-1''gr%FCn.png", "grün.png"),
        ("FileName*=UTF-8''ad.png", "ad.png"),
        ("filename*=\"UTF-8''ad.png\"", "ad.png"),
        ("filename*=UTF-8''a%22b.png", "ab.png"),
        ("filename*=no-such''ad.png", "ad.png"),
        ("filename*=ad.png", "ad.png"),
        ("filename*=UTF-8''", "image.jpeg"),
        ("filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("filename*=UTF-8''a%0D%0AX: y.png", "aX y.png"),
        ('filename*0="long"; filename*1="er.png"', "longer.png"),
        ("filename=\"plain.png\"; filename*=UTF-8''other.png", "plain.png"),
        ("filename*=UTF-8''other.png; filename=\"plain.png\"", "plain.png"),
        ("filename=ad.png", "ad.png"),
        ("filename*=UTF-8''%E2%80%AEgnp.exe.png", "gnp.exe.png"),
    ],
)
def test_a_name_that_is_written_in_the_extended_way_is_that_of_a_file(ask: Asker, parameter: str, name: str) -> None:
    head = f'--x\r\nContent-Disposition: form-data; name="file"; {parameter}\r\n\r\n'.encode()
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    content = head + PICTURE + b"\r\n--x--\r\n"
    (answer,) = ask.at_work(ask.succeed, "POST", f"{API}/images", content=content, headers=headers)
    assert (answer.status_code, answer.json().get("name", answer.text)) == (201, name)
