"""The upload protocol, request by request, against what cloud object stores answer."""

from __future__ import annotations

import asyncio
import hashlib
import resource
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

import pytest
from in_process import Reply, send
from starlette.types import ASGIApp

from mediaan.media.probe import HEAD_BYTES
from mediaan.server.serve import create_app
from mediaan.server.service.media import Media
from mediaan.server.service.service import Service
from mediaan.server.service.uploads import GrowingFile

MP4 = b"\0\0\0\x18ftypisom" + bytes(range(256)) * 32  # 8204 bytes
GIF = b"GIF89a" + bytes(range(256)) * 32
SIZE = len(MP4)


@dataclass
class Uploading:
    """An upload of a company's medium, and the application that takes it."""

    service: Service
    token: str
    media_id: UUID
    company_id: int

    @property
    def app(self) -> ASGIApp:
        return create_app(self.service)

    def put(self, *pieces: bytes, chunked: bool = False, breaks: bool = False, **headers: str) -> Reply:
        said = {name.replace("_", "-"): value for name, value in headers.items()}
        return asyncio.run(self.sending(pieces, said, chunked=chunked, breaks=breaks))

    async def sending(
        self, pieces: Iterable[bytes | asyncio.Event], headers: dict[str, str], *, chunked: bool, breaks: bool = False
    ) -> Reply:
        return await send(self.app, "PUT", f"/uploads/{self.token}", pieces, headers, chunked=chunked, breaks=breaks)

    def asked(self) -> Reply:
        return self.put(content_range="bytes */*")

    @property
    def part(self) -> Path:
        return self.service.folder.upload(self.media_id)

    @property
    def file(self) -> bytes | None:
        medium = self.service.media.get(self.media_id)
        if medium is None or medium.file is None:
            return None
        return self.service.folder.source(self.media_id, medium.file).read_bytes()

    def reopened(self, **changes: int) -> Uploading:
        """The same after the server was started again."""
        self.service.database.close()
        service = Service(replace(self.service.settings, **changes))
        return replace(self, service=service)

    def used(self) -> tuple[float, float]:
        usage = self.service.media.usage(self.company_id, None, None)
        return usage["uploads"], usage["uploaded_bytes"]


Begin = Callable[..., Uploading]


@pytest.fixture
def begin(service: Service) -> Iterator[Begin]:
    """Announces media, as the creation of a medium does."""
    service.keys.create("acme")
    (company_id,) = service.database.connection.execute("SELECT company_id FROM companies").fetchone()

    def announced(total_bytes: int = SIZE, content_type: str = "video/mp4", name: str = "clip.mp4") -> Uploading:
        medium = service.media.add(company_id, "mixed", name, content_type, total_bytes)
        token = service.uploads.create(medium.media_id, content_type, total_bytes)
        return Uploading(service, token, medium.media_id, company_id)

    yield announced
    service.database.close()


@pytest.mark.parametrize("chunked", [True, False])
def test_a_whole_file_in_one_request(begin: Begin, chunked: bool) -> None:
    upload = begin()
    reply = upload.put(MP4, chunked=chunked)
    assert reply.status == 200
    assert reply.json == {
        "media_id": str(upload.media_id),
        "name": "clip.mp4",
        "content_type": "video/mp4",
        "size_bytes": SIZE,
    }
    assert upload.file == MP4
    assert not upload.part.exists()
    assert upload.used() == (1, SIZE)


def test_what_came_already_is_skipped_and_must_be_the_same(begin: Begin) -> None:
    upload = begin()
    upload.put(MP4[:1000], content_range=f"bytes 0-999/{SIZE}")
    assert upload.put(MP4[500:800], content_range=f"bytes 500-799/{SIZE}").received == 1000
    assert upload.put(MP4[500:1200], content_range=f"bytes 500-1199/{SIZE}").received == 1200
    other = upload.put(b"x" * 100, content_range=f"bytes 1150-1249/{SIZE}")
    assert other.status == 409
    assert "1150-1199" in other.detail
    assert upload.part.read_bytes() == MP4[:1200]


