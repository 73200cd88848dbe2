"""What `mediaan analyze` says last: facts that the tables hold, next steps that can be taken, on a terminal only."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mediaan as mn
from mediaan.judge.checks import check_specs

MEDIAAN = str(Path(sys.executable).with_name("mediaan"))
ADS = Path(__file__).resolve().parents[1] / "sample_ads" / "ads"


def in_a_terminal(*arguments: str, cwd: Path) -> str:
    """What a command writes into a terminal of its own."""
    pty = pytest.importorskip("pty")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.execv(MEDIAAN, [MEDIAAN, *arguments])
    written = b""
    while True:
        try:
            block = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not block:
            break
        written += block
    os.close(terminal)
    os.waitpid(child, 0)
    return written.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("closing")
    (folder / "ads").mkdir()
    for name in ("supermarket_flyer.jpg", "spa_low_contrast.jpg", "observatory_poster.jpg"):
        shutil.copy(ADS / name, folder / "ads")
    (folder / "ads" / "empty.png").touch()
    return folder


@pytest.fixture(scope="module")
def said(folder: Path) -> str:
    return in_a_terminal("analyze", "ads", "--maps", "none", "--workers", "1", "--out", "run", cwd=folder)


def test_what_works_and_what_fails_most_often(folder: Path, said: str) -> None:
    run = mn.read_run(folder / "run")
    counts = run.verdicts["verdict"].value_counts()
    first = re.search(r"^(\d+) of (\d+) files works?, (\d+) needs? attention, (\d+) undecided$", said, re.MULTILINE)
    told = [int(number) for number in first.groups()]
    assert told == [
        counts.get("works", 0),
        3 - counts.get("unknown", 0),
        counts.get("attention", 0),
        counts.get("open", 0),
    ]
    failed = run.checks[run.checks["status"] == "failed"]["name"].value_counts()
    most = re.search(r"^most common problem, in (\d+): (.*)$", said, re.MULTILINE)
    assert most
    flaws = {spec.flaw.lower(): spec.name for spec in check_specs()}
    assert failed[flaws[most[2].lower()]] == int(most[1]) == failed.max()


def test_ads_of_different_advertisers_are_nobodys(said: str) -> None:
    assert "\nnext\n" in said
    assert "like those of" not in said


def test_next_steps_can_be_taken(folder: Path, said: str) -> None:
    steps = said.partition("\nnext\n")[2]
    page = re.search(r"^  open (.*)$", steps, re.MULTILINE)
    assert (folder / page[1]).is_file()
    commands = re.findall(r"^  mediaan (explain \w+)$", steps, re.MULTILINE)
    assert "explain empty_file" in commands, "what failed comes first"
    for command in commands:
        done = subprocess.run([MEDIAAN, *command.split()], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


def test_scripts_get_none_of_it(folder: Path, said: str) -> None:
    assert "\nnext\n" in said
    command = [MEDIAAN, "analyze", "ads", "--maps", "none", "--workers", "1", "--out", "run"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3
    assert "next" not in done.stdout
    assert "report: run/report/index.html\n" in done.stdout
