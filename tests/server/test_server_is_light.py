"""The server's process only reads what workers left: it loads nothing that computes."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from serving import RunningServer, predict
from short_film import ADS

HEAVY = ("numpy", "pandas", "pyarrow", "onnxruntime", "cv2", "av", "scipy", "scenedetect", "rapidocr")
PICTURE = ADS / "app_screenshot.png"


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="what a process has loaded is read from /proc")
def test_a_server_that_has_answered_everything_has_loaded_nothing_that_computes(server: RunningServer) -> None:
    with server.client() as client:
        picture = predict(client, PICTURE)
        media_id = picture["media_id"]
        medium = f"/predict/v2/media/{media_id}"
        image = medium.replace("/media/", "/images/")
        objectives = {"purpose": "conversion", "platform": "instagram", "industry": "food"}
        drawn = {"aois": [{"aoi_type": "product", "label": "Phone", "box": [0.1, 0.1, 0.6, 0.9]}]}
        answers: list[httpx.Response] = [
            client.get("/predict/v2/media"),
            client.put(f"{medium}/objectives", json=objectives),
            client.get(f"{medium}/benchmark_ranges"),
            client.put(f"{image}/aois", json=drawn),
            client.get(f"{image}/aois"),
            client.get(picture["results"]["heat"]),
            client.get("/predict/v2/account/usage"),
            client.get("/predict/v2/openapi.json"),
            client.get("/"),
            client.get("/review/"),
            client.get("/review/api/review"),
            client.post("/review/api/review/answers", json={"question": f"{media_id}.branding", "answer": "none"}),
        ]
    assert [answer.status_code for answer in answers] == 12 * [200]
    maps = Path(f"/proc/{server.process.pid}/maps").read_text().splitlines()
    loaded = {Path(line.split()[-1]).parts for line in maps if "/" in line}
    assert any("mediaan" in parts or "pydantic_core" in parts for parts in loaded)
    assert [name for name in HEAVY if any(name in parts for parts in loaded)] == []
