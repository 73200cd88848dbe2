"""Statuses and sentences as the v2 specification's tables have them, row by row, and where it leaves them open."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from asking import API, Asker

from mediaan.server.service.media import Kind
from mediaan.server.service.service import Service

Columns = dict[str, Any]
UPLOADED: Columns = {"file": "film.mp4"}
PREDICTED: Columns = {**UPLOADED, "status": "done", "run": "one"}


def medium(ask: Asker, kind: Kind, **columns: Any) -> UUID:
    media_id = ask.add(kind, "film.mp4")
    if columns:
        ask.change(media_id, **columns)
    return media_id


def answers(service: Service, media_id: UUID, **files: Any) -> None:
    folder = service.folder.run(media_id, "one") / "answers"
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def jobs(service: Service) -> list[tuple[str, str, str]]:
    rows = service.database.connection.execute("SELECT kind, lane, state FROM jobs ORDER BY job_id")
    return [tuple(row) for row in rows]


SENTENCES = [
    # section and row of the specification, kind, columns, request, status, body
    ("States 1: prediction in progress", "mixed", UPLOADED | {"status": "started"}, "PUT mixed-media/{}/predict", 202,
     "Prediction already started"),
    ("States 1: prediction in progress", "image", PREDICTED | {"status": "started"}, "PUT images/{}/predict", 202,
     "Prediction already started"),
    ("States 4: detection in progress", "image", PREDICTED | {"aoi_status": "started"},
     "POST images/{}/aois/detect", 202, "AOI detection started"),
    ("States 4: detection in progress", "mixed", PREDICTED | {"aoi_status": "started"},
     "POST mixed-media/{}/aois/detect", 202, "AOI detection started"),
    ("States 5: any other AOI status", "mixed", PREDICTED, "POST mixed-media/{}/aois/detect", 202,
     "AOI detection started"),
    ("States 5: failed before", "mixed", PREDICTED | {"aoi_status": "failed"}, "POST mixed-media/{}/aois/detect", 202,
     "AOI detection started"),
    ("predict mixed media, 400", "video", UPLOADED, "PUT mixed-media/{}/predict", 400, "Media is not mixed media"),
    ("predict mixed media, 400", "image", UPLOADED, "PUT mixed-media/{}/predict", 400, "Media is not mixed media"),
    ("detect mixed-media AOIs, 400", "video", PREDICTED, "POST mixed-media/{}/aois/detect", 400,
     "Media is not mixed media"),
    ("AOI status, not shown", "video", PREDICTED, "GET mixed-media/{}/aois/status", 400, "Media is not mixed media"),
    ("PUT AOIs, not shown", "image", PREDICTED, "PUT mixed-media/{}/aois", 400, "Media is not mixed media"),
    ("GET AOIs, an addition", "image", PREDICTED, "GET mixed-media/{}/aois", 400, "Media is not mixed media"),
    ("predict video, not shown", "mixed", UPLOADED, "PUT videos/{}/predict", 400, "Media is not a video"),
    ("detect video, not shown", "image", PREDICTED, "POST videos/{}/aois/detect", 400, "Media is not a video"),
    ("AOI status of videos, not shown", "mixed", PREDICTED, "GET videos/{}/aois/status", 400, "Media is not a video"),
    ("GET AOIs of videos, an addition", "mixed", PREDICTED, "GET videos/{}/aois", 400, "Media is not a video"),
    ("predict image, not shown", "video", UPLOADED, "PUT images/{}/predict", 400, "Media is not an image"),
    ("detect image, not shown", "mixed", PREDICTED, "POST images/{}/aois/detect", 400, "Media is not an image"),
    ("GET AOIs of images, not shown", "video", PREDICTED, "GET images/{}/aois", 400, "Media is not an image"),
    ("PUT AOIs of images, not shown", "video", PREDICTED, "PUT images/{}/aois", 400, "Media is not an image"),
    ("predict before the upload, not shown", "mixed", {}, "PUT mixed-media/{}/predict", 412, "Media is not uploaded"),
    ("predict before the upload, not shown", "video", {}, "PUT videos/{}/predict", 412, "Media is not uploaded"),
    ("States 5: any other AOI status, before the prediction", "mixed", UPLOADED, "POST mixed-media/{}/aois/detect", 202,
     "AOI detection started"),
    ("detect before the prediction, not shown", "video", UPLOADED | {"status": "started"},
     "POST videos/{}/aois/detect", 202, "AOI detection started"),
    ("detect before the prediction, not shown", "image", UPLOADED | {"status": "failed"},
     "POST images/{}/aois/detect", 412, "Media is not predicted"),
    ("GET AOIs before the prediction", "image", UPLOADED, "GET images/{}/aois", 412, "Media is not predicted"),
    ("PUT AOIs before the prediction", "mixed", UPLOADED, "PUT mixed-media/{}/aois", 412, "Media is not predicted"),
    ("benchmark ranges, 412", "image", UPLOADED, "GET media/{}/benchmark_ranges", 412, "Media is not predicted"),
    ("benchmark ranges, 412", "image", UPLOADED | {"objectives": {}}, "GET media/{}/benchmark_ranges", 412,
     "Media is not predicted"),
    ("checks, as ranges", "image", UPLOADED, "GET media/{}/checks", 412, "Media is not predicted"),
    ("benchmark ranges, 412", "image", PREDICTED, "GET media/{}/benchmark_ranges", 412, "Objectives are not set"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "kind", "columns", "asked", "status", "detail"), SENTENCES)
def test_what_is_said(ask: Asker, row: str, kind: Kind, columns: Columns, asked: str, status: int, detail: str) -> None:
    method, _, path = asked.partition(" ")
    media_id = medium(ask, kind, **columns)
    if columns.get("status") == "started":
        ask.service.jobs.add(media_id, "predict", "long")
    if columns.get("aoi_status") == "started":
        ask.service.jobs.add(media_id, "detect", "long")
    before = len(jobs(ask.service))
    body: dict[str, Any] = {"json": {"aois": []}} if method == "PUT" and path.endswith("aois") else {}
    answer = ask(method, f"{API}/{path.format(media_id)}", **body)
    assert (answer.status_code, answer.json()) == (status, {"detail": detail}), row
    started = status == 202 and columns.get("aoi_status") != "started" and "detect" in path
    assert len(jobs(ask.service)) - before == started, "a job where one was asked for, and only there"


EVERY_PATH = [
    "GET media/{}", "DELETE media/{}", "PUT images/{}/predict", "PUT videos/{}/predict", "PUT mixed-media/{}/predict",
    "POST images/{}/aois/detect", "POST videos/{}/aois/detect", "POST mixed-media/{}/aois/detect",
    "GET videos/{}/aois/status", "GET mixed-media/{}/aois/status", "GET images/{}/aois", "GET videos/{}/aois",
    "GET mixed-media/{}/aois", "PUT images/{}/aois", "PUT videos/{}/aois", "PUT mixed-media/{}/aois",
    "GET media/{}/objectives", "PUT media/{}/objectives", "GET media/{}/benchmark_ranges", "GET media/{}/checks",
]  # fmt: skip


def body_for(asked: str) -> dict[str, Any]:
    if not asked.startswith("PUT"):
        return {}
    return {"json": {"aois": []}} if asked.endswith("aois") else {"json": {}} if "objectives" in asked else {}


@pytest.mark.parametrize("asked", EVERY_PATH)
def test_a_medium_of_another_company_is_none(ask: Asker, asked: str) -> None:
    """Authentication: "A medium is visible only to the company that owns the key. Otherwise the response is 404."."""
    method, _, path = asked.partition(" ")
    kind: Kind = "video" if path.startswith("videos") else "mixed" if path.startswith("mixed") else "image"
    media_id, other = medium(ask, kind, **PREDICTED), ask.service.keys.create("rival")
    whole = f"{API}/{path}"
    gone = ask(method, whole.format(media_id), key=other, **body_for(asked))
    none = ask(method, whole.format(uuid4()), **body_for(asked))
    assert (gone.status_code, gone.json()) == (none.status_code, none.json())
    assert (gone.status_code, gone.json()) == (404, {"detail": "No medium with this media_id exists for your company"})
    assert ask("GET", f"{API}/media", key=other).json()["total"] == 0
    assert jobs(ask.service) == []


@pytest.mark.parametrize(
    ("path", "first"), [("PUT mixed-media/{}/predict", 200), ("POST mixed-media/{}/aois/detect", 202)]
)
def test_of_twenty_who_ask_at_once_one_starts_it(ask: Asker, path: str, first: int) -> None:
    media_id = medium(ask, "mixed", **PREDICTED)
    method, _, path = path.format(media_id).partition(" ")

    async def all_at_once() -> list[int]:
        asked = (ask.send(method, f"{API}/{path}") for _ in range(20))
        return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert sorted(asyncio.run(all_at_once())) == [first, *19 * [202]]
    assert len(jobs(ask.service)) == 1


@pytest.mark.parametrize(("kind", "path"), [("video", "videos"), ("mixed", "mixed-media")])
def test_a_search_is_started_once_and_polled(ask: Asker, kind: Kind, path: str) -> None:
    media_id = medium(ask, kind, **PREDICTED)
    status = f"{API}/{path}/{media_id}/aois/status"
    assert ask("GET", status).json() == {"media_id": str(media_id), "aoi_status": "unspecified"}
    for _ in range(2):
        answer = ask("POST", f"{API}/{path}/{media_id}/aois/detect")
        assert (answer.status_code, answer.json()) == (202, {"detail": "AOI detection started"})
    assert ask("GET", status).json() == {"media_id": str(media_id), "aoi_status": "started"}
    assert jobs(ask.service) == [("detect", "long", "waiting")]


def test_the_specification_names_every_field_of_ranges_and_no_other_is_sent(ask: Asker, tmp_path: Path) -> None:
    medium_range = {
        "upper": 100.0, "lower": 80.5, "metric_name": "focus", "metric_time": "total", "score_categorization": "low",
        "score_title": "Focus is 60, below.",
    }  # fmt: skip
    aoi_range = {
        "upper": 9.0, "lower": 2.0, "metric_name": "attention", "metric_time": "start", "aoi_type": "branding",
        "uuids": [str(uuid4())],
    }  # fmt: skip
    media_id = medium(ask, "image", **PREDICTED, objectives={})
    found = {"medium": [medium_range], "aois": [aoi_range]}
    answers(ask.service, media_id, ranges=found | {"reason": None})
    answer = ask("GET", f"{API}/media/{media_id}/benchmark_ranges")
    assert (answer.status_code, answer.json()) == (200, found)
