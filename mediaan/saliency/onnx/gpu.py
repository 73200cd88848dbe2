"""Run an ONNX Runtime session on a GPU from many threads: what they ask at the same time goes there as one batch."""

from __future__ import annotations

import ctypes
import re
import sys
import threading
import weakref
from collections import Counter, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError
from mediaan.types.arrays import UInt8

Input = TypeVar("Input")
Output = TypeVar("Output")


class Batcher(Generic[Input, Output]):
    """Compute for many threads at once.

    `compute`: takes a key and the values of requests with it, and returns an output for each, in that order. Never
        called by two threads at the same time.
    `max_weight`: of a batch; a single request may weigh more.
    `weight`: of the value of a request; 1 if not stated.
    `sizes`: number of batches by weight.

    Notes
    -----
    There is no thread of its own and no clock. A thread that finds nobody computing does so itself, at once; those that
    come meanwhile wait, and when it is done the one that waits longest goes on with all that have its key. So nobody
    ever waits for company, and batches grow just when computing is what holds up the others. Each thread has at most
    one request here, which bounds the memory.

    >>> squares = Batcher(lambda key, numbers: [n * n for n in numbers], max_weight=16)
    >>> squares("numbers", 7)
    49
    """

    def __init__(
        self,
        compute: Callable[[Hashable, Sequence[Input]], Sequence[Output]],
        *,
        max_weight: int,
        weight: Callable[[Input], int] = lambda value: 1,
    ) -> None:
        self.max_weight = max_weight
        self.sizes: Counter[int] = Counter()
        self._compute, self._weight = compute, weight
        self._waiting: deque[_Request[Input, Output]] = deque()
        self._has_leader = False  # some thread computes, or was called to
        self._lock = threading.Lock()

    def __call__(self, key: Hashable, value: Input) -> Output:
        """Compute the output of one request; block until then.

        Raises Exception: that of `compute` for this request alone: a batch that fails is halved until the culprit
            stands alone.
        """
        request = _Request[Input, Output](key, value)
        try:
            with self._lock:
                self._waiting.append(request)
                if not self._has_leader:
                    self._call_next_leader()
            request.called.wait()
            if request.leads:
                self._lead(request)
        except BaseException:  # this thread was interrupted, and nobody may wait for its request
            with self._lock:
                if request in self._waiting:
                    self._waiting.remove(request)
                if request.leads:
                    request.leads = False
                    self._call_next_leader()
            raise
        return request.result()

    def _lead(self, request: _Request[Input, Output]) -> None:
        """Compute the batch that begins with a request, then leave the lead to whoever waits longest."""
        batch: list[_Request[Input, Output]] = []
        others: deque[_Request[Input, Output]] = deque()
        left = self.max_weight
        with self._lock:
            for queued in self._waiting:  # longest waiting first
                weight = self._weight(queued.value) if queued.key == request.key else 0
                if queued.key == request.key and (weight <= left or not batch):
                    batch.append(queued)
                    left -= weight
                else:
                    others.append(queued)
            self._waiting = others
        try:
            self._settle(batch)
        finally:  # also after an interrupt, which is this thread's alone: the others are computed by the next
            with self._lock:
                unsettled = [queued for queued in batch if queued is not request and not queued.settled]
                self._waiting.extendleft(reversed(unsettled))
                request.leads = False
                self._call_next_leader()

    def _settle(self, batch: list[_Request[Input, Output]]) -> None:
        """Give each its result or its error."""
        try:
            outputs = self._compute(batch[0].key, [queued.value for queued in batch])
            if len(outputs) != len(batch):
                raise ValueError(f"{len(outputs)} results for {len(batch)} requests")
        except Exception as error:  # handed to the thread whose request it is, which raises it
            if len(batch) == 1:
                batch[0].fail(error)
                return
            middle = len(batch) // 2
            self._settle(batch[:middle])
            self._settle(batch[middle:])
            return
        self.sizes[sum(self._weight(queued.value) for queued in batch)] += 1
        for queued, output in zip(batch, outputs, strict=True):
            queued.succeed(output)

    def _call_next_leader(self) -> None:
        self._has_leader = bool(self._waiting)
        if self._has_leader:
            self._waiting[0].call_to_lead()


class _Request(Generic[Input, Output]):
    """Request of one thread, until it is settled."""

    def __init__(self, key: Hashable, value: Input) -> None:
        self.key, self.value = key, value
        self.called = threading.Event()  # to lead, or to fetch the result
        self.leads = self.settled = False
        self._output: list[Output] = []
        self._error: Exception | None = None

    def call_to_lead(self) -> None:
        self.leads = True
        self.called.set()

    def succeed(self, output: Output) -> None:
        self._output.append(output)
        self.settled = True
        self.called.set()

    def fail(self, error: Exception) -> None:
        self._error, self.settled = error, True
        self.called.set()

    def result(self) -> Output:
        if self._error is not None:
            raise self._error
        return self._output[0]


