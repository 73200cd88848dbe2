"""Media that cannot be analysed: what their clients hear, and what is left of them."""

from __future__ import annotations

import struct
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plain_client import PlainClient
from serving import RunningServer
from short_film import SAMPLES, short_film

from mediaan.media.overlay.video_writer import VideoWriter

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
    until = time.monotonic() + 120
    while (status := client.ask("GET", f"{path}/aois/status").body["aoi_status"]) == "started":
        assert time.monotonic() < until
        time.sleep(0.05)
    assert status == "failed"


def test_a_film_beyond_the_resolution_limit_failed(client: PlainClient, tmp_path: Path) -> None:
    with VideoWriter(tmp_path / "wide.mp4", (3008, 16), 10) as film:
        film.add(np.zeros((16, 3008, 3), np.uint8), 0.0, 0.1)
    medium = predicted(client, (tmp_path / "wide.mp4").read_bytes())
    assert medium["status"] == "failed"
    _, _, said = medium["error"].partition(": ")
    assert said == "has 3008 x 16 px, above the limit of 3000 px a side; scale it down", "which is all that clients can"


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
