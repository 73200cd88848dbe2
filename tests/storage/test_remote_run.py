"""Whole runs with media and run directory in an object store: the numbers of a run on disk, whatever happens."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from commands import mediaan_command
from PIL import Image
from s3_pipe import Pipe
from s3_server import ACCESS_KEY, SECRET_KEY, S3Server

from mediaan.cli.main import cli
from mediaan.errors import MediaanError
from mediaan.storage import ObjectStorage, hold_lease

TIMES = {"created_at", "seconds", "stages", "media_per_s", "started_at"}
"""What differs between two runs of the same files."""
COMMAND = [sys.executable, "-c", "from mediaan.cli.main import main; main()", "analyze"]
LIGHT = [
    "--model", "centre-prior", "--maps", "heat", "--aois", "none", "--workers", "1", "--quiet",
]  # fmt: skip


def write_ads(folder: Path, count: int) -> Path:
    """Pictures of noise, a broken one, a copy, and what is no medium."""
    (folder / "spring 24").mkdir(parents=True)
    for number in range(count):
        pixels = np.random.default_rng(number).integers(0, 256, (40, 64, 3), np.uint8)
        Image.fromarray(pixels).save(folder / "spring 24" / f"ad {number:02}.png")
    (folder / "copy.png").write_bytes((folder / "spring 24" / "ad 00.png").read_bytes())
    (folder / "broken & <b>.jpg").write_bytes(b"\xff\xd8\xff but no picture")
    (folder / "notes.txt").write_text("Dear all,")
    return folder


def upload(s3: S3Server, bucket: str, folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            s3.client.put_object(
                Bucket=bucket, Key=f"ads/{file.relative_to(folder).as_posix()}", Body=file.read_bytes()
            )


def knowing(s3: S3Server | None) -> dict[str, str]:
    """An environment from which a command knows the store."""
    if s3 is None:
        return {}
    keys = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
    return keys | {"AWS_ENDPOINT_URL": s3.endpoint, "AWS_DEFAULT_REGION": "us-east-1"}


def start(*arguments: str, temporary: Path, s3: S3Server | None = None) -> subprocess.Popen[str]:
    """A command as on a machine of its own, that knows the store from its environment alone."""
    temporary.mkdir(parents=True, exist_ok=True)
    environment = os.environ | knowing(s3) | {"TMPDIR": str(temporary)}
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*COMMAND, *arguments, *LIGHT], env=environment, start_new_session=True, **streams)


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out + err


def run_here(*arguments: str, temporary: Path, s3: S3Server | None = None) -> tuple[int, str]:
    """The same in this process: its exit code, and what it said."""
    temporary.mkdir(parents=True, exist_ok=True)
    with patch.object(tempfile, "tempdir", str(temporary)):
        done = mediaan_command("analyze", *arguments, *LIGHT, cwd=temporary, **knowing(s3))
    return done.returncode, done.stdout + done.stderr


def refused(*arguments: str) -> tuple[str, str]:
    """A command that ends before any work, in this process: the code of its error, and all that it says."""
    done = CliRunner().invoke(cli, ["analyze", *arguments, *LIGHT], standalone_mode=False)
    assert isinstance(done.exception, MediaanError), done.output
    return done.exception.code, "".join(traceback.format_exception(done.exception)) + done.output


def contents(files: dict[str, bytes]) -> dict[str, Any]:
    """A run's tables, maps and facts, without what tells the time."""
    tables = {name: pq.read_table(io.BytesIO(data)) for name, data in files.items() if name.endswith(".parquet")}
    kept = {
        name: table.drop_columns([column for column in table.column_names if column in TIMES]).to_pylist()
        for name, table in tables.items()
        if name.startswith("tables/")
    }
    facts = {key: value for key, value in json.loads(files["run.json"]).items() if key not in TIMES}
    maps = {name: data for name, data in files.items() if name.startswith("maps/")}
    parts = sorted(name for name in files if name.startswith("parts/"))
    return {"tables": kept, "facts": facts, "maps": maps, "parts": parts, "report": "report/index.html" in files}