_CUDA_VERSIONS = (13, 12, 11)
"""Of the CUDA runtime, newest first; the one that ONNX Runtime has loaded is found by its name."""

_CUDA_SUCCESS = 0  # cudaSuccess
_ALIGNMENT = 512  # bytes; capacities are multiples of it


class PinnedBuffer:
    """One block of page-locked memory that grows when it must.

    `runtime` (library or None): the CUDA runtime, as `cuda_runtime` finds it; None takes ordinary memory, from which
        copies to the GPU go through a block of the driver's own, two to three times slower.

    Notes
    -----
    For one thread at a time: arrays that were given before are overwritten, and must be let go of before a larger one
    is asked for.
    """

    def __init__(self, runtime: Any) -> None:
        self._runtime = runtime
        self._block: UInt8 = np.empty(0, np.uint8)
        self._free: weakref.finalize[..., Any] | None = None

    @property
    def pinned(self) -> bool:
        """True if the memory is page-locked; False before the first array."""
        return self._free is not None

    def stack(self, parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Copy arrays of one type, which differ in their first axis at most, one after the other into the block."""
        first = parts[0]
        shape = (sum(len(part) for part in parts), *first.shape[1:])
        size = int(np.prod(shape)) * first.dtype.itemsize
        if size > len(self._block):
            self._grow(size)
        stacked = self._block[:size].view(first.dtype).reshape(shape)
        np.concatenate(parts, out=stacked)
        return stacked

    def _grow(self, size: int) -> None:
        """Replace the block by a larger one: ordinary memory where some cannot be locked, as some machines limit."""
        size = -(-size // _ALIGNMENT) * _ALIGNMENT
        if self._free is not None:
            self._free()
            self._free = None
        address = ctypes.c_void_p()
        if self._runtime is not None:
            status = self._runtime.cudaHostAlloc(ctypes.byref(address), ctypes.c_size_t(size), ctypes.c_uint(0))
            if status != _CUDA_SUCCESS:
                self._runtime.cudaGetLastError()  # forgets it, so that the next to ask does not take it for its own
                address.value = None
        if address.value is None:
            self._block = np.empty(size, np.uint8)
            return
        self._block = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address.value))
        self._free = weakref.finalize(self, self._runtime.cudaFreeHost, address)
        self._free.atexit = False  # the runtime is gone by then, and its memory with it


def free_gpu_bytes(runtime: Any) -> int | None:
    """Return the free memory of the GPU, bytes; None where that cannot be asked.

    `runtime` (library or None): as `cuda_runtime` finds it.
    """
    if runtime is None:
        return None
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    status = runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total))
    return free.value if status == _CUDA_SUCCESS else None


def cuda_runtime() -> Any:
    """Return the CUDA runtime that this process has loaded, or can load; None where there is none."""
    pattern = "cudart64_{}.dll" if sys.platform == "win32" else "libcudart.so.{}"
    for version in _CUDA_VERSIONS:
        try:
            return ctypes.CDLL(pattern.format(version))
        except OSError:
            continue
    return None


Array = npt.NDArray[Any]

MAX_BATCH_FRAMES = 16
"""Of a batch. Larger ones gain little once launching kernels no longer shows, and take memory in proportion: the
attention model computes with about 45 MB an image, all four models that share a process with 130 MB."""

PROVIDER_OPTIONS = {
    # The default measures every way to compute a convolution again for each shape; batches come in many.
    "cudnn_conv_algo_search": "HEURISTIC",
    # Ten bits of mantissa would be faster, but other numbers than those of the CPU.
    "use_tf32": "0",
    # Doubling would take from the other processes on the GPU what is never used.
    "arena_extend_strategy": "kSameAsRequested",
}

GPU_MEMORY = "gpu_memory"
_OUT_OF_MEMORY = re.compile(
    r"failed to allocate memory|out of memory|_alloc(ation)?_failed|allocation failed|cuda (failure|error) 2\b",
    re.IGNORECASE,
)
# After a fault, whichever library is called next reports it: CUDA, or cuBLAS and cuDNN, which also refuse inputs.
_GPU_ERROR = re.compile(
    r"cuda (failure|error)|cu(blas|dnn|rand|fft)\w* (failure|error)"
    r"(?!.*(not.supported|unsupported|BAD_PARAM|INVALID_VALUE|ARCH_MISMATCH|HEURISTIC_QUERY))",
    re.IGNORECASE | re.DOTALL,
)


class GpuSession:
    """A session as predictors see it, safe to run from many threads.

    First inputs of one shape that are there at the same time are computed together, copied through page-locked memory,
    if the other inputs are the same to the last bit. A model whose batch is fixed, or whose outputs do not have the
    first axis of its first input, computes one after the other.

    `session`: its first input takes frames; others are few numbers that hold for all frames.
    `max_frames`: of a batch.
    `buffer`: what inputs are copied through.
    """

    def __init__(self, session: Any, *, max_frames: int = MAX_BATCH_FRAMES, buffer: PinnedBuffer | None = None) -> None:
        self._session = session
        self._buffer = buffer or PinnedBuffer(cuda_runtime())
        # inputs may be computed together if any number goes in, and as many come out of every output
        axis = session.get_inputs()[0].shape[0]
        firsts = [output.shape[0] if output.shape else None for output in session.get_outputs()]
        is_batchable = not isinstance(axis, int) and all(first in (None, axis) for first in firsts)
        self._batcher = Batcher(self._compute, max_weight=max_frames if is_batchable else 1, weight=len)
        self._input: str = session.get_inputs()[0].name

    @property
    def batch_sizes(self) -> Counter[int]:
        """Number of batches by their number of frames."""
        return Counter(self._batcher.sizes)

    @property
    def pinned(self) -> bool:
        """True if inputs are copied from page-locked memory."""
        return self._buffer.pinned

    def get_inputs(self) -> Any:
        """Return those of the session."""
        return self._session.get_inputs()

    def get_outputs(self) -> Any:
        """Return those of the session."""
        return self._session.get_outputs()

    def get_providers(self) -> Any:
        """Return those of the session."""
        return self._session.get_providers()

    def run(self, outputs: Sequence[str], feed: Mapping[str, Array]) -> list[Array]:
        """Compute the outputs for one input, together with those of other threads; block until then.

        Raises SetupError: the GPU is out of memory, or does not answer.
        Raises Exception: of ONNX Runtime, for this input alone.
        """
        x = feed[self._input]
        shared = tuple(_SharedInput.of(name, value) for name, value in feed.items() if name != self._input)
        return self._batcher((tuple(outputs), x.dtype.str, x.shape[1:], shared), x)

    def _compute(self, key: Hashable, inputs: Sequence[Array]) -> list[list[Array]]:
        outputs: Sequence[str] = key[0]  # type: ignore[index]
        shared: Sequence[_SharedInput] = key[3]  # type: ignore[index]
        try:
            arrays = self._run_bound(outputs, self._buffer.stack(inputs), shared)
        except Exception as error:  # onnxruntime's classes have no base of their own
            fault = gpu_fault(error)
            if fault is None:
                raise
            if fault.code == GPU_MEMORY and len(inputs) > 1:  # halves of it are tried next, and later ones are as small
                self._batcher.max_weight = max(1, sum(map(len, inputs)) // 2)
            raise fault from error
        ends = np.cumsum([len(x) for x in inputs])
        if len(inputs) > 1 and any(len(part) != ends[-1] for part in arrays):
            self._batcher.max_weight = 1
            raise ValueError("the outputs are not in the order of the input's first axis")
        if len(inputs) == 1:
            return [arrays]
        parts = [np.split(part, ends[:-1]) for part in arrays]
        return [[part[i] for part in parts] for i in range(len(inputs))]

    def _run_bound(self, outputs: Sequence[str], x: Array, shared: Sequence[_SharedInput] = ()) -> list[Array]:
        binding = self._session.io_binding()
        binding.bind_cpu_input(self._input, x)  # copies it to the GPU
        for entry in shared:
            binding.bind_cpu_input(entry.name, entry.value)
        for name in outputs:
            binding.bind_output(name)
        self._session.run_with_iobinding(binding)
        arrays: list[Array] = binding.copy_outputs_to_cpu()
        return arrays


class _SharedInput(NamedTuple):
    """Value of a further input as part of a key: two are equal where every bit of them is."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    content: bytes

    @classmethod
    def of(cls, name: str, value: Array) -> _SharedInput:
        return cls(name, value.dtype.str, value.shape, value.tobytes())

    @property
    def value(self) -> Array:
        return np.frombuffer(self.content, self.dtype).reshape(self.shape)


def gpu_fault(error: Exception) -> SetupError | None:
    """Return the error to raise where one of ONNX Runtime is the GPU's and not the input's; None where it is not."""
    lines = str(error).strip().splitlines()
    brief = lines[-1][-300:] if lines else ""
    if _OUT_OF_MEMORY.search(str(error)):
        return SetupError(
            "the memory of the GPU is full: run fewer processes on it (--workers), also other programs', or "
            f"use --device cpu ({brief})",
            code=GPU_MEMORY,
        )
    if _GPU_ERROR.search(str(error)):
        message = f"the GPU failed and must be opened again: run the same command again ({brief})"
        return SetupError(message, code="gpu_failed")
    return None
