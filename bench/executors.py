"""What it costs to have the same pictures analysed by each executor: ``python -m bench.executors``.

Wall time and peak memory of ``mediaan analyze --executor E`` with all processes that it starts, those of
a Ray cluster of this machine included.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from bench.growth import CHEAP, MEDIAAN, make_pictures, measured

EXECUTORS = ("serial", "processes", "ray")


def compare(count: int, workers: int, executors: tuple[str, ...]) -> list[dict[str, Any]]:
    """Analyse so many small generated pictures with the model that ships, once with each executor."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "pictures"
        make_pictures(folder, count)
        for executor in executors:
            out = Path(scratch) / executor
            options = ["--out", str(out), "--quiet", "--executor", executor, *CHEAP]
            options += [] if executor == "serial" else ["--workers", str(workers)]
            rows.append(
                {"executor": executor, "media": count} | measured([str(MEDIAAN), "analyze", str(folder), *options], out)
            )
    return rows


def report(rows: list[dict[str, Any]]) -> str:
    """Format the measurement as lines of text."""
    return "\n".join(
        f"{row['executor']:<10} {row['media']} pictures  {row['wall_s']:6.1f} s  "
        f"{row['peak_mib']:6.0f} MiB, {row['peak_basis']}"
        for row in rows
    )


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.executors", description=__doc__)
    parser.add_argument("--count", type=int, default=40, metavar="N", help="pictures")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="as of mediaan analyze")
    parser.add_argument("--executors", nargs="+", default=EXECUTORS, choices=EXECUTORS, metavar="E")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    asked = parser.parse_args()
    rows = compare(asked.count, asked.workers, tuple(asked.executors))
    print(json.dumps(rows) if asked.json else report(rows))


if __name__ == "__main__":
    main()
