"""What holds for every request: who is let in, what is refused and how, what every answer carries."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from asking import API, Asker
from in_process import send
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from mediaan.errors import AnalysisError, MediumError, SetupError, UsageError
from mediaan.server import serve as application
from mediaan.server.http.bodies import JsonBody
from mediaan.server.http.identity import begin_session
from mediaan.server.serve import create_app
from mediaan.server.service import database
from mediaan.server.service.service import Service
from mediaan.server.v2.operations import Body, Call, Detail, Operations


class Probe(Body):
    """Takes one of each kind."""

    number: int
    share: float = 0.5
    name: str = ""
    flag: bool = False
    others: list[Any] = Field(default_factory=list)


PROBES = Operations()


@PROBES.add("POST", "/echo", {200: (Detail, "Said.")}, body=JsonBody(Probe))
async def echo(call: Call) -> Detail:
    """Say it again."""
    return Detail(detail=call.body.model_dump_json())


@PROBES.add("POST", "/fail", {200: (Detail, "Said.")}, body=JsonBody(Probe))
async def fail(call: Call) -> Detail:
    """Fail."""
    errors = {
        "usage": UsageError("say it differently"),
        "medium": MediumError("ad.png: is broken"),
        "setup": SetupError("a model is missing"),
        "analysis": AnalysisError("/secret/path"),
        "key": KeyError("/secret/path"),
    }
    raise errors[call.body.name]


@pytest.fixture
def ask(service: Service, monkeypatch: pytest.MonkeyPatch) -> Asker:
    monkeypatch.setattr(application, "OPERATIONS", (*application.OPERATIONS, *PROBES))
    return Asker(service)


def is_detail(text: str) -> bool:
    body = json.loads(text)
    return list(body) == ["detail"] and isinstance(body["detail"], str) and bool(body["detail"])


@pytest.mark.parametrize(
    "path", ["/media", "/nothing", f"/media/{UUID(int=1)}", "/media/no-uuid", "", "/account", "/account/usage"]
)
@pytest.mark.parametrize("key", [None, "wrong", "mdn_aaaaaaaa_" + "a" * 43, "\xfc"])
def test_a_stranger_learns_nothing_of_what_there_is(ask: Asker, path: str, key: str | None) -> None:
    headers = {} if key is None else {"X-API-Key": key.encode("latin-1")}
    for method in ("GET", "PATCH", "POST", "HEAD"):
        answer = ask(method, API + path, key=None, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "ApiKey"
        assert method == "HEAD" or is_detail(answer.text)


def test_a_wrong_key_is_refused_even_where_somebody_is_signed_in(ask: Asker) -> None:
    request, answer = Request({"type": "http", "scheme": "http", "headers": [], "app": ask.app}), Response()
    assert begin_session(answer, request, ask.key)
    headers = {"Cookie": answer.headers["set-cookie"].partition(";")[0], "Host": "localhost"}
    assert ask("GET", f"{API}/media", key=None, headers=headers).status_code == 200
    assert ask("GET", f"{API}/media", key="wrong", headers=headers).status_code == 401
    assert ask("GET", f"{API}/media", key=None, headers=headers | {"X-API-Key": ""}).status_code == 401


def test_every_answer_is_private_and_has_its_own_id(ask: Asker) -> None:
    ids = set()
    for path in (f"{API}/media", f"{API}/nothing", "/nothing", "/healthz", f"{API}/openapi.json"):
        for key in (None, ""):
            headers = ask("GET", path, key=key).headers
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Cache-Control"] == "no-store"
            ids.add(headers["X-Request-Id"])
    assert len(ids) == 10
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in ids)


@pytest.mark.parametrize(
    "query",
    [
        "limit=1&limit=1",
        "unknown=1",
        "limit=1_0",
        "limit=1.0",
        "limit=",
        "limit=0",
        "limit=1001",
        "offset=-1",
        "limit=%D9%A3",
        "limit=+5",
        "status=gone",
        "status=",
        "type=mixed",
        "offset=99999999999999999999",
        "limit=null",
    ],
)
def test_queries_that_nobody_meant(ask: Asker, query: str) -> None:
    answer = ask("GET", f"{API}/media?{query}")
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(query.partition("=")[0] + ": ")


@pytest.mark.parametrize(
    "media_id",
    [
        "1",
        "x" * 5000,
        "{2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d}",
        "2c5ea4c0406711e98bad9b1deb4d3b7d",
        "..",
        "%F0%9F%8D%8A",
        "urn:uuid:2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d",
        "2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d%0A",
        "%20",
        "%00",
    ],
)
def test_what_is_no_uuid(ask: Asker, media_id: str) -> None:
    answer = ask("GET", f"{API}/media/{media_id}")
    assert (answer.status_code, is_detail(answer.text)) == (404 if media_id == ".." else 422, True)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nul",
        b'{"number": NaN}',
        b'{"number": 1} x',
        b"\xff",
        b'{"number": -Infinity}',
        b"[" * 100000,
        b'{"name": "\\ud800", "number": 1}',
        '{"number": 1}'.encode("utf-16"),
        b'{"number": ' + b"1" * 5000 + b"}",
    ],
)
def test_what_is_no_json(ask: Asker, body: bytes) -> None:
    answer = ask("POST", f"{API}/echo", content=body)
    assert (answer.status_code, is_detail(answer.text)) == (400, True)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ('{"number": "1"}', "number"),
        ('{"number": 1.0}', "number"),
        ('{"number": true}', "number"),
        ('{"number": null}', "number"),
        ("{}", "number"),
        ("[]", "body"),
        ("null", "body"),
        ("3", "body"),
        ('{"number": 1, "name": 5}', "name"),
        ('{"number": 1, "flag": 1}', "flag"),
        ('{"number": 1, "share": 1e999}', "share"),
        ('{"number": 1, "nmae": "x"}', "nmae"),
        ('{"number": "1", "name": 5}', "name"),
    ],
)
def test_json_of_another_shape_names_the_field(ask: Asker, body: str, named: str) -> None:
    answer = ask("POST", f"{API}/echo", content=body)
    assert answer.status_code == 422
    assert named in [one.partition(":")[0] for one in answer.json()["detail"].split("; ")]


@pytest.mark.parametrize(
    ("kind", "status", "said"),
    [("usage", 422, "say it differently"), ("medium", 422, "ad.png: is broken"), ("setup", 503, "a model is missing")],
)
def test_errors_of_the_library_are_said(ask: Asker, kind: str, status: int, said: str) -> None:
    answer = ask("POST", f"{API}/fail", json={"number": 1, "name": kind})
    assert (answer.status_code, answer.json()) == (status, {"detail": said})


def create_video(ask: Asker) -> tuple[int, str]:
    answer = ask("POST", f"{API}/videos", json={"content_type": "video/mp4", "total_bytes": 1})
    return answer.status_code, answer.json().get("detail", "")


def test_a_database_that_another_program_holds_is_a_matter_of_time(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_BUSY_S", 0.05)
    service.database.close()
    ask = Asker(service)
    with closing(sqlite3.connect(service.folder.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        status, detail = create_video(ask)
    assert (status, "Another program holds the server's database" in detail) == (503, True)
    assert create_video(ask)[0] == 201


def test_a_disk_without_room_for_the_database_is_said(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Asker(service, create_app(service))
    with monkeypatch.context() as full:
        (pages,) = service.database.connection.execute("PRAGMA page_count").fetchone()
        connect = database._connect

        def bounded(path: Path) -> sqlite3.Connection:
            connection = connect(path)
            connection.execute(f"PRAGMA max_page_count = {pages}")
            return connection

        full.setattr(database, "_connect", bounded)
        service.database.close()
        found = [create_video(ask) for _ in range(40)]
    service.database.close()
    status, detail = next(one for one in found if one[0] != 201)
    assert (status, "disk is full" in detail) == (503, True)
    assert create_video(ask)[0] == 201


@pytest.mark.parametrize("kind", ["analysis", "key"])
def test_our_faults_are_logged_once_and_not_shown(ask: Asker, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = ask("POST", f"{API}/fail", json={"number": 1, "name": kind})
    assert (answer.status_code, is_detail(answer.text)) == (500, True)
    assert "secret" not in answer.text
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    (record,) = [one for one in caplog.records if one.exc_info]
    assert answer.headers["X-Request-Id"] in record.getMessage()
    assert answer.headers["X-Request-Id"] in answer.json()["detail"]


def test_a_client_that_goes_away_is_no_fault_of_ours(ask: Asker, caplog: pytest.LogCaptureFixture) -> None:
    headers = {"X-API-Key": ask.key, "Content-Length": "10"}
    answer = asyncio.run(send(ask.app, "POST", f"{API}/echo", [], headers, breaks=True))
    assert answer.status == 400
    assert not caplog.records


def test_health(service: Service) -> None:
    trouble: list[str] = []
    ask = Asker(service, create_app(service, lambda: trouble[0] if trouble else None))
    answer = ask("GET", "/healthz", key=None)
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    trouble.append("No worker runs")
    answer = ask("GET", "/healthz", key=None)
    assert (answer.status_code, answer.json()) == (503, {"detail": "No worker runs"})
    trouble.clear()
    service.database.close()
    service.database.path.write_bytes(b"no database")
    assert ask("GET", "/healthz", key=None).status_code == 503
