"""The page of the server: its examples run, one after the other, and print what it says that they print."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from serving import MEDIAAN, RunningServer

from mediaan.server.app import OPERATIONS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
MARK = "=== example {} ==="
ADDRESS = "http://127.0.0.1:8000"


class Example(NamedTuple):
    """Commands of the page, and what it says that they print: `shown` of `language`, or nothing."""

    commands: str
    language: str = ""
    shown: str = ""


def examples() -> list[Example]:
    """Blocks of sh; what follows one, with a sentence between them at most, is what it prints."""
    blocks = re.split(r"^```(\w*)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    found: list[Example] = []
    for between, language, content in zip(blocks[0::3], blocks[1::3], blocks[2::3], strict=False):
        if language == "sh":
            found.append(Example(content))
        elif language in ("json", "text"):
            assert between.strip().count("\n") <= 1, f"after what is this printed? {content}"
            found[-1] = Example(found[-1].commands, language, content)
    return found


def fits(shown: Any, printed: Any) -> bool:
    """Whether what the page shows is what was printed; "..." stands for anything, or for more."""
    if shown == "...":
        return True
    if isinstance(shown, dict) and isinstance(printed, dict):
        known = {name for name in shown if name != "..."}
        complete = "..." in shown or set(printed) == known
        return complete and all(name in printed and fits(shown[name], printed[name]) for name in known)
    if isinstance(shown, list) and isinstance(printed, list):
        cut = bool(shown) and shown[-1] == "..."
        some = shown[:-1] if cut else shown
        return (cut or len(printed) == len(some)) and all(map(fits, some, printed))
    return type(shown) is type(printed) and shown == printed


@pytest.mark.parametrize(
    ("shown", "printed", "fitting"),
    [
        ({"a": "..."}, {"a": 1}, True),
        ({"a": "..."}, {"a": 1, "b": 2}, False),
        ({"a": 1, "...": "..."}, {"a": 1, "b": 2}, True),
        ({"a": 1, "...": "..."}, {"b": 2}, False),
        ([1, "..."], [1, 2, 3], True),
        ([1], [1, 2], False),
        (1, True, False),
        ("x", "y", False),
    ],
)
def test_what_fits(shown: Any, printed: Any, fitting: bool) -> None:
    assert fits(shown, printed) == fitting


@pytest.fixture(scope="module")
def printed(server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "tests").symlink_to(ROOT / "tests")
    (folder / "mediaan-server").symlink_to(server.data)
    blocks = [f"echo; echo '{MARK.format(number)}'\n{one.commands}" for number, one in enumerate(examples())]
    script = "\n".join(blocks)
    assert script.count(f"BASE={ADDRESS}") == 1
    script = script.replace(ADDRESS, server.url)
    path = f"{MEDIAAN.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "no_proxy": "127.0.0.1"}
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-1500:]
    return re.split(r"^=== example \d+ ===\n", done.stdout, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("number", range(len(examples())))
def test_an_example_prints_what_the_page_says(printed: list[str], number: int) -> None:
    one, output = examples()[number], printed[number].strip()
    if one.language == "text":
        assert output.splitlines() == one.shown.strip().splitlines()
    if one.language == "json":
        last = json.loads(output[output.rfind("\n{") + 1 :])
        assert fits(json.loads(one.shown), last), f"{one.shown}\nis not\n{json.dumps(last, indent=2)[:3000]}"


def test_what_the_commands_say_in_comments_is_true(printed: list[str]) -> None:
    """`command   # output`: the line that a command prints."""
    for one, output in zip(examples(), printed, strict=True):
        for said in re.findall(r"^curl .*  # (range: .*)$", one.commands, re.MULTILINE):
            assert said in output


def test_every_operation_is_on_the_page_and_no_other() -> None:
    section = PAGE.partition("\n## Operations\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+ /[^`]*)` \|", section, re.MULTILINE)
    assert sorted(listed) == sorted(f"{one.method} {one.path}" for one in OPERATIONS)


def test_every_sentence_of_the_server_s_own_is_on_the_page() -> None:
    for sentence in (
        "Prediction already started",
        "AOI detection started",
        "AOI update started",
        "Media is not mixed media",
        "Media is not a video",
        "Media is not an image",
        "Media is not uploaded",
        "Media is not predicted",
        "Objectives are not set",
        "Benchmark ranges are being made again",
        "Max file bytes size: N",
    ):
        assert sentence in PAGE


def test_every_command_is_run_but_those_that_install_or_serve() -> None:
    shown = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in "".join(shown).splitlines():
        assert line.startswith(("pip install", "mediaan serve --data"))
