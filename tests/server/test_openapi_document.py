"""The OpenAPI document: valid, complete, and true to what is served."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from asking import API, Asker

from mediaan import __version__
from mediaan.server.api.openapi import document
from mediaan.server.app import OPERATIONS
from mediaan.server.services import Services

DIALECT = "https://json-schema.org/draft/2020-12/schema"

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
def ask(services: Services) -> Asker:
    return Asker(services)


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


def test_its_schemas_are_valid_and_all_references_lead_somewhere(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    for schema in schemas.values():
        jsonschema_rs.meta.validate({"$schema": DIALECT, **schema})
    assert {name.rpartition("/")[2] for name in re.findall(r"'\$ref': '([^']*)'", str(described))} == set(schemas)


def test_versions_of_the_api_and_of_the_program(described: dict[str, Any]) -> None:
    assert described["info"]["version"] == "2.0.0"
    assert described["info"]["x-mediaan-version"] == __version__
    assert described["servers"] == [{"url": "http://testserver"}]


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


def test_the_benchmark_operation_has_the_name_and_answers_of_the_service(described: dict[str, Any]) -> None:
    (operation,) = described["paths"][f"{API}/media/{{media_id}}/benchmark_ranges"].values()
    assert operation["operationId"] == "getMediumBenchmarkRanges"
    assert {"200", "400", "401", "404", "412", "422", "500"} <= set(operation["responses"])


def test_operations_are_told_apart(described: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(described)]
    assert len(names) == len(set(names)) == len(OPERATIONS)
    tags = {tag["name"] for tag in described["tags"]}
    assert {tag for _, _, operation in operations(described) for tag in operation["tags"]} == tags


def test_every_error_is_a_detail(described: dict[str, Any]) -> None:
    for method, path, operation in operations(described):
        for status, answer in operation["responses"].items():
            (schema,) = [content["schema"] for content in answer["content"].values()]
            if int(status) >= 400:
                assert schema == {"$ref": "#/components/schemas/Detail"}, f"{method} {path} {status}"
    assert described["components"]["schemas"]["Detail"]["required"] == ["detail"]


def test_every_operation_tells_what_it_can_come_to(described: dict[str, Any]) -> None:
    for _, path, operation in operations(described):
        always = {"401", "422", "500", "503"}
        if "requestBody" in operation:
            always |= {"400", "413", "415"}
        if "{media_id}" in path:
            always |= {"404"}
        assert always <= set(operation["responses"]), path
        assert operation["summary"].endswith("."), path


def test_parameters_that_may_be_left_out_are_never_null(described: dict[str, Any]) -> None:
    for _, _, operation in operations(described):
        for parameter in operation["parameters"]:
            assert parameter["required"] is (parameter["in"] == "path")
            assert "null" not in str(parameter["schema"])
            assert parameter["schema"].get("type") == "string" or "type" in parameter["schema"]


def test_parts_of_a_path_are_parameters(described: dict[str, Any]) -> None:
    for _, path, operation in operations(described):
        named = [one["name"] for one in operation["parameters"] if one["in"] == "path"]
        assert named == re.findall(r"{(\w+)}", path)


def test_limits_of_paging_are_told(described: dict[str, Any]) -> None:
    by_name = {one["name"]: one["schema"] for one in described["paths"][f"{API}/media"]["get"]["parameters"]}
    assert by_name["limit"] == {"type": "integer", "minimum": 1, "maximum": 1000}
    assert by_name["status"]["enum"] == ["init", "started", "done", "failed"]
    assert "default" not in by_name["status"]


def test_moments_are_told_as_such(described: dict[str, Any]) -> None:
    for schema in described["components"]["schemas"].values():
        for name, one in schema.get("properties", {}).items():
            if name.endswith("_at"):
                assert "date-time" in str(one), f"{schema['title']}.{name}"


def test_a_key_is_needed_everywhere(described: dict[str, Any]) -> None:
    assert described["security"] == [{"ApiKeyAuth": []}]
    scheme = described["components"]["securitySchemes"]["ApiKeyAuth"]
    assert scheme == {"type": "apiKey", "in": "header", "name": "X-API-Key"}
    assert all("security" not in operation for _, _, operation in operations(described))


def test_a_picture_is_sent_as_a_form_with_its_file(described: dict[str, Any]) -> None:
    body = described["paths"][f"{API}/images"]["post"]["requestBody"]
    (form,) = body["content"].values()
    assert (list(body["content"]), body["required"]) == (["multipart/form-data"], True)
    assert form["schema"]["required"] == ["file"]


def test_the_document_is_made_anew_the_same() -> None:
    assert document(OPERATIONS) == document(OPERATIONS)
