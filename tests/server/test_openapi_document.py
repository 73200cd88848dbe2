"""The OpenAPI document: valid, complete, and true to what is served."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from asking import API, Asker

# every operation of the v2 specification, by method and path under /predict/v2
OF_THE_SERVICE = """
    GET /media
    GET /media/{media_id}
    DELETE /media/{media_id}
    GET /media/{media_id}/benchmark_ranges
    POST /mixed-media
    PUT /mixed-media/{media_id}/predict
    POST /mixed-media/{media_id}/aois/detect
    GET /mixed-media/{media_id}/aois/status
    PUT /mixed-media/{media_id}/aois
    POST /images
    PUT /images/{media_id}/predict
    POST /images/{media_id}/aois/detect
    GET /images/{media_id}/aois
    PUT /images/{media_id}/aois
    POST /videos
    PUT /videos/{media_id}/predict
    POST /videos/{media_id}/aois/detect
    GET /videos/{media_id}/aois/status
    GET /account
    GET /account/usage
"""
OURS = """
    GET /media/{media_id}/checks
    PUT /media/{media_id}/objectives
    GET /media/{media_id}/objectives
    GET /mixed-media/{media_id}/aois
    GET /videos/{media_id}/aois
    PUT /videos/{media_id}/aois
"""

Operation = tuple[str, str, dict[str, Any]]


@pytest.fixture
def described(ask: Asker) -> dict[str, Any]:
    answer = ask("GET", f"{API}/openapi.json", key=None)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    found: dict[str, Any] = answer.json()
    return found


def operations(described: dict[str, Any]) -> list[Operation]:
    return [
        (method, path, operation) for path, item in described["paths"].items() for method, operation in item.items()
    ]


def test_it_is_a_valid_openapi_document(described: dict[str, Any]) -> None:
    assert described["openapi"].startswith("3.1.")
    schemathesis.openapi.from_dict(described).validate()


def test_every_operation_of_the_service_is_there(described: dict[str, Any]) -> None:
    found = {f"{method.upper()} {path.removeprefix(API)}" for method, path, _ in operations(described)}
    wanted = {line.strip() for line in (OF_THE_SERVICE + OURS).splitlines() if line.strip()}
    assert found == wanted


def test_what_is_described_is_served_and_nothing_else(ask: Asker, described: dict[str, Any]) -> None:
    methods: dict[str, set[str]] = {}
    for method, path, _ in operations(described):
        methods.setdefault(path, set()).add(method.upper())
    for path, names in methods.items():
        there = path.replace("{media_id}", str(ask.add()))
        allowed = set(ask("PATCH", there).headers["Allow"].split(", "))
        assert allowed - {"HEAD"} == names


def test_every_operation_tells_what_it_can_come_to(described: dict[str, Any]) -> None:
    for _, path, operation in operations(described):
        always = {"401", "422", "500", "503"}
        if "requestBody" in operation:
            always |= {"400", "413", "415"}
        if "{media_id}" in path:
            always |= {"404"}
        assert always <= set(operation["responses"]), path
        assert operation["summary"].endswith("."), path
