"""Open and run ONNX Runtime sessions on the device that was asked for."""

from __future__ import annotations

import ctypes
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

from mediaan.errors import AnalysisError, MediaanError, SetupError, UsageError
from mediaan.saliency.onnx.gpu import PROVIDER_OPTIONS, GpuSession, gpu_fault
from mediaan.types.arrays import Float32

Session: TypeAlias = Any  # onnxruntime ships no types
Providers: TypeAlias = "list[str | tuple[str, dict[str, str]]]"
_FATAL_ONLY = 4
_had_cuda = False


def open_session(
    weights: bytes,
    *,
    device: str = "auto",
    threads: int = 0,
    prepare_for_gpu: Callable[[bytes], bytes] = lambda weights: weights,
) -> tuple[Session, str]:
    """Open a model.

    `weights`: the ONNX file.
    `device`: ``cuda`` is an error where it cannot be had; ``auto`` takes it where it can, and then for all sessions of
        this process.
    `threads`: threads per prediction on the CPU; 0 leaves it to the runtime.
    `prepare_for_gpu`: changes the file before it is opened on a GPU.
    Returns session, device: the device is where it really runs: the runtime lists CUDA as available on machines without
        a GPU, so only what an opened session reports is believed. On a GPU it is a `GpuSession`, on the CPU the
        runtime's own.
    Raises SetupError: a device that cannot be had, or no longer; a file that is no model; a GPU whose memory is full.
    """
    global _had_cuda
    check_device(device)
    if device != "cpu" and cuda_is_possible():
        session = _open_cuda(prepare_for_gpu(weights))
        if session is not None:
            _had_cuda = True
            return GpuSession(session), "cuda"
    if device == "cuda":
        raise SetupError(
            "device cuda was asked for, but ONNX Runtime cannot use it here: it needs an NVIDIA GPU, its driver, and "
            "the CUDA libraries (pip install 'mediaan[gpu]'); `mediaan doctor` shows what was found",
            code="no_cuda",
        )
    if device == "auto" and _had_cuda:
        raise SetupError(
            "one model runs on the GPU and the next cannot be opened there: give that GPU fewer processes (--workers), "
            "or say --device cpu",
            code="no_cuda",
        )
    return _open(weights, ["CPUExecutionProvider"], threads), "cpu"


def batch_sizes(session: Session) -> Counter[int]:
    """Count the batches that a session has put together by their number of frames; none on a CPU."""
    return session.batch_sizes if isinstance(session, GpuSession) else Counter()


@dataclass(frozen=True, slots=True)
class InputSignature:
    """The input of a model: dtype as numpy names it, and sizes by axis; a name or None stands for any size."""

    dtype: str
    shape: tuple[int | str | None, ...]


def input_signature(session: Session) -> InputSignature:
    """Return dtype and shape of the first input of a session."""
    first = session.get_inputs()[0]
    dtype: str = first.type.removeprefix("tensor(").removesuffix(")")
    return InputSignature({"float": "float32", "double": "float64"}.get(dtype, dtype), tuple(first.shape))


def run_session(session: Session, x: npt.NDArray[np.generic], name: str) -> Float32:
    """Return the first output of a model for its first input, float32.

    Raises AnalysisError: the runtime cannot compute it.
    """
    (first,) = run_outputs(session, x, name, (session.get_outputs()[0].name,))
    return np.asarray(first, dtype=np.float32)


def run_outputs(
    session: Session,
    x: npt.NDArray[np.generic],
    name: str,
    outputs: tuple[str, ...],
    extra_inputs: Mapping[str, npt.NDArray[np.generic]] | None = None,
) -> list[npt.NDArray[np.generic]]:
    """Return several outputs of a model for its first input, each in its own number type.

    `x` (array): for the first input.
    `name`: of the model, for messages.
    `extra_inputs` (mapping of str to array): for the other inputs, by name. What is computed in one batch on a GPU has
        the same of these.
    Raises AnalysisError: the runtime cannot compute it.
    Raises SetupError: the GPU is out of memory, or does not answer.
    """
    try:
        feed = {session.get_inputs()[0].name: x, **(extra_inputs or {})}
        arrays: list[npt.NDArray[np.generic]] = session.run(list(outputs), feed)
    except MediaanError:
        raise
    except Exception as error:  # onnxruntime's classes have no base of their own
        message = f"model {name} failed on an input of shape {x.shape}: {error}"
        raise AnalysisError(message, code="model_failed") from error
    return arrays


def check_device(device: str) -> None:
    """Refuse a device that is none of auto, cpu and cuda."""
    if device not in ("auto", "cpu", "cuda"):
        raise UsageError(f"device {device!r} is not known: use auto, cpu or cuda", code="bad_device")


def cuda_is_possible() -> bool:
    """Return True if this build knows CUDA and a driver is there; without one the runtime would print errors."""
    if "CUDAExecutionProvider" not in ort.get_available_providers():
        return False
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def _open_cuda(weights: bytes) -> Session | None:
    if hasattr(ort, "preload_dlls"):
        ort.set_default_logger_severity(_FATAL_ONLY)
        ort.preload_dlls(directory="")
    session = _open(weights, [("CUDAExecutionProvider", PROVIDER_OPTIONS), "CPUExecutionProvider"], 0)
    return session if "CUDAExecutionProvider" in session.get_providers() else None


def _open(weights: bytes, providers: Providers, threads: int) -> Session:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = _FATAL_ONLY
    # waiting threads that spin take the cores from decoding and from other processes
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        # without this a GPU that fails later is exchanged for the CPU in mid-run
        return ort.InferenceSession(weights, options, providers=providers, enable_fallback=0)
    except Exception as error:  # onnxruntime raises many unrelated classes, nearly all for a file that it cannot run
        if fault := gpu_fault(error):
            raise fault from error
        raise SetupError(f"ONNX Runtime cannot open the model: {error}", code="model_corrupt") from error
