"""A file of a place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a place.

    Attributes
    ----------
    path : str
        Relative to the place, parts divided by ``/``.
    size_bytes : int
    stamp : str
        Changes when the file does: its time of change, and what else the place knows of its content.
    """

    path: str
    size_bytes: int
    stamp: str
