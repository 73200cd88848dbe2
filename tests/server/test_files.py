"""Result files over HTTP: ranges, caches, names, and what happens when they go."""

from __future__ import annotations

import os
from email.message import Message
from pathlib import Path
from urllib.parse import unquote

import httpx
import numpy as np
import pytest
from asking import API, Asker
from serving import RunningServer

from mediaan.server.http.files import file_token
from mediaan.server.service.service import Service

FILM = np.random.default_rng(7).bytes(700_001)
RESULTS = {
    "heat": "maps/heat.webp",
    "formatted": "report.html",
    "metrics": "answers/metrics.json",
    "film": "film.mp4",
    "played": "answers/formatted.webm",
}


class Results:
    """A medium with results, in an application or behind a server."""

    def __init__(self, service: Service, name: str = "Sommer – 50 %.png") -> None:
        self.ask = Asker(service)
        self.media_id = self.ask.add("image", name)
        self.run("r1", FILM)

    def run(self, name: str, film: bytes) -> Path:
        folder = self.ask.service.folder.run(self.media_id, name)
        for file in RESULTS.values():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(film)
            os.utime(folder / file, (1.8e9, 1.8e9))  # a run that is a copy of another may keep its times
        self.ask.change(self.media_id, status="done", run=name, results=RESULTS)
        return folder

    def path(self, result: str) -> str:
        service = self.ask.service
        medium = service.media.get(self.media_id)
        assert medium.run
        return f"/files/{file_token(service, medium, medium.run, result)}"

    def get(self, result: str, method: str = "GET", **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask(method, self.path(result), key=None, headers=named)


@pytest.fixture
def results(service: Service) -> Results:
    return Results(service)


def test_what_they_are_and_how_they_may_be_used_is_said(results: Results) -> None:
    types = {name: results.get(name).headers["content-type"] for name in RESULTS}
    assert types == {
        "heat": "image/webp",
        "formatted": "text/html; charset=utf-8",
        "metrics": "application/json",
        "film": "video/mp4",
        "played": "video/webm",
    }
    headers = results.get("film").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"].startswith("sandbox")
    assert "allow-same-origin" not in results.get("formatted").headers["content-security-policy"]
    assert headers["accept-ranges"] == "bytes"
    directive, age = headers["cache-control"].split(", ")
    assert directive == "private"
    assert 0 < int(age.removeprefix("max-age=")) <= 300


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ad.png", "ad-heat.webp"),
        ("Sommer – 50 %.png", "Sommer – 50 %-heat.webp"),
        ('a"; filename="evil.exe', "a; filename=evil-heat.webp"),
        ("../../etc/passwd", "passwd-heat.webp"),
        ("a\r\nSet-Cookie: x=1.png", "aSet-Cookie x=1-heat.webp"),
        ("…", "…-heat.webp"),
    ],
)
def test_a_saved_file_is_called_after_its_medium(service: Service, name: str, expected: str) -> None:
    disposition = Results(service, name).get("heat").headers["content-disposition"]
    read = Message()  # the standard library's reader of such headers
    read["Content-Disposition"] = disposition
    assert read.get_content_disposition() == "inline"
    assert disposition.isascii()
    starred = disposition.rpartition("''")[2]
    assert unquote(starred) == expected


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=100-199", 100, 200),
        ("bytes=-100", len(FILM) - 100, len(FILM)),
        ("bytes=-9999999", 0, len(FILM)),
        ("bytes=262143-524289", 262_143, 524_290),
        ("bytes=5-9999999999", 5, len(FILM)),
        ("Bytes=5-6", 5, 7),
    ],
)
def test_a_range_is_that_part_of_the_file(results: Results, asked: str, start: int, end: int) -> None:
    answer = results.get("film", Range=asked)
    assert answer.status_code == 206
    assert answer.content == FILM[start:end]
    assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/{len(FILM)}"
    assert int(answer.headers["content-length"]) == end - start


@pytest.mark.parametrize("asked", ["bytes=700001-", "bytes=700001-700002", "bytes=-0", "bytes=99999999999999-"])
def test_a_range_outside_of_the_file_cannot_be_had(results: Results, asked: str) -> None:
    answer = results.get("film", Range=asked)
    assert answer.status_code == 416
    assert answer.headers["content-range"] == f"bytes */{len(FILM)}"
    assert list(answer.json()) == ["detail"]


@pytest.mark.parametrize(
    "asked",
    ["bytes=5-2", "bytes=-", "bytes=a-b", "items=0-1", "bytes=0-1,3-4", "bytes", "bytes=0x1-2", "bytes=" + "9" * 5000],
)
def test_what_is_no_single_range_is_all_of_it(results: Results, asked: str) -> None:
    answer = results.get("film", Range=asked)
    assert (answer.status_code, answer.content) == (200, FILM)


def test_what_a_client_has_is_not_sent_again(results: Results) -> None:
    tag = results.get("film").headers["etag"]
    for asked in (tag, f"W/{tag}", f'"other", {tag}'):
        answer = results.get("film", If_None_Match=asked)
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == tag
    assert results.get("film", If_None_Match='"other"').status_code == 200


def test_a_download_goes_on_only_if_the_file_is_the_same(results: Results) -> None:
    tag = results.get("film").headers["etag"]
    assert results.get("film", Range="bytes=5-9", If_Range=tag).status_code == 206
    for other in ('"other"', f"W/{tag}", "Wed, 21 Oct 2026 07:28:00 GMT"):
        answer = results.get("film", Range="bytes=5-9", If_Range=other)
        assert (answer.status_code, len(answer.content)) == (200, len(FILM))


def test_every_result_of_every_run_has_a_tag_of_its_own(results: Results) -> None:
    tags = [results.get(name).headers["etag"] for name in RESULTS]
    results.run("r2", FILM)
    tags += [results.get(name).headers["etag"] for name in RESULTS]
    assert len(set(tags)) == 2 * len(RESULTS)
    assert all(tag.startswith('"') for tag in tags), "strong: ranges may be put together"


def test_a_folder_is_no_file(results: Results) -> None:
    results.ask.change(results.media_id, results={"heat": "maps"})
    assert results.get("heat").status_code == 404


def test_a_real_server_sends_whole_files_ranges_and_heads(server: RunningServer, stored: Service) -> None:
    with server.client() as client:
        url = client.get(f"{API}/media/{Results(stored).media_id}").json()["results"]["heat"]
    assert url.startswith(server.url)
    with httpx.Client(trust_env=False) as anyone:
        assert anyone.get(url).content == FILM
        part = anyone.get(url, headers={"Range": "bytes=1-300000"})
        assert (part.status_code, part.content) == (206, FILM[1:300_001])
        head = anyone.head(url)
        assert (int(head.headers["content-length"]), head.content) == (len(FILM), b"")
        with anyone.stream("GET", url) as answer:  # a client that goes away in the middle
            next(answer.iter_raw(1000))
        assert anyone.get(url).content == FILM
