"""Open hostile files in a process of its own, which is what may die; one line of JSON each tells how it went.

    python tests/hostile/trial.py --count 20000 --seed 7

tries so many mutations by hand, goes on past those that kill it, and says what was found.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MEMORY_BYTES = 256 << 20
"""What one process may take for a file of a few kilobytes, whatever it says of itself."""

SECONDS = 10.0
"""The time limit of the trial, s; a file may exceed it by `SLACK_S`, in which a frame is decoded."""

SLACK_S = 5.0

_LIBTIFF = re.compile(r"(\w+|tempfile\.tif|More samples per pixel.*): [ -~]*$")
"""The one decoder that cannot be kept from writing to standard error."""

CODES = frozenset(
    {
        "decode_failed",
        "empty_file",
        "no_video",
        "not_mixed_media",
        "not_a_picture",
        "time_limit",
        "too_large",
        "too_long",
        "truncated",
        "unsupported_format",
    }
)


def flaws_of(path: Path, *, fast: bool = False, mixed: bool = False) -> tuple[str, list[str]]:
    """Open a file as an analysis would: what came of it, and what should not have."""
    from mediaan.errors import MediumError
    from mediaan.media import MediaLimits, Sampling, open_medium
    from mediaan.types.media import ViewSpec

    views = [ViewSpec("model", pixels=4096, multiple=32), ViewSpec("drivers", long_side=96)]
    limits = MediaLimits(time_limit_s=SECONDS, mixed=mixed)
    began = time.monotonic()
    flaws = []
    try:
        with open_medium(path, views, limits, Sampling(key_frames_only=fast, threads=1)) as source:
            flaws += _flaws_of_chunks(source)
        outcome = "read"
    except MediumError as error:
        outcome = error.code
        if error.code not in CODES:
            flaws.append(f"unknown code {error.code}")
        if path.name not in error.message:
            flaws.append(f"the message does not name the file: {error.message}")
    except Exception as error:  # which is what the trial is for
        outcome, flaws = "escaped", [f"{type(error).__name__}: {error}"]
    if (seconds := time.monotonic() - began) > SECONDS + SLACK_S:
        flaws.append(f"took {seconds:.0f} s")
    return outcome, flaws


def _flaws_of_chunks(source: Any) -> list[str]:
    import numpy as np

    flaws, last_s, total_s = [], -1.0, 0.0
    for chunk in source.chunks():
        if not (np.isfinite(chunk.t).all() and np.isfinite(chunk.weight_s).all() and (chunk.weight_s > 0).all()):
            flaws.append("times are no times")
        if not (np.diff(chunk.t, prepend=last_s) > 0).all():
            flaws.append("times do not grow")
        last_s, total_s = chunk.t[-1], total_s + chunk.weight_s.sum()
        if any(view.dtype != np.uint8 or view.ndim != 4 or view.shape[3] != 3 for view in chunk.views.values()):
            flaws.append("a view is no view")
    medium = source.medium
    if last_s < 0 or not source.shots:
        flaws.append("nothing came out, and nothing was said")
    if not 0.9 <= source.share_read <= 1:
        flaws.append(f"a share of {source.share_read} was read")
    if medium.duration_s is not None and not (math.isfinite(medium.duration_s) and medium.duration_s > 0):
        flaws.append(f"it lasts {medium.duration_s} s")
    if medium.width < 1 or medium.height < 1:
        flaws.append(f"{medium.width} x {medium.height} px")
    return flaws


class Memory:
    """Watches what this process takes beyond what it has now."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5")  # the peak is what is held now
        self._held = self._bytes("VmRSS")

    def taken(self) -> int:
        """Most bytes beyond those held at first."""
        return self._bytes("VmHWM") - self._held

    @staticmethod
    def _bytes(field: str) -> int:
        (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field)]
        return int(line.split()[1]) * 1024


def _open_files(folder: Path) -> list[str]:
    targets = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [target for target in targets if str(folder) in target]


def _try_all(count: int, seed: int, start: int) -> None:
    from mutations import mutations
    from whole_files import whole_files

    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        for number, mutation in enumerate(mutations(whole_files(), count, seed)):
            if number < start:
                continue
            path = Path(folder) / f"hostile.{mutation.suffix}"
            path.write_bytes(mutation.data)
            _say(number=number, name=mutation.name)
            memory = Memory()
            outcome, flaws = flaws_of(path, fast=number % 4 == 3, mixed=number % 7 == 6)
            if left := _open_files(Path(folder)):
                flaws.append(f"left open: {left}")
            if (taken := memory.taken()) > MEMORY_BYTES:
                flaws.append(f"took {taken / 1e6:.0f} MB")
            _say(outcome=outcome, flaws=flaws)
        _say(finished=True)


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def trial(count: int, seed: int = 0) -> Iterator[tuple[str, str, list[str]]]:
    """Try mutations in processes: name, outcome and flaws of each, whatever becomes of the process."""
    start, finished = 0, False
    while not finished:
        name, number = "", start - 1
        command = [sys.executable, __file__, "--child", str(start), "--count", str(count), "--seed", str(seed)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            for line in child.stdout:
                said = json.loads(line)
                if "number" in said:
                    name, number = said["name"], said["number"]
                elif "outcome" in said:
                    yield name, said["outcome"], said["flaws"]
                    name = ""
                finished = said.get("finished", False)
            errors = child.stderr.read()
        if name:
            yield name, "died", [f"the process ended with {child.returncode}: {errors[-500:]}"]
        elif child.returncode:
            raise RuntimeError(errors)
        if foreign := [line for line in errors.splitlines() if not _LIBTIFF.match(line)]:
            yield "all", "noise", [f"on standard error: {line}" for line in foreign[:20]]
        start = number + 1
        finished = finished or start >= count


def main() -> None:
    """Try as many as were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", type=int, default=None, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        _try_all(arguments.count, arguments.seed, arguments.child)
        return
    outcomes: Counter[str] = Counter()
    for name, outcome, flaws in trial(arguments.count, arguments.seed):
        outcomes[outcome] += 1
        for flaw in flaws:
            print(f"{name}: {outcome}: {flaw}", flush=True)
    print(dict(outcomes))


if __name__ == "__main__":
    main()
