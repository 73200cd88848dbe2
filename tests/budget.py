"""How much the tests that could go on for ever do: `make check` stops early, `make check-all` goes on."""

from __future__ import annotations

from typing import TypeVar

_Some = TypeVar("_Some")

FULL = False
"""Whether `--full` was given; `conftest.py` sets it before a test module is imported."""


def budget(daily: _Some, full: _Some) -> _Some:
    """Return how many examples, kills or files a test tries, or what else it does daily and in full."""
    return full if FULL else daily
