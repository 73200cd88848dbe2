"""Whether a server stays as it is over thousands of images: ``python -m bench.soak``.

Two clients send small images, all different, one after the other, for some minutes: predict, list, fetch a result,
delete all but the last few. Every so often: memory of the server and of its workers (PSS), their open files and
threads, files and bytes in the data folder, rows of the database. What grows is found by comparing the second quarter
of the samples with the last one; the first quarter warms up.
"""

from __future__ import annotations

import argparse
import io
import sqlite3
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

import httpx
import numpy as np
from PIL import Image

from bench.memory import pss_kib, tree
from bench.serve import API, Running, running

KEEP = 20
"""Images that each client leaves in its list."""


def image(number: int) -> bytes:
    """Draw an image of 640 x 480 px: blobs on a gradient, another one for each number."""
    rng = np.random.default_rng(number)
    ground = np.linspace(rng.integers(0, 120, 3), rng.integers(120, 255, 3), 480)[:, None].repeat(640, axis=1)
    ground[rng.integers(0, 300) :][:120, rng.integers(0, 400) :][:, :200] = rng.integers(0, 255, 3)
    out = io.BytesIO()
    Image.fromarray(ground.astype(np.uint8)).save(out, "JPEG", quality=90)
    return out.getvalue()


def send(server: Running, first: int, until: float, took_s: list[float]) -> None:
    """Send images until it is time, every second one numbered from `first`."""
    kept: deque[str] = deque()
    with httpx.Client(base_url=server.url, headers={"X-API-Key": server.key}, timeout=120, trust_env=False) as client:
        number = first
        while time.monotonic() < until:
            began = time.perf_counter()
            answer = client.post(f"{API}/images", files={"file": (f"{number}.jpg", image(number))})
            if answer.status_code != 201:
                raise SystemExit(f"image {number}: {answer.status_code} {answer.text}")
            took_s.append(time.perf_counter() - began)
            client.get(answer.json()["results"]["heat"]).raise_for_status()
            kept.append(answer.json()["media_id"])
            if len(kept) > KEEP:
                client.delete(f"{API}/media/{kept.popleft()}").raise_for_status()
            if number % 50 == first:
                client.get(f"{API}/media").raise_for_status()
            number += 2


def sample(server: Running, data: Path) -> dict[str, float]:
    """Measure the server's processes, its folder and its database."""
    own, *others = tree(server.process.pid)
    sizes: dict[Path, int] = {}
    for path in data.rglob("*"):
        with suppress(FileNotFoundError):  # deleted since it was listed
            if path.is_file():
                sizes[path] = path.stat().st_size
    with sqlite3.connect(f"file:{data}/server.sqlite?mode=ro", uri=True) as database:
        (media,) = database.execute("SELECT count(*) FROM media WHERE deleted_at IS NULL").fetchone()
        (jobs,) = database.execute("SELECT count(*) FROM jobs").fetchone()
    return {
        "server, MiB": pss_kib(own) / 1024,
        "workers, MiB": sum(pss_kib(pid) for pid in others) / 1024,
        "open files": float(sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in (own, *others))),
        "threads": float(sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in (own, *others))),
        "files in the folder": float(len(sizes)),
        "media files, MiB": sum(size for path, size in sizes.items() if "server.sqlite" not in path.name) / 2**20,
        "database, MiB": sum(size for path, size in sizes.items() if "server.sqlite" in path.name) / 2**20,
        "media": float(media),
        "jobs so far": float(jobs),
    }


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, metavar="M")
    parser.add_argument("--samples", type=int, default=40, metavar="N")
    options = parser.parse_args()
    with running(workers=2) as server:
        until, took_s = time.monotonic() + 60 * options.minutes, list[float]()
        clients = [threading.Thread(target=send, args=(server, first, until, took_s), daemon=True) for first in (0, 1)]
        for client in clients:
            client.start()
        samples = []
        while time.monotonic() < until and all(client.is_alive() for client in clients):
            time.sleep(60 * options.minutes / options.samples)
            samples.append(sample(server, server.data))
        for client in clients:
            client.join()
    print(f"{len(took_s)} images in {options.minutes:g} minutes, two at a time: {np.median(took_s):.2f} s each, ")
    print(f"nine of ten within {np.percentile(took_s, 90):.2f} s, at most {max(took_s):.2f} s\n")
    quarter = max(1, len(samples) // 4)
    print(f"{'':22}{'second quarter':>16}{'last quarter':>16}")
    for name in samples[0]:
        early = np.median([one[name] for one in samples[quarter : 2 * quarter]])
        late = np.median([one[name] for one in samples[-quarter:]])
        print(f"{name:22}{early:16.1f}{late:16.1f}")


if __name__ == "__main__":
    main()