@pytest.mark.parametrize(
    ("body", "headers", "status", "detail"),
    [
        (MP4, {"content_range": "bytes 0-9"}, 400, "not understood"),
        (MP4, {"content_range": "items 0-9/10"}, 400, "not understood"),
        (MP4, {"content_range": "bytes 0-9/-10"}, 400, "not understood"),
        (MP4, {"content_range": "bytes */*, bytes */*"}, 400, "not understood"),
        (MP4[:10], {"content_range": f"bytes 0-9/{SIZE + 1}"}, 400, f"total_bytes was {SIZE}"),
        (b"", {"content_range": "bytes */7"}, 400, f"total_bytes was {SIZE}"),
        (MP4[:10], {"content_range": f"bytes 9-0/{SIZE}"}, 400, "no part"),
        (MP4[:10], {"content_range": f"bytes {SIZE - 9}-{SIZE}/*"}, 400, "no part"),
        (MP4[:10], {"content_range": f"bytes 0-10/{SIZE}"}, 400, "has 10 bytes, but Content-Range has 11"),
        (MP4[:10], {"content_range": f"bytes */{SIZE}"}, 400, "has no body"),
        (MP4 + b"x", {}, 400, f"total_bytes was {SIZE}"),
        (MP4[:-1], {}, 400, f"total_bytes was {SIZE}"),
        (MP4, {"content_type": "video/webm"}, 415, "declared as video/mp4"),
        (MP4, {"content_type": "multipart/form-data; boundary=b"}, 415, "declared as video/mp4"),
        (MP4, {"content_encoding": "gzip"}, 415, "gzip"),
        (GIF[:SIZE].ljust(SIZE), {}, 415, "gif, not mp4 or quicktime"),
        (b"x" * SIZE, {}, 415, "not known"),
    ],
)
def test_what_contradicts_the_declaration_is_refused_and_not_kept(
    begin: Begin, body: bytes, headers: dict[str, str], status: int, detail: str
) -> None:
    upload = begin()
    reply = upload.put(*([body] if body else []), **headers)
    assert reply.status == status
    assert detail in reply.detail
    assert upload.asked().received == 0
    assert upload.put(MP4).status == 200


def test_a_body_without_a_length_may_not_be_longer_or_shorter(begin: Begin) -> None:
    upload = begin()
    assert upload.put(MP4, b"x", chunked=True).status == 400
    assert upload.put(MP4 + b"x", chunked=True).status == 400
    assert upload.asked().received == 0
    assert upload.put(MP4[:1000], b"x", chunked=True, content_range=f"bytes 0-999/{SIZE}").status == 400
    assert upload.asked().received == 0
    short = upload.put(MP4[:1000], chunked=True)
    assert (short.status, short.detail) == (400, f"The body ended after 1000 bytes; total_bytes was {SIZE}")
    part = upload.put(MP4[1000:1500], chunked=True, content_range=f"bytes 1000-1999/{SIZE}")
    assert (part.status, part.received) == (308, 1500)
    assert upload.put(chunked=True).received == 1500  # an empty body only asks
    assert upload.file is None


def test_the_wrong_file_is_noticed_once_its_beginning_is_there(begin: Begin) -> None:
    upload = begin()
    early = HEAD_BYTES - 1
    assert upload.put(GIF[:early], content_range=f"bytes 0-{early - 1}/{SIZE}").received == early
    reply = upload.put(GIF[early : early + 9], content_range=f"bytes {early}-{early + 8}/{SIZE}")
    assert (reply.status, upload.asked().received) == (415, 0)


def test_an_address_is_a_secret_that_is_not_kept(begin: Begin, service: Service) -> None:
    upload = begin()
    for token in ("", "x", upload.token[:-1], upload.token + "x", upload.token.swapcase(), str(upload.media_id)):
        assert asyncio.run(send(upload.app, "PUT", f"/uploads/{token}", [MP4])).status == 404
    service.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stored = service.folder.database.read_bytes()
    assert upload.token.encode() not in stored
    assert hashlib.sha256(upload.token.encode()).digest() in stored


