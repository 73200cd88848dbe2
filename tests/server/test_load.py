"""Many clients at once while a video is predicted: all are answered. How fast: `python -m bench.serve`."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import httpx
from serving import RunningServer

SERVER_OPTIONS = ("--workers", "2", "--no-films")
FILM = Path(__file__).resolve().parents[1] / "sample_ads" / "videos" / "coffee_spot.mp4"
CLIENTS, TIMES = 200, 5


def start_film(server: RunningServer) -> str:
    with server.client() as client:
        asked = {"content_type": "video/mp4", "total_bytes": FILM.stat().st_size}
        made = client.post("/predict/v2/videos", json=asked).json()
        assert httpx.put(made["resumable_url"], content=FILM.read_bytes(), trust_env=False).status_code == 200
        assert client.put(f"/predict/v2/videos/{made['media_id']}/predict").status_code == 200
    return str(made["media_id"])


def test_two_hundred_clients_that_poll_a_video_are_all_answered(server: RunningServer) -> None:
    media_id = start_film(server)

    def poll(_: int) -> list[tuple[int, str, str]]:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
        found = []
        for _ in range(TIMES):
            connection.request("GET", f"/predict/v2/media/{media_id}", headers={"X-API-Key": server.key})
            answer = connection.getresponse()
            body = json.loads(answer.read())
            found.append((answer.status, body["media_id"], body["status"]))
            time.sleep(0.2)
        connection.close()
        return found

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = [one for found in pool.map(poll, range(CLIENTS)) for one in found]
    assert len(answers) == CLIENTS * TIMES
    assert {(status, found) for status, found, _ in answers} == {(200, media_id)}
    assert {state for _, _, state in answers} <= {"started", "done"}
