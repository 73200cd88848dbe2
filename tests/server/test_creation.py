"""Videos and mixed media are announced: what is taken, what is refused, what then exists."""

from __future__ import annotations

from typing import Any

import pytest
from asking import API, Asker

from mediaan.server.app import create_app
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
        ("mixed-media", {"content_type": "", "total_bytes": 9}, 415, "video/mp4"),
        ("videos", {"content_type": "image/gif", "total_bytes": 9}, 415, "'image/gif' is not taken here"),
        ("mixed-media", {"content_type": "video/mp4"}, 422, "total_bytes: Field required"),
        ("mixed-media", {"total_bytes": 9}, 422, "content_type: Field required"),
        ("mixed-media", {"content_type": "video/mp4", "total_bytes": 0}, 422, "total_bytes"),
        ("mixed-media", {"content_type": "video/mp4", "total_bytes": -1}, 422, "total_bytes"),
        ("mixed-media", {"content_type": "video/mp4", "total_bytes": "9"}, 422, "total_bytes"),
        ("mixed-media", {"content_type": "video/mp4", "total_bytes": True}, 422, "total_bytes"),
        ("mixed-media", {"content_type": "video/mp4", "total_bytes": 9.5}, 422, "total_bytes"),
        ("videos", {"content_type": 4, "total_bytes": 9}, 422, "content_type"),
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
