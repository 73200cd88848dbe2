"""SIGKILL at any moment, then the same again: the run is as one that nothing has disturbed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from arena import Running, check_whole, run_to_the_end
from budget import budget

if os.name != "posix":
    pytest.skip("SIGKILL", allow_module_level=True)

KILLS = budget(6, 30)
_AUDITED = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate")
"""What changes files, or may: before each of these a process can die."""


@dataclass
class Fuse:
    """Counts what its process does to files below a folder, and kills it before the n-th; can keep the count."""

    folder: Path
    burns_at: int | None = None
    tally: Path | None = None

    def __call__(self) -> None:
        self.count = 0
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if (
            event in _AUDITED
            and isinstance(arguments[0], (str, Path))
            and str(arguments[0]).startswith(str(self.folder))
        ):
            self.count += 1
            if self.count == self.burns_at:
                os.kill(os.getpid(), signal.SIGKILL)
            if self.tally is not None:
                os.truncate(self.tally, self.count)


@pytest.fixture(scope="module")
def steps(media: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How often a run that nothing disturbs touches its files."""
    folder = tmp_path_factory.mktemp("steps")
    (folder / "tally").touch()
    assert Running(media, folder / "run", Fuse(folder / "run", tally=folder / "tally")).end() == 0
    return (folder / "tally").stat().st_size


def test_killed_before_it_touches_a_file(media: Path, undisturbed: dict[str, Any], steps: int, tmp_path: Path) -> None:
    """Moments lie all over the run, from the first file to the last; then again in what goes on with it."""
    out, rng, count = tmp_path / "run", random.Random(8), 2 * KILLS // 3
    assert steps > 100
    killed = []
    while len(killed) < count:
        share = (len(killed) + rng.random()) / count
        step = 1 + int(share * steps)
        for burns_at in (step, rng.randint(1, steps)):
            code = Running(media, out, Fuse(out, burns_at)).end()
            assert code in (-signal.SIGKILL, 0)
            killed += [burns_at] if code else []
        run_to_the_end(media, out)
        check_whole(out, undisturbed)
        shutil.rmtree(out)


@pytest.mark.full
@pytest.mark.parametrize("group", [False, True], ids=["parent", "group"])
def test_killed_at_work_with_workers(media: Path, undisturbed: dict[str, Any], tmp_path: Path, group: bool) -> None:
    out, rng, count = tmp_path / "run", random.Random(9 + group), KILLS // 6
    began = time.monotonic()
    run_to_the_end(media, out, workers=2)
    whole_s = time.monotonic() - began
    check_whole(out, undisturbed)
    shutil.rmtree(out)
    killed = 0
    while killed < count:
        run = Running(media, out, more={"workers": 2})
        run.process.join((killed + rng.random()) / count * whole_s)
        if run.process.is_alive():
            run.kill(group=group)
        if run.end() != 0:
            killed += 1
            continue
        whole_s = min(whole_s, time.monotonic() - run.began)  # the machine has become faster
        check_whole(out, undisturbed)
        shutil.rmtree(out)
    run_to_the_end(media, out, workers=2)
    check_whole(out, undisturbed)
