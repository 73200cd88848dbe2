"""How long each kind of job takes: ``python -m bench.jobs``.

A real server with two workers, and nothing else to do. Each sample advertisement is sent, searched for areas of
interest, given back its areas as if they had been drawn, given other objectives, and predicted again; then the sample
video is predicted and searched. Seconds from the request to the answer, or to the state `done`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import httpx
import numpy as np

from bench.pictures import ADS
from bench.serve import API, Running, memory, running, start_video, upload

SPOT = ADS.parent / "videos" / "coffee_spot.mp4"
OBJECTIVES = {"purpose": "conversion", "exposure_s": 3.0}


def timed(ask: Callable[[], httpx.Response]) -> tuple[float, Any]:
    """Seconds and the body of an answer."""
    began = time.perf_counter()
    answer = ask()
    took_s = time.perf_counter() - began
    if answer.status_code not in (200, 202):
        raise SystemExit(f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}")
    return took_s, answer.json()


def of_picture(server: Running, media_id: str) -> dict[str, float]:
    """Seconds of each job that a picture can get after its first prediction."""
    images, client = f"{API}/images/{media_id}", server.client
    took_s: dict[str, float] = {}
    took_s["search"], areas = timed(lambda: client.post(f"{images}/aois/detect"))
    took_s["draw"], _ = timed(lambda: client.put(f"{images}/aois", json=areas))
    took_s["objectives"], _ = timed(lambda: client.put(f"{API}/media/{media_id}/objectives", json=OBJECTIVES))
    took_s["predict again"], _ = timed(lambda: client.put(f"{images}/predict"))
    return took_s


def of_video(server: Running) -> dict[str, float]:
    """Seconds of the prediction of a video with its films, and of the search in it."""
    began = time.perf_counter()
    media_id = start_video(server, SPOT)
    predicted_s = _until_done(server, f"{API}/media/{media_id}", "status", began)
    began = time.perf_counter()
    server.client.post(f"{API}/videos/{media_id}/aois/detect").raise_for_status()
    searched_s = _until_done(server, f"{API}/videos/{media_id}/aois/status", "aoi_status", began)
    return {"predict": predicted_s, "search": searched_s}


def _until_done(server: Running, path: str, key: str, began: float) -> float:
    while (state := server.client.get(path).json()[key]) == "started":
        time.sleep(0.02)
    if state != "done":
        raise SystemExit(f"{path}: {state}")
    return time.perf_counter() - began


def main() -> None:
    """Parse the options, measure, print."""
    argparse.ArgumentParser(prog="python -m bench.jobs", description=__doc__).parse_args()
    with running(workers=2) as server:
        print(f"before the first picture: {memory(server)}")
        sent = [upload(server, path) for path in sorted(ADS.iterdir())]
        took_s = {"predict": [seconds for _, seconds in sent]}
        for media_id, _ in sent:
            for what, seconds in of_picture(server, media_id).items():
                took_s.setdefault(what, []).append(seconds)
        for what, times in took_s.items():
            print(f"{len(times)} pictures, {what}: {np.median(times):.2f} s, at most {max(times):.2f} s")
        for what, seconds in of_video(server).items():
            print(f"video of 10 s, {what}: {seconds:.2f} s")
        print(f"afterwards: {memory(server)}")


if __name__ == "__main__":
    main()
