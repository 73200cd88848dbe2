"""Check arguments of public functions whose type is easily mistaken."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from mediaan.errors import UsageError

T = TypeVar("T")


def as_path(value: object, name: str = "path") -> Path:
    r"""Return a path that was given as text or Path.

    Raises UsageError: ``bad_path``: something else, a text with a NUL character, or the address of a web page.

    >>> as_path(b"ad.png")
    Traceback (most recent call last):
    mediaan.errors.UsageError: path must be a str or a Path, not bytes
    >>> as_path("ad\0.png")
    Traceback (most recent call last):
    mediaan.errors.UsageError: path 'ad\x00.png' holds a NUL character, which no name of a file does
    """
    if not isinstance(value, (str, os.PathLike)) or isinstance(os.fspath(value), bytes):
        raise UsageError(f"{name} must be a str or a Path, not {describe_value(value)}", code="bad_path")
    if "\0" in os.fspath(value):
        text = os.fspath(value)
        raise UsageError(f"{name} {text!r} holds a NUL character, which no name of a file does", code="bad_path")
    if os.fspath(value).lower().startswith(("http://", "https://")):
        message = f"{name} is the address of a web page; mediaan.analyze_folder takes those, and nothing else does"
        raise UsageError(message, code="bad_path")
    return Path(value)


def check_items(items: Any, kind: type[T] | tuple[type[Any], ...], name: str) -> tuple[T, ...]:
    """Return what must be several objects of a class, or of some, as a tuple.

    Raises UsageError: ``bad_argument``

    >>> check_items(["focus"], str, "metrics")
    ('focus',)
    >>> check_items("focus", str, "metrics")
    Traceback (most recent call last):
    mediaan.errors.UsageError: metrics must be a sequence of str, not str; put the one into a list
    """
    wanted = " or ".join(part.__name__ for part in (kind if isinstance(kind, tuple) else (kind,)))
    if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        way_out = "; put the one into a list" if isinstance(items, kind) else ""
        message = f"{name} must be a sequence of {wanted}, not {describe_value(items)}{way_out}"
        raise UsageError(message, code="bad_argument")
    checked = tuple(items)
    if wrong := [item for item in checked if not isinstance(item, kind)]:
        raise UsageError(
            f"{name} must be a sequence of {wanted}; it holds {describe_value(wrong[0])}", code="bad_argument"
        )
    return checked


def check_type(value: object, kind: type, name: str) -> None:
    """Refuse what is not of a class.

    Raises UsageError: ``bad_argument``
    """
    if not isinstance(value, kind):
        raise UsageError(f"{name} must be a mediaan.{kind.__name__}, not {describe_value(value)}", code="bad_argument")


def check_image(rgb: object) -> None:
    """Refuse what is no (H, W, 3) uint8 array.

    Raises UsageError: ``bad_array``
    """
    import numpy as np  # the server reads paths with this module, and loads nothing that computes

    if isinstance(rgb, np.ndarray) and rgb.ndim == 3 and rgb.shape[2] == 3 and rgb.dtype == np.uint8 and rgb.size:
        return
    way_out = ""
    if type(rgb).__module__.startswith("PIL."):
        way_out = '; give np.asarray(image.convert("RGB"))'
    elif isinstance(rgb, (str, os.PathLike)):
        way_out = "; mediaan.analyze and mediaan.predict_densities take files"
    message = f"rgb must be (H, W, 3) uint8, not {describe_value(rgb)}{way_out}"
    raise UsageError(message, code="bad_array")


def check_density(density: object) -> None:
    """Refuse what is no (h, w) array of floating-point numbers that are not negative and have a positive sum.

    Raises UsageError: ``bad_array``
    """
    import numpy as np

    what = describe_value(density)
    wrong = f"density must be a density, (h, w) float, as mediaan.predict_density returns it; not {what}"
    if not isinstance(density, np.ndarray) or density.ndim != 2 or density.dtype.kind != "f" or not density.size:
        raise UsageError(wrong, code="bad_array")
    total = float(density.sum(dtype=np.float64))
    if not 0.0 < total < np.inf or density.min() < 0:
        message = f"density must hold no negative number and have a positive sum; its sum is {total:g}"
        raise UsageError(message, code="bad_array")


def describe_value(value: object) -> str:
    """Name the type of a value for a message, of an array also its shape."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"an array {value.shape} {value.dtype}"
    return "None" if value is None else type(value).__name__
