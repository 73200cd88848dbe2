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

    Raises
    ------
    UsageError
        ``bad_path``: something else, or a text with a NUL character.

    Examples
    --------
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
    return Path(value)


def check_items(items: Any, kind: type[T] | tuple[type[Any], ...], name: str) -> tuple[T, ...]:
    """Return what must be several objects of a class, or of some, as a tuple.

    Raises
    ------
    UsageError
        ``bad_argument``

    Examples
    --------
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

    Raises
    ------
    UsageError
        ``bad_argument``
    """
    if not isinstance(value, kind):
        raise UsageError(f"{name} must be a mediaan.{kind.__name__}, not {describe_value(value)}", code="bad_argument")


def describe_value(value: object) -> str:
    """Name the type of a value for a message, of an array also its shape."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"an array {value.shape} {value.dtype}"
    return "None" if value is None else type(value).__name__
