"""How fast a server takes files in, and whether others notice: ``python -m bench.uploads``.

A file is copied on the disk where the server keeps its own (``dd conv=fsync``), uploaded with curl in one request, and
in requests of 8 MiB; then it is uploaded again and again while clients ask for a medium once a second each. All run on
one machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from bench.clients import ask
from bench.serve import API, Running, running

MIB = 1 << 20
PART_BYTES = 8 * MIB
CLIENTS = 50


def announce(server: Running, file: Path) -> tuple[str, str]:
    """Where the file goes, and its id."""
    body = {"content_type": "video/mp4", "total_bytes": file.stat().st_size}
    made = server.client.post(f"{API}/videos", json=body).raise_for_status().json()
    return made["resumable_url"], made["media_id"]


def copy(file: Path) -> None:
    """Measure what the disk can do."""
    twin = file.with_name("copy")
    subprocess.run(["dd", f"if={file}", f"of={twin}", "bs=1M", "conv=fsync", "status=none"], check=True)
    twin.unlink()


def whole(server: Running, file: Path) -> None:
    """Upload it in one request."""
    url, media_id = announce(server, file)
    subprocess.run(["curl", "-sf", "--noproxy", "*", "-o", os.devnull, "-T", file, url], check=True)
    server.client.delete(f"{API}/media/{media_id}").raise_for_status()


def parts(server: Running, file: Path) -> None:
    """Upload it in many."""
    url, media_id = announce(server, file)
    size = file.stat().st_size
    with file.open("rb") as stream, httpx.Client(timeout=60, trust_env=False) as client:
        for at in range(0, size, PART_BYTES):
            part = stream.read(PART_BYTES)
            client.put(url, content=part, headers={"Content-Range": f"bytes {at}-{at + len(part) - 1}/{size}"})
    server.client.delete(f"{API}/media/{media_id}").raise_for_status()


def rate(work: Callable[[], None], size: int) -> str:
    """Of three times, each."""
    found = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        found.append(size / MIB / (time.perf_counter() - began))
    return ", ".join(f"{one:.0f}" for one in found) + " MiB/s"


async def others(server: Running, file: Path) -> str:
    """How long answers take while files come."""
    _, media_id = announce(server, file)
    asking = asyncio.create_task(
        ask(server.url, server.key, [f"{API}/media/{media_id}"], clients=CLIENTS, for_s=10.0, every_s=1.0)
    )
    while not asking.done():
        await asyncio.to_thread(whole, server, file)
    return (await asking).line()


def most_memory(server: Running) -> float:
    """Return the peak memory of the server process so far, MiB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{server.process.pid}/status").read_text())
    assert found
    return int(found[1]) / 1024


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.uploads", description=__doc__)
    parser.add_argument("--mib", type=int, default=512, metavar="N", help="size of the file")
    size = parser.parse_args().mib * MIB
    with tempfile.TemporaryDirectory() as folder, running(workers=1) as server:
        file = Path(folder, "spot.mp4")
        with file.open("wb") as stream:
            stream.write(b"\0\0\0\x18ftypisom" + bytes(MIB - 12))
            for _ in range(size // MIB - 1):
                stream.write(os.urandom(MIB))
        before = most_memory(server)
        print(f"copied: {rate(lambda: copy(file), size)}")
        print(f"in one request: {rate(lambda: whole(server, file), size)}")
        print(f"in requests of 8 MiB: {rate(lambda: parts(server, file), size)}")
        print(f"{CLIENTS} clients meanwhile: {asyncio.run(others(server, file))}")
        print(f"the server's memory: {before:.0f} MiB before, at most {most_memory(server):.0f} MiB")


if __name__ == "__main__":
    main()
