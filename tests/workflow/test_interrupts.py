"""Ctrl-C and SIGTERM, sent to the real command and to processes that use the library."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from ad_folder import picture
from commands import mediaan_command

import mediaan as mn
from mediaan.workflow.folder.progress import Interrupted
from mediaan.workflow.folder.work_queue import FileChanges

if os.name != "posix":
    pytest.skip("POSIX signals", allow_module_level=True)

MEDIAAN = Path(sys.executable).with_name("mediaan")
COUNT = 40  # more than are done while a signal is on its way
OPTIONS = (*("--model", "centre-prior", "--maps", "heat", "--no-densities"), *("--benchmark", "none", "--aois", "none"))


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given")
    for seed in range(COUNT):
        picture(seed, 300, 200).save(folder / f"{seed:02}.png")
    return folder


def parts(out: Path) -> int:
    return len(list(out.glob("parts/*/*.json.gz")))


def started(ads: Path, out: Path, workers: int) -> subprocess.Popen[str]:
    command = [str(MEDIAAN), "analyze", str(ads), *OPTIONS, "--out", str(out), "--workers", str(workers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for_parts(process: subprocess.Popen[str], out: Path, count: int) -> None:
    while parts(out) < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("number", "workers"), [(signal.SIGINT, 2), pytest.param(signal.SIGTERM, 1, marks=pytest.mark.full)]
)
def test_once(ads: Path, tmp_path: Path, number: int, workers: int) -> None:
    """All that was begun is finished and kept, and nothing is done twice."""
    out = tmp_path / "run"
    process = started(ads, out, workers)
    wait_for_parts(process, out, 5)
    os.killpg(process.pid, number)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    found = re.fullmatch(
        r"interrupted: (\d+) files are done and kept; run the same command to continue", stderr.strip()
    )
    assert found, stderr
    kept = int(found[1])
    assert 5 <= kept == parts(out) < COUNT
    assert (out / "unfinished.json").is_file()
    assert not (out / "run.json").exists()
    assert not list(out.glob(".scratch")), "nothing is under way any more"
    assert not (out / "attempts.jsonl").exists(), "nothing has died"
    again = mediaan_command("analyze", ads, *OPTIONS, "--out", out, cwd=tmp_path)
    assert again.stdout.startswith(f"{COUNT - kept} file"), again.stdout
    assert f"the run now holds {COUNT} files\nfiles: {kept} unchanged\n" in again.stdout
    assert json.loads((out / "run.json").read_text())["counts"]["done"] == COUNT


SLOW = """
import sys, time
from pathlib import Path
import mediaan as mn
from mediaan.analysis import TaskRunner

def _slow(self, task):
    if task.file.display_path >= "03":
        (Path(sys.argv[2]) / "slow").touch()
        for _ in range(6000):
            time.sleep(0.01)
    return analyze(self, task)

analyze, TaskRunner._analyze = TaskRunner._analyze, _slow
recipe = mn.Recipe(model="centre-prior", maps=(), densities=False, aois="none")
settings = recipe.replace(benchmark="none"), mn.Execution(workers=int(sys.argv[3]))
if __name__ == "__main__":
    mn.analyze_folder(sys.argv[1], sys.argv[2], *settings)
"""


@pytest.mark.full
@pytest.mark.parametrize("workers", [1, 2])
def test_twice(ads: Path, tmp_path: Path, workers: int) -> None:
    """What would take a minute is given up at once; what was committed stays."""
    out = tmp_path / "run"
    (tmp_path / "slow.py").write_text(SLOW)
    command = [sys.executable, str(tmp_path / "slow.py"), str(ads), str(out), str(workers)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (out / "slow").exists() or parts(out) < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    assert process.poll() is None, "the first waits for what is under way"
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert stderr.rstrip().endswith("Interrupted: what was done is kept; run the same command to continue")
    assert parts(out) == 3
    assert not list(out.glob(".scratch"))
    assert not (out / "attempts.jsonl").exists()


def settings() -> tuple[mn.Recipe, mn.Execution]:
    recipe = mn.Recipe(model="centre-prior", maps=(), densities=False, aois="none")
    return (recipe.replace(benchmark="none"), mn.Execution(workers=1))


def test_while_nothing_needs_analysis(ads: Path, tmp_path: Path) -> None:
    """Files that are only looked at, to know that they are done, are not waited for."""
    mn.analyze_folder(ads, tmp_path / "run", *settings())
    known: list[str] = []

    def on_known(path: str) -> None:
        known.append(path)
        if len(known) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted, match=f"{COUNT} files are done"):
        mn.analyze_folder(ads, tmp_path / "run", *settings(), on_known=on_known)
    assert len(known) == 3
    changes: list[FileChanges] = []
    mn.analyze_folder(ads, tmp_path / "run", *settings(), on_changes=changes.append)
    assert changes == [FileChanges(unchanged=COUNT)], "what was not reached is neither gone nor new"


def test_in_a_thread(ads: Path, tmp_path: Path) -> None:
    """Signals belong to the main thread; a run in another one neither needs nor changes them."""
    found: list[mn.Run] = []
    seen: list[object] = []

    def analyse() -> None:
        few = [ads / f"{number:02}.png" for number in range(2)]
        found.append(
            mn.analyze_folder(
                few,
                tmp_path / "run",
                *settings(),
                on_report=lambda report: seen.append(signal.getsignal(signal.SIGINT)),
            )
        )

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=analyse)
    thread.start()
    thread.join()
    assert found[0].facts["counts"]["done"] == 2
    assert seen == [before] * 2
