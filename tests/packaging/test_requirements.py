"""What the program imports is declared, and known holes are looked up in what that admits."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from audit import lower_bounds, report

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BROUGHT_ALONG = {
    "fsspec": "file systems of the user's own, who has it then",
    "markupsafe": "a part of jinja2",
    "pydantic_core": "a part of pydantic",
}
SAME = {"onnxruntime": "onnxruntime-gpu"}  # one of the two, by platform


def imported() -> set[str]:
    """Names of the packages that modules of the program import, and that uvicorn is told to use."""
    found = set()
    for path in (ROOT / "mediaan").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).partition(".")[0])
            elif isinstance(node, ast.keyword) and node.arg == "http" and isinstance(node.value, ast.Constant):
                found.add(str(node.value.value))
    return found - set(sys.stdlib_module_names) - {"mediaan"}


def test_what_is_imported_is_declared() -> None:
    extras = PROJECT["optional-dependencies"]
    texts = [*PROJECT["dependencies"], *(text for name, group in extras.items() if name != "dev" for text in group)]
    declared = {re.match(r"[\w.-]+", text)[0].lower().replace("_", "-") for text in texts}  # type: ignore[index]
    of_module = packages_distributions()
    missing = set()
    for name in imported() - BROUGHT_ALONG.keys():
        distributions = {one.lower().replace("_", "-") for one in of_module.get(name, [name])}
        distributions |= {SAME[one] for one in distributions & SAME.keys()}
        if not distributions & declared:
            missing.add(name)
    assert not missing


def test_every_requirement_has_a_lower_bound() -> None:
    bounds = dict(text.split("==") for text in lower_bounds(PROJECT))
    assert {"h11", "jinja2", "protobuf", "starlette"} <= bounds.keys()
    assert all(">=" in text for text in PROJECT["dependencies"])


@pytest.mark.parametrize(
    ("output", "holes", "looked_up"),
    [
        ("", 0, 0),
        ("ConnectionError", 0, 0),
        ({"dependencies": [{"name": "a", "skip_reason": "Dependency not found on PyPI"}]}, 0, 0),
        ({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}, 0, 1),
        ({"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}]}, 1, 1),
    ],
)
def test_an_audit_says_how_much_it_could_look_up(output: object, holes: int, looked_up: int) -> None:
    """A mirror without a database answers that nothing is known: that is no clean bill."""
    found, count = report(output if isinstance(output, str) else json.dumps(output))
    assert (len(found), count) == (holes, looked_up)
