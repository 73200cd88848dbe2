"""Request targets that are whole addresses, which a server must take (RFC 9112, section 3.2.2)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
from job_store import until
from listening import answered, connected, listening

from mediaan.server.app import create_app
from mediaan.server.http import AccessLog
from mediaan.server.log import REQUESTS
from mediaan.server.services import Services


@pytest.fixture
def port(services: Services) -> Iterator[int]:
    with listening(AccessLog(create_app(services)), services.settings) as found:
        yield found


def ask(port: int, target: str, *headers: str) -> tuple[int, str]:
    """Status and body of a GET with the Host `other.example`."""
    lines = (f"GET {target} HTTP/1.1", "Host: other.example", *headers, "", "")
    with connected(port, "\r\n".join(lines).encode()) as client:
        head, _, body = answered(client).decode().partition("\r\n\r\n")
    return int(head.split()[1]), body


@pytest.mark.parametrize("target", ["/healthz", "http://media.example:8000/healthz", "HTTPS://media.example/healthz?"])
def test_a_whole_address_is_its_path(port: int, target: str) -> None:
    status, body = ask(port, target)
    assert (status, json.loads(body)["status"]) == (200, "ok")


def test_without_a_path_it_is_the_page(port: int) -> None:
    assert ask(port, "http://media.example")[1].startswith("<!doctype html>")


def test_its_host_goes_before_the_header(port: int) -> None:
    document = json.loads(ask(port, "http://media.example:81/predict/v2/openapi.json")[1])
    assert document["servers"] == [{"url": "http://media.example:81"}]


def test_keys_and_queries_count_and_what_is_missing_is_named_by_its_path(port: int, services: Services) -> None:
    key = f"X-API-Key: {services.keys.create('acme')}"
    assert ask(port, "http://media.example/predict/v2/media?limit=0", key)[0] == 422
    assert ask(port, "http://media.example/predict/v2/media?limit=1", key)[0] == 200
    assert ask(port, "http://media.example/predict/v2/media")[0] == 401
    status, body = ask(port, "http://media.example/no%20thing")
    assert (status, json.loads(body)) == (404, {"detail": "There is nothing at /no thing"})


def test_the_log_shows_the_path_and_no_token(port: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, REQUESTS.name)
    ask(port, "http://media.example/files/secret")

    def logged() -> list[logging.LogRecord]:
        return [one for one in caplog.records if one.name == REQUESTS.name]

    until(logged)  # the line follows the answer
    assert logged()[0].facts["path"] == "/files/~2bb80d53"  # type: ignore[attr-defined]
