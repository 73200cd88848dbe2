"""Measure what docs/speed.md says of speed, and print it as one table: ``python -m bench``.

Whole commands as a user types them, each beside the least that it could cost, in turn with it: for images, decoding
each once and encoding the same maps; for videos, decoding every frame. Below, what parts cost. ``--quick`` takes under
two minutes on two cores and says roughly the same.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from bench import MEDIAAN, aois, floor, growth, looks, videos
from bench.memory import run_measured
from bench.pictures import pictures

SETTINGS: dict[str, tuple[tuple[str, ...], float | None]] = {
    "everything but areas": (("--aois", "none"), 3.0),
    "attention heatmap": (("--aois", "none", "--maps", "heat"), 2.0),
    "as it comes, with areas and advice": ((), None),
}
"""Options of ``mediaan analyze``, and the most that it may cost of the minimum."""

AIM_DEFAULT_MS, AIM_NETWORK_MS = 300.0, 30.0
NETWORK_THREADS = 2
AIM_VIDEO = {"h264": 1.3, "hevc": 1.3, "vp9": 1.6, "av1": 1.6}
"""Most CPU time of the whole command, as a multiple of that of decoding alone."""

AIM_TIME, AIM_MEMORY = 1.1, 1.2
"""Most that an image may cost of what it costs in the smallest folder."""


Row = tuple[str, str, str]


def analyze(folder: Path, out: Path, options: Sequence[str], workers: int | None) -> dict[str, Any]:
    """Run the command once, as a user would; give its seconds, stages, counts and peak memory."""
    command = [str(MEDIAAN), "analyze", str(folder), "--out", str(out), "--quiet", *options]
    command += ["--workers", str(workers)] if workers else []
    log = out.with_suffix(".log")
    began = time.perf_counter()
    status, peak = run_measured(command, log)
    wall_s = time.perf_counter() - began
    if status:
        raise SystemExit(f"mediaan analyze ended with {status}:\n{log.read_text(errors='replace')[-2000:]}")
    run = json.loads((out / "run.json").read_text())
    return {"wall_s": wall_s, "peak_mib": peak.mib} | {key: run.get(key) for key in ("stages", "counts", "workers")}


def alternate(paths: Sequence[Path], options: Sequence[str], repeats: int, workers: int | None) -> dict[str, Any]:
    """Command, minimum, command, minimum ...: medians, so that neither gets the quieter hours of the machine."""
    commands, floors = [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "images"
        folder.mkdir()
        for path in paths:
            shutil.copy(path, folder)
        for turn in range(repeats):
            out = Path(scratch) / f"run{turn}"
            commands.append(analyze(folder, out, options, workers))
            processes = workers or commands[-1]["workers"] or os.cpu_count() or 1
            maps = sorted(path for path in (out / "maps").rglob("*") if path.suffix in {".jpg", ".webp", ".png"})
            floors.append(floor.measure(list(paths), maps, processes))
            shutil.rmtree(out)
    middle = sorted(commands, key=lambda command: command["wall_s"])[len(commands) // 2]
    return {
        "images": len(paths),
        "ms": 1000 * median(command["wall_s"] for command in commands) / len(paths),
        "minimum_ms": 1000 * median(low.wall_s for low in floors) / len(paths),
        "ratio": median(command["wall_s"] / low.wall_s for command, low in zip(commands, floors, strict=True)),
        "peak_mib": max(command["peak_mib"] for command in commands),
        "stages_ms": {name: 1000 * seconds / len(paths) for name, seconds in (middle["stages"] or {}).items()},
    }


def machine() -> str:
    """Describe the machine and the versions that matter."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    packages = ", ".join(f"{name} {version(name)}" for name in ("mediaan", "onnxruntime-gpu", "opencv-python-headless"))
    memory = psutil.virtual_memory().total / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB; Python {platform.python_version()}, {packages}"


