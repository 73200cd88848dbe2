"""Whatever a client does, in whatever pieces and however often: what arrives is its file, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import pytest
from budget import budget
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import Reply, send

from mediaan.server.http import uploads
from mediaan.server.serve import create_app
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

SIZE = 3000
CONTENT = b"RIFF\0\0\0\0AVI " + bytes((at * at) % 251 for at in range(SIZE - 12))


@dataclass(frozen=True)
class Step:
    """One thing that a client, or a fault, does."""

    what: Literal["whole", "part", "ask", "restart", "kill"]
    start: int
    length: int
    cuts: tuple[int, ...]
    breaks: bool
    chunked: bool


STEPS = st.builds(
    Step,
    st.sampled_from(("part", "part", "part", "whole", "ask", "restart", "kill")),
    st.integers(-400, 100),  # from what has come so far
    st.integers(1, 1500),
    st.lists(st.integers(1, 1499), max_size=5).map(tuple),
    st.booleans(),
    st.booleans(),
)


class Client:
    """Sends `CONTENT` and notes how much of it must be there."""

    def __init__(self, folder: pytest.TempPathFactory) -> None:
        self.settings = ServerSettings(folder.mktemp("data"), access_log=False)
        self.service = Service(self.settings)
        self.service.keys.create("acme")
        self.medium = self.service.media.add(1, "mixed", "clip", "video/avi", SIZE)
        self.token = self.service.uploads.create(self.medium.media_id, "video/avi", SIZE)
        self.app = create_app(self.service)
        self.received = 0
        self.done = False

    async def act(self, step: Step) -> None:
        """Do one step, and check what must hold after any."""
        if step.what in ("restart", "kill"):
            self.service.database.close()
            self.service = Service(self.settings)
            self.app = create_app(self.service)
            if step.what == "kill" and not self.done:  # in the middle of a write
                with self.service.folder.upload(self.medium.media_id).open("ab") as file:
                    at = file.tell()
                    file.write(CONTENT[at : min(at + step.length, SIZE - 1)])
                    self.received = file.tell()
        elif step.what == "whole":
            await self._whole(step)
        elif step.what == "part":
            await self._part(step)
        await self._check()

    async def _whole(self, step: Step) -> None:
        sent = CONTENT[: step.length] if step.breaks else CONTENT
        reply = await self._put(sent, step, {} if step.chunked else {"content-length": str(SIZE)})
        if self.done:
            return
        self.received = len(sent)
        assert reply.status == (400 if step.breaks else 200)
        self.done = not step.breaks

    async def _part(self, step: Step) -> None:
        start = min(max(0, self.received + step.start), SIZE - 1)
        end = min(start + step.length, SIZE)
        sent = CONTENT[start : end - 1] if step.breaks else CONTENT[start:end]
        length = {} if step.chunked else {"content-length": str(end - start)}
        headers = {"content-range": f"bytes {start}-{end - 1}/{SIZE}", **length}
        reply = await self._put(sent, step, headers)
        if self.done:
            return
        if start <= self.received:
            self.received = max(self.received, start + len(sent))
        if step.breaks:
            return
        assert (reply.status, reply.received) == ((200, 0) if self.received == SIZE else (308, self.received))
        self.done = self.received == SIZE

    async def _check(self) -> None:
        reply = await self._put(b"", None, {"content-range": f"bytes */{SIZE}"})
        if self.done:
            assert reply.status == 200
            return
        assert (reply.status, reply.received) == (308, self.received)
        part = self.service.folder.upload(self.medium.media_id)
        assert (part.read_bytes() if part.exists() else b"") == CONTENT[: self.received]

    async def _put(self, sent: bytes, step: Step | None, headers: dict[str, str]) -> Reply:
        edges = sorted({0, len(sent), *(cut for cut in (step.cuts if step else ()) if cut < len(sent))})
        pieces = [sent[start:end] for start, end in pairwise(edges)]
        breaks, chunked = (step.breaks, step.chunked) if step else (False, False)
        return await send(self.app, "PUT", f"/uploads/{self.token}", pieces, headers, breaks=breaks, chunked=chunked)

    def close(self) -> None:
        """After all."""
        medium = self.service.media.get(self.medium.media_id)
        assert medium.file is not None
        assert self.service.folder.source(medium.media_id, medium.file).read_bytes() == CONTENT
        assert self.service.media.usage(1, None, None)["uploaded_bytes"] == SIZE
        assert list(self.service.folder.incoming.iterdir()) == []
        self.service.database.close()


@pytest.fixture(scope="module", autouse=True)
def _small_blocks() -> Iterator[None]:
    """So that a body of some hundred bytes is several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uploads, "BLOCK_BYTES", 128)
        yield


@settings(max_examples=budget(12, 50), deadline=None, derandomize=True)
@given(steps=st.lists(STEPS, max_size=12))
def test_any_way_of_sending_a_file_gives_the_file(tmp_path_factory: pytest.TempPathFactory, steps: list[Step]) -> None:
    client = Client(tmp_path_factory)

    async def send_all() -> None:
        for step in steps:
            await client.act(step)
        if not client.done:
            rest = Step("part", 0, SIZE, (), breaks=False, chunked=False)
            await client.act(rest)

    asyncio.run(send_all())
    client.close()
