"""The first hour is as its page says: every command runs, in one folder, and prints what the page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(sh|text)\n(.*?)```", PAGE, re.DOTALL)
MACHINE = re.compile(r"\d+\.\d (?:s|MB)\b")  # what differs from machine to machine, or with the look of the report


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What of a clone the page uses: the sample ads."""
    shutil.copytree(ROOT / "tests" / "sample_ads" / "ads", tmp_path / "tests" / "sample_ads" / "ads")
    return tmp_path


def run(commands: str, folder: Path) -> str:
    """Output of a block of commands, every one of which must succeed."""
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # a newcomer's block is pasted, and ends at the first command that fails
    shell = ["bash", "-euo", "pipefail", "-c", commands]
    done = subprocess.run(shell, cwd=folder, env=os.environ | {"PATH": search}, capture_output=True, text=True)
    assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.mark.full
def test_the_first_hour(clone: Path) -> None:
    said = ""
    for language, block in BLOCKS:
        if language == "sh":
            said = run(block, clone)
            continue
        printed = [MACHINE.sub("", line) for line in said.splitlines()]
        for line in block.splitlines():
            assert line == "..." or MACHINE.sub("", line) in printed, f"{line!r} was not printed:\n{said}"
    assert (clone / "first" / "report" / "index.html").stat().st_size > 100_000
    assert (clone / "edit" / "index.html").exists()


def test_the_page_shows_what_is_printed() -> None:
    """The test above checks something."""
    assert [language for language, _ in BLOCKS].count("text") >= 2
    assert sum("mediaan " in block for language, block in BLOCKS if language == "sh") >= 10
