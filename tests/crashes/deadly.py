"""Media that kill who looks at them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from typing import Literal

from mediaan.analysis import CacheHit, MediumTask, TaskResult, TaskRunner
from mediaan.workflow.folder import analyze, executor

Way = Literal["killed", "faulty", "hungry", "hanging", "all die", "slow"]


@dataclass(frozen=True)
class _Deadly(TaskRunner):
    """A task over which its process dies at one of the files, in the one way or the other."""

    path: str = ""
    way: Way = "killed"

    def _analyze(self, task: MediumTask) -> TaskResult | CacheHit:
        if task.file.display_path == self.path:
            _DIE[self.way]()
        return TaskRunner._analyze(self, task)


@dataclass(frozen=True)
class Poison:
    """Makes the runs of a process deadly at a path; picklable."""

    path: str
    way: Way

    def __call__(self) -> None:
        path, way = self.path, self.way

        def deadly(*arguments: object) -> _Deadly:
            return _Deadly(*arguments, path=path, way=way)  # type: ignore[arg-type]

        analyze.TaskRunner = deadly  # type: ignore[assignment, misc]
        if way == "hanging":
            executor._SILENCE_FACTOR = 0
            executor._SILENCE_MORE_S = 12.0  # enough to load the models on a busy machine


def _all_die() -> None:
    os.killpg(os.getpgid(0), signal.SIGKILL)


def _eat() -> None:
    eaten = []
    while True:
        eaten.append(b"x" * 50_000_000)  # each byte is written, and so is really taken
        time.sleep(0.05)


_DIE = {
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "faulty": lambda: ctypes.string_at(0),
    "hungry": _eat,
    "hanging": lambda: time.sleep(600),
    "all die": _all_die,
    "slow": lambda: time.sleep(2),
}
