"""The command `mediaan serve`: what it says, where it listens, what it refuses, how it ends, what it logs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from commands import mediaan_command
from job_store import children, lives, until
from listening import connected
from serving import MEDIAAN, RunningServer
from short_film import ADS

import mediaan.cli.commands.serve
from mediaan.cli.main import cli
from mediaan.errors import SetupError
from mediaan.saliency.onnx.registry import models_folder
from mediaan.server.service.database import Database
from mediaan.server.service.folder import DataFolder


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningServer]:
    """A server of a test's own."""
    found = RunningServer(tmp_path, "--workers", "1")
    yield found
    found.stop()


def serve(*options: Any) -> subprocess.CompletedProcess[str]:
    command = [MEDIAAN, "serve", *map(str, options)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        alarm = threading.Timer(240, process.terminate)  # it should have refused to start
        alarm.start()
        out, err = process.communicate()
        alarm.cancel()
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def log_lines(server: RunningServer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in server.log.read_text().splitlines()]


def test_it_says_where_it_listens_where_data_lie_and_where_the_page_is(server: RunningServer) -> None:
    assert server.said == [
        f"data in {server.data}",
        f"web page {server.url}/, API {server.url}/predict/v2",
        f"listening on {server.url} (Ctrl-C ends it)",
    ]


def test_it_answers_at_once_and_says_that_it_listens_when_pictures_are_predicted_at_once(
    running: RunningServer,
) -> None:
    running.kill()
    starting = threading.Thread(target=running.start)
    starting.start()
    with running.client() as client:
        until(lambda: asked(client, "/healthz"), 60.0)
        health = client.get("/healthz")
        assert (health.status_code, "starting" in health.json()["detail"]) == (503, True)
        assert client.get("/predict/v2/media").status_code == 200
        starting.join()
        assert running.said[-1].startswith("listening")
        assert client.get("/healthz").status_code == 200


def asked(client: httpx.Client, path: str) -> httpx.Response | None:
    try:
        return client.get(path)
    except httpx.ConnectError:
        return None


def test_a_model_that_is_missing_stops_neither_start_nor_page_but_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    shutil.copy(models_folder() / "manifest.toml", models)
    monkeypatch.setenv("MEDIAAN_MODELS", str(models))
    running = RunningServer(tmp_path, "--workers", "2")
    with running.client(timeout=180.0) as client, (ADS / "serum_square.jpg").open("rb") as stream:
        until(lambda: "cannot work" in client.get("/healthz").text)
        health = client.get("/healthz")
        answer = client.post("/predict/v2/images", files={"file": ("a.jpg", stream)})
        assert client.get("/predict/v2/media").json()["items"] == []
    running.kill()
    for refused in (health, answer):
        assert refused.status_code == 503
        assert "attention.onnx" in refused.json()["detail"]
        assert str(tmp_path) not in refused.text
    assert any("worker 0-" in line["message"] and str(models) in line["message"] for line in log_lines(running)[:2])


def test_without_a_key_it_says_how_to_make_one_and_the_command_works(tmp_path: Path) -> None:
    data = tmp_path / "with space"
    process = subprocess.Popen(
        [MEDIAAN, "serve", "--data", data, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True
    )
    said = [process.stdout.readline() for _ in range(4)]
    (hint,) = (line.partition(": ")[2].strip() for line in said if "no key" in line)
    assert f"'{data}'" in hint
    made = subprocess.run(
        hint.replace("mediaan", str(MEDIAAN), 1).replace("NAME", "acme"), shell=True, capture_output=True, text=True
    )
    url = said[-1].split()[2]
    key = made.stdout.splitlines()[-1]
    answer = httpx.get(f"{url}/predict/v2/media", headers={"X-API-Key": key}, trust_env=False)
    assert answer.status_code == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    process.stdout.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_it_is_not_offered_to_others_without_a_key(tmp_path: Path, host: str) -> None:
    refused = serve("--host", host, "--port", "0", "--data", tmp_path)
    assert refused.returncode == 2
    assert f"mediaan serve keys create --company NAME --data {tmp_path}" in refused.stderr
    assert "listening" not in refused.stdout


@pytest.mark.parametrize(("host", "address"), [("0.0.0.0", "127.0.0.1"), ("::1", "[::1]")])
def test_with_a_key_it_is_and_loopback_is_this_machine(tmp_path: Path, host: str, address: str) -> None:
    running = RunningServer(tmp_path, "--workers", "1", "--host", host)
    assert httpx.get(f"http://{address}:{running.port}/healthz", trust_env=False).status_code == 200
    assert running.stop() == 0


def test_a_port_in_use(server: RunningServer, tmp_path: Path) -> None:
    refused = serve("--port", server.port, "--data", tmp_path)
    assert refused.returncode == 1
    assert f"--port {server.port}: cannot listen there (Address already in use); name" in refused.stderr


def test_a_device_that_is_not_there(tmp_path: Path) -> None:
    refused = serve("--device", "cuda", "--port", "0", "--data", tmp_path / "data")
    if refused.returncode == 0:
        pytest.skip("this machine has it")
    assert refused.returncode == 1
    assert "cuda" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_all_its_processes_with_0(running: RunningServer, how: signal.Signals) -> None:
    if not Path("/proc/self/task").exists():
        pytest.skip("processes are listed on Linux only")
    until(lambda: len(children(running.process.pid)) >= 2, 60.0)  # one, and who tracks semaphores
    workers = children(running.process.pid)
    assert running.stop(how) == 0
    until(lambda: not any(map(lives, workers)), 60.0)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{running.url}/healthz", trust_env=False)


@pytest.mark.full
def test_pictures_under_way_when_it_ends_are_answered_and_predicted_by_the_next_start(running: RunningServer) -> None:
    pictures = sorted(ADS.iterdir())[:4]

    def send(path: Path) -> httpx.Response:
        with running.client() as client, path.open("rb") as stream:
            return client.post("/predict/v2/images", files={"file": (path.name, stream)})

    with ThreadPoolExecutor(len(pictures)) as pool:
        sent = [pool.submit(send, path) for path in pictures]
        until(lambda: "POST" in running.log.read_text())
        assert running.stop() == 0
        answers = [one.result() for one in sent]
    assert {answer.status_code for answer in answers} <= {201, 202}
    running.start()
    with running.client() as client:
        until(lambda: client.get("/predict/v2/media?status=started").json()["total"] == 0)
        media = client.get("/predict/v2/media").json()["items"]
    assert {one["media_id"] for one in media} == {answer.json()["media_id"] for answer in answers}
    assert all(one["status"] == "done" and one["metrics"]["focus"] is not None for one in media)


def test_a_second_signal_ends_it_at_once(running: RunningServer) -> None:
    half = f"PUT /uploads/none HTTP/1.1\r\nHost: x\r\nX-API-Key: {running.key}\r\nContent-Length: 10\r\n".encode()
    with connected(running.port, half):  # sent again and again: two that come at once are one signal
        until(lambda: running.process.send_signal(signal.SIGINT) or running.process.returncode is not None, 60.0)
    assert running.process.returncode == 130, "it did not wait for the request, which would have ended it with 0"


def test_the_log_has_a_line_for_each_request_and_no_secret(running: RunningServer) -> None:
    with running.client() as client:
        answer = client.get("/predict/v2/media?limit=5&offset=7777777")
        client.get("/files/verysecrettoken")
        client.put("/uploads/anothersecrettoken", content=b"x")
        client.get("/nowhere%0A{}")
    with running.client("mdn_wrongkey_wrongkey") as stranger:
        stranger.get("/predict/v2/media")
    with connected(running.port, b"nonsense\r\n\r\n") as client:
        client.recv(1000)
    running.stop()
    text, lines = running.log.read_text(), log_lines(running)
    for secret in (running.key.split("_")[-1], "verysecrettoken", "anothersecrettoken", "wrongkey", "7777777"):
        assert secret not in text
    first = lines[0]
    assert (first["method"], first["path"], first["status"], first["company"], first["client"]) == (
        "GET",
        "/predict/v2/media",
        200,
        "acme",
        "127.0.0.1",
    )
    assert first["bytes"] == len(answer.content)
    assert first["request_id"] == answer.headers["X-Request-Id"]
    assert 0 < first["ms"] < 10_000
    assert [line["status"] for line in lines] == [200, 403, 404, 404, 401], "what is no HTTP is no request"
    assert lines[4]["company"] is None


def test_what_fails_is_in_the_log_with_its_cause(running: RunningServer) -> None:
    with closing(sqlite3.connect(running.data / "server.sqlite")) as database:
        database.execute("DROP TABLE media")
    with running.client() as client:
        answer = client.get("/predict/v2/media")
    assert answer.status_code == 500
    assert "Traceback" not in answer.text
    errors = [line for line in log_lines(running) if line["event"] == "error"]
    (line,) = (one for one in errors if answer.headers["X-Request-Id"] in one["message"])
    assert "no such table: media" in line["traceback"]


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mediaan.cli.commands.serve, "_NEEDED", ("starlette", "no_such_package"))
    with pytest.raises(SetupError, match=r"no_such_package.*pip install 'mediaan\[server\]'"):
        cli.main(["serve"], standalone_mode=False)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a database."""
    folder = DataFolder(tmp_path / "data")
    folder.make()
    Database(folder.database).close()
    return folder.path


def secret_is_a_folder(data: Path) -> None:
    (data / "secret").mkdir()


def secret_leads_nowhere(data: Path) -> None:
    (data / "secret").symlink_to(data / "nowhere" / "secret")


def database_is_a_folder(data: Path) -> None:
    (data / "server.sqlite").unlink()
    (data / "server.sqlite").mkdir()


def lock_is_a_folder(data: Path) -> None:
    (data / "serving.sqlite").mkdir()


def incoming_is_a_file(data: Path) -> None:
    (data / "incoming").rmdir()
    (data / "incoming").write_text("")


@pytest.mark.parametrize(
    "spoil", [secret_is_a_folder, secret_leads_nowhere, database_is_a_folder, lock_is_a_folder, incoming_is_a_file]
)
def test_a_spoilt_data_folder_is_told_of(data: Path, tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(data)
    told = mediaan_command("serve", "--data", data, "--port", 0, "--host", "192.0.2.1", cwd=tmp_path)
    assert told.returncode in (1, 2)
    assert "Traceback" not in told.stderr
    assert str(data) in told.stderr


@pytest.mark.parametrize("words", [("create", "--company", "Blue"), ("list",), ("revoke", "--company", "Blue")])
def test_keys_say_that_the_database_cannot_be_written_or_read(
    data: Path, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def __getattr__(self, name: str) -> Callable[..., None]:
            def fail(*_: object, **__: object) -> None:
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error

            return fail

    monkeypatch.setattr("mediaan.server.service.keys.Keys", lambda database: Full())
    told = mediaan_command("serve", "keys", *words, "--data", data, cwd=tmp_path)
    assert (told.returncode, "the disk is full" in told.stderr) == (1, True)


@pytest.mark.parametrize(
    "options",
    [
        ("--workers", "100000"),
        ("--workers", "0"),
        ("--max-image-bytes", str(10**30)),
        ("--max-company-bytes", str(10**30)),
        ("--host", "a" * 300),
        ("--host", ".."),
        ("--host", "no such host"),
        ("--port", "70000"),
    ],
)
def test_options_that_cannot_be_are_told_of(data: Path, tmp_path: Path, options: tuple[str, str]) -> None:
    told = mediaan_command("serve", "--data", data, "--port", 0, *options, cwd=tmp_path)
    assert told.returncode in (1, 2)
    assert "Traceback" not in told.stderr
    assert options[0] in told.stderr


@pytest.fixture(autouse=True)
def _umask() -> object:
    before = os.umask(0o077)
    os.umask(before)
    yield
    os.umask(before)
