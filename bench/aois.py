"""Measure what finding areas of interest costs an image: ``python -m bench.aois``.

Each level in a process of its own with one thread: CPU seconds from the picture in the view of AOIs to scored areas,
models loaded and warm; beside them what loading took, and the most memory that the process had. Decoding and the
attention model are not counted: an analysis needs them anyhow.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.memory import run_measured
from bench.pictures import pictures

LEVELS = ("text", "objects", "all")
MOST_MS = 200.0
"""Target for all, CPU time of an image."""


def rows(count: int) -> dict[str, dict[str, Any]]:
    """Measure each level: milliseconds an image, areas an image, seconds to load, MiB at most."""
    pictures(count)
    return {level: _in_a_process(level, count) for level in LEVELS}


def report(timed: dict[str, dict[str, Any]]) -> list[str]:
    """Format a line of text per level."""
    lines = []
    for level, row in timed.items():
        if row["reason"]:
            lines.append(f"--aois {level:<8} skipped: {row['reason']}")
            continue
        lines.append(
            f"--aois {level:<8} {row['ms']:.0f} ms of CPU an image (90 % below {row['ms_p90']:.0f}"
            f"{f'; target ≤ {MOST_MS:.0f}' if level == 'all' else ''}), {row['areas']:.1f} areas; "
            f"models loaded in {row['load_s']:.1f} s, peak {row['peak_mib']:.0f} MiB"
        )
    return lines


def _in_a_process(level: str, count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "log"
        command = [sys.executable, "-m", "bench.aois", "--measure", level, "--pictures", str(count)]
        status, peak = run_measured(command, log)
        output = log.read_text(errors="replace").strip()
    if status:
        raise SystemExit(f"bench.aois --measure {level} ended with {status}:\n{output[-2000:]}")
    row: dict[str, Any] = json.loads(output.splitlines()[-1])
    return row | {"peak_mib": peak.mib}


def measure(level: str, count: int) -> dict[str, Any]:
    """Time one level in this process."""
    from mediaan.errors import MediaanError

    try:
        return _measure(level, count) | {"reason": None}
    except MediaanError as error:
        return {"reason": error.message}


def _measure(level: str, count: int) -> dict[str, Any]:
    from mediaan.analysis.aoi_detection import AoiDetector
    from mediaan.analysis.models import Models
    from mediaan.analysis.plan import DEFAULT_OPTIONS
    from mediaan.aoi.scoring.aoi_scores import score_still

    models = Models("attention", "cpu", threads=1)
    began = time.process_time()
    warm = AoiDetector(level, models, DEFAULT_OPTIONS, _medium())
    warm.detect(np.full((64, 64, 3), 255, np.uint8))
    load_s = time.process_time() - began
    spent, areas = [], 0
    for medium, rgb, densities in _looked_at(models, count):
        search = AoiDetector(level, models, DEFAULT_OPTIONS, medium)
        began = time.process_time()
        aois, _ = search.detect_image(rgb)
        score_still(aois, densities, 5.0)
        spent.append(1000 * (time.process_time() - began))
        areas += len(aois)
    return {
        "ms": float(np.mean(spent)),
        "ms_p90": float(np.percentile(spent, 90)),
        "areas": areas / count,
        "load_s": load_s,
    }


def _looked_at(models: Any, count: int) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each image's medium, its view of AOIs, and its densities."""
    from mediaan.analysis.plan import AOI_VIEW
    from mediaan.media import open_image

    view = models.still.view
    for path in pictures(count):
        opened = open_image(path, [AOI_VIEW, view])
        views = opened.chunks[0].views
        yield opened.medium, views[AOI_VIEW.name][0], models.still.predict(views[view.name])[0]


def _medium() -> Any:
    """Make a medium for the prediction that warms up."""
    from mediaan.media import open_image

    return open_image(pictures(1)[0], []).medium


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.aois", description=__doc__)
    parser.add_argument("--pictures", type=int, default=40, metavar="N")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument("--measure", choices=LEVELS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.pictures)))
        return
    timed = rows(options.pictures)
    print(json.dumps(timed) if options.json else "\n".join(report(timed)))


if __name__ == "__main__":
    main()
