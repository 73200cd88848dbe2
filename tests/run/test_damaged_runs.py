"""Runs whose files were damaged, or put there by somebody who means harm: a refusal in words, and no waiting."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from budget import budget
from commands import mediaan_command
from PIL import Image

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs FIFOs and alarms")
FAST = ("--model", "centre-prior", "--aois", "none", "--maps", "none", "-q")

DEEP = "[" * 200_000 + "]" * 200_000
READERS = [
    ("drift", "run", "good"),
    ("drift", "good", "run"),
    ("trend", "run", "--date", "run"),
    ("compare", "run"),
    ("place", "run", "--as", "leaderboard"),
    ("check", "run", "--rules", "stills"),
    ("aois", "export", "run"),
    ("report", "run", "--out", "page.html"),
    ("benchmark", "apply", "run", "--benchmark", "none"),
    ("whatif", "a.png", "--aois", "run", "--model", "centre-prior"),
]


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise AssertionError("it waits for ever")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def analyzed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged")
    for name, colour in (("a.png", "red"), ("b.png", "blue")):
        Image.new("RGB", (60, 40), colour).save(folder / name)
    assert mediaan_command("analyze", "a.png", "b.png", *FAST, "--out", "run", cwd=folder).returncode == 0
    return folder


@pytest.fixture
def home(analyzed: Path, tmp_path: Path) -> Path:
    shutil.copytree(analyzed, tmp_path / "home")
    shutil.copytree(analyzed / "run", tmp_path / "home" / "good")
    return tmp_path / "home"


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_a_run_json_that_is_none(home: Path, command: tuple[str, ...]) -> None:
    texts = (DEEP, '{"recipe": ' + DEEP + "}", "[]", "3", '"x"', "", "\0", "null")
    for text in ("{", *(texts if command == READERS[0] else ())):
        (home / "run" / "run.json").write_text(text)
        done = mediaan_command(*command, cwd=home)
        assert (done.returncode, "run.json: is not what an analysis writes" in done.stderr) == (2, True), text[:20]


@pytest.mark.parametrize(
    "key", ["recipe", "models", "metrics", "aoi_metrics", "versions", "counts", "maps", "calibration"]
)
@pytest.mark.parametrize("value", [[], {}, "x", 3, None, ["a"], {"a": {"b": 1}}], ids=repr)
def test_an_entry_of_another_type(home: Path, key: str, value: Any) -> None:
    """Refused, or taken as if it were not there: an exception fails the test."""
    facts = json.loads((home / "good" / "run.json").read_text())
    (home / "run" / "run.json").write_text(json.dumps(facts | {key: value}))
    for command in budget(READERS[:2], READERS[:6]):
        done = mediaan_command(*command, cwd=home)
        assert done.returncode in (0, 2, 3, 4), done.stderr


@pytest.mark.parametrize("name", ["run.json", "parts", "unfinished.json", "attempts.jsonl", "inventory.parquet"])
@pytest.mark.parametrize("what", ["deep", "fifo"])
def test_analyzing_again_makes_good_what_is_damaged(home: Path, name: str, what: str) -> None:
    run = home / "run"
    files = sorted(run.glob("parts/*/*.gz")) if name == "parts" else [run / name]
    for file in files:
        file.unlink(missing_ok=True)
        if what == "fifo":
            os.mkfifo(file)
        elif name == "parts":
            file.write_bytes(gzip.compress(DEEP.encode()))
        else:
            file.write_text(DEEP)
    done = mediaan_command("analyze", "a.png", "b.png", *FAST, "--out", "run", cwd=home)
    assert done.returncode == 0, done.stderr
    assert mediaan_command("compare", "run", cwd=home).returncode == 0
