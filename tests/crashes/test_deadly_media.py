"""A file that kills its worker costs its own row; a run that dies as a whole blames nobody."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from arena import Running, check_whole, contents, litter, run_to_the_end
from deadly import Poison, Way

from mediaan.run.crash_log import CrashLog

if os.name != "posix":
    pytest.skip("signals", allow_module_level=True)

VICTIM = "sub/d.png"


def attempts(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "attempts.jsonl").read_text().splitlines()]


def check_one_failed(out: Path, undisturbed: dict[str, Any], code: str) -> None:
    """The victim is a failed row, the rest as if it had not been there."""
    found = contents(out)
    rows = {row["path"]: row for row in found["media"]}
    assert (rows[VICTIM]["status"], rows[VICTIM]["error_code"]) == ("failed", code)
    assert rows[VICTIM]["error_message"].startswith(f"{VICTIM}: ")
    assert [row for row in undisturbed["media"] if row["path"] != VICTIM] == [
        row for row in found["media"] if row["path"] != VICTIM
    ]
    assert [row["code"] for row in found["problems"] if row["path"] == VICTIM] == [code]
    lost = next(row["medium_id"] for row in undisturbed["media"] if row["path"] == VICTIM)
    for table in ("metrics", "frames", "drivers"):
        assert found[table] == [row for row in undisturbed[table] if row["medium_id"] != lost], table
    assert found["run.json"]["counts"] == {"done": 5, "failed": 2, "skipped": 0}
    assert litter(out) == []


@pytest.mark.parametrize(
    ("way", "code", "deaths"),
    [
        ("killed", "worker_died", 3),
        pytest.param("faulty", "worker_died", 3, marks=pytest.mark.full),
        pytest.param("hungry", "memory_limit", 0, marks=pytest.mark.full),
        pytest.param("hanging", "time_limit", 0, marks=pytest.mark.full),
    ],
)
def test_a_worker_dies(
    media: Path, undisturbed: dict[str, Any], tmp_path: Path, way: Way, code: str, deaths: int
) -> None:
    out = tmp_path / "run"
    more = {"workers": 2, "memory_limit_mb": 900}
    assert Running(media, out, Poison(VICTIM, way), more).end() == 0
    check_one_failed(out, undisturbed, code)
    if deaths:
        found = attempts(out)
        assert [(line["event"], line["path"]) for line in found] == [("died", VICTIM)] * deaths
        assert len({line["key"] for line in found}) == 1
    if way != "killed":
        return
    before = (out / "attempts.jsonl").read_bytes()
    assert Running(media, out, Poison(VICTIM, way), more).end() == 0, "what failed is not tried again"
    assert (out / "attempts.jsonl").read_bytes() == before
    check_one_failed(out, undisturbed, code)
    run_to_the_end(media, out, retry_failed=True)
    check_whole(out, undisturbed)


def test_a_run_without_shelter_is_taken_along_once(media: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    """In this process a file takes the run with it; the next session gives it a process of its own."""
    out, poison = tmp_path / "run", Poison(VICTIM, "faulty")
    assert Running(media, out, poison).end() == -signal.SIGSEGV
    assert not (out / "run.json").exists()
    assert Running(media, out, poison).end() == 0
    check_one_failed(out, undisturbed, "worker_died")
    assert [line["event"] for line in attempts(out)] == ["left", "died", "died"]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.full)])
def test_the_death_of_everything_is_nobody_s_fault(
    media: Path, undisturbed: dict[str, Any], tmp_path: Path, workers: int
) -> None:
    """As when a machine is reset, or a container is killed, time and again while the same medium is looked at."""
    out = tmp_path / "run"
    for _ in range(3):
        assert Running(media, out, Poison(VICTIM, "all die"), {"workers": workers}).end() == -signal.SIGKILL
    events = [line["event"] for line in attempts(out)]
    assert "died" not in events
    run_to_the_end(media, out, workers=workers)
    check_whole(out, undisturbed)
    under_suspicion = CrashLog(out)
    assert {under_suspicion.deaths(line["key"]) for line in attempts(out)} == {0}, "whoever lived is innocent"
