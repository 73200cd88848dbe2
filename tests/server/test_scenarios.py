"""One conversation with a real server for each way a medium can come, in the specification's order of operations.

What was said is kept in `recorded/`, numbers and identifiers aside. Recorded again with
``MEDIAAN_RECORD=1 pytest tests/server/test_scenarios.py``; look at what changed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from plain_client import PlainClient
from serving import RunningServer
from short_film import SAMPLES, short_film

RECORDED = Path(__file__).with_name("recorded")
PICTURE = SAMPLES / "ads" / "cat_food_feed.jpg"
METRICS = {"cognitive_demand", "focus", "focus_first_two", "focus_last_two", "clarity", "engagement"}
"""As the specification has seen them."""


@pytest.fixture
def client(server: RunningServer) -> PlainClient:
    return PlainClient(server.url, server.key)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return short_film(tmp_path_factory.mktemp("film") / "film.mp4").read_bytes()


def check_transcript(client: PlainClient, name: str) -> None:
    file = RECORDED / f"{name}.jsonl"
    if os.environ.get("MEDIAAN_RECORD"):
        file.parent.mkdir(exist_ok=True)
        lines = (json.dumps(exchange, ensure_ascii=False) + "\n" for exchange in client.transcript)
        file.write_text("".join(lines), encoding="utf-8")
    recorded = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for number, (now, before) in enumerate(zip(client.transcript, recorded, strict=False)):
        assert now == before, f"exchange {number}"
    assert len(client.transcript) == len(recorded)


def create(client: PlainClient, path: str, content_type: str, data: bytes) -> tuple[str, str]:
    body = client.ask("POST", path, {"content_type": content_type, "total_bytes": len(data)}).body
    return body["media_id"], body["resumable_url"]


def scored(medium: dict[str, Any]) -> bool:
    return all(isinstance(medium["metrics"][name], float) for name in METRICS)


def test_an_image(client: PlainClient) -> None:
    uploaded = client.upload_picture(PICTURE)
    assert uploaded.status == 201
    medium, media_id = uploaded.body, uploaded.body["media_id"]
    assert (medium["status"], medium["type"], medium["aoi_status"]) == ("done", "image", "unspecified")
    assert scored(medium)

    detected = client.ask("POST", f"images/{media_id}/aois/detect").body
    assert detected["aoi_status"] == "done"
    assert detected["aois"]
    assert client.ask("GET", f"images/{media_id}/aois").body == detected

    drawn = {"aoi_type": "call_to_action", "label": "Shop", "box": [0.7, 0.8, 0.95, 0.95]}
    changed = client.ask("PUT", f"images/{media_id}/aois", {"aois": [*detected["aois"][:1], drawn]}).body
    assert changed["aois"][0] == detected["aois"][0]
    assert [one["source"] for one in changed["aois"]] == ["detected", "drawn"]
    assert client.ask("GET", f"images/{media_id}/aois").body == changed

    assert client.ask("GET", f"media/{media_id}/benchmark_ranges").status == 412
    client.ask("PUT", f"media/{media_id}/objectives", {"purpose": "brand_building", "industry": "food"})
    ranges = client.ask("GET", f"media/{media_id}/benchmark_ranges").body
    assert {one["metric_time"] for one in ranges["medium"] if one["metric_name"] == "focus"} == {
        "total", "start", "end",
    }  # fmt: skip
    known = {one["uuid"] for one in changed["aois"]}
    assert {uuid for one in ranges["aois"] for uuid in one["uuids"]} <= known

    again = client.ask("PUT", f"images/{media_id}/predict").body
    assert again["metrics"] == medium["metrics"]
    assert client.ask("GET", f"images/{media_id}/aois").body == changed, "AOIs survive a new prediction"
    listed = client.ask("GET", "media?type=image").body
    assert [one["media_id"] for one in listed["items"]] == [media_id]
    gone = client.ask("DELETE", f"media/{media_id}").body
    assert gone["deleted_at"]
    assert client.ask("GET", f"media/{media_id}").status == 404
    assert client.ask("GET", "media?type=image").body["total"] == 0
    check_transcript(client, "image")


def test_a_video(client: PlainClient, film: bytes) -> None:
    media_id, address = create(client, "videos", "video/mp4", film)
    assert client.ask("GET", f"media/{media_id}").body["status"] == "init"
    assert client.ask("PUT", f"videos/{media_id}/predict").body == {"detail": "Media is not uploaded"}
    assert client.put_bytes(address, film, Content_Type="video/mp4").status == 200

    assert client.ask("PUT", f"videos/{media_id}/predict").body == {"media_id": media_id}
    assert client.ask("PUT", f"videos/{media_id}/predict").body == {"detail": "Prediction already started"}
    medium = client.poll(f"media/{media_id}", "status").body
    assert (medium["status"], medium["type"]) == ("done", "video")
    assert scored(medium)

    assert client.ask("POST", f"videos/{media_id}/aois/detect").status == 202
    assert client.poll(f"videos/{media_id}/aois/status", "aoi_status").body["aoi_status"] == "done"
    found = client.ask("GET", f"media/{media_id}").body["results"]
    assert all(found[name] for name in ("brand_detection", "brand_detection_metrics", "aoi_scores"))
    assert client.ask("GET", f"videos/{media_id}/aois").status == 200
    assert client.ask("PUT", f"images/{media_id}/predict").body == {"detail": "Media is not an image"}
    client.ask("DELETE", f"media/{media_id}")
    check_transcript(client, "video")
