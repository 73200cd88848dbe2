"""How far a training is, by the clock or by its steps, and the rate that follows from it."""

from __future__ import annotations

import math
import time

WARM = 0.02  # share of the schedule until the rate is at its peak
LEAST = 0.01  # share of the peak that the rate ends at


class Schedule:
    """A training that ends at a time, whatever its speed; with `steps`, after so many of them.

    `begun` is the share of it that is over when it starts. The clock starts when the schedule is made.
    """

    def __init__(self, seconds: float, *, steps: int | None = None, begun: float = 0.0) -> None:
        self.seconds, self.steps, self.begun = seconds, steps, begun
        self.started = time.monotonic()

    def progress(self, step: int) -> float:
        """Share that is over before this step, counted from 0: 0 to 1."""
        done = step / self.steps if self.steps else (time.monotonic() - self.started) / self.seconds
        return min(1.0, self.begun + (1 - self.begun) * done) if not self.steps else min(1.0, done)

    def rate(self, progress: float) -> float:
        """Share of the peak rate: a linear rise, then a cosine (Loshchilov & Hutter 2017)."""
        falling = max(0.0, progress - WARM) / (1 - WARM)
        return min(1.0, (progress + 1e-3) / WARM) * (LEAST + (1 - LEAST) * 0.5 * (1 + math.cos(math.pi * falling)))