def on_disk(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def in_store(s3: S3Server, bucket: str) -> dict[str, bytes]:
    keys = [key for key in s3.keys(bucket, "run/") if not key.endswith("/")]
    return {key[4:]: s3.client.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}


COUNT = 4


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ads(tmp_path_factory.mktemp("given") / "ads", COUNT)


@pytest.fixture(scope="module")
def undisturbed(ads: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("undisturbed")
    code, said = run_here(str(ads), "--out", str(folder / "run"), temporary=folder / "tmp")
    assert code == 3, said
    return contents(on_disk(folder / "run"))


def test_a_run_in_a_store_is_the_run_on_disk(
    s3: S3Server, bucket: str, ads: Path, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    upload(s3, bucket, ads)
    given = [f"s3://{bucket}/ads", "--out", f"s3://{bucket}/run"]
    code, said = finish(start(*given, temporary=tmp_path / "one", s3=s3))
    assert code == 3, said
    files = in_store(s3, bucket)
    assert contents(files) == undisturbed
    assert b"broken &amp; &lt;b&gt;.jpg" in files["report/index.html"]
    assert b"data:image/webp" in files["report/index.html"]
    assert not {"unfinished.json", "run.lock"} & set(files)
    assert not list((tmp_path / "one").glob("mediaan-*"))

    stamps = {key: s3.client.head_object(Bucket=bucket, Key=key)["ETag"] for key in s3.keys(bucket, "run/parts/")}
    code, said = run_here(*given, temporary=tmp_path / "two", s3=s3)
    assert code == 3, said
    assert contents(in_store(s3, bucket)) == undisturbed
    again = {key: s3.client.head_object(Bucket=bucket, Key=key)["ETag"] for key in s3.keys(bucket, "run/parts/")}
    assert again == stamps  # nothing was analysed again


def test_no_credentials_anywhere(s3: S3Server, bucket: str, ads: Path, tmp_path: Path) -> None:
    upload(s3, bucket, ads)
    given = [s3.url(f"{bucket}/ads"), "--out", s3.url(f"{bucket}/run"), "--json"]
    said: list[tuple[int | str, str]] = [run_here(*given, temporary=tmp_path)]
    said.append(refused(s3.url(f"{bucket}/none"), "--out", s3.url(f"{bucket}/run")))
    said.append(refused(given[0], "--out", s3.url("no-such-bucket/run")))
    said.append(refused(given[0], "--out", s3.url(f"{bucket}/ads")))
    assert [code for code, _ in said] == [3, "usage", "no_bucket", "bad_out"], said
    assert f"s3://{bucket}/none" in said[1][1]
    assert "s3://no-such-bucket/run: cannot" in said[2][1]
    assert f"--out s3://{bucket}/ads: holds other files, but no run" in said[3][1]
    texts = [text.encode() for _, text in said]
    for name, data in (in_store(s3, bucket) | on_disk(tmp_path)).items():
        texts.append(gzip.decompress(data) if name.endswith(".gz") else data)
        if name.endswith(".parquet"):
            table = pq.read_table(io.BytesIO(data))
            texts.append(repr((table.to_pylist(), table.schema)).encode())
    secrets = [ACCESS_KEY.encode(), SECRET_KEY.encode(), b"planted"]
    assert not [secret for secret in secrets for text in texts if secret in text]


def test_killed_in_mid_run(s3: S3Server, bucket: str, ads: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    upload(s3, bucket, ads)
    given = [f"s3://{bucket}/ads", "--out", f"s3://{bucket}/run"]
    process = start(*given, temporary=tmp_path / "one", s3=s3)
    wait_for_parts(s3, bucket, 2, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert "run/run.json" not in s3.keys(bucket, "run/")
    made = {key: s3.client.head_object(Bucket=bucket, Key=key)["ETag"] for key in s3.keys(bucket, "run/parts/")}
    code, said = run_here(*given, temporary=tmp_path / "another machine", s3=s3)
    assert code == 3, said
    files = in_store(s3, bucket)
    assert contents(files) == undisturbed
    assert "run.lock" not in files
    kept = {key: s3.client.head_object(Bucket=bucket, Key=key)["ETag"] for key in made}
    assert kept == made  # what was committed was not analysed again


def wait_for_parts(s3: S3Server, bucket: str, count: int, process: subprocess.Popen[str]) -> None:
    for _ in range(2000):
        if len([key for key in s3.keys(bucket, "run/parts/") if key.endswith(".gz")]) >= count:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("nothing was committed")


@pytest.mark.full
def test_the_store_is_lost_in_mid_run(s3: S3Server, bucket: str, ads: Path, tmp_path: Path) -> None:
    upload(s3, bucket, ads)
    pipe = Pipe(s3.port)
    process = start(
        *(s3.url(f"{bucket}/ads", port=pipe.port), "--out", s3.url(f"{bucket}/run", port=pipe.port)),
        temporary=tmp_path / "one",
    )
    wait_for_parts(s3, bucket, 2, process)
    pipe.limit = 0
    code, said = finish(process)
    pipe.close()
    assert code == 1, said
    assert f"s3://{bucket}" in said
    assert "the store cannot be reached" in said
    assert "continues where it stopped" in said
    assert "Traceback" not in said
    assert "run/run.json" not in s3.keys(bucket, "run/")
    assert "run/run.lock" in s3.keys(bucket, "run/"), "as after a kill: being dead on this machine is no hindrance"


def test_two_at_a_time(s3: S3Server, bucket: str, ads: Path) -> None:
    upload(s3, bucket, ads)
    with hold_lease(ObjectStorage(s3.url(f"{bucket}/run"))):
        code, said = refused(s3.url(f"{bucket}/ads"), "--out", s3.url(f"{bucket}/run"))
    assert code == "run_locked", said
    assert f"--out s3://{bucket}/run: process {os.getpid()} on " in said
    assert in_store(s3, bucket) == {}


def test_a_run_that_another_took_over_sends_no_tables(s3: S3Server, bucket: str, ads: Path, tmp_path: Path) -> None:
    upload(s3, bucket, ads)
    process = start(f"s3://{bucket}/ads", "--out", f"s3://{bucket}/run", temporary=tmp_path, s3=s3)
    wait_for_parts(s3, bucket, 1, process)
    other = {"lease": "other", "host": "elsewhere", "pid": 1, "started": 0.0, "at": time.time()}
    s3.client.put_object(Bucket=bucket, Key="run/run.lock", Body=json.dumps(other).encode())
    code, said = finish(process)
    assert code == 2, said
    assert f"--out s3://{bucket}/run: process 1 on elsewhere has taken it over" in said
    files = in_store(s3, bucket)
    assert json.loads(files["run.lock"]) == other
    assert not {name for name in files if name == "run.json" or name.startswith(("tables/", "report/"))}
    assert sum(name.startswith("parts/") for name in files) == COUNT + 1, "what was analysed is kept"


@pytest.fixture(autouse=True)
def no_credentials_of_mine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
