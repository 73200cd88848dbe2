"""A number and how far it may be off."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A number with its 90 % interval; every class of a number with bounds derives from it.

    `value` is None where the number is undefined; `lo` and `hi` are None where no interval is known or wanted.
    """

    value: float | None
    lo: float | None = None
    hi: float | None = None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both ends of the interval; None unless both are known."""
        return None if self.lo is None or self.hi is None else (self.lo, self.hi)
