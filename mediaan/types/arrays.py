"""Names for the array types used in signatures, whose shapes are stated in docstrings; checks of what users give."""

from __future__ import annotations

import os
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mediaan.errors import UsageError
from mediaan.types.arguments import describe_value

UInt8: TypeAlias = npt.NDArray[np.uint8]
Float16: TypeAlias = npt.NDArray[np.float16]
Float32: TypeAlias = npt.NDArray[np.float32]
Float64: TypeAlias = npt.NDArray[np.float64]
Bool: TypeAlias = npt.NDArray[np.bool_]
Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]


def check_image(rgb: object, name: str = "rgb") -> None:
    """Refuse what is no (H, W, 3) uint8 array.

    Raises
    ------
    UsageError
        ``bad_array``
    """
    if isinstance(rgb, np.ndarray) and rgb.ndim == 3 and rgb.shape[2] == 3 and rgb.dtype == np.uint8 and rgb.size:
        return
    way_out = ""
    if type(rgb).__module__.startswith("PIL."):
        way_out = '; give np.asarray(image.convert("RGB"))'
    elif isinstance(rgb, (str, os.PathLike)):
        way_out = "; mediaan.analyze and mediaan.predict_densities take files"
    message = f"{name} must be (H, W, 3) uint8, not {describe_value(rgb)}{way_out}"
    raise UsageError(message, code="bad_array")


def check_density(density: object, name: str = "density") -> None:
    """Refuse what is no (h, w) array of floating-point numbers that are not negative and have a positive sum.

    Raises
    ------
    UsageError
        ``bad_array``
    """
    wrong = (
        f"{name} must be a density, (h, w) float, as mediaan.predict_density returns it; not {describe_value(density)}"
    )
    if not isinstance(density, np.ndarray) or density.ndim != 2 or density.dtype.kind != "f" or not density.size:
        raise UsageError(wrong, code="bad_array")
    total = float(density.sum(dtype=np.float64))
    if not 0.0 < total < np.inf or density.min() < 0:
        message = f"{name} must hold no negative number and have a positive sum; its sum is {total:g}"
        raise UsageError(message, code="bad_array")
