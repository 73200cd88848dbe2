"""What the CUDA runtime is asked for beside ONNX Runtime: page-locked host memory, and how much of the GPU is free."""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mediaan.types.arrays import UInt8

_VERSIONS = (13, 12, 11)
"""Of the CUDA runtime, newest first; the one that ONNX Runtime has loaded is found by its name."""

_DONE = 0  # cudaSuccess
_ALIGNMENT = 512  # bytes; capacities are multiples of it


class PinnedBuffer:
    """One block of page-locked memory that grows when it must.

    Parameters
    ----------
    runtime : library or None
        The CUDA runtime, as `cuda_runtime` finds it; None takes ordinary memory, from which copies to the GPU
        go through a block of the driver's own, two to three times slower.

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
        """Whether the memory is page-locked; False before the first array."""
        return self._free is not None

    def stack(self, parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Arrays of one type that differ in their first axis at most, one after the other in the block."""
        first = parts[0]
        shape = (sum(len(part) for part in parts), *first.shape[1:])
        size = int(np.prod(shape)) * first.dtype.itemsize
        if size > len(self._block):
            self._grow(size)
        stacked = self._block[:size].view(first.dtype).reshape(shape)
        np.concatenate(parts, out=stacked)
        return stacked

    def _grow(self, size: int) -> None:
        size = -(-size // _ALIGNMENT) * _ALIGNMENT
        if self._free is not None:
            self._free()
            self._free = None
        address = _lock(self._runtime, size)
        if address is None:
            self._block = np.empty(size, np.uint8)
            return
        self._block = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))
        self._free = weakref.finalize(self, self._runtime.cudaFreeHost, ctypes.c_void_p(address))
        self._free.atexit = False  # the runtime is gone by then, and its memory with it


def free_gpu_bytes(runtime: Any) -> int | None:
    """Memory of the GPU that nobody has taken; None where that cannot be asked.

    Parameters
    ----------
    runtime : library or None
        As `cuda_runtime` finds it.
    """
    if runtime is None:
        return None
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    status = runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total))
    return free.value if status == _DONE else None


def cuda_runtime() -> Any:
    """The CUDA runtime that this process has loaded, or can load; None where there is none."""
    pattern = "cudart64_{}.dll" if sys.platform == "win32" else "libcudart.so.{}"
    for version in _VERSIONS:
        try:
            return ctypes.CDLL(pattern.format(version))
        except OSError:
            continue
    return None


def _lock(runtime: Any, size: int) -> int | None:
    """Address of page-locked memory; None where it cannot be had, since locking is limited on some machines."""
    if runtime is None:
        return None
    address = ctypes.c_void_p()
    status = runtime.cudaHostAlloc(ctypes.byref(address), ctypes.c_size_t(size), ctypes.c_uint(0))
    if status == _DONE:
        return address.value
    runtime.cudaGetLastError()  # forgets it, so that the next to ask does not take it for a failure of its own
    return None
