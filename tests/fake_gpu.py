"""A GPU that is none: CPU sessions that say they are on CUDA, and all that can go wrong with real ones."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

from mediaan.saliency.onnx import session as sessions
from mediaan.saliency.onnx.gpu import GpuSession, PinnedBuffer

FULL = (
    "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned while running Conv node. Name:'c1' "
    "Status Message: bfc_arena.cc:376 void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) "
    "Failed to allocate memory for requested buffer of size 939524096"
)
BROKEN = (
    "[ONNXRuntimeError] : 1 : FAIL : CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; hostname=x"
)


def cpu_session(weights: bytes | str) -> Any:
    """The runtime's own, with one thread."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


def pretend_cuda(monkeypatch: pytest.MonkeyPatch, *, latency_s: float = 0.0) -> list[GpuSession]:
    """Let every session that is opened run on the CPU as if that were a GPU, so much slower for every batch.

    They are listed as they are opened.
    """
    opened: list[GpuSession] = []

    def open_cuda(weights: bytes) -> Any:
        return cpu_session(weights)

    class Listed(GpuSession):
        def __init__(self, session: Any) -> None:
            super().__init__(session, buffer=PinnedBuffer(None))
            opened.append(self)

        def _run_bound(self, outputs: Sequence[str], x: Any, shared: Sequence[Any] = ()) -> Any:
            time.sleep(latency_s)
            return super()._run_bound(outputs, x, shared)

    monkeypatch.setattr(sessions, "cuda_is_possible", lambda: True)
    monkeypatch.setattr(sessions, "_open_cuda", open_cuda)
    monkeypatch.setattr(sessions, "GpuSession", Listed)
    monkeypatch.setattr(sessions, "_had_cuda", False)
    return opened


class RecordingSession:
    """Adds one to its input, as a session on a GPU would be asked to, and writes down what it was asked."""

    def __init__(
        self, *, fits: int = 1000, fault: str = FULL, first: object = "n", outputs: tuple[str, ...] = ("sum", "rows")
    ) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.fits, self.fault = fits, fault
        self._first, self._outputs = first, outputs

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name="x", shape=[self._first, "h", "w", 3], type="tensor(uint8)")]

    def get_outputs(self) -> list[Any]:
        return [SimpleNamespace(name=name, shape=["n"]) for name in self._outputs]

    def io_binding(self) -> Binding:
        return Binding(self)

    def run_with_iobinding(self, binding: Binding) -> None:
        self.calls.append(("run", binding.x.shape, binding.x.ctypes.data, tuple(binding.names)))
        if len(binding.x) > self.fits:
            raise RuntimeError(self.fault)
        binding.found = [binding.x.astype(np.float32) + k + 1 for k in range(len(binding.names))]


class Binding:
    """Where a session reads and writes."""

    def __init__(self, session: RecordingSession) -> None:
        self._session = session
        self.names: list[str] = []
        self.x = np.empty(0)
        self.found: list[Any] = []

    def bind_cpu_input(self, name: str, x: Any) -> None:
        assert name == "x"
        self.x = x

    def bind_output(self, name: str) -> None:
        self.names.append(name)

    def copy_outputs_to_cpu(self) -> list[Any]:
        return self.found


class FakeRuntime:
    """The CUDA runtime as far as it is used: memory that can be counted, and refused."""

    def __init__(self, *, most_bytes: int = 1 << 30, free_bytes: int | None = None) -> None:
        self.held: dict[int, Any] = {}
        self.freed: list[int] = []
        self.errors_cleared = 0
        self._most_bytes, self._free_bytes = most_bytes, free_bytes

    def cudaHostAlloc(self, pointer: Any, size: Any, flags: Any) -> int:  # noqa: N802
        if size.value > self._most_bytes:
            return 2
        block = ctypes.create_string_buffer(size.value)
        address = ctypes.addressof(block)
        self.held[address] = block
        pointer._obj.value = address
        return 0

    def cudaFreeHost(self, pointer: Any) -> int:  # noqa: N802
        del self.held[pointer.value]
        self.freed.append(pointer.value)
        return 0

    def cudaGetLastError(self) -> int:  # noqa: N802
        self.errors_cleared += 1
        return 2

    def cudaMemGetInfo(self, free: Any, total: Any) -> int:  # noqa: N802
        if self._free_bytes is None:
            return 100
        free._obj.value, total._obj.value = self._free_bytes, 1 << 40
        return 0


class FakeOrt:
    """The module onnxruntime on a machine whose CUDA is not what it says."""

    def __init__(self, *, gives: Sequence[Sequence[str] | Exception]) -> None:
        self.asked: list[tuple[Any, dict[str, Any]]] = []
        self._gives = list(gives)

    def get_available_providers(self) -> list[str]:
        return ["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"]

    SessionOptions = ort.SessionOptions

    def InferenceSession(self, weights: bytes, options: Any, *, providers: Any, **other: Any) -> Any:  # noqa: N802
        self.asked.append((providers, other))
        given = self._gives.pop(0) if len(self._gives) > 1 else self._gives[0]
        if isinstance(given, Exception):
            raise given
        if providers == ["CPUExecutionProvider"]:
            given = providers
        session = RecordingSession()
        session.get_providers = lambda: list(given)  # type: ignore[attr-defined]
        return session
