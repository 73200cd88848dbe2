"""Pictures in forms: what arrives on disk, and what is refused."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import Reply, send
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from mediaan.server.errors import RequestError
from mediaan.server.forms import ReceivedFile, receive_image
from mediaan.server.http import refusal
from mediaan.server.storage.folder import DataFolder

MAX_BYTES = 3_000_000
ONE_PART = b'--b\r\nContent-Disposition: form-data; name="%s"; filename="a.png"\r\n\r\n%s\r\n'


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    made = DataFolder(tmp_path / "data")
    made.make()
    return made


class Receiver:
    """An application that does nothing else."""

    def __init__(self, folder: DataFolder) -> None:
        self.folder = folder
        self.found: ReceivedFile | None = None

    async def __call__(self, scope: Scope, receive: Receive, answer: Send) -> None:
        try:
            self.found = await receive_image(Request(scope, receive), self.folder, MAX_BYTES)
        except RequestError as error:
            await refusal(error)(scope, receive, answer)


def post(app: ASGIApp, pieces: Iterable[bytes], content_type: str = "multipart/form-data; boundary=b") -> Reply:
    return asyncio.run(send(app, "POST", "/", pieces, {"Content-Type": content_type}))


def encoded(files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    """A form as another library writes it."""
    prepared = requests.Request("POST", "http://test/", files=files).prepare()
    assert isinstance(prepared.body, bytes)
    return prepared.body, prepared.headers["Content-Type"]


def left_over(folder: DataFolder) -> list[Path]:
    return list(folder.incoming.iterdir())


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    content=st.binary(min_size=1, max_size=3000).map(lambda some: some + b"\r\n--b" + some),
    cuts=st.lists(st.integers(0, 8000), max_size=12),
)
def test_a_file_arrives_as_it_is_however_its_form_is_cut(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, cuts: list[int]
) -> None:
    folder = DataFolder(tmp_path_factory.mktemp("data"))
    folder.make()
    body, content_type = encoded({"file": ("ad.png", content)})
    edges = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    pieces = [body[start:end] for start, end in pairwise(edges)]
    app = Receiver(folder)
    post(app, pieces, content_type)
    assert app.found is not None
    assert (app.found.name, app.found.size_bytes) == ("ad.png", len(content))
    assert app.found.path.read_bytes() == content


def test_names_are_read_as_utf_8(folder: DataFolder) -> None:
    head = 'Content-Disposition: form-data; filename="Käse \\"1\\".png"; name="file"'.encode()
    app = Receiver(folder)
    post(app, [b"--b\r\n" + head + b"\r\nContent-Type: image/png\r\n\r\nx\r\n--b--\r\n"])
    assert app.found is not None
    assert app.found.name == 'Käse "1".png'


def test_quotes_in_names_come_as_browsers_send_them(folder: DataFolder) -> None:
    head = b'Content-Disposition: form-data; filename="a %22b%22 5%.png"; name="file"'
    app = Receiver(folder)
    post(app, [b"--b\r\n" + head + b"\r\nContent-Type: image/png\r\n\r\nx\r\n--b--\r\n"])
    assert app.found is not None
    assert app.found.name == 'a "b" 5%.png'


def test_a_large_file_is_written_in_blocks(folder: DataFolder) -> None:
    content = bytes(range(256)) * (MAX_BYTES // 256)
    body, content_type = encoded({"file": ("ad.png", content)})
    app = Receiver(folder)
    post(app, [body[at : at + 65536] for at in range(0, len(body), 65536)], content_type)
    assert app.found is not None
    assert app.found.path.read_bytes() == content


@pytest.mark.parametrize(
    ("pieces", "content_type", "status", "detail"),
    [
        ([b"{}"], "application/json", 415, "not application/json"),
        ([b"x"], "", 415, "not nothing"),
        ([b"x"], "multipart/form-data", 400, "names no boundary"),
        ([b"x"], "multipart/form-data; boundary=" + "b" * 5000, 400, "damaged"),
        ([b"no form at all"], "multipart/form-data; boundary=b", 400, "damaged"),
        ([b"--b--\r\n"], "multipart/form-data; boundary=b", 422, "file: is missing"),
        ([ONE_PART % (b"file", b"") + b"--b--\r\n"], "multipart/form-data; boundary=b", 422, "file: is empty"),
        ([ONE_PART % (b"image", b"x") + b"--b--\r\n"], "multipart/form-data; boundary=b", 422, "image: is not known"),
        ([ONE_PART % (b"file", b"x") * 2 + b"--b--\r\n"], "multipart/form-data; boundary=b", 422, "more than once"),
        ([ONE_PART % (b"file", b"x")], "multipart/form-data; boundary=b", 400, "no end"),
        ([b"--b\r\n" + b"X: y\r\n" * 1000], "multipart/form-data; boundary=b", 400, "damaged"),
    ],
)
def test_what_is_no_form_with_one_file_is_refused_and_leaves_nothing(
    folder: DataFolder, pieces: list[bytes], content_type: str, status: int, detail: str
) -> None:
    app = Receiver(folder)
    reply = post(app, pieces, content_type)
    assert (reply.status, app.found) == (status, None)
    assert detail in reply.detail
    assert left_over(folder) == []


@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize(("size", "status"), [(MAX_BYTES, 0), (MAX_BYTES + 1, 413), (2 * MAX_BYTES, 413)])
def test_a_file_may_have_so_many_bytes_and_not_one_more(
    folder: DataFolder, size: int, status: int, chunked: bool
) -> None:
    body, content_type = encoded({"file": ("ad.png", b"x" * size)})
    headers = {"Content-Type": content_type}
    pieces = [body[at : at + 65536] for at in range(0, len(body), 65536)]
    reply = asyncio.run(send(Receiver(folder), "POST", "/", pieces, headers, chunked=chunked))
    assert reply.status == status
    if status:
        assert reply.detail == f"Max file bytes size: {MAX_BYTES}"
    assert len(left_over(folder)) == (not status)


def test_a_client_that_leaves_leaves_nothing(folder: DataFolder) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    with pytest.raises(ClientDisconnect):
        asyncio.run(send(Receiver(folder), "POST", "/", [ONE_PART % (b"file", b"x")], headers, breaks=True))
    assert left_over(folder) == []


def test_a_full_disk_is_said_and_leaves_nothing(folder: DataFolder) -> None:
    body, content_type = encoded({"file": ("ad.png", b"x" * 2_000_000)})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        reply = post(Receiver(folder), [body], content_type)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (reply.status, left_over(folder)) == (507, [])
    assert "nothing of it is kept" in reply.detail
