"""An ONNX Runtime session on a GPU, as many threads use it: what they ask at the same time goes there as one batch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mediaan.errors import SetupError
from mediaan.predictors.batching import Batcher
from mediaan.predictors.cuda import PinnedBuffer, cuda_runtime

Array = npt.NDArray[Any]

MOST_FRAMES = 16
"""Of a batch. Larger ones gain little once launching kernels no longer shows, and take memory in proportion: the
attention model computes with about 45 MB a picture, all four models that share a process with 130 MB."""

PROVIDER_OPTIONS = {
    # The default measures every way to compute a convolution anew for each shape; batches come in many.
    "cudnn_conv_algo_search": "HEURISTIC",
    # Ten bits of mantissa would be faster, but other numbers than those of the CPU.
    "use_tf32": "0",
    # Doubling would take from the other processes on the GPU what is never used.
    "arena_extend_strategy": "kSameAsRequested",
}

GPU_MEMORY = "gpu_memory"
_FULL = re.compile(r"failed to allocate memory|out of memory|_ALLOC_FAILED|cuda (failure|error) 2\b", re.IGNORECASE)
_BROKEN = re.compile(r"cuda (failure|error)", re.IGNORECASE)


class GpuSession:
    """A session as predictors see it, safe to run from many threads.

    First inputs of one shape that are there at the same time are computed together, copied through page-locked memory,
    if the other inputs are the same to the last bit. A model whose batch is fixed, or whose outputs do not have the
    first axis of its first input, computes one after the other.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        Its first input takes frames; others are few numbers that hold for all frames.
    most : int
        Frames of a batch.
    buffer : PinnedBuffer, optional
        What inputs are copied through.
    """

    def __init__(self, session: Any, *, most: int = MOST_FRAMES, buffer: PinnedBuffer | None = None) -> None:
        self._session = session
        self._buffer = buffer or PinnedBuffer(cuda_runtime())
        self._batcher = Batcher(self._compute, most=most if _joins(session) else 1, weight=len)
        self._input: str = session.get_inputs()[0].name

    @property
    def batch_sizes(self) -> Counter[int]:
        """How many batches there were of each number of frames."""
        return Counter(self._batcher.sizes)

    @property
    def pinned(self) -> bool:
        """Whether inputs are copied from page-locked memory."""
        return self._buffer.pinned

    def get_inputs(self) -> Any:
        """As of the session."""
        return self._session.get_inputs()

    def get_outputs(self) -> Any:
        """As of the session."""
        return self._session.get_outputs()

    def get_providers(self) -> Any:
        """As of the session."""
        return self._session.get_providers()

    def run(self, outputs: Sequence[str], feed: Mapping[str, Array]) -> list[Array]:
        """Outputs for one input, computed together with those of other threads; blocks until then.

        Raises
        ------
        SetupError
            The GPU is out of memory, or does not answer.
        Exception
            Of ONNX Runtime, for this input alone.
        """
        x = feed[self._input]
        beside = tuple(_Beside.of(name, value) for name, value in feed.items() if name != self._input)
        return self._batcher((tuple(outputs), x.dtype.str, x.shape[1:], beside), x)

    def _compute(self, key: Hashable, inputs: Sequence[Array]) -> list[list[Array]]:
        outputs: Sequence[str] = key[0]  # type: ignore[index]
        beside: Sequence[_Beside] = key[3]  # type: ignore[index]
        try:
            found = self._bound(outputs, self._buffer.stack(inputs), beside)
        except Exception as error:  # onnxruntime's classes have no base of their own
            fault = gpu_fault(error)
            if fault is None:
                raise
            if fault.code == GPU_MEMORY and len(inputs) > 1:  # halves of it are tried next, and later ones are as small
                self._batcher.most = max(1, sum(map(len, inputs)) // 2)
            raise fault from error
        ends = np.cumsum([len(x) for x in inputs])
        if len(inputs) > 1 and any(len(part) != ends[-1] for part in found):
            self._batcher.most = 1
            raise ValueError("the outputs are not in the order of the input's first axis")
        if len(inputs) == 1:
            return [found]
        parts = [np.split(part, ends[:-1]) for part in found]
        return [[part[i] for part in parts] for i in range(len(inputs))]

    def _bound(self, outputs: Sequence[str], x: Array, beside: Sequence[_Beside] = ()) -> list[Array]:
        binding = self._session.io_binding()
        binding.bind_cpu_input(self._input, x)  # copies it to the GPU
        for one in beside:
            binding.bind_cpu_input(one.name, one.value)
        for name in outputs:
            binding.bind_output(name)
        self._session.run_with_iobinding(binding)
        found: list[Array] = binding.copy_outputs_to_cpu()
        return found


class _Beside(NamedTuple):
    """A value of a further input that can be part of a key: two are equal where every bit of them is."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    content: bytes

    @classmethod
    def of(cls, name: str, value: Array) -> _Beside:
        return cls(name, value.dtype.str, value.shape, value.tobytes())

    @property
    def value(self) -> Array:
        return np.frombuffer(self.content, self.dtype).reshape(self.shape)


def gpu_fault(error: Exception) -> SetupError | None:
    """What an error of ONNX Runtime says of the GPU and not of the input; None if nothing."""
    if _FULL.search(str(error)):
        return SetupError(
            "the memory of the GPU is full: run fewer processes on it (--workers), also other programs', or "
            f"use --device cpu ({_brief(error)})",
            code=GPU_MEMORY,
        )
    if _BROKEN.search(str(error)):
        message = f"the GPU failed and must be opened anew: run the same command again ({_brief(error)})"
        return SetupError(message, code="gpu_failed")
    return None


def _brief(error: Exception) -> str:
    return str(error).strip().splitlines()[-1][-300:]


def _joins(session: Any) -> bool:
    """Whether inputs may be computed together: any number goes in, and as many come out of every output."""
    axis = session.get_inputs()[0].shape[0]
    firsts = [output.shape[0] if output.shape else None for output in session.get_outputs()]
    return not isinstance(axis, int) and all(first in (None, axis) for first in firsts)
