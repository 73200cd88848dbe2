"""The promises of every storage: a folder, an S3 server and what fsspec reaches."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from s3_server import S3Server

from mediaan.errors import SetupError
from mediaan.storage import LocalStorage, ObjectStorage, Storage, open_storage, read_many

PACKED = gzip.compress(b'{"rows": []}', mtime=0)


@pytest.fixture(params=["folder", "s3", "whole bucket", "fsspec memory", "fsspec local"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    kind = request.param
    if kind == "folder":
        yield open_storage(tmp_path / "run")
    elif kind == "fsspec memory":
        yield open_storage(f"memory://{uuid4()}/run")
    elif kind == "fsspec local":
        yield open_storage(f"local://{tmp_path}/run")
    else:
        s3, bucket = request.getfixturevalue("s3"), request.getfixturevalue("bucket")
        yield open_storage(s3.url(bucket if kind == "whole bucket" else f"{bucket}/a folder/run"))


def test_what_is_written_is_read(storage: Storage) -> None:
    storage.write("parts/ab/x.json.gz", PACKED)
    assert storage.read("parts/ab/x.json.gz") == PACKED  # neither packed again nor unpacked
    assert storage.size("parts/ab/x.json.gz") == len(PACKED)
    assert storage.read("parts/ab/x.json.gz", limit=2) == PACKED[:2]
    storage.write("empty", b"")
    assert (storage.read("empty"), storage.size("empty")) == (b"", 0)


def test_writing_again_replaces(storage: Storage) -> None:
    storage.write("run.json", b"a long first version")
    storage.write("run.json", b"second", durable=True)
    assert storage.read("run.json") == b"second"


def test_what_is_not_there(storage: Storage, tmp_path: Path) -> None:
    storage.write("folder/file", b"1")
    for path in ("none", "folder/none", "none/file", "folder"):
        assert storage.size(path) is None
        assert storage.find(path) is None
    with pytest.raises(FileNotFoundError):
        storage.read("none")
    with pytest.raises(FileNotFoundError):
        storage.fetch("none", tmp_path / "fetched")
    assert not (tmp_path / "fetched").exists()
    storage.remove("none")


def test_listing(storage: Storage) -> None:
    assert list(storage.files()) == []
    assert list(storage.files("parts/")) == []
    data = {"run.json": b"1", "parts/aa/x": b"22", "parts/ab/y z.jpg": b"333", "partsbeside/x": b"4444"}
    for path, content in data.items():
        storage.write(path, content)
    assert {file.path: file.size_bytes for file in storage.files()} == {p: len(c) for p, c in data.items()}
    assert {file.path for file in storage.files("parts/")} == {"parts/aa/x", "parts/ab/y z.jpg"}
    assert sorted(storage.files(), key=lambda file: file.path) == [storage.find(path) for path in sorted(data)]


def test_removal(storage: Storage) -> None:
    storage.write("a/b", b"1")
    storage.write("a/c", b"1")
    storage.remove("a/b")
    storage.remove("a/b")
    assert [file.path for file in storage.files()] == ["a/c"]


def test_a_file_moves_in_and_is_fetched_again(storage: Storage, tmp_path: Path) -> None:
    film = bytes(range(256)) * 100_000  # 25.6 MB: an upload in several parts
    (tmp_path / "film.mp4").write_bytes(film)
    storage.take(tmp_path / "film.mp4", "maps/x/film.mp4")
    assert not (tmp_path / "film.mp4").exists()
    assert storage.size("maps/x/film.mp4") == len(film)
    storage.fetch("maps/x/film.mp4", tmp_path / "fetched.mp4")
    assert (tmp_path / "fetched.mp4").read_bytes() == film
    (tmp_path / "empty").touch()
    storage.take(tmp_path / "empty", "maps/empty")
    assert storage.size("maps/empty") == 0


def test_the_stamp_follows_the_content(storage: Storage) -> None:
    storage.write("a", b"1")
    before = storage.find("a")
    assert before.stamp
    assert storage.find("a") == before


def test_a_storage_travels_to_another_process(storage: Storage) -> None:
    storage.write("a", b"1")
    there = pickle.loads(pickle.dumps(storage))
    assert there == storage
    assert there.read("a") == b"1"


def test_names_of_all_sorts(storage: Storage) -> None:
    names = ["a b.jpg", "café ☕.png", "50%.gif", "a+b&c=d?e#f.jpg", "%2e%2e", "..hidden", "maps/\u202egpj.exe"]
    for name in names:
        storage.write(name, name.encode())
    assert sorted(file.path for file in storage.files()) == sorted(names)
    assert [storage.read(name).decode() for name in names] == names


def test_many_are_read_in_order(storage: Storage) -> None:
    names = [f"parts/{number:03}" for number in range(40)]
    for name in names[::2]:
        storage.write(name, name.encode())
    expected = [(name, name.encode() if number % 2 == 0 else None) for number, name in enumerate(names)]
    assert list(read_many(storage, names)) == expected
    assert list(read_many(storage, iter(names), ahead=1)) == expected


def test_reading_ahead_is_bounded(tmp_path: Path) -> None:
    asked: list[str] = []

    class Counting(LocalStorage):
        def read(self, path: str, *, limit: int | None = None) -> bytes:
            asked.append(path)
            return b""

    reading = read_many(Counting(tmp_path), (str(number) for number in range(1000)), ahead=4)
    next(reading)
    assert len(asked) <= 4
    reading.close()
    assert len(asked) <= 5


@pytest.mark.parametrize("staging", [None, "scratch"])
def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, staging: str | None) -> None:
    storage = LocalStorage(tmp_path / "run", tmp_path / staging if staging else None)
    storage.write("taken/file", b"1")
    with pytest.raises(SetupError, match="cannot be written"):
        storage.write("taken", b"2")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["file"]


def test_paths_never_leave_a_remote_storage(s3: S3Server, bucket: str, tmp_path: Path) -> None:
    s3.client.put_object(Bucket=bucket, Key="secret", Body=b"not yours")
    storage = ObjectStorage(s3.url(f"{bucket}/folder"))
    for path in ("../secret", "a/../../secret", "/secret", "a//b", "./a", "a\nb", ""):
        with pytest.raises(FileNotFoundError):
            storage.read(path)
        with pytest.raises(FileNotFoundError):
            storage.fetch(path, tmp_path / "x")
        storage.remove(path)
    assert s3.keys(bucket) == ["secret"]


def test_browsers_are_told_what_a_file_is(s3: S3Server, bucket: str) -> None:
    storage = ObjectStorage(s3.url(bucket))
    kinds = {"report/index.html": "text/html", "maps/a.jpg": "image/jpeg", "parts/a.json.gz": "application/gzip"}
    for path in kinds:
        storage.write(path, b"1")
    assert {path: s3.client.head_object(Bucket=bucket, Key=path)["ContentType"] for path in kinds} == kinds
