"""A GPU whose memory is full, one that fails in mid-run, and one that is only pretended.

`python models/training/gpu/faults.py DEVICE AFTER analyze ...` is the command `mediaan` on a GPU that fails after so
many runs of networks; 0: never. DEVICE cpu puts CPU sessions in the place of the GPU's.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import onnxruntime as ort

import mediaan as mn
from mediaan.errors import SetupError
from mediaan.saliency import load_predictor
from mediaan.saliency.onnx import session as sessions
from mediaan.saliency.onnx.gpu import GpuSession, cuda_runtime, free_gpu_bytes

FULL = "Failed to allocate memory for requested buffer of size 939524096"
BROKEN = "CUDA failure 719: unspecified launch failure ; GPU=0"
LOST_AFTER = 8
"""Runs of networks until the GPU fails: in one of the middle ones of five ads."""

SAME = 1e-3  # of the peak of a density
LEFT_BYTES = 200 << 20  # of the GPU's memory: a few frames need 45 MB each
FAULT = b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry fault() { trap; }\n\0"


@contextmanager
def pretended_gpu() -> Iterator[None]:
    """Put CPU sessions that compute each node by itself in the place of a GPU's."""

    def open_plain(weights: bytes) -> Any:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        return ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])

    with patch.multiple(sessions, cuda_is_possible=lambda: True, _open_cuda=open_plain, _had_cuda=False):
        yield


def mediaan(device: str, *arguments: object, lost_after: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, in which the GPU fails after so many runs of networks."""
    command = [sys.executable, __file__, device, lost_after, *arguments]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)


def failing_gpu(device: str, after: int) -> AbstractContextManager[Any]:
    """Let the GPU fail after so many runs: really, by a kernel that faults, where there is one."""
    run, runs = GpuSession._run_bound, count(1)

    def run_and_fail(*given: Any) -> Any:
        number = next(runs)
        if number == after and device == "cuda":
            _cause_fault()
        if number >= after and device == "cpu":
            raise RuntimeError(BROKEN)
        return run(*given)

    return patch.object(GpuSession, "_run_bound", run_and_fail) if after else nullcontext()


def _cause_fault() -> None:
    """Run a kernel that traps: from then on, every call of this process to CUDA fails."""
    driver, module, kernel = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p()
    cuda_runtime().cudaFree(None)  # makes its context that of this thread
    status = driver.cuModuleLoadData(ctypes.byref(module), FAULT)
    status = status or driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"fault")
    status = status or driver.cuLaunchKernel(kernel, *[1] * 6, 0, None, None, None)
    if status:
        raise SystemExit(f"the kernel that faults could not be run: status {status} of CUDA's driver")
    driver.cuCtxSynchronize()


def lost(device: str, ads: Path, out: Path) -> dict[str, Any]:
    """Analyze five ads on a GPU that fails in mid-run, then go on with the same command on one that works."""
    paths = sorted(ads.iterdir())[:5]
    lean = ("--maps", "none", "--aois", "none", "--advice", "none")
    command = ("analyze", *paths, "--out", out, "--device", "cuda", "--executor", "serial", *lean, "--quiet")
    failed = mediaan(device, *command, lost_after=LOST_AFTER)
    done = sum(path.is_file() for path in (out / "parts").rglob("*.json.gz"))
    again = mediaan(device, *command)
    rows = mn.read_run(out).media
    clear = failed.returncode == 1 and "the GPU failed" in failed.stderr and "Traceback" not in failed.stderr
    complete = again.returncode == 0 and len(rows) == (rows.status == "done").sum() == len(paths)
    return {
        "ok": clear and 0 < done < len(paths) and complete, "exit code": failed.returncode,
        "message": failed.stderr[-1000:], "files done": done, "files done by the same command again": len(rows),
        "its exit code": again.returncode,
    }  # fmt: skip


def full(device: str) -> dict[str, Any]:
    """Fill the GPU's memory; then ask for a batch that cannot fit, and for single frames by many threads at once."""
    with pretended_gpu() if device == "cpu" else nullcontext():
        predictor = load_predictor(device="cuda")
        frames = np.random.default_rng(0).integers(0, 256, (64, 384, 512, 3)).astype(np.uint8)
        expected = predictor.predict(frames[:1])[0]["total"]
        run, start = GpuSession._run_bound, threading.Barrier(16)

        def run_small(session: GpuSession, outputs: Any, x: Any, *rest: Any) -> Any:
            if device == "cpu" and len(x) > 2:
                raise RuntimeError(FULL)
            return run(session, outputs, x, *rest)

        def ask(_: int) -> Any:
            start.wait()
            return predictor.predict(frames[:1])[0]["total"]

        held, code, message = fill_memory() if device == "cuda" else [], "", "a batch of 64 was computed all the same"
        with patch.object(GpuSession, "_run_bound", run_small), ThreadPoolExecutor(16) as pool:
            try:
                predictor.predict(frames)
            except SetupError as error:
                code, message = error.code, error.message
            answers = list(pool.map(ask, range(16)))
        for block in held:
            cuda_runtime().cudaFree(block)
        answers += [predictor.predict(frames[:8])[0]["total"]]
    worst = max(float(np.abs(density - expected).max() / expected.max()) for density in answers)
    sizes = getattr(predictor, "batch_sizes", {})
    return {"ok": code == "gpu_memory" and worst <= SAME, "code": code, "message": message, "batches": sizes,
            "largest difference of what 16 threads got, and of the next batch": worst}  # fmt: skip


def fill_memory() -> list[ctypes.c_void_p]:
    """Take all of the GPU's memory but `LEFT_BYTES`, in blocks that cudaFree gives back."""
    runtime, held = cuda_runtime(), []
    size = (free_gpu_bytes(runtime) or 0) - LEFT_BYTES
    while size > 1 << 20:
        block = ctypes.c_void_p()
        if runtime.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(size)):
            runtime.cudaGetLastError()  # forgets it, so that the next to ask does not take it for its own
            size //= 2
        else:
            held.append(block)
            size = (free_gpu_bytes(runtime) or 0) - LEFT_BYTES
    return held


def main() -> None:
    from mediaan.cli.main import main as command_line

    device, after, *arguments = sys.argv[1:]
    sys.argv = ["mediaan", *arguments]
    with pretended_gpu() if device == "cpu" else nullcontext(), failing_gpu(device, int(after)):
        command_line()


if __name__ == "__main__":
    main()
