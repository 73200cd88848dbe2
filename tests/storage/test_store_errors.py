"""What is said when a store will not do as asked: in a sentence, in bounded time, without credentials."""

from __future__ import annotations

import gc
import pickle
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from s3_pipe import Pipe
from s3_server import ACCESS_KEY, SECRET_KEY, S3Server, free_port

from mediaan.errors import MediaanError, SetupError, UsageError
from mediaan.media import find_files
from mediaan.storage import ObjectStorage, connection, open_storage
from mediaan.storage.connection import parse_address


def refusal(action: Callable[[], object]) -> MediaanError:
    with pytest.raises(MediaanError) as caught:
        action()
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert ACCESS_KEY not in told
    assert SECRET_KEY not in told
    assert "planted" not in told
    assert pickle.loads(pickle.dumps(caught.value)).code == caught.value.code
    return caught.value


def test_a_bucket_that_is_not_there(s3: S3Server) -> None:
    storage = ObjectStorage(s3.url("no-such-bucket/run"))
    error = refusal(lambda: storage.write("run.json", b"{}"))
    assert isinstance(error, SetupError)
    assert error.code == "no_bucket"
    assert error.message.startswith("s3://no-such-bucket/run: cannot write run.json: the bucket does not exist")
    assert refusal(lambda: list(storage.files())).code == "no_bucket"
    assert refusal(lambda: find_files([s3.url("no-such-bucket/ads")])).code == "no_bucket"
    with pytest.raises(FileNotFoundError):
        storage.read("run.json")


