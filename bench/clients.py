"""Many clients of a server at once, each with a connection of its own: how long their answers take."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import numpy as np

PATIENCE_S = 30.0


@dataclass
class Answers:
    """Seconds of each answer that was a 200, and how many came to what else."""

    seconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    lasted_s: float = 0.0

    def line(self) -> str:
        """In words."""
        p50, p99 = 1000 * np.percentile(self.seconds, (50, 99))
        wrong = ", ".join(f"{count} x {what}" for what, count in self.errors.items()) or "none"
        return (
            f"{len(self.seconds)} answers, {len(self.seconds) / self.lasted_s:.0f} a second, p50 {p50:.1f} ms, "
            f"p99 {p99:.1f} ms, longest {1000 * max(self.seconds):.0f} ms; errors: {wrong}"
        )


async def ask(url: str, key: str, paths: list[str], *, clients: int, for_s: float, every_s: float) -> Answers:
    """Let each client ask for its path again and again, at once where `every_s` is 0."""
    answers = Answers()
    began = time.perf_counter()
    until = began + for_s
    tasks = (
        _client(url, key, paths[number % len(paths)], every_s, every_s * number / clients, until, answers)
        for number in range(clients)
    )
    await asyncio.gather(*tasks)
    answers.lasted_s = time.perf_counter() - began
    return answers


async def _client(url: str, key: str, path: str, every_s: float, wait_s: float, until: float, answers: Answers) -> None:
    await asyncio.sleep(wait_s)
    host, port = urlsplit(url).hostname, urlsplit(url).port
    request = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nX-API-Key: {key}\r\n\r\n".encode()
    streams = None
    while time.perf_counter() < until:
        began = time.perf_counter()
        try:
            streams = streams or await asyncio.open_connection(host, port)
            status = await asyncio.wait_for(_answer(*streams, request), PATIENCE_S)
        except (OSError, EOFError, TimeoutError) as error:
            answers.errors[type(error).__name__] += 1
            streams = None
            continue
        took_s = time.perf_counter() - began
        if status == 200:
            answers.seconds.append(took_s)
        else:
            answers.errors[str(status)] += 1
        await asyncio.sleep(max(0.0, every_s - took_s))
    if streams:
        streams[1].close()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> int:
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
    return int(head.split()[1])
