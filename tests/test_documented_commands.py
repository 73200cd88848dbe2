"""The commands of README, the tutorial and the guides run as printed, in a folder that has what a clone has.

Of the blocks of a page, `sh`, `python` and `sql` are run, in order; `text` below `sh` is what it prints, numbers aside.
Blocks `console` and `py` are not run: they need another machine or program, a network or a user's own files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

ROOT = Path(__file__).resolve().parents[1]
MEDIAAN = Path(sys.executable).with_name("mediaan")
PAGES = ["README.md", "docs/tutorial.md"]
PAGES += sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "howto").glob("*.md"))
INSTALL = "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/"
SERVES = re.compile(r"mediaan (review|serve(?! keys))\b.*")

Block = tuple[str, str]


def blocks(page: str) -> list[Block]:
    """Return language and content of the blocks of code of a page, in order."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.S | re.M)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample ads where a clone has them, and what an earlier page has left."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "tests" / "sample_ads", folder / "tests" / "sample_ads")
    return folder


@pytest.fixture(scope="module")
def environment(clone: Path) -> dict[str, str]:
    return os.environ | {
        "PATH": f"{MEDIAAN.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(clone),
        "BROWSER": "true",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


def run_shell(script: str, clone: Path, environment: dict[str, str]) -> str:
    """Run a block, and return what it prints; what serves is started, waited for and interrupted."""
    lines = [re.sub(r"\s+# .*", "", line) for line in script.replace(INSTALL, "").splitlines()]
    serving = [line for line in lines if SERVES.fullmatch(line)]
    left_out = r"pip install.*" if shutil.which("chromium") else r"pip install.*|.*--format pdf.*"
    rest = "\n".join(line for line in lines if line not in serving and not re.fullmatch(left_out, line))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", rest],
        cwd=clone,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{rest}\n{done.stdout}"
    assert "Traceback" not in done.stdout
    for line in serving:
        serve_a_moment(line, clone, environment)
    return done.stdout


def serve_a_moment(line: str, clone: Path, environment: dict[str, str]) -> None:
    """Start what serves on a free port, wait until it does, and end it as Ctrl-C would."""
    log = clone / "server.log"
    with log.open("w") as stream:
        command = [*line.split(), "--port", "0"]
        process = subprocess.Popen(command, cwd=clone, env=environment, stdout=stream, stderr=stream)
    try:
        while "Ctrl-C" not in log.read_text():
            assert process.poll() is None, f"{line}\n{log.read_text()}"
            time.sleep(0.1)
        if line.startswith("mediaan review"):
            confirm_all(log.read_text())
        process.send_signal(signal.SIGINT)
        assert process.wait() in (0, 130), f"{line}\n{log.read_text()}"
    finally:
        process.kill()


def confirm_all(printed: str) -> None:
    """Answer every question of a review: the areas that were found are right."""
    address = re.search(r"(http://\S+?)/\?token=(\S+)", printed)
    assert address, printed
    api, headers = f"{address[1]}/api/review", {"Cookie": "", "Content-Type": "application/json"}
    with urlopen(f"{api}?token={address[2]}") as response:
        questions = json.load(response)["questions"]
    for question in questions:
        body = json.dumps({"question": question["id"], "answer": "confirm_all", "numbers": [], "boxes": []}).encode()
        urlopen(Request(f"{api}/answers?token={address[2]}", body, headers)).close()


def without_numbers(text: str) -> str:
    """Return a text with every number as `#`, and every run of spaces as one."""
    return re.sub(r"\s+", " ", re.sub(r"[-+]?\d[\d.,]*", "#", text))


@pytest.mark.full
@pytest.mark.parametrize("page", PAGES)
def test_commands_run_and_print_what_the_page_shows(
    page: str, clone: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(clone)
    names: dict[str, object] = {}
    printed = ""
    before = ""
    for language, content in blocks(page):
        if language == "sh":
            printed = run_shell(content, clone, environment)
        elif language == "python":
            exec(content, names)  # the block itself is what is tested
        elif language == "sql":
            pytest.importorskip("duckdb").sql(content)
        elif language == "text" and before == "sh":
            for line in filter(None, content.splitlines()):
                if line != "...":
                    assert without_numbers(line) in without_numbers(printed), printed
        before = language


def test_the_main_pages_have_commands() -> None:
    for page in ("README.md", "docs/tutorial.md"):
        assert [content for language, content in blocks(page) if language == "sh"]
