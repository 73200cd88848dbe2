"""How other companies fare while one sends requests that are meant to stop a server: ``python -m bench.hostile``.

A real server with two workers. One company sends each request alone, and waits for its answer for at most
`--patience` seconds; meanwhile another company asks for its list of media again and again, and has a small image
predicted. Printed for each request: its status, seconds and size of its answer, how long the other company's answers
took at most, and how long its image did.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
from PIL import Image

from bench.serve import API, running

WAIT_S = 0.02
"""Pause of the other company between an answer and its next request."""


class Attack(NamedTuple):
    """A request that is meant to stop a server."""

    name: str
    method: str
    path: str
    body: bytes


def star(points: int, seed: int) -> list[tuple[float, float]]:
    """Return the corners of a star-like outline somewhere in the image, which does not cross itself."""
    drawn = random.Random(seed)
    x, y, radius = drawn.uniform(0.3, 0.7), drawn.uniform(0.3, 0.7), drawn.uniform(0.05, 0.25)
    angles = (math.tau * number / points for number in range(points))
    reach = ((angle, radius * (1 + 0.2 * math.sin(9 * angle))) for angle in angles)
    return [(round(x + r * math.cos(angle), 5), round(y + r * math.sin(angle), 5)) for angle, r in reach]


def areas(count: int, points: int) -> bytes:
    """Return a body with polygons."""
    drawn = [{"aoi_type": "other", "polygon": star(points, number)} for number in range(count)]
    return json.dumps({"aois": drawn}).encode()


def attacks(media_id: str) -> Iterator[Attack]:
    """Yield the requests."""
    objectives, aois = f"media/{media_id}/objectives", f"images/{media_id}/aois"
    names = {f"tag{number}": 1 for number in range(50_000)}
    video = {"content_type": "video/mp4", "total_bytes": 1_000_000_000}
    yield Attack("50,000 unknown fields, POST /videos", "POST", "videos", json.dumps(video | names).encode())
    yield Attack("50,000 unknown fields, PUT objectives", "PUT", objectives, json.dumps(names).encode())
    yield Attack("a field name of 7 MB", "PUT", objectives, json.dumps({"x" * 7_000_000: 1}).encode())
    rows = {"aoi_type": "other", "box": [0, 0, 1, 1], "track": [["a"]] * 1_000_000}
    yield Attack("7 MB of wrong rows", "PUT", aois, json.dumps({"aois": [rows]}, separators=(",", ":")).encode())
    yield Attack("8 MB of empty lists", "PUT", aois, b'{"aois":[' + b"[]," * 2_700_000 + b"[]]}")
    yield Attack("200 areas of 300 points", "PUT", aois, areas(200, 300))
    yield Attack("60 areas of 300 points", "PUT", aois, areas(60, 300))
    boxes = [{"aoi_type": "other", "box": [0.0004 * number, 0.1, 0.95, 0.9]} for number in range(2000)]
    yield Attack("2,000 boxes", "PUT", aois, json.dumps({"aois": boxes}).encode())


def image(seed: int) -> bytes:
    """Return a small picture of noise."""
    stream = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (240, 320, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def new_key(data: Path, company: str) -> str:
    """Return a key of another company."""
    from mediaan.server.service.database import Database
    from mediaan.server.service.folder import DataFolder
    from mediaan.server.service.keys import Keys

    database = Database(DataFolder(data).database)
    try:
        return Keys(database).create(company)
    finally:
        database.close()


class Bystander:
    """The other company: asks for its list, and has an image predicted, until told to stop."""

    def __init__(self, url: str, key: str) -> None:
        self._options: dict[str, Any] = {"base_url": url, "headers": {"X-API-Key": key}, "trust_env": False}
        self._stop = threading.Event()
        self.asked_s: list[float] = []
        self.predicted_s: list[float] = []
        self._threads = [threading.Thread(target=self._ask), threading.Thread(target=self._predict)]

    def __enter__(self) -> Bystander:
        for thread in self._threads:
            thread.start()
        time.sleep(0.5)
        return self

    def __exit__(self, *_: object) -> None:
        time.sleep(0.5)
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        with httpx.Client(timeout=None, **self._options) as client:
            while not self._stop.wait(WAIT_S):
                began = time.perf_counter()
                client.get(f"{API}/media?limit=10").raise_for_status()
                self.asked_s.append(time.perf_counter() - began)

    def _predict(self) -> None:
        with httpx.Client(timeout=None, **self._options) as client:
            while not self._stop.is_set():
                began = time.perf_counter()
                files = {"file": ("noise.png", image(len(self.predicted_s)))}
                medium = client.post(f"{API}/images", files=files).raise_for_status().json()
                while medium["status"] == "started":
                    time.sleep(0.2)
                    medium = client.get(f"{API}/media/{medium['media_id']}").json()
                self.predicted_s.append(time.perf_counter() - began)

    def line(self) -> str:
        """In words."""
        asked, predicted = np.array(self.asked_s), np.array(self.predicted_s)
        return (
            f"others: median {1000 * np.median(asked):.0f} ms, longest {1000 * asked.max():.0f} ms; "
            f"image {np.median(predicted):.1f} s, longest {predicted.max():.1f} s"
        )


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.hostile", description=__doc__)
    parser.add_argument("--patience", type=float, default=90.0, metavar="S", help="longest wait for an answer, s")
    patience_s = parser.parse_args().patience
    with running(workers=2) as server:
        other = new_key(server.data, "other")
        picture = {"file": ("noise.png", image(99))}
        media_id = server.client.post(f"{API}/images", files=picture).json()["media_id"]
        with Bystander(server.url, other) as bystander:
            time.sleep(5)
        print(f"nothing else to do: {bystander.line()}", flush=True)
        for attack in attacks(media_id):
            with Bystander(server.url, other) as bystander:
                began = time.perf_counter()
                try:
                    answer = server.client.request(
                        attack.method,
                        f"{API}/{attack.path}",
                        content=attack.body,
                        headers={"Content-Type": "application/json"},
                        timeout=patience_s,
                    )
                    header = sum(len(name) + len(value) for name, value in answer.headers.raw)
                    came = f"{answer.status_code}, {len(answer.content)} bytes, headers {header}"
                except httpx.HTTPError as error:
                    came = type(error).__name__
                took_s = time.perf_counter() - began
            print(f"{attack.name} ({len(attack.body) / 1e6:.1f} MB): {came} after {took_s:.1f} s", flush=True)
            print(f"  {bystander.line()}", flush=True)


if __name__ == "__main__":
    main()
