"""Peak memory of a command with all its processes."""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

POLL_S = 0.1


@dataclass(frozen=True)
class Peak:
    """MiB, and what was counted."""

    mib: float
    basis: str


def run_measured(command: list[str], log: Path) -> tuple[int, Peak]:
    """Run a command to its end, its output into `log`; give its exit status and peak memory."""
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT)
        samples: list[int] = [0]
        done = threading.Event()
        watch = threading.Thread(target=_watch, args=(process.pid, samples, done))
        watch.start()
        status = process.wait()
        done.set()
        watch.join()
    if max(samples):
        return status, Peak(max(samples) / 1024, "all processes, shared pages counted once (PSS)")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return status, Peak(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit, "the largest single process")


def _watch(pid: int, samples: list[int], done: threading.Event) -> None:
    while not done.wait(POLL_S):
        samples.append(sum(pss_kib(process) for process in tree(pid)))


def tree(pid: int) -> list[int]:
    """List a process and all below it."""
    try:
        below = [
            int(word) for path in Path(f"/proc/{pid}/task").glob("*/children") for word in path.read_text().split()
        ]
    except OSError:
        return []
    return [pid, *(process for child in below for process in tree(child))]


def pss_kib(pid: int) -> int:
    """Memory of one process, pages that it shares with others counted in part."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
