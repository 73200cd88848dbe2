"""Speed of the networks on a GPU, and of attention alone through `mediaan.predict_densities`.

``python -m bench.gpu --device cuda`` measures and prints a table; ``python -m bench.gpu REPORT.json`` prints the table
of a report of models/training/gpu/cuda_checks.py, which measures the same beside checks. Networks take frames of one
shape in batches: with the arrays of NumPy, and through page-locked memory and IO binding as `GpuSession` does. For
attention alone, pictures of 2-12 MP in seven aspects are read over and over; what is done in the first third of that
time, while processes start and models load, does not count.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from bench.pictures import pictures
from mediaan.analysis import load_models
from mediaan.analysis.tasks import DensityTask
from mediaan.execution import Crashed
from mediaan.saliency.onnx.gpu import GpuSession, PinnedBuffer
from mediaan.saliency.onnx.registry import find_attention_card, find_detector_card, text_card
from mediaan.saliency.onnx.session import open_session
from mediaan.saliency.onnx.weights import extract_subgraph, read_weights
from mediaan.types.result import Failed
from mediaan.workflow.attention import density_layout
from mediaan.workflow.options import ProcessLayout

TARGET = 300.0
"""Pictures a second on one GPU."""

BATCHES = (1, 8, 32)


@dataclass(frozen=True, slots=True)
class Network:
    """A network that ships, and the inputs of a batch: noise of the shape in which it sees a usual picture."""

    weights: bytes
    frames: tuple[str, tuple[int, ...], type]
    others: Mapping[str, Any]

    def feed(self, batch: int) -> dict[str, Any]:
        """Return inputs for so many frames, the frames first."""
        name, shape, dtype = self.frames
        values = np.random.default_rng(0).uniform(0, 255 if dtype is np.uint8 else 1, (batch, *shape))
        return {name: values.astype(dtype), **self.others}


def shipped_networks() -> dict[str, Network]:
    """Return the networks as mediaan opens them; `first_look` is the part of attention for the frames of videos."""
    card, objects = find_attention_card("attention"), find_detector_card("objects")
    weights = read_weights(card)
    first_look = extract_subgraph(weights, card.video_output, card.domain_output, *card.features)
    domains = {card.domain_input: np.ones((1, len(card.domains)), np.float32)}
    return {
        "attention": Network(weights, ("rgb", (384, 512, 3), np.uint8), domains),
        "first_look": Network(first_look, ("rgb", (288, 384, 3), np.uint8), domains),
        "objects": Network(read_weights(objects), ("rgb", (384, 512, 3), np.uint8), {}),
        "text_detection": Network(read_weights(text_card("text_detection")), ("x", (3, 640, 960), np.float32), {}),
        "text_recognition": Network(read_weights(text_card("text_recognition")), ("x", (3, 48, 320), np.float32), {}),
    }


def measure_networks(device: str, batches: Sequence[int], seconds: float) -> list[dict[str, Any]]:
    """Return pictures, frames or lines a second of each network and batch, and the memory of the GPU by then, MiB."""
    rows, before = [], gpu_mib()
    for name, network in shipped_networks().items():
        session, _ = open_session(network.weights, device=device)
        bound = session if isinstance(session, GpuSession) else GpuSession(session, buffer=PinnedBuffer(None))
        plain = session._session if isinstance(session, GpuSession) else session
        outputs = [output.name for output in plain.get_outputs()]
        for batch in batches:
            feed = network.feed(batch)
            rows.append(
                {
                    "network": name,
                    "batch": batch,
                    "plain_per_s": batch * _calls_per_s(partial(plain.run, outputs, feed), seconds),
                    "bound_per_s": batch * _calls_per_s(partial(bound.run, outputs, feed), seconds),
                    "gpu_mib": None if before is None else (gpu_mib() or 0) - before,
                }
            )
        del session, bound, plain
        gc.collect()  # the next network starts with the GPU's memory empty
    return rows


def _calls_per_s(call: Callable[[], object], seconds: float) -> float:
    call()  # chooses how to convolve this shape
    calls, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds or not calls:
        call()
        calls += 1
    return calls / (time.perf_counter() - began)


def gpu_mib() -> int | None:
    """Return the memory of the first GPU that is in use, MiB; None without NVIDIA's driver."""
    command = ["nvidia-smi", "--id=0", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    try:
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    except (OSError, subprocess.CalledProcessError):
        return None


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


def measure_folder(device: str, count: int, workers: int | None, seconds: float) -> dict[str, Any]:
    """Measure attention alone on so many pictures, with the processes that mediaan would take."""
    paths, task = pictures(count), DensityTask(device=device)
    device, layout = density_layout(task, workers)
    return {"device": device, "processes": layout.processes or 1, "depth": layout.depth} | _measure(
        task, layout, paths, seconds
    )


def _measure(task: DensityTask, layout: ProcessLayout, paths: list[Path], seconds: float) -> dict[str, Any]:
    """Read pictures over and over for some seconds, or until two were done after the first third of that time."""
    began, ended = time.perf_counter(), list[float]()

    def line() -> Iterator[Path]:
        for path in cycle(paths):
            if time.perf_counter() - began > seconds and len(ended) >= 2:
                return
            yield path

    stages, batches = Counter[str](), dict[int, Mapping[int, int]]()
    for reply in layout.run(Measured(replace(task, threads=layout.threads)), line()):
        if isinstance(reply.value, Crashed):
            raise SystemExit(f"{reply.item}: {reply.value.message}")
        now = time.perf_counter() - began
        batches[reply.value.process] = reply.value.batch_sizes
        if seconds / 3 <= now and (now <= seconds or len(ended) < 2):
            ended.append(now)
            stages.update(reply.value.seconds)
    sizes = sum((Counter(of_one) for of_one in batches.values()), Counter[int]())
    return {
        "pictures_per_s": (len(ended) - 1) / (ended[-1] - ended[0]),
        "counted": len(ended),
        "stages_ms": {name: 1000 * total / len(ended) for name, total in stages.items()},
        "batches": dict(sorted(sizes.items())),
    }


def table(speed: Mapping[str, Any]) -> str:
    """Format the measurements as the Markdown of docs/speed.md."""
    lines = ["| network | batch | per second | with IO binding | GPU memory, MiB |", "|---|---|---|---|---|"]
    for row in speed["networks"]:
        memory = "" if row["gpu_mib"] is None else f"{row['gpu_mib']:,}"
        lines.append(
            f"| {row['network']} | {row['batch']} | {row['plain_per_s']:.0f} | {row['bound_per_s']:.0f} | {memory} |"
        )
    folder = speed["folder"]
    stages = ", ".join(f"{name} {ms:.0f}" for name, ms in folder["stages_ms"].items())
    batches = ", ".join(f"{count} of {size}" for size, count in folder["batches"].items()) or "none on a CPU"
    lines += [
        "",
        f"Attention alone, from files of 2-12 MP on {folder['device']}: **{folder['pictures_per_s']:.0f}** pictures a "
        f"second (target on a GPU ≥ {TARGET:.0f}), {folder['processes']} process(es) with {folder['depth']} at a time; "
        f"ms for each: {stages}; batches: {batches}.",
    ]
    return "\n".join(lines)


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__)
    parser.add_argument(
        "report", type=Path, nargs="?", help="of models/training/gpu/cuda_checks.py: print its table instead"
    )
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--pictures", type=int, default=200, metavar="N", help="different ones, read in turns")
    parser.add_argument("--seconds", type=float, default=30.0, metavar="S", help="for pictures; a tenth for a network")
    parser.add_argument("--workers", type=int, metavar="N", help="as of mediaan analyze; its default if not given")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    options = parser.parse_args()
    if options.pictures < 1 or options.seconds <= 0 or (options.workers or 1) < 1:
        parser.error("--pictures and --workers must be at least 1, --seconds above 0")
    if options.report is not None:
        speed = json.loads(options.report.read_text(encoding="utf-8"))["speed"]
    else:
        print("making the pictures (the first time only) ...", file=sys.stderr)
        speed = {
            "folder": measure_folder(options.device, options.pictures, options.workers, options.seconds),
            "networks": measure_networks(options.device, BATCHES, options.seconds / 10),
        }
    print(json.dumps(speed) if options.json else table(speed))


if __name__ == "__main__":
    main()