def test_nobody_listens(s3: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_TRIES", 2)
    storage = ObjectStorage(s3.url(bucket, port=free_port()))
    began = time.monotonic()
    error = refusal(lambda: storage.write("a", b"1"))
    assert error.code == "unreachable"
    assert "cannot be reached" in error.message
    assert "continues where it stopped" in error.message
    assert refusal(lambda: storage.read("a")).code == "unreachable"
    assert refusal(lambda: list(storage.files())).code == "unreachable"
    assert time.monotonic() - began < 60


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A server that takes connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield listener.getsockname()[1]


def test_a_server_that_never_answers(
    s3: S3Server, bucket: str, silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_TRIES", 2)
    monkeypatch.setattr(connection, "_SILENCE_S", 1.0)
    storage = ObjectStorage(s3.url(bucket, port=silent_port))
    began = time.monotonic()
    assert refusal(lambda: storage.read("a")).code == "unreachable"
    assert time.monotonic() - began < 60


@pytest.fixture
def deny(s3: S3Server) -> Iterator[Callable[[int], None]]:
    """Has the server ask for rights, which no key here has, after so many requests more."""
    import requests

    def after(count: int) -> None:
        requests.post(f"{s3.endpoint}/moto-api/reset-auth", data=str(count).encode(), timeout=10).raise_for_status()

    yield after
    after(10**9)


def test_access_is_denied(s3: S3Server, bucket: str, deny: Callable[[int], None]) -> None:
    storage = ObjectStorage(s3.url(f"{bucket}/ads"))
    storage.write("a", b"1")
    deny(0)
    for action in (lambda: storage.read("a"), lambda: storage.write("a", b"2"), lambda: list(storage.files())):
        error = refusal(action)
        assert isinstance(error, SetupError)
        assert error.code == "access_denied"
        assert f"s3://{bucket}/ads: cannot" in error.message
    deny(10**9)
    assert storage.read("a") == b"1"


@pytest.mark.parametrize("size", [200_000, 25_000_000])
def test_the_network_is_lost_in_mid_write(
    s3: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(connection, "_TRIES", 2)
    pipe = Pipe(s3.port)
    storage = ObjectStorage(s3.url(bucket, port=pipe.port))
    storage.write("parts/a", b"before")
    pipe.carried, pipe.limit = 0, size // 2
    began = time.monotonic()
    assert refusal(lambda: storage.write("parts/a", bytes(size))).code == "unreachable"
    assert s3.client.get_object(Bucket=bucket, Key="parts/a")["Body"].read() == b"before"
    pipe.limit = None
    gc.collect()  # no half is completed where the network is there again when the stream is cleared away
    assert time.monotonic() - began < 45, "pyarrow tries for a minute to complete what it cleans up"
    assert s3.client.get_object(Bucket=bucket, Key="parts/a")["Body"].read() == b"before"
    storage.write("parts/a", b"after")
    assert storage.read("parts/a") == b"after"
    pipe.close()


def test_the_network_is_lost_in_mid_fetch(
    s3: S3Server, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_TRIES", 1)
    monkeypatch.setattr(connection, "_SILENCE_S", 1.0)
    s3.client.put_object(Bucket=bucket, Key="film.mp4", Body=bytes(30_000_000))
    storage = ObjectStorage(s3.url(bucket))
    hang = threading.Timer(0.05, s3.pause)
    hang.start()
    try:
        if (error := _fetched(storage, tmp_path / "film.mp4")) is not None:
            assert error.code == "unreachable"
            assert not (tmp_path / "film.mp4").exists()
    finally:
        hang.join()
        s3.go_on()


def _fetched(storage: ObjectStorage, target: Path) -> MediaanError | None:
    try:
        storage.fetch("film.mp4", target)
    except SetupError as error:
        return error
    return None


@pytest.mark.parametrize(
    "url",
    [
        "s3://",
        "s3:///ads",
        "s3://bucket/a/../b",
        "s3://bucket//a",
        f"s3://{ACCESS_KEY}:planted/secret@bucket/ads",
        f"gs://{ACCESS_KEY}:planted/secret@bucket/ads",
        f"s3://{ACCESS_KEY}:planted@bucket/ads?nonsense=planted",
        f"s3://{ACCESS_KEY}:planted@bucket/ads?region=x&scheme=planted",
        "https://example.org/ads?token=planted",
    ],
)
def test_addresses_that_are_none(url: str) -> None:
    error = refusal(lambda: open_storage(url).size("a"))
    assert isinstance(error, UsageError), error


def test_a_kind_of_store_that_is_not_installed() -> None:
    url = f"nosuchkind://{ACCESS_KEY}:planted@host/ads?token=planted"
    error = refusal(lambda: open_storage(url).size("a"))
    assert isinstance(error, SetupError)
    assert error.code == "no_storage"
    assert "install fsspec and its plugin for nosuchkind" in error.message


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"s3://{ACCESS_KEY}:planted%2Fx@ads/a%20b?region=x", "s3://ads/a b"),
        ("s3://ads/", "s3://ads"),
        ("s3://ads/a b/c", "s3://ads/a b/c"),
        ("gs://anonymous@ads/x", "gs://ads/x"),
        ("abfs://box@account.dfs.core.windows.net/x?sig=planted", "abfs://box@account.dfs.core.windows.net/x"),
        ("abfss://account:planted==@box/x", "abfss://account@box/x"),
        ("abfs://box:planted@account.dfs.core.windows.net/x", "abfs://box@account.dfs.core.windows.net/x"),
        ("sftp://me:planted@host:22/x?password=planted", "sftp://host:22/x"),
    ],
)
def test_what_is_shown(url: str, shown: str) -> None:
    assert open_storage(url).display_name == shown
    assert "planted" not in repr(open_storage(url))
    assert "planted" not in repr(parse_address(url))


@pytest.mark.parametrize("secret", ["123/planted", "/planted", "planted/x"])
def test_a_slash_in_a_secret_shows_no_half_of_it(secret: str) -> None:
    error = refusal(lambda: open_storage(f"s3://{ACCESS_KEY}:{secret}@ads/x").size("a"))
    assert isinstance(error, UsageError)
    assert error.code == "bad_address"
    assert not any(part in error.message for part in (ACCESS_KEY, "123", "planted"))


def test_what_libraries_say_is_cleaned() -> None:
    address = parse_address("abfs://box@account.dfs.core.windows.net/x?sig=pla%2Fnted&region=eu")
    said = address.without_secrets("GET https://account.dfs.core.windows.net/box/x?sig=pla%2Fnted&region=eu pla/nted")
    assert "nted" not in said
    assert "account.dfs.core.windows.net/box/x" in said
