"""Measure ``mediaan analyze`` on generated pictures, beside its floor, heavier networks and published times."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench import aois, floor, heavy
from bench.memory import run_measured
from bench.pictures import pictures

PUBLISHED_S = {
    "hosted attention services": (8.0, "their stated time for a picture"),
    "feature congestion": (26.0, "Aalto Interface Metrics, one web page"),
    "subband entropy": (20.0, "Aalto Interface Metrics, one web page"),
    "all metrics": (321.0, "Aalto Interface Metrics, one web page"),
}
"""Seconds per picture and where the figure is from."""

MEDIAAN = Path(sys.executable).with_name("mediaan")
TARGET_RATIO, TARGET_MS = 2.5, 30.0


def analyze(folder: Path, out: Path, workers: int | None) -> dict[str, Any]:
    """Run the command once, as a user would; give its seconds, stages, counts and peak memory."""
    command = [str(MEDIAAN), "analyze", str(folder), "--out", str(out), "--aois", "none", "--quiet"]
    command += ["--workers", str(workers)] if workers else []
    log = out.with_suffix(".log")
    began = time.perf_counter()
    status, peak = run_measured(command, log)
    wall_s = time.perf_counter() - began
    if status:
        raise SystemExit(f"mediaan analyze ended with {status}:\n{log.read_text(errors='replace')[-2000:]}")
    run = json.loads((out / "run.json").read_text())
    return {"wall_s": wall_s, "peak_mib": peak.mib, "peak_basis": peak.basis} | {
        key: run.get(key) for key in ("seconds", "stages", "counts", "workers")
    }


def written(out: Path) -> list[Path]:
    """List the map files of a run, in a stable order."""
    files = sorted(path for path in (out / "maps").rglob("*") if path.suffix in {".jpg", ".jpeg", ".webp", ".png"})
    if not files:
        raise SystemExit(f"{out} holds no maps: the floor cannot be measured")
    return files


def alternate(paths: list[Path], repeats: int, workers: int | None) -> dict[str, Any]:
    """Command, floor, command, floor …: medians, so that neither gets the quieter hours of the machine."""
    commands, floors = [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "pictures"
        folder.mkdir()
        for path in paths:
            os.link(path, folder / path.name) if _same_disk(path, folder) else shutil.copy(path, folder)
        for turn in range(repeats):
            out = Path(scratch) / f"run{turn}"
            commands.append(analyze(folder, out, workers))
            processes = workers or commands[-1]["workers"] or os.cpu_count() or 1
            floors.append(floor.measure(paths, written(out), processes))
            shutil.rmtree(out)
    ratios = [command["wall_s"] / low.wall_s for command, low in zip(commands, floors, strict=True)]
    middle = sorted(commands, key=lambda command: command["wall_s"])[len(commands) // 2]
    return {
        "pictures": len(paths),
        "repeats": repeats,
        "processes": floors[0].processes,
        "pictures_per_s": len(paths) / median(command["wall_s"] for command in commands),
        "wall_s": [command["wall_s"] for command in commands],
        "floor_wall_s": [low.wall_s for low in floors],
        "floor_decode_s": median(low.decode_s for low in floors),
        "floor_encode_s": median(low.encode_s for low in floors),
        "ratio_to_floor": median(ratios),
        "peak_mib": max(command["peak_mib"] for command in commands),
        "peak_basis": middle["peak_basis"],
        "stages_s": middle["stages"],
        "counts": middle["counts"],
    }


def _same_disk(path: Path, folder: Path) -> bool:
    return path.stat().st_dev == folder.stat().st_dev


def report(result: dict[str, Any]) -> str:
    """Format the measurement as a page of text."""
    count = result["pictures"]
    each_s = 1 / result["pictures_per_s"]
    lines = [f"{count} pictures of 2-12 MP, {result['processes']} process(es), median of {result['repeats']} run(s)"]
    lines += [f"whole command     {result['pictures_per_s']:.2f} pictures/s ({1000 * each_s:.0f} ms each)"]
    lines += [f"floor             {1000 * median(result['floor_wall_s']) / count:.0f} ms each"]
    lines += [f"ratio             {result['ratio_to_floor']:.2f} (target ≤ {TARGET_RATIO})"]
    lines += [f"peak memory       {result['peak_mib']:.0f} MiB, {result['peak_basis']}"]
    for name, seconds in (result["stages_s"] or {}).items():
        lines.append(f"  stage {name:<12}{1000 * seconds / count:7.1f} ms of a worker each")
    for name, row in result["networks"].items():
        timed = f"{row['ms']:.0f} ms" if row["ms"] is not None else f"skipped: {row['reason']}"
        lines.append(f"network alone, {heavy.THREADS} threads: {name}: {timed}")
    lines.append(f"(target of the attention model: ≤ {TARGET_MS:.0f} ms)")
    lines += aois.report(result["aois"])
    for name, (seconds, source) in PUBLISHED_S.items():
        lines.append(f"published: {name} {seconds:.0f} s ({source}): whole command {seconds / each_s:.0f}x faster")
    return "\n".join(lines)


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--pictures", type=int, default=200, metavar="N")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="command and floor, alternating")
    parser.add_argument("--workers", type=int, metavar="N", help="as of mediaan analyze; its default if not given")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    options = parser.parse_args()
    if min(options.pictures, options.repeats) < 1:
        parser.error("--pictures and --repeats must be at least 1")
    print("making the pictures (the first time only) ...", file=sys.stderr)
    result = alternate(pictures(options.pictures), options.repeats, options.workers)
    result |= {"networks": heavy.rows(), "aois": aois.rows(min(options.pictures, 20)), "published_s": PUBLISHED_S}
    print(json.dumps(result) if options.json else report(result))
