"""Attention alone, through the path of `mediaan.predict_densities`: ``python -m bench.gpu --device cuda``.

Pictures of 2-12 MP in seven aspects are read over and over for some seconds; what is done in the first third of that
time, while processes start and models load, does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Any

from bench.pictures import pictures
from mediaan.analysis import load_models
from mediaan.analysis.tasks import DensityTask
from mediaan.execution import Crashed
from mediaan.types.result import Failed
from mediaan.workflow.densities import density_layout
from mediaan.workflow.folder.process_layout import ProcessLayout

TARGET = 300.0
"""Pictures a second on one GPU."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one picture took, and the batches that its process has computed so far."""

    process: int
    seconds: Mapping[str, float]
    batch_sizes: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """A task that also says how it went."""

    task: DensityTask

    def __call__(self, path: Path) -> Sample:
        """Predict; a picture that cannot be is no measurement."""
        prediction = self.task(path)
        if isinstance(prediction.outcome, Failed):
            raise SystemExit(prediction.outcome.message)
        model = load_models(self.task.model, self.task.device, self.task.threads).still
        return Sample(os.getpid(), prediction.seconds, dict(getattr(model, "batch_sizes", {})))


def measure(task: DensityTask, layout: ProcessLayout, paths: list[Path], seconds: float) -> dict[str, Any]:
    """Read pictures over and over for some seconds."""
    began = time.perf_counter()

    def line() -> Iterator[Path]:
        for path in cycle(paths):
            if time.perf_counter() - began > seconds:
                return
            yield path

    ended, stages, batches = [], Counter[str](), dict[int, Mapping[int, int]]()
    for reply in layout.run(Measured(replace(task, threads=layout.threads)), line()):
        if isinstance(reply.value, Crashed):
            raise SystemExit(f"{reply.item}: {reply.value.message}")
        now = time.perf_counter() - began
        batches[reply.value.process] = reply.value.batch_sizes
        if seconds / 3 <= now <= seconds:
            ended.append(now)
            stages.update(reply.value.seconds)
    if len(ended) < 2:
        raise SystemExit("too few pictures were done in that time: give more --seconds")
    sizes = sum((Counter(of_one) for of_one in batches.values()), Counter[int]())
    return {
        "pictures_per_s": (len(ended) - 1) / (ended[-1] - ended[0]),
        "counted": len(ended),
        "stages_ms": {name: 1000 * total / len(ended) for name, total in stages.items()},
        "batches": dict(sorted(sizes.items())),
    }


def report(result: dict[str, Any]) -> str:
    """Format the measurement as a page of text."""
    stages, batches = result["stages_ms"], result["batches"]
    total, frames = sum(stages.values()), sum(size * count for size, count in batches.items())
    lines = [
        f"attention alone on {result['device']}: {result['processes']} process(es) x {result['depth']} at a time",
        f"{result['pictures_per_s']:.1f} pictures/s, over {result['counted']} pictures of 2-12 MP"
        + (f" (target ≥ {TARGET:.0f})" if result["device"] == "cuda" else ""),
        *(f"  {name:<8}{ms:7.1f} ms each, {100 * ms / total:3.0f} % of its time" for name, ms in stages.items()),
    ]
    if not batches:
        return "\n".join([*lines, "no batches: they gain nothing on a CPU"])
    lines += [f"{frames} pictures in {sum(batches.values())} batches (predict holds the wait for them):"]
    return "\n".join(lines + [f"  of {size:>2}: {count}" for size, count in batches.items()])


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--pictures", type=int, default=200, metavar="N", help="different ones, read in turns")
    parser.add_argument("--seconds", type=float, default=30.0, metavar="S")
    parser.add_argument("--workers", type=int, metavar="N", help="as of mediaan analyze; its default if not given")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    options = parser.parse_args()
    if options.pictures < 1 or options.seconds <= 0 or (options.workers or 1) < 1:
        parser.error("--pictures and --workers must be at least 1, --seconds above 0")
    print("making the pictures (the first time only) ...", file=sys.stderr)
    paths, task = pictures(options.pictures), DensityTask(device=options.device)
    device, layout = density_layout(task, options.workers)
    result = {"device": device, "processes": layout.processes or 1, "depth": layout.depth}
    result |= measure(task, layout, paths, options.seconds)
    print(json.dumps(result) if options.json else report(result))


if __name__ == "__main__":
    main()
