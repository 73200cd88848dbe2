"""Check the models that ship, and mediaan itself, on an NVIDIA GPU: `python cuda_checks.py --out FOLDER`.

Writes FOLDER/report.json and FOLDER/report.md, again after each part, and ends with 1 where a check failed: whether the
numbers are those of the CPU (`agreement.py`), how many nodes run on the GPU, what `mediaan doctor` says, whether a run
over the sample ads is the same, what happens when the GPU's memory is full and when the GPU fails (`faults.py`), and
how fast it is (bench/gpu.py; `python -m bench.gpu FOLDER/report.json` prints that table). Needs the root of the
checkout on PYTHONPATH.

`--device cpu` does all of it without a GPU: in its place are CPU sessions that compute each node by itself, as CUDA
does, and so the networks in int8 with float32 sums.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from agreement import differences, judge, lines_of, outputs
from faults import full, lost, mediaan, pretended_gpu
from PIL import Image

import mediaan as mn
from bench import gpu as speed
from mediaan.saliency.onnx.gpu import PROVIDER_OPTIONS

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "tests" / "sample_ads"
sys.path.append(str(ROOT / "tests" / "golden"))
import golden_run  # noqa: E402

Report = dict[str, Any]


def machine() -> Report:
    """Describe the GPU and what it is used with."""
    query = ["nvidia-smi", "--id=0", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    try:
        gpu = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        gpu = "none"
    cores = len(os.sched_getaffinity(0))
    return {"gpu": gpu, "cores": cores, "python": platform.python_version(), "onnxruntime": ort.__version__}


def doctor(device: str) -> Report:
    """Return what `mediaan doctor` finds; on a GPU it must find it."""
    told = subprocess.run([sys.executable, "-m", "mediaan", "doctor", "--json"], capture_output=True, text=True)
    report: Report = json.loads(told.stdout) if told.stdout else {"stderr": told.stderr}
    return report | {"ok": device == "cpu" or report.get("devices", {}).get("cuda") == "ok"}


def numbers(device: str, quick: bool) -> Report:
    """Compare what each model says of the sample ads with what it says on the CPU."""
    paths = sorted((SAMPLES / "ads").iterdir())[: 2 if quick else None]
    pictures = [np.asarray(Image.open(path).convert("RGB")) for path in paths]
    lines = lines_of(pictures)
    reference = outputs("cpu", pictures, lines)
    with pretended_gpu() if device == "cpu" else nullcontext():
        rows = judge(differences(reference, outputs("cuda", pictures, lines)))
    return {"rows": rows, "ok": all(row["ok"] for row in rows)}


def nodes(device: str, folder: Path) -> Report:
    """Return where the nodes of each network run, as profiled in its second run, and who needs how much of the time."""
    rows = []
    for name, network in speed.shipped_networks().items():
        options = ort.SessionOptions()
        options.enable_profiling, options.profile_file_prefix = True, str(folder / name)
        gpu = [("CUDAExecutionProvider", PROVIDER_OPTIONS)] if device == "cuda" else []
        session = ort.InferenceSession(network.weights, options, providers=[*gpu, "CPUExecutionProvider"])
        for _ in range(2):
            session.run(None, network.feed(1))
        profile = json.loads(Path(session.end_profiling()).read_text())
        events = [event for event in profile if event["name"].endswith("_kernel_time")]
        count, took, on_cpu = Counter[str](), Counter[str](), Counter[str]()
        for event in events[len(events) // 2 :]:
            provider = event["args"]["provider"].removesuffix("ExecutionProvider")
            count[provider] += 1
            took[provider] += event["dur"]
            on_cpu.update([event["args"]["op_name"]] if provider == "CPU" else [])
        copies = sum("Memcpy" in event["args"]["op_name"] for event in events[len(events) // 2 :])
        time_shares = {provider: took[provider] / max(took.total(), 1) for provider in took}
        rows.append(
            {"network": name, "nodes": count, "share of time": time_shares, "copies": copies, "on the CPU": on_cpu}
        )
    return {"rows": rows, "ok": device == "cpu" or all(row["nodes"]["CUDA"] for row in rows)}


def analyze(device: str, folder: Path, quick: bool) -> Report:
    """Compare the tables of a run over the sample ads on the GPU with those of one on the CPU."""
    paths = sorted((SAMPLES / "ads").iterdir())[:1] if quick else [SAMPLES / "ads", SAMPLES / "videos"]
    runs, seconds = {}, {}
    for at in ("cpu", "cuda"):
        options = ["--device", at, "--maps", "none", "--advice", "none", "--quiet"]
        options += ["--executor", "serial"] if device == "cpu" else []  # other processes do not pretend
        began = time.perf_counter()
        done = mediaan(device, "analyze", *paths, "--out", folder / at, *options)
        seconds[at] = time.perf_counter() - began
        if done.returncode:
            return {"ok": False, "told": f"--device {at} ended with {done.returncode}: {done.stderr[-2000:]}"}
        runs[at] = mn.read_run(folder / at)
    old, new = (golden_run.numbers_of(golden_run.golden_of(run)) for run in runs.values())
    moved = golden_run.shifts(old, new)
    deviations = golden_run.deviations(moved, golden_run.CUDA)
    used = runs["cuda"].facts["device"]
    return {
        "ok": not deviations and used == "cuda", "device": used, "seconds": seconds, "media": len(runs["cuda"].media),
        "scores": len(moved.scores), "areas": moved.areas.n_new, "deviations": deviations[:20],
        "largest shift of a score": (moved.scores.value_new - moved.scores.value_old).abs().max(),
        "largest shift of a cell, 1/10000": moved.cells,
    }  # fmt: skip


def measure_speed(device: str, seconds: float, quick: bool) -> Report:
    """Measure as `python -m bench.gpu` does."""
    networks = speed.measure_networks(device, (1, 8) if quick else speed.BATCHES, seconds / 10)
    return {"networks": networks, "folder": speed.measure_folder(device, 6 if quick else 24, None, seconds), "ok": True}


def attempt(part: Callable[[], Report]) -> Report:
    """Carry out a part; what it raises is its result, so that the others are measured all the same."""
    began = time.perf_counter()
    try:
        outcome = part()
    except (Exception, SystemExit):
        outcome = {"ok": False, "error": traceback.format_exc()}
    return outcome | {"took_s": time.perf_counter() - began}


def as_markdown(report: Report) -> str:
    """Format a report: a table where there is one, and the rest as it is."""
    lines = []
    for name, part in report.items():
        lines += [f"## {name}: {'as it should be' if part['ok'] else 'FAILED'} ({part['took_s']:.0f} s)", ""]
        if name == "speed" and "networks" in part:
            lines += [speed.table(part), ""]
            continue
        rows = part.get("rows", [])
        if rows:
            lines += ["| " + " | ".join(rows[0]) + " |", "|---" * len(rows[0]) + "|"]
            lines += ["| " + " | ".join(map(_cell, row.values())) + " |" for row in rows]
        lines += [f"- {key}: {_cell(value)}" for key, value in part.items() if key not in ("rows", "ok", "took_s")]
        lines.append("")
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_cell(each)}" for key, each in value.items())
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--seconds", type=float, default=20.0, metavar="S", help="for files; a tenth for each network")
    parser.add_argument("--quick", action="store_true", help="two ads, and no batches of 32")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    device, quick, report = options.device, options.quick, Report()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        parts: dict[str, Callable[[], Report]] = {
            "machine": lambda: machine() | {"ok": True},
            "doctor": partial(doctor, device),
            "numbers": partial(numbers, device, quick),
            "nodes": partial(nodes, device, folder),
            "speed": partial(measure_speed, device, options.seconds, quick),
            "analyze": partial(analyze, device, folder, quick),
            "memory": partial(full, device),
            "fault": partial(lost, device, SAMPLES / "ads", folder / "lost"),
        }
        for name, part in parts.items():
            report[name] = attempt(part)
            print(f"{name}: {'ok' if report[name]['ok'] else 'FAILED'}, {report[name]['took_s']:.0f} s", flush=True)
            (options.out / "report.json").write_text(json.dumps(report, indent=1, default=float), encoding="utf-8")
            (options.out / "report.md").write_text(as_markdown(report), encoding="utf-8")
    return 0 if all(part["ok"] for part in report.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