def image_rows(label: str, measured: dict[str, Any], aim: str) -> list[Row]:
    """Format what a command on images costs, and its stages."""
    stages = ", ".join(f"{name} {ms:.0f}" for name, ms in measured["stages_ms"].items() if ms >= 1)
    return [
        (
            f"{measured['images']} images, {label}",
            f"**{measured['ms']:.0f} ms** an image"
            + (f", {measured['ratio']:.1f} x the minimum of {measured['minimum_ms']:.0f} ms" if "x" in aim else "")
            + f"; peak {measured['peak_mib']:,.0f} MiB",
            aim,
        ),
        ("of it, a worker's time by stage", f"{stages} ms", ""),
    ]


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure everything; what has been done is said on standard error, for a bench that is cut off."""
    count, repeats = (24, 1) if options.quick else (options.images, options.repeats)
    measured: dict[str, Any] = {"machine": machine(), "images": {}, "videos": [], "growth": []}

    def say(text: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr)

    say("images (made the first time only)")
    originals = pictures(count)
    for label, (flags, _) in SETTINGS.items():
        shown = originals
        if label.startswith("as it comes") and options.ads:
            files = sorted(path for path in options.ads.iterdir() if path.is_file())
            shown = files[:: max(1, len(files) // count)][:count]
        measured["images"][label] = alternate(shown, flags, repeats, options.workers)
        say(f"{label}: {measured['images'][label]['ms']:.0f} ms an image")
    measured["network_ms"] = looks.image_ms(NETWORK_THREADS)
    measured["aois"] = aois.rows(min(count, 10 if options.quick else 40))
    if options.quick:
        measured["videos"] = [videos.row("h264", 30, 1)]
        return measured
    for codec in videos.CODECS:
        measured["videos"].append(videos.row(codec, 120, repeats))
        say(f"{codec}: {measured['videos'][-1].ratio:.2f} x decoding")
    measured["growth"] = growth.pictures(growth.SIZES, "centre-prior", 2)
    return measured


def table(measured: dict[str, Any]) -> list[Row]:
    """Turn measurements into the rows of the table: what, figure, aim."""
    rows: list[Row] = []
    for label, (_, most) in SETTINGS.items():
        aim = f"≤ {most:g} x" if most else f"≤ {AIM_DEFAULT_MS:.0f} ms"
        rows += image_rows(label, measured["images"][label], aim)
    network = f"attention network alone, {NETWORK_THREADS} threads"
    rows.append((network, f"{measured['network_ms']:.0f} ms", f"≤ {AIM_NETWORK_MS:.0f} ms"))
    for level, timed in measured["aois"].items():
        if not timed["reason"]:
            aim = f"≤ {aois.MOST_MS:.0f} ms" if level == "all" else ""
            figure = f"{timed['ms']:.0f} ms of CPU an image, {timed['areas']:.1f} areas"
            rows.append((f"areas alone, `--aois {level}`", figure, aim))
    for row in measured["videos"]:
        speed, fast, decode = (row.seconds / cost.wall_s for cost in (row.analysis, row.fast, row.decode))
        figure = (
            f"**{speed:.1f} x** real time ({fast:.0f} x with `--fast`, decoding alone {decode:.1f} x); "
            f"{row.ratio:.2f} x the CPU time of decoding"
        )
        rows.append(
            (f"{row.seconds} s of {row.codec}, 1080p30, without areas", figure, f"≤ {AIM_VIDEO[row.codec]:g} x")
        )
    if measured["growth"]:
        first, *_, last = measured["growth"]
        slower = last["wall_s"] / last["media"] / (first["wall_s"] / first["media"])
        larger = last["peak_mib"] / first["peak_mib"]
        rows.append(
            (
                f"{last['media']:,} small images instead of {first['media']:,}, without a network",
                f"{slower:.2f} x the time an image, {larger:.2f} x the memory",
                f"≤ {AIM_TIME:g} x, ≤ {AIM_MEMORY:g} x",
            )
        )
    return rows


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="24 images once, one short video, no growth")
    parser.add_argument("--images", type=int, default=200, metavar="N", help="of 2 to 12 MP, made from the sample ads")
    parser.add_argument("--ads", type=Path, metavar="FOLDER", help="real ads for the command as it comes")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="command and minimum, in turn")
    parser.add_argument("--workers", type=int, metavar="N", help="as of mediaan analyze; its default if not given")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args()
    if min(options.images, options.repeats) < 1:
        parser.error("--images and --repeats must be at least 1")
    measured = measure(options)
    if options.json:
        plain: Callable[[Any], Any] = vars
        print(json.dumps(measured, default=plain))
        return
    print(f"{measured['machine']}\n\n| what | measured | target |\n|---|---|---|")
    print("\n".join(f"| {' | '.join(row)} |" for row in table(measured)))


if __name__ == "__main__":
    main()
