"""What is noted about a medium that could be analysed all the same."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a medium that a reader of its numbers should know.

    Attributes
    ----------
    code : str
        Stable snake_case name for tables.
    message : str
        A sentence for people.
    """

    code: str
    message: str
