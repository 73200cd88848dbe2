"""Uploads as users do them: Google's client, curl, connections that break or hang, a server that is killed."""

from __future__ import annotations

import io
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
from google.resumable_media.common import InvalidResponse
from google.resumable_media.requests import ResumableUpload
from serving import RunningServer

MIB = 1 << 20
HEAD = b"\0\0\0\x18ftypisom"


def content(size: int) -> bytes:
    """Bytes that look like MP4, no two blocks the same."""
    blocks = (number.to_bytes(8, "big") * 512 for number in range(size // 4096 + 1))
    return (HEAD + b"".join(blocks))[:size]


def announce(server: RunningServer, size: int, content_type: str = "video/mp4") -> tuple[str, str]:
    with server.client() as client:
        body = {"content_type": content_type, "total_bytes": size, "name": "spot.mp4"}
        created = client.post("/predict/v2/mixed-media", json=body)
        assert created.status_code == 201
        return created.json()["resumable_url"], created.json()["media_id"]


def stored(server: RunningServer, media_id: str) -> bytes:
    return (server.data / "media" / media_id / "source" / "spot.mp4").read_bytes()


def asked(url: str, size: int) -> int:
    """How much has come; -1: all."""
    reply = httpx.put(url, headers={"Content-Range": f"bytes */{size}"}, trust_env=False)
    if reply.status_code == 200:
        return -1
    assert reply.status_code == 308
    return int(reply.headers.get("Range", "bytes=0--1").removeprefix("bytes=0-")) + 1


def curl(*arguments: str | Path) -> str:
    """The answer's status and body."""
    command = ["curl", "--silent", "--show-error", "--noproxy", "*", "--write-out", " %{http_code}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout


class GoogleUpload(ResumableUpload):  # type: ignore[misc]
    """Google's client, given the address that it would else ask its own service for."""

    def __init__(self, url: str, stream: io.BytesIO, total_bytes: int | None, content_type: str) -> None:
        super().__init__("https://upload.invalid", MIB)
        self._resumable_url, self._stream = url, stream
        self._total_bytes, self._content_type = total_bytes, content_type


@pytest.fixture
def transport() -> Any:
    with requests.Session() as session:
        session.trust_env = False
        yield session


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("size", [700_000, 3 * MIB, 3 * MIB + 1])
def test_googles_client_uploads_in_chunks(server: RunningServer, transport: Any, size: int, known: bool) -> None:
    url, media_id = announce(server, size)
    upload = GoogleUpload(url, io.BytesIO(content(size)), size if known else None, "video/mp4")
    while not upload.finished:
        reply = upload.transmit_next_chunk(transport)
        assert upload.bytes_uploaded == min(size, upload.bytes_uploaded)
    assert reply.json()["media_id"] == media_id
    assert (upload.bytes_uploaded, stored(server, media_id)) == (size, content(size))


def test_googles_client_recovers(server: RunningServer, transport: Any) -> None:
    size = 4 * MIB
    url, media_id = announce(server, size)
    stream = io.BytesIO(content(size))
    upload = GoogleUpload(url, stream, size, "video/mp4")
    upload.transmit_next_chunk(transport)
    upload._total_bytes = size + 1  # what it says from now on does not fit: it is refused and has to recover
    with pytest.raises(InvalidResponse):
        upload.transmit_next_chunk(transport)
    upload._total_bytes = size
    assert upload.invalid
    upload.recover(transport)
    assert (upload.bytes_uploaded, stream.tell()) == (MIB, MIB)
    server.kill()
    server.start()
    while not upload.finished:
        upload.transmit_next_chunk(transport)
    assert stored(server, media_id) == content(size)


def test_curl_is_told_why_a_file_is_refused(server: RunningServer, tmp_path: Path) -> None:
    size = 3 * MIB
    (tmp_path / "spot.mp4").write_bytes(content(size))
    url, _ = announce(server, size - 1)
    for how in (("--upload-file",), ("--header", "Expect:", "--upload-file")):
        assert curl(*how, tmp_path / "spot.mp4", url) == (
            '{"detail":"Content-Length: the body has 3145728 bytes, but total_bytes was 3145727"} 400'
        )


def test_a_refusal_is_heard_by_clients_that_first_send_all(server: RunningServer, transport: Any) -> None:
    size = 16 * MIB
    url, _ = announce(server, size)
    for headers in ({"Content-Type": "video/webm"}, {"Content-Range": "bytes 0-9"}, {"Content-Encoding": "br"}):
        assert transport.put(url, data=content(size), headers=headers).status_code in (400, 415)
    ahead = transport.put(url, data=content(size)[1:], headers={"Content-Range": f"bytes 1-{size - 1}/{size}"})
    assert (ahead.status_code, "Range" in ahead.headers) == (308, False)
    pieces = iter([content(size), b"x", content(size)])
    assert transport.put(url, data=pieces).status_code == 400
    assert transport.put(url, data=b"x" * size).status_code == 415


def test_curl_resumes_where_a_killed_server_was(server: RunningServer, tmp_path: Path) -> None:
    size = 6 * MIB
    whole = tmp_path / "spot.mp4"
    whole.write_bytes(content(size))
    url, media_id = announce(server, size)
    slow = subprocess.Popen(
        ["curl", "--silent", "--noproxy", "*", "--limit-rate", "500k", "--upload-file", whole, url],
        stdout=subprocess.DEVNULL,
    )
    while not asked(url, size):
        time.sleep(0.05)
    server.kill()
    slow.wait(30)
    server.start()
    received = asked(url, size)
    assert 0 < received < size
    rest = tmp_path / "rest"
    subprocess.run(
        ["dd", f"if={whole}", f"of={rest}", "bs=1M", f"skip={received}", "iflag=skip_bytes", "status=none"], check=True
    )
    part = f"Content-Range: bytes {received}-{size - 1}/{size}"
    assert curl("--upload-file", rest, "--header", part, url).endswith(" 200")
    assert stored(server, media_id) == content(size)


def test_a_large_file_is_never_in_memory(server: RunningServer, tmp_path: Path) -> None:
    size = 192 * MIB
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.write(HEAD)
        file.truncate(size)  # holes: nothing is written here
    url, media_id = announce(server, size)
    before = most_memory(server)
    assert curl("--upload-file", large, url).endswith(" 200")
    assert most_memory(server) - before < 32 * MIB
    path = server.data / "media" / media_id / "source" / "spot.mp4"
    assert path.stat().st_size == size
    path.unlink()


def most_memory(server: RunningServer) -> int:
    """The most that the server process ever had in memory, bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024