def test_an_upload_that_takes_too_long_is_gone_unless_it_is_complete(begin: Begin) -> None:
    late, done = begin(), begin()
    done.put(MP4)
    late = late.reopened(upload_lifetime_s=0)
    done = replace(done, service=late.service)
    assert (late.put(MP4).status, late.asked().status, late.file) == (410, 410, None)
    assert done.asked().status == 200


@pytest.mark.parametrize("first", [0, 1000])
def test_a_medium_that_is_deleted_meanwhile_leaves_nothing(begin: Begin, service: Service, first: int) -> None:
    upload = begin()

    async def delete_meanwhile() -> Reply:
        deleted = asyncio.Event()
        headers = {"content-range": f"bytes 0-{SIZE - 1}/{SIZE}"}
        pieces = [MP4[:first], deleted, MP4[first:]] if first else [deleted, MP4]
        task = asyncio.create_task(upload.sending(pieces, headers, chunked=True))
        while not upload.part.exists():
            await asyncio.sleep(0.001)
        service.media.delete(upload.company_id, upload.media_id)
        service.folder.discard(upload.media_id)
        deleted.set()
        return await task

    assert asyncio.run(delete_meanwhile()).status == 404
    assert not upload.part.exists()
    assert not service.folder.medium(upload.media_id).exists()
    assert upload.used() == (0, 0)


def test_the_last_request_takes_over_from_one_that_hangs(begin: Begin) -> None:
    upload = begin()

    async def hang_and_resume() -> tuple[Reply, Reply, Reply]:
        go_on = asyncio.Event()
        hanging = asyncio.create_task(upload.sending([MP4[:100], go_on, b"x" * 100], {}, chunked=True))
        while not upload.part.exists():
            await asyncio.sleep(0.001)
        half = await upload.sending([MP4[:1000]], {"content-range": f"bytes 0-999/{SIZE}"}, chunked=False)
        go_on.set()
        late = await hanging
        rest = await upload.sending([MP4[1000:]], {"content-range": f"bytes 1000-{SIZE - 1}/*"}, chunked=False)
        return half, late, rest

    half, late, rest = asyncio.run(asyncio.wait_for(hang_and_resume(), 10))
    assert (half.status, half.received, late.status, rest.status) == (308, 1000, 409, 200)
    assert upload.file == MP4


def test_many_at_once_send_the_same_file(begin: Begin) -> None:
    upload = begin()

    async def crowd() -> list[Reply]:
        app = upload.app
        puts = [send(app, "PUT", f"/uploads/{upload.token}", [MP4[:700], MP4[700:]]) for _ in range(20)]
        return await asyncio.gather(*puts)

    statuses = {reply.status for reply in asyncio.run(crowd())}
    assert 200 in statuses
    assert statuses <= {200, 409}
    assert (upload.file, upload.used()) == (MP4, (1, SIZE))


def test_a_full_disk_keeps_nothing_of_an_upload(begin: Begin) -> None:
    content = MP4 * 1000
    upload = begin(len(content))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        assert upload.put(content).status == 507
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert upload.asked().received == 0
    assert upload.put(content).status == 200
    assert upload.file == content


class Crashed(BaseException):
    """What a power cut would do to the process."""


@pytest.mark.parametrize(("where", "step"), [(GrowingFile, "sync"), (Path, "replace"), (Media, "has_file")])
@pytest.mark.parametrize("then", ["ask", "send"])
def test_a_crash_at_the_end_is_made_good_at_the_next_request(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, where: type, step: str, then: str
) -> None:
    upload = begin()

    def crash(*_: object) -> None:
        raise Crashed

    with monkeypatch.context() as patch:
        patch.setattr(where, step, crash)
        with pytest.raises(Crashed):
            upload.put(MP4)
    assert upload.file is None
    upload = upload.reopened()
    assert (upload.asked() if then == "ask" else upload.put(MP4)).status == 200
    assert (upload.file, upload.used(), upload.part.exists()) == (MP4, (1, SIZE), False)
