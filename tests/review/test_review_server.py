"""The page of a review over HTTP: what it answers, and what it refuses."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread, Timer
from typing import Any

import pytest
from review.made_runs import analyze, write_ads

import mediaan as mn
from mediaan.review import open_review
from mediaan.review.server import ReviewServer
from mediaan.run.answers import read_answers


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    return analyze(write_ads(folder / "ads", "ab"), folder / "run").path


@pytest.fixture(scope="module")
def server(made: Path) -> Iterator[ReviewServer]:
    with open_review(made) as review, ReviewServer(review) as one:
        thread = Thread(target=one.serve_forever)
        thread.start()
        yield one
        one.shutdown()
        thread.join()


class Client:
    def __init__(self, server: ReviewServer) -> None:
        self.server, self.headers = server, {"Cookie": f"{server.cookie}={server.token}"}

    def __call__(
        self, method: str, path: str, body: Any = None, **headers: str | None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=20)
        sent = dict(self.headers)
        if body is not None:
            sent["Content-Type"] = "application/json"
        for name, value in headers.items():
            sent[name.replace("_", "-")] = value or ""
            if value is None:
                del sent[name.replace("_", "-")]
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, sent)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def json(self, method: str, path: str, body: Any = None) -> Any:
        status, _, content = self(method, path, body)
        assert status == 200, content
        return json.loads(content)


@pytest.fixture
def client(server: ReviewServer) -> Client:
    return Client(server)


def test_the_page_is_had_with_the_token_in_the_address_and_its_cookie_opens_the_rest(client: Client) -> None:
    status, headers, page = client("GET", f"/?token={client.server.token}", Cookie=None)
    assert (status, b"<main" in page) == (200, True)
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Access-Control-Allow-Origin" not in headers
    status, _, _ = client("GET", "/api/review", Cookie=cookie.split(";")[0])
    assert status == 200


def test_a_question_is_answered_and_undone(client: Client) -> None:
    before = client.json("GET", "/api/review")
    asked = before["questions"][0]
    assert asked.keys() == {
        *("id", "medium_id", "path", "folder", "picture", "width", "height", "type", "text", "why", "brand"),
        *("verdict", "proposals", "areas", "open", "answered"),
    }
    assert {one["open"] for one in before["others"]} == {False}
    status, headers, picture = client("GET", f"/{asked['picture']}")
    assert (status, headers["Content-Type"], picture[:2]) == (200, "image/jpeg", b"\xff\xd8")
    assert headers["Cache-Control"].startswith("private"), "it can be fetched ahead"
    done = client.json("POST", "/api/review/answers", {"question": asked["id"], "answer": "none"})
    assert asked["id"] in done["questions"]
    assert done["progress"]["answered"] == before["progress"]["answered"] + 1
    assert done["medium"].keys() == {"medium_id", "verdict", "areas"}
    assert {one["id"]: one["answered"] for one in done["about"]}[asked["id"]]
    assert asked["id"] not in {one["id"] for one in client.json("GET", "/api/review")["questions"]}
    undone = client.json("POST", "/api/review/undo", {})
    assert undone["medium"]["areas"] == asked["areas"]
    assert client.json("GET", "/api/review") == before


def test_a_picture_that_is_gone_or_damaged_is_said_to_be(client: Client) -> None:
    asked = client.json("GET", "/api/review")["questions"][0]
    file = client.server.review.picture(asked["medium_id"])
    kept = file.read_bytes()
    file.write_bytes(kept[:30])
    damaged, _, content = client("GET", f"/{asked['picture']}")
    file.unlink()
    gone, _, _ = client("GET", f"/{asked['picture']}")
    file.write_bytes(kept)
    assert (damaged, gone, json.loads(content)["error"]["code"]) == (404, 404, "no_picture")


@pytest.mark.parametrize(
    ("status", "request_"),
    [
        (403, {"Cookie": None}),
        (403, {"Cookie": "x=y"}),
        (403, {"Cookie": '"; =;;', "path": "/api/review?token=wrong"}),
        (403, {"Cookie": None, "path": "/api/review?token=%C3%A9%00"}),
        (421, {"Host": "evil.example"}),
        (421, {"Host": "localhost"}),
        (421, {"Host": "127.0.0.1.evil.example:{port}"}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Origin": "null"}),
        (403, {"Origin": "https://127.0.0.1:{port}"}),
        (404, {"path": "/api"}),
        (404, {"path": "/../session.py"}),
        (404, {"path": "/..%2fsession.py"}),
        (404, {"path": "/picture/../../run.json"}),
        (404, {"path": "/picture/"}),
        (501, {"method": "DELETE"}),
        (501, {"method": "OPTIONS"}),
        (404, {"method": "POST", "path": "/api/review", "body": {}}),
    ],
)
def test_hostile_requests_are_refused(client: Client, status: int, request_: dict[str, Any]) -> None:
    headers = {
        name: value and value.format(port=client.server.server_port)
        for name, value in request_.items()
        if name not in ("path", "method", "body")
    }
    path = request_.get("path", "/api/review")
    got, answered, content = client(request_.get("method", "GET"), path, request_.get("body"), **headers)
    assert got == status, content
    assert client.server.token.encode() not in content
    assert "Set-Cookie" not in answered


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (400, b"{", {}),
        (400, b"[" * 100_000, {}),
        (400, b"\xff\xfe", {}),
        (400, [], {}),
        (400, {"question": "x"}, {}),
        (400, {"question": "{id}", "answer": "perhaps"}, {}),
        (400, {"question": "{id}", "answer": "pick", "numbers": [7000]}, {}),
        (400, {"question": "{id}", "answer": "pick", "numbers": list(range(1000))}, {}),
        (400, {"question": "{id}", "answer": "draw", "boxes": [[0, 0, 1e309, 1]]}, {}),
        (400, {"question": "{id}", "answer": "draw", "boxes": [[0.2, 0.2, 0, 0]]}, {}),
        (400, {"question": "{id}", "answer": "none", "type": "moon"}, {}),
        (400, {"question": "{id}", "answer": "none", "file": "/etc/passwd"}, {}),
        (400, {"question": "{id}", "answer": "brand_for_folder", "brand": "x" * 5000}, {}),
        (404, {"question": "no.such", "answer": "none"}, {}),
        (413, b"{}", {"Content-Length": "5000000000"}),
        (411, b"{}", {"Content-Length": "-1"}),
        (415, {"question": "{id}", "answer": "none"}, {"Content-Type": "text/plain"}),
        (415, b"question=1", {"Content-Type": "application/x-www-form-urlencoded"}),
        (403, {"question": "{id}", "answer": "none"}, {"Origin": "http://evil.example"}),
    ],
)
def test_hostile_bodies_change_nothing(client: Client, status: int, body: Any, headers: dict[str, str]) -> None:
    before = client.json("GET", "/api/review")
    if isinstance(body, dict) and body.get("question") == "{id}":
        body = body | {"question": before["questions"][0]["id"]}
    got, _, content = client("POST", "/api/review/answers", body, **headers)
    assert got == status, content
    assert set(json.loads(content)) == {"error"}
    assert client.json("GET", "/api/review") == before


def test_only_this_machine_is_listened_to(server: ReviewServer) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(mn.UsageError, match="--port"):
        ReviewServer(server.review, server.server_port)


def test_the_command_ends_with_ctrl_c_and_the_tables_hold_the_answers(made: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(made, run)
    (run / "answers.jsonl").unlink(missing_ok=True)
    command = [sys.executable, "-m", "mediaan", "review", str(run), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        end = Timer(60, process.kill)
        end.start()
        process.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)\n", process.stdout.readline())
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
        connection.request("GET", f"/api/review?token={found[2]}")
        (asked, *_) = json.loads(connection.getresponse().read())["questions"]
        body = json.dumps({"question": asked["id"], "answer": "none"})
        headers = {"Content-Type": "application/json"}
        connection.request("POST", f"/api/review/answers?token={found[2]}", body, headers)
        assert connection.getresponse().status == 200
        pending = mn.read_run(run).pending
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
        end.cancel()
    assert pending
    assert process.returncode == 0, told
    assert "Traceback" not in told
    assert len(read_answers(run)) == 1
    assert mn.read_run(run).pending is None
    assert list(mn.read_run(run).table("absent_aois").type) == [asked["type"]]
