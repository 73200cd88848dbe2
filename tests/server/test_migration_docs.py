"""The page about migration: its client, written for the hosted service, works here, and it names every operation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from serving import RunningServer

from mediaan.server.app import OPERATIONS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")


@pytest.mark.full
def test_the_client_needs_only_another_address_and_key(server: RunningServer, tmp_path: Path) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found
    client = re.sub(r'^BASE = ".*?"', f'BASE = "{server.url}"', found[1], flags=re.MULTILINE)
    client = re.sub(r'^KEY = ".*?"', f'KEY = "{server.key}"', client, flags=re.MULTILINE)
    shutil.copy(ROOT / "tests" / "sample_ads" / "videos" / "coffee_spot.mp4", tmp_path / "spot.mp4")
    environment = {**os.environ, "no_proxy": "127.0.0.1"}
    done = subprocess.run([sys.executable, "-c", client], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1500:]
    focus, heat = done.stdout.split()
    assert 0 <= float(focus) <= 100
    assert heat.startswith(server.url)


def test_every_operation_is_compared() -> None:
    """Rows of the table; a row may hold two methods of one path, or two paths, the second cut short."""
    table = PAGE.partition("\n## Path by path\n")[2].partition("\n## ")[0]
    named = set()
    for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE):
        methods: list[str] = []
        base = ""
        for words in re.findall(r"`(.+?)`", cell):
            method, _, path = words.partition(" ")
            methods.append(method)
            if path:
                path = path.replace("...", base)
                base = path.partition("/aois")[0]
                named |= {f"{one} {path}" for one in methods}
                methods = []
    assert named == {f"{one.method} {one.path}" for one in OPERATIONS}
