"""SIGKILL at any moment of a review: no answer that was kept is lost, and the review goes on where it stopped."""

from __future__ import annotations

import os
import random
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from answering import WAYS, answer_in_process
from budget import budget
from test_killed_runs import Fuse

import mediaan as mn
from mediaan.run.answers import read_answers
from mediaan.run.tables.schema import TABLES

if os.name != "posix":
    pytest.skip("SIGKILL", allow_module_level=True)

KILLS = budget(6, 30)


@pytest.fixture(scope="module")
def made(media: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review")
    recipe = mn.Recipe(model="centre-prior", maps=(), aois="none")
    pictures = [media / name for name in ("a.png", "b.png", "c.jpg")]
    return mn.analyze_folder(pictures, folder / "made", recipe, mn.Execution(workers=1, report="none")).path


def state(run_dir: Path) -> dict[str, Any]:
    run = mn.read_run(run_dir)
    found: dict[str, Any] = {
        name: run.table(name).drop(columns=["created_at", "seconds"], errors="ignore").to_json() for name in TABLES
    }
    return found | {"objectives": run.facts["objectives"], "pending": run.pending}


@pytest.fixture(scope="module")
def undisturbed(made: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int]:
    """What a review that nothing disturbs leaves, and how often it touches the run's files."""
    folder = tmp_path_factory.mktemp("undisturbed")
    shutil.copytree(made, folder / "run")
    (folder / "tally").touch()
    assert answer_in_process(folder / "run", Fuse(folder / "run", tally=folder / "tally")) == 0
    found = state(folder / "run")
    assert found["aois"] != state(made)["aois"]
    return found, (folder / "tally").stat().st_size


def test_a_review_that_is_killed(made: Path, undisturbed: tuple[dict[str, Any], int], tmp_path: Path) -> None:
    expected, steps = undisturbed
    chance = random.Random(41)
    for number, burns_at in enumerate(sorted(chance.sample(range(1, steps), KILLS))):
        run = tmp_path / f"run{number}"
        shutil.copytree(made, run)
        assert answer_in_process(run, Fuse(run, burns_at)) == -signal.SIGKILL
        told = run.with_suffix(".kept").stat().st_size if run.with_suffix(".kept").exists() else 0
        assert told <= len(read_answers(run)) <= told + 1, "every answer that was said to be kept is"
        mn.read_run(run).verdicts  # noqa: B018  it can be read at once
        assert answer_in_process(run) == 0
        assert len(read_answers(run)) == 3 * len(WAYS)
        assert state(run) == expected, burns_at
        assert not [path for path in run.rglob("*") if path.name.endswith(".part") or path.name == "changing.json"]
        shutil.rmtree(run)
