"""The OpenAPI document: valid, complete, true to what is served; schemathesis asks all that it allows, and does not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from asking import API, Asker
from budget import budget
from serving import RunningServer, predict
from short_film import ADS

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


SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
PICTURE = ADS / "app_screenshot.png"
BUSY_S = 90
MOST_S = budget(600, 1200)

# What a schema cannot say is refused all the same: a medium of another kind (400) or that is not so far (412), a file
# that is no picture (415), areas outside of the picture or days in the wrong order (422).
CONFIG = f"""
continue-on-failure = true
request-timeout = {BUSY_S}

[generation]
deterministic = true
max-examples = {budget(4, 8)}

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "404", "412", "415", "422"]

[phases.stateful]
generation.max-examples = {budget(3, 6)}
"""

BINDING = """
[[operations]]
{where}
parameters."path.media_id" = {{ dictionary = "{name}", probability = {share} }}
"""


def test_every_answer_is_as_documented(server: RunningServer, tmp_path: Path) -> None:
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG + _bindings() + _dictionaries(server), encoding="utf-8")
    address = f"{server.url}/predict/v2/openapi.json"
    command = [SCHEMATHESIS, "--config-file", config, "run", address, "-H", f"X-API-Key: {server.key}"]
    command += ["--checks", "all", "--max-response-time", str(BUSY_S)]  # a busy machine is slow
    asked = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "default", "NO_PROXY": "127.0.0.1"},
        timeout=MOST_S,
        check=False,
    )
    assert asked.returncode == 0, asked.stdout[-8000:] + asked.stderr[-2000:]
    operations = re.search(r"Tested: (\d+)", asked.stdout)
    cases = re.search(r"(\d+) generated", asked.stdout)
    assert int(operations[1]) == 26
    assert int(cases[1]) > 1500
    assert server.process.poll() is None
    assert "Traceback" not in server.log.read_text()


def _dictionaries(server: RunningServer) -> str:
    """Media that there are, so that requests lead somewhere: one that is predicted, and some that have only begun."""
    with server.client() as client:
        picture = predict(client, PICTURE)
        new = {"content_type": "video/mp4", "total_bytes": 1000}
        begun = [client.post(f"/predict/v2/{kind}", json=new).json()["media_id"] for kind in _KINDS for _ in range(2)]
    found = {"image": [picture["media_id"]], "video": begun[:1], "mixed": begun[2:3], "gone": begun[1::2]}
    found["any"] = [*found["image"], *found["video"], *found["mixed"]]
    return "".join(f"[dictionaries.{name}]\nvalues = {ids}\n" for name, ids in found.items())


_KINDS = ("videos", "mixed-media")


def _bindings() -> str:
    where = {
        "image": ('include-path-regex = "/images/.*/aois$"', 0.7),
        "video": ('include-path-regex = "/videos/"', 0.7),
        "mixed": ('include-path-regex = "/mixed-media/"', 0.7),
        "any": ('include-path-regex = "/media/"\ninclude-method-regex = "GET|PUT"', 0.7),
        "gone": ('include-method = "DELETE"', 0.7),
    }
    seldom = {"image": ('include-operation-id = ["predictImage", "detectImageAois"]', 0.2)}  # each is done for real
    pairs = [*where.items(), *seldom.items()]
    return "".join(BINDING.format(name=name, where=one, share=share) for name, (one, share) in pairs)
