"""Names for the array types used in signatures, whose shapes are stated in docstrings."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

UInt8: TypeAlias = npt.NDArray[np.uint8]
Float16: TypeAlias = npt.NDArray[np.float16]
Float32: TypeAlias = npt.NDArray[np.float32]
Float64: TypeAlias = npt.NDArray[np.float64]
Bool: TypeAlias = npt.NDArray[np.bool_]
Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]
