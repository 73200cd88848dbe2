"""Bodies, queries and headers that are made to be costly: they are refused early, and answered in few words."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from asking import API, Asker
from in_process import Reply, send

from mediaan.server.http.bodies import JsonBody

SHORT = 12_000
"""Bytes of an answer with its headers: what any client can read."""
VIDEO = {"content_type": "video/mp4", "total_bytes": 9}
SQUARE = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]]


@pytest.fixture
def image(ask: Asker) -> str:
    """A medium that has been predicted."""
    media_id = ask.add()
    ask.change(media_id, file="ad.png", status="done", run="one")
    return f"{API}/images/{media_id}/aois"


def put(ask: Asker, path: str, body: Any, method: str = "PUT") -> Reply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"X-API-Key": ask.key, "Content-Type": "application/json"}
    answer = asyncio.run(send(ask.app, method, path, [raw], headers))
    size = len(answer.body) + sum(len(name) + len(value) for name, value in answer.headers.items())
    assert size < SHORT
    return answer


def drawn(**facts: Any) -> dict[str, Any]:
    return {"aoi_type": "other", "polygon": SQUARE, **facts}


def jobs(ask: Asker) -> int:
    return int(ask.service.database.connection.execute("SELECT count(*) FROM jobs").fetchone()[0])


BODIES: dict[str, Any] = {
    "unknown fields": {"aois": [], **{f"tag{number}": 1 for number in range(50_000)}},
    "a long field name": {"aois": [], "x" * 2_000_000: 1, "aoiss": 1},
    "unknown fields of an area": {"aois": [drawn(**{f"tag{number}": 1 for number in range(5000)})]},
    "long field names of areas": {"aois": [drawn(**{"x" * 100_000 + str(number): 1}) for number in range(40)]},
    "wrong rows of a track": {"aois": [drawn(track=[["a"]] * 300_000)]},
    "wrong corners": {"aois": [drawn(polygon=[["a", "b"]] * 900) for _ in range(20)]},
    "a type of a megabyte": {"aois": [{"aoi_type": "y" * 1_000_000, "polygon": SQUARE} for _ in range(5)]},
    "areas that are no objects": {"aois": [1] * 2000},
    "too many areas": {"aois": [{}] * 400_000},
    "empty lists": b'{"aois":[' + b"[]," * 600_000 + b"[]]}",
    "a list": b"[" + b"1," * 400_000 + b"1]",
    "a bomb of corners": {"aois": [drawn(polygon=SQUARE * 75) for _ in range(200)]},
    "wrong areas": {"aois": [{"aoi_type": "nothing"} for _ in range(2000)]},
    "areas outside": {"aois": [{"aoi_type": "other", "box": [5, 5, 6, 6], "label": "x" * 200} for _ in range(2000)]},
    "a field twice": b'{"aois": [{"aoi_type": "other", "aoi_type": "face", "box": [0, 0, 1, 1]}]}',
}


@pytest.mark.parametrize("name", BODIES)
def test_costly_areas_are_refused_in_few_words_and_before_any_work(ask: Asker, image: str, name: str) -> None:
    answer = put(ask, image, BODIES[name])
    assert 400 <= answer.status < 500, answer
    assert jobs(ask) == 0


@pytest.mark.parametrize(
    ("method", "path", "known"),
    [("POST", "videos", VIDEO), ("POST", "mixed-media", VIDEO), ("PUT", "media/{}/objectives", {})],
)
def test_many_or_long_unknown_fields_cost_little(ask: Asker, method: str, path: str, known: dict[str, Any]) -> None:
    path = f"{API}/{path.format(ask.add())}"
    assert put(ask, path, known | {f"tag{number}": 1 for number in range(50_000)}, method).status == 422
    assert put(ask, path, known | {f"tag{number}": 1 for number in range(110_000)}, method).status == 413
    some = put(ask, path, known | {f"ä{'x' * 3000}{number}": 1 for number in range(900)}, method)
    assert some.status in (200, 201)
    assert len(some.headers.get("x-ignored-fields", "")) <= 1000


def test_a_long_body_is_not_checked_by_the_thread_that_answers_everybody(
    ask: Asker, image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    checked = JsonBody.check

    def check(*parts: Any) -> Any:
        threads.append(threading.current_thread())
        return checked(*parts)

    monkeypatch.setattr(JsonBody, "check", check)
    put(ask, image, {"aois": [{"aoi_type": "nothing"}] * 1500})
    put(ask, image, {"aois": [{"aoi_type": "nothing"}]})
    assert [thread is threading.main_thread() for thread in threads] == [False, True]


@pytest.mark.parametrize(
    "name", ["Content-Type", "Content-Length", "Host", "Idempotency-Key", "Authorization", "Origin", "Content-Range"]
)
def test_a_header_that_is_there_twice_is_refused(ask: Asker, name: str) -> None:
    """Of two, a proxy may have checked one and this server believe the other."""
    values = {"Content-Type": ("application/json", "multipart/form-data; boundary=x")}.get(name, ("10", "10"))
    answer = ask("POST", f"{API}/videos", content=b"0123456789", headers=[(name, value) for value in values])
    assert (answer.status_code, name in answer.json()["detail"]) == (400, True)


def test_an_answer_never_repeats_all_that_was_sent(ask: Asker) -> None:
    headers = {"X-API-Key": ask.key, "Content-Type": "x" * 9000}
    answer = asyncio.run(send(ask.app, "POST", f"{API}/videos", [b"{}"], headers))
    assert (answer.status, len(answer.body) < 4500) == (415, True)
