"""Who died over what: claims of workers, and the ledger of all sessions."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from uuid import UUID

import pytest

from mediaan.analysis import MediumTask
from mediaan.errors import UsageError
from mediaan.media import MediaFile
from mediaan.run import crash_log
from mediaan.run.crash_log import Claims, CrashLog

ORDER = MediumTask(MediaFile(Path("a.png"), "a.png", 5), medium_id=UUID(int=7))


def test_deaths_are_counted_over_sessions(tmp_path: Path) -> None:
    for session in range(3):
        attempts = CrashLog(tmp_path)
        assert attempts.deaths("a") == session
        attempts.died("a", "a.png", "killed by SIGSEGV")
    assert CrashLog(tmp_path).deaths("b") == 0


def test_unseen_deaths_are_one_suspicion(tmp_path: Path) -> None:
    for _ in range(30):
        CrashLog(tmp_path).left("a")
    assert len((tmp_path / "attempts.jsonl").read_text().splitlines()) == 1
    assert CrashLog(tmp_path).deaths("a") == 1
    CrashLog(tmp_path).died("a", "a.png", "killed by SIGKILL")
    assert CrashLog(tmp_path).deaths("a") == 2


def test_what_is_cleared_starts_anew(tmp_path: Path) -> None:
    attempts = CrashLog(tmp_path)
    attempts.left("a")
    attempts.died("a", "a.png", "exit code 1")
    attempts.clear("a")
    assert attempts.deaths("a") == CrashLog(tmp_path).deaths("a") == 0
    attempts.left("a")
    assert CrashLog(tmp_path).deaths("a") == 1


@pytest.mark.parametrize("damage", [b'{"event": "died", "ke', b"\0" * 30, b"[1]\n", b'{"event": "died", "key": 5}\n'])
def test_lines_that_were_cut_off_cost_nothing_but_themselves(tmp_path: Path, damage: bytes) -> None:
    CrashLog(tmp_path).died("a", "a.png", "exit code 1")
    with (tmp_path / "attempts.jsonl").open("ab") as file:
        file.write(damage)
    CrashLog(tmp_path).died("a", "a.png", "exit code 1")
    assert CrashLog(tmp_path).deaths("a") == 2


def test_a_claim_lies_there_while_its_medium_is_looked_at(tmp_path: Path) -> None:
    claim = Claims(tmp_path / ".scratch" / "claims", "recipe")
    with claim(ORDER):
        assert [path.name.rpartition(".")[2] for path in claim.folder.iterdir()] == [claim.key(ORDER)]
    assert not any(claim.folder.iterdir())
    with pytest.raises(RuntimeError), claim(ORDER):
        raise RuntimeError
    assert claim.left_over() == [], "an error is no death"


DIE = """
import os, sys
from pathlib import Path
from uuid import UUID
from mediaan.analysis import MediumTask
from mediaan.media import MediaFile
from mediaan.run.crash_log import Claims
with Claims(Path(sys.argv[1]), "recipe")(MediumTask(MediaFile(Path("a.png"), "a.png", 5), medium_id=UUID(int=7))):
    os._exit(9)
"""


def test_what_a_dead_process_was_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([sys.executable, "-c", DIE, tmp_path / "claims"], check=False)
    claim = Claims(tmp_path / "claims", "recipe")
    assert claim.left_over() == [claim.key(ORDER)]
    monkeypatch.setattr(crash_log, "_boot_id", lambda: "another start of the machine")
    assert claim.left_over() == [], "what stopped the machine was no file"


def test_workers_that_lost_their_parent_are_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim, done = Claims(tmp_path / "claims", "recipe"), threading.Event()

    def work() -> None:
        with claim(ORDER):
            done.wait(20)

    worker = threading.Thread(target=work)
    worker.start()
    while not claim.folder.is_dir() or not any(claim.folder.iterdir()):
        time.sleep(0.01)
    monkeypatch.setattr(crash_log, "_PATIENCE_S", 0.2)
    with pytest.raises(UsageError) as caught:
        claim.left_over()
    assert caught.value.code == "run_locked"
    monkeypatch.setattr(crash_log, "_PATIENCE_S", 20.0)
    threading.Timer(0.3, done.set).start()
    assert claim.left_over() == [], "it has come to its end"
    worker.join()
