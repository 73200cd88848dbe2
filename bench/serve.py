"""How a server answers under load: ``python -m bench.serve``.

A real server with two workers. It is started a few times: seconds until it says that it listens, and those of a picture
that is sent right then. Then pictures are sent one after the other while nothing else is done: seconds from the
request to the answer with the prediction in it. Then a video is predicted on one worker and pictures, without a
pause, on the other, while clients with a connection each ask for media: each once a second, and then each again as
soon as it has its answer; one path in twenty or so is the list of them all. The clients run on the same machine, and
share its cores with the server.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np

from bench import MEDIAAN
from bench.clients import ask
from bench.clips import clip
from bench.memory import pss_kib, tree
from bench.pictures import pictures

API = "/predict/v2"
TARGET_UPLOAD_S, TARGET_P99_MS = 2.0, 250.0
CLIP_S = 120


@dataclass(frozen=True)
class Running:
    """A server, a client of it, and how long the server took to start."""

    started_s: float
    process: subprocess.Popen[str]
    url: str
    key: str
    client: httpx.Client
    data: Path


@contextmanager
def running(workers: int) -> Iterator[Running]:
    """Start a server over an empty folder."""
    with tempfile.TemporaryDirectory() as data, Path(data, "log").open("w") as log:
        made = subprocess.run(
            [MEDIAAN, "serve", "keys", "create", "--company", "bench", "--data", data],
            check=True,
            capture_output=True,
            text=True,
        )
        key = made.stdout.splitlines()[-1]
        command = [MEDIAAN, "serve", "--data", data, "--port", "0", "--workers", str(workers)]
        began = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process:
            assert process.stdout
            url = next(line.split()[2] for line in process.stdout if line.startswith("listening on"))
            started_s = time.perf_counter() - began
            with httpx.Client(base_url=url, headers={"X-API-Key": key}, timeout=120, trust_env=False) as client:
                yield Running(started_s, process, url, key, client, Path(data))
            process.terminate()


def upload(server: Running, path: Path) -> tuple[str, float]:
    """Send a picture; its id, and seconds to the answer with its prediction."""
    began = time.perf_counter()
    with path.open("rb") as stream:
        answer = server.client.post(f"{API}/images", files={"file": (path.name, stream)})
    took_s = time.perf_counter() - began
    body = answer.json()
    if answer.status_code != 201 or body["status"] != "done":
        raise SystemExit(f"{path.name}: {answer.status_code} {body}")
    return str(body["media_id"]), took_s


def starts(image: Path, count: int) -> str:
    """Seconds of several starts, and of the first picture after each."""
    took_s = []
    for _ in range(count):
        with running(workers=2) as server:
            took_s.append((server.started_s, upload(server, image)[1]))
    listening, first = (sorted(column) for column in zip(*took_s, strict=True))
    return (
        f"{count} starts: it listens after {listening[0]:.1f} to {listening[-1]:.1f} s; the first picture, sent at "
        f"once, takes {np.median(first):.2f} s, at most {first[-1]:.2f} s (target < {TARGET_UPLOAD_S:.0f} s)"
    )


def start_video(server: Running, path: Path) -> str:
    """Send a video and have it predicted."""
    asked = {"content_type": "video/mp4", "total_bytes": path.stat().st_size}
    made = server.client.post(f"{API}/videos", json=asked).json()
    with path.open("rb") as stream:
        httpx.put(made["resumable_url"], content=stream, timeout=120, trust_env=False).raise_for_status()
    server.client.put(f"{API}/videos/{made['media_id']}/predict").raise_for_status()
    return str(made["media_id"])


async def under_load(server: Running, paths: list[str], images: list[Path], clients: int, for_s: float) -> None:
    """Print how clients fare while both workers compute."""
    for every_s, what in ((1.0, "once a second each"), (0.0, "again as soon as they have their answer")):
        done = asyncio.Event()
        sending = asyncio.create_task(_keep_sending(server, images, done))
        answers = await ask(server.url, server.key, paths, clients=clients, for_s=for_s, every_s=every_s)
        done.set()
        took_s = await sending
        print(f"{clients} clients, {what}: {answers.line()} (target p99 < {TARGET_P99_MS:.0f} ms)")
        each, worst = np.median(took_s), max(took_s)
        print(f"  meanwhile {len(took_s)} pictures were predicted, {each:.2f} s each, at most {worst:.2f} s")


async def _keep_sending(server: Running, images: list[Path], done: asyncio.Event) -> list[float]:
    took_s: list[float] = []
    while not done.is_set():
        took_s.append((await asyncio.to_thread(upload, server, images[len(took_s) % len(images)]))[1])
    return took_s


def memory(server: Running) -> str:
    """Of the server's process and of each below it."""
    parent, *others = tree(server.process.pid)
    workers = sorted((pss_kib(pid) / 1024 for pid in others), reverse=True)
    of_workers = " and ".join(f"{mib:.0f}" for mib in workers)
    return f"server {pss_kib(parent) / 1024:.0f} MiB, its workers {of_workers} MiB (PSS)"


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve", description=__doc__)
    parser.add_argument("--pictures", type=int, default=20, metavar="N")
    parser.add_argument("--starts", type=int, default=5, metavar="N")
    parser.add_argument("--clients", type=int, default=200, metavar="N")
    parser.add_argument("--seconds", type=float, default=30.0, metavar="S", help="of each kind of load")
    options = parser.parse_args()
    images, video = pictures(options.pictures), clip("h264", CLIP_S)
    print(starts(images[0], options.starts))
    with running(workers=2) as server:
        upload(server, images[0])
        sent = [upload(server, path) for path in images]
        took_s = [seconds for _, seconds in sent]
        print(
            f"a picture of 2 to 12 MP, nothing else to do: {np.median(took_s):.2f} s, nine of ten within "
            f"{np.percentile(took_s, 90):.2f} s, at most {max(took_s):.2f} s (target < {TARGET_UPLOAD_S:.0f} s)"
        )
        videos = [start_video(server, video) for _ in range(2)]
        paths = [f"{API}/media/{media_id}" for media_id in [*videos, *(media_id for media_id, _ in sent)]] + [
            f"{API}/media"
        ]
        asyncio.run(under_load(server, paths, images, options.clients, options.seconds))
        print(memory(server))
        states = [server.client.get(path).json()["status"] for path in paths[:2]]
        print(f"videos afterwards: {', '.join(states)}")


if __name__ == "__main__":
    main()
