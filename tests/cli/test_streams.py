"""Streams of a command: closed, full, with a reader that leaves, and on terminals of other encodings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

import pytest
from PIL import Image

from mediaan.cli.main import main

MEDIAAN = str(Path(sys.executable).with_name("mediaan"))
FAST = "--model centre-prior --aois none --maps none"
NAME = "größe 夏 – “now” ≥ 5.png"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="redirections of a POSIX shell")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two images, a broken one, and a run of them."""
    folder = tmp_path_factory.mktemp("streams")
    (folder / "ads").mkdir()
    for name, colour in (("a.png", "red"), (NAME, "blue")):
        Image.new("RGB", (60, 40), colour).save(folder / "ads" / name)
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    assert shell(f"mediaan analyze ads {FAST} --out run", folder).returncode == 0
    areas = f'{{"{NAME}": [{{"type": "branding", "label": "größe 夏", "box": [0.1, 0.1, 0.5, 0.5]}}]}}'
    (folder / "areas.json").write_text(areas, encoding="utf-8")
    assert shell("mediaan aois apply run areas.json", folder).returncode == 0
    return folder


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = command.replace("mediaan ", f"'{MEDIAAN}' ", 1)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, capture_output=True, env=os.environ | environment
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert b"Exception ignored" not in done.stderr, done.stderr.decode()
    return done


@pytest.mark.parametrize(
    ("paths", "form", "code", "closed"),
    [
        ("ads", "", 0, "| true"),
        ("ads", "", 0, "<&- >&- 2>&-"),
        ("ads broken.png", "--json", 3, ">&-"),
        ("ads broken.png", "--json", 3, "2>&1 | true"),
    ],
)
def test_work_is_done_and_its_exit_code_told_whoever_listens(
    folder: Path, tmp_path: Path, paths: str, form: str, code: int, closed: str
) -> None:
    done = shell(f"mediaan analyze {paths} {FAST} {form} --out '{tmp_path}/run' {closed}", folder)
    assert done.returncode == code
    assert (tmp_path / "run" / "report" / "index.html").stat().st_size > 100_000
    assert json.loads((tmp_path / "run" / "run.json").read_text()), "nothing was printed into a file of the run"


@pytest.mark.parametrize("command", ["explain", "compare run", "--help"])
def test_a_closed_stdout_and_a_reader_that_leaves(folder: Path, command: str) -> None:
    for closed in (">&-", "| head -c 1"):
        assert shell(f"mediaan {command} {closed}", folder).returncode == 0


READERS = [
    "explain", "explain clarity", "compare run", "place run --as instagram_story", "trend run --date run", "doctor",
    "check run --rules stills", "drift run run",
]  # fmt: skip


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis"])
@pytest.mark.parametrize("command", READERS)
def test_other_encodings(folder: Path, command: str, encoding: str, tmp_path: Path) -> None:
    """Signs that an encoding lacks are spelled out; nothing of a name is lost."""
    with (
        (tmp_path / "out").open("w", encoding=encoding) as out,
        patch.multiple(sys, stdout=out, argv=["mediaan", *command.split()]),
        chdir(folder),
    ):
        with pytest.raises(SystemExit) as end:
            main()
        sys.stdout.flush()
    assert end.value.code in (0, 1 if command == "doctor" else 0, 4 if "check" in command else 0)
    text = (tmp_path / "out").read_text(encoding=encoding)
    assert len(text) > 100
    if "run" in command and "trend" not in command and "drift" not in command and "check" not in command:
        assert ("夏" if encoding == "shift_jis" else "\\u590f") in text


@pytest.mark.skipif(not shutil.which("script"), reason="script is not installed")
def test_a_terminal_of_another_encoding(folder: Path) -> None:
    for command in ("explain clarity", "place run --as instagram_story"):
        done = shell(f"script -qec \"'{MEDIAAN}' {command}\" /dev/null", folder, PYTHONIOENCODING="cp1252")
        assert done.returncode == 0, done.stdout.decode("cp1252")
        assert "Traceback" not in done.stdout.decode("cp1252")
