"""Media in an object store: the rules of folders, whatever keys look like; fetched when they are needed."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from s3_server import S3Server

from mediaan.errors import MediumError, UsageError
from mediaan.media import MediaFile, find_files, local_copy
from mediaan.storage import ObjectStorage
from mediaan.workflow.folder.listing import media_listing

GIF = b"GIF89a" + bytes(100)


def fill(s3: S3Server, bucket: str, folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            s3.client.put_object(Bucket=bucket, Key=file.relative_to(folder).as_posix(), Body=file.read_bytes())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Media, notes, hidden things and a run, as people keep them."""
    files = {
        "ads/b.PNG": b"broken, but its name promises a picture",
        "ads/summer 2024/café & co.gif": GIF,
        "ads/summer 2024/50% off?.gif": GIF,
        "ads/no suffix": GIF,
        "ads/notes.txt": b"Dear all,",
        "ads/empty": b"",
        "ads/.hidden/x.gif": GIF,
        "ads/.x.gif": GIF,
        "ads/run/run.json": b"{}",
        "ads/run/tables/media.parquet": b"PAR1",
        "ads/run/unfinished.json": b"{}",
        "ads/run/maps/x/original.jpg": GIF,
        "adsbeside/y.gif": GIF,
        "more/b.PNG": GIF,
    }
    for name, data in files.items():
        (tmp_path / "here" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "here" / name).write_bytes(data)
    return tmp_path / "here"


@pytest.mark.parametrize("given", [["ads"], ["ads/"], ["ads", "more"], ["more", "ads"], ["ads", "ads/b.PNG"], [""]])
def test_a_prefix_is_listed_like_a_folder(s3: S3Server, bucket: str, folder: Path, given: list[str]) -> None:
    fill(s3, bucket, folder)
    there = media_listing([s3.url(f"{bucket}/{path}") for path in given])
    here = media_listing([folder / path for path in given])
    assert [(f.display_path, f.size_bytes) for f in there.files] == [(f.display_path, f.size_bytes) for f in here.files]
    assert [(e.path.name, e.reason) for e in there.skipped] == [(e.path.name, e.reason) for e in here.skipped]


def test_what_is_here_and_there_is_told_apart(s3: S3Server, bucket: str, folder: Path) -> None:
    fill(s3, bucket, folder / "more")
    listing = find_files([folder / "more", s3.url(bucket)])
    assert [file.display_path for file in listing.files] == sorted([f"{bucket}/b.PNG", "more/b.PNG"])


def test_an_object_that_is_named_is_taken(s3: S3Server, bucket: str, folder: Path) -> None:
    fill(s3, bucket, folder)
    (file,) = find_files([s3.url(f"{bucket}/ads/notes.txt")]).files
    assert (file.display_path, file.size_bytes) == ("notes.txt", 9)
    with local_copy(file) as copy:
        assert copy.read_bytes() == b"Dear all,"


def test_nothing_of_that_name(s3: S3Server, bucket: str) -> None:
    with pytest.raises(UsageError, match=f"cannot find s3://{bucket}/none: there is neither a file nor a folder"):
        find_files([s3.url(f"{bucket}/none")])


def test_keys_that_lead_elsewhere_are_left_out(s3: S3Server, bucket: str) -> None:
    s3.plant(bucket, "ads/../secret.gif", GIF)
    s3.plant(bucket, "ads/./a.gif", GIF)
    s3.plant(bucket, "ads/good.gif", GIF)
    assert "ads/../secret.gif" in s3.keys(bucket)
    listing = find_files([s3.url(f"{bucket}/ads")])
    assert [file.display_path for file in listing.files] == ["good.gif"]
    assert {entry.reason for entry in listing.skipped} == {"unusable_key"}


def test_a_fetched_file_stays_in_its_folder(s3: S3Server, bucket: str, tmp_path: Path) -> None:
    for key in ("a/x..%2f..%2fevil.gif", "a/-rf *.gif", "a/x..\\..\\evil.gif", "a/x.gif;rm", "a/" + "n" * 900 + ".gif"):
        s3.client.put_object(Bucket=bucket, Key=key, Body=GIF)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    listing = find_files([s3.url(bucket)])
    assert len(listing.files) == 5
    for file in listing.files:
        with local_copy(file, scratch) as copy:
            assert copy.read_bytes() == GIF
            assert copy.resolve().parent.parent == scratch
        assert not any(scratch.iterdir())
    assert [path.name for path in tmp_path.iterdir()] == ["scratch"]


def one(s3: S3Server, bucket: str) -> MediaFile:
    s3.client.put_object(Bucket=bucket, Key="a.gif", Body=GIF)
    (file,) = find_files([s3.url(bucket)]).files
    return file


def test_what_vanished_or_changed_since_is_a_bad_medium(s3: S3Server, bucket: str, tmp_path: Path) -> None:
    file = one(s3, bucket)
    s3.client.put_object(Bucket=bucket, Key="a.gif", Body=GIF + b"more")
    with (
        pytest.raises(MediumError, match=r"a\.gif: changed since it was listed") as changed,
        local_copy(file, tmp_path),
    ):
        pass
    s3.client.delete_object(Bucket=bucket, Key="a.gif")
    with pytest.raises(MediumError, match=r"a\.gif: is gone since it was listed") as gone, local_copy(file, tmp_path):
        pass
    assert (changed.value.code, gone.value.code) == ("changed", "unreadable")
    assert not any(tmp_path.iterdir())


FETCH_WITHOUT_ROOM = """
import resource, sys
from pathlib import Path
from mediaan.errors import SetupError
from mediaan.storage import ObjectStorage
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # no file of this process can hold more bytes
try:
    ObjectStorage(sys.argv[1]).fetch("big.gif", Path(sys.argv[2]))
except SetupError as error:
    sys.exit(f"{error.code}: {error}")
"""


def test_no_room_ends_the_run(s3: S3Server, bucket: str, tmp_path: Path) -> None:
    s3.client.put_object(Bucket=bucket, Key="big.gif", Body=bytes(100_000))
    target = tmp_path / "big.gif"
    command = [sys.executable, "-c", FETCH_WITHOUT_ROOM, s3.url(bucket), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stderr.startswith(f"cannot_write: {target} cannot be written"), done.stderr
    assert not target.exists()


def test_a_found_object_travels_and_shows_no_secret(s3: S3Server, bucket: str) -> None:
    file = one(s3, bucket)
    assert pickle.loads(pickle.dumps(file)) == file
    assert "planted" not in repr(file)
    assert isinstance(file.storage, ObjectStorage)
    assert file.storage.display_name == f"s3://{bucket}"
