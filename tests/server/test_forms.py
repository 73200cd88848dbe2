"""Pictures in forms: what arrives on disk, and what is refused."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
import requests
from asking import files_kept
from budget import budget
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import Reply, send

from mediaan.server.serve import create_app
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

MAX_BYTES = 3_000_000
PNG = b"\x89PNG\r\n\x1a\n"
ONE_PART = b'--b\r\nContent-Disposition: form-data; name="%s"; filename="a.png"\r\n\r\n%s\r\n'


def opened(folder: Path) -> Service:
    """Nobody works here: a picture that is taken in waits for its prediction, and the answer is 202."""
    return Service(ServerSettings(folder, max_image_bytes=MAX_BYTES, answer_within_s=0.0))


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = opened(tmp_path / "data")
    yield made
    made.database.close()


def post(
    service: Service,
    pieces: Iterable[bytes],
    content_type: str = "multipart/form-data; boundary=b",
    *,
    chunked: bool = False,
    breaks: bool = False,
) -> Reply:
    headers = {"Content-Type": content_type, "X-API-Key": service.keys.create("acme")}
    app = create_app(service)
    return asyncio.run(send(app, "POST", "/predict/v2/images", pieces, headers, chunked=chunked, breaks=breaks))


def encoded(files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    """A form as another library writes it."""
    prepared = requests.Request("POST", "http://test/", files=files).prepare()
    assert isinstance(prepared.body, bytes)
    return prepared.body, prepared.headers["Content-Type"]


@settings(max_examples=budget(20, 100), deadline=None, derandomize=True)
@given(
    content=st.binary(min_size=1, max_size=3000).map(lambda some: some + b"\r\n--b" + some),
    cuts=st.lists(st.integers(0, 8000), max_size=12),
)
def test_a_file_arrives_as_it_is_however_its_form_is_cut(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, cuts: list[int]
) -> None:
    service = opened(tmp_path_factory.mktemp("data"))
    body, content_type = encoded({"file": ("ad.png", PNG + content)})
    edges = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    reply = post(service, [body[start:end] for start, end in pairwise(edges)], content_type)
    assert reply.status == 202
    (file,) = files_kept(service)
    assert (file.name, file.read_bytes()) == ("ad.png", PNG + content)
    service.database.close()


@pytest.mark.parametrize(
    ("pieces", "content_type", "status", "detail"),
    [
        ([b"{}"], "application/json", 415, "not application/json"),
        ([b"x"], "", 415, "not nothing"),
        ([b"x"], "multipart/form-data", 400, "Missing boundary"),
        ([b"x"], "multipart/form-data; boundary=" + "b" * 5000, 400, "Invalid"),
        ([b"no form at all"], "multipart/form-data; boundary=b", 400, "Invalid"),
        ([b"--b--\r\n"], "multipart/form-data; boundary=b", 422, "file: is missing"),
        ([ONE_PART % (b"file", b"") + b"--b--\r\n"], "multipart/form-data; boundary=b", 422, "file: is empty"),
        ([ONE_PART % (b"image", b"x") + b"--b--\r\n"], "multipart/form-data; boundary=b", 422, "image: is not known"),
        ([ONE_PART % (b"file", b"x") * 2 + b"--b--\r\n"], "multipart/form-data; boundary=b", 422, "more than once"),
        pytest.param(  # a form that ends early; Python warns of the part's file, which it removes
            [ONE_PART % (b"file", b"x")],
            *("multipart/form-data; boundary=b", 422, "file: is missing"),
            marks=pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
        ),
        ([b"--b\r\n" + b"X: y\r\n" * 1000], "multipart/form-data; boundary=b", 400, "Invalid"),
    ],
)
def test_what_is_no_form_with_one_file_is_refused_and_leaves_nothing(
    service: Service, pieces: list[bytes], content_type: str, status: int, detail: str
) -> None:
    reply = post(service, pieces, content_type)
    assert reply.status == status
    assert detail in reply.detail
    assert files_kept(service) == []


@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize(("size", "status"), [(MAX_BYTES, 202), (MAX_BYTES + 1, 413), (2 * MAX_BYTES, 413)])
def test_a_file_may_have_so_many_bytes_and_not_one_more(
    service: Service, size: int, status: int, chunked: bool
) -> None:
    body, content_type = encoded({"file": ("ad.png", PNG + b"x" * (size - len(PNG)))})
    pieces = [body[at : at + 65536] for at in range(0, len(body), 65536)]
    assert post(service, pieces, content_type, chunked=chunked).status == status
    assert len(files_kept(service)) == (status == 202)


@pytest.mark.parametrize("most", [1_000_000, 2_000_100], ids=["while it comes", "while it is put in its place"])
def test_a_full_disk_is_said_and_leaves_nothing(service: Service, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    content = PNG + b"x" * 2_000_000
    if most > 2_000_000:
        monkeypatch.setattr("shutil.copyfileobj", lambda file, to: to.write(bytes(3_000_000)))
    body, content_type = encoded({"file": ("ad.png", content)})
    key = service.keys.create("acme")  # written before the disk is full
    app = create_app(service)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        headers = {"Content-Type": content_type, "X-API-Key": key}
        reply = asyncio.run(send(app, "POST", "/predict/v2/images", [body], headers))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (reply.status, files_kept(service)) == (507, [])
    assert "nothing of it is kept" in reply.detail
    assert service.media.page(1)[1] == 0
