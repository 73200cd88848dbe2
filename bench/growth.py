"""How time and memory grow with the number of media: ``python -m bench.growth``.

Two parts. ``pictures`` runs ``mediaan analyze`` on folders of small generated pictures, all different, with settings
that make a picture cheap, since it is what comes with each medium that is looked at here and not the network:
``--model centre-prior --maps none --no-densities``. ``tables`` lays down inventory, tables, ratings,
rules and report of a million invented outcomes, each step in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from bench import MEDIAAN
from bench.memory import run_measured
from bench.million import STEPS

CHEAP = ("--aois", "none", "--maps", "none", "--no-densities")
SIZES, ROWS = (100, 1000, 10_000), 1_000_000
SIDE_PX = 96


def make_pictures(folder: Path, count: int) -> None:
    """Grain on a colour with four boxes, different in each."""
    folder.mkdir()
    for index in range(count):
        random = np.random.default_rng([8, index])
        grain = random.integers(0, 64, (SIDE_PX, SIDE_PX, 3), np.uint8) + random.integers(40, 190, 3).astype(np.uint8)
        picture = Image.fromarray(grain)
        draw = ImageDraw.Draw(picture)
        for left, top, width, height in random.integers(4, SIDE_PX - 16, (4, 4)).tolist():
            colour = tuple(random.integers(0, 256, 3).tolist())
            draw.rectangle((left, top, left + width // 2, top + height // 2), fill=colour)
        picture.save(folder / f"{index:06d}.png", compress_level=1)


def pictures(sizes: Sequence[int], model: str, workers: int) -> list[dict[str, Any]]:
    """Analyse folders of so many pictures, each from scratch."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for count in sizes:
            folder, out = Path(scratch) / f"{count}", Path(scratch) / f"run{count}"
            make_pictures(folder, count)
            options = ["--out", str(out), "--quiet", "--workers", str(workers), "--model", model, *CHEAP]
            rows.append({"media": count} | measured([str(MEDIAAN), "analyze", str(folder), *options], out))
            shutil.rmtree(folder)
            shutil.rmtree(out)
    return rows


def tables(rows: int) -> list[dict[str, Any]]:
    """Time what follows the last medium, step by step."""
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch) / "run"
        rows_of_steps = []
        for step in STEPS:
            command = [sys.executable, "-m", "bench.million", step, str(run), "--rows", str(rows)]
            rows_of_steps.append({"media": rows, "step": step} | measured(command, run))
        sizes = {path.name: path.stat().st_size for path in run.rglob("*") if path.is_file()}
        return [*rows_of_steps, {"bytes": sizes}]


def measured(command: list[str], out: Path) -> dict[str, Any]:
    """Seconds, those of processors too, and peak memory of a command with all its processes."""
    log = out.with_suffix(".log")
    began, worked = time.perf_counter(), _processor_s()
    status, peak = run_measured(command, log)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}:\n{log.read_text(errors='replace')[-2000:]}")
    wall_s, cpu_s = time.perf_counter() - began, _processor_s() - worked
    print(f"{' '.join(command[1:5])} ...: {wall_s:.1f} s, {peak.mib:.0f} MiB", file=sys.stderr)
    return {"wall_s": wall_s, "cpu_s": cpu_s, "peak_mib": peak.mib, "peak_basis": peak.basis}


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(result: dict[str, Any]) -> str:
    """Format the measurement as lines of text; ratios are to 1,000 media, time for each medium."""
    lines = []
    usual = next((row for row in result["pictures"] if row["media"] == 1000), None)
    for row in result["pictures"]:
        rate = row["media"] / row["wall_s"]
        line = f"{row['media']:>9,} pictures  {row['wall_s']:8.1f} s ({row['cpu_s']:.1f} s of a processor)"
        line += f"  {rate:6.1f} a second  {row['peak_mib']:6.0f} MiB"
        if usual:
            wall, cpu = (row[key] / row["media"] / (usual[key] / usual["media"]) for key in ("wall_s", "cpu_s"))
            line += f"  of 1,000: time {wall:.2f} ({cpu:.2f}), memory {row['peak_mib'] / usual['peak_mib']:.2f}"
        lines.append(line)
    for row in result["tables"]:
        if "step" in row:
            seconds = f"{row['wall_s']:7.1f} s ({row['cpu_s']:.0f} s of a processor)"
            lines.append(f"{row['media']:>9,} media, {row['step']:<10} {seconds}  {row['peak_mib']:6.0f} MiB")
        else:
            lines += [f"  {name:<26} {size / 1e6:9.2f} MB" for name, size in row["bytes"].items() if size > 50_000]
    return "\n".join(lines)


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--part", choices=("pictures", "tables", "all"), default="all")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="pictures")
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N", help="invented outcomes")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="as of mediaan analyze")
    parser.add_argument("--model", default="centre-prior", help="as of mediaan analyze")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    asked = parser.parse_args()
    result: dict[str, Any] = {"pictures": [], "tables": []}
    if asked.part != "tables":
        result["pictures"] = pictures(asked.sizes, asked.model, asked.workers)
    if asked.part != "pictures":
        result["tables"] = tables(asked.rows)
    print(json.dumps(result) if asked.json else report(result))


if __name__ == "__main__":
    main()
