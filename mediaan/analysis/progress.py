"""Progress of an analysis: the seconds of each stage, and how far a long medium is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_INTERVAL_S = 0.25


class StageTimer:
    """Sums the wall time of each stage.

    `seconds`: by stage.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        began = time.perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - began


@dataclass(frozen=True, slots=True)
class AnalysisProgress:
    """Seconds of a medium that are done, of how many; None where the duration is unknown."""

    path: str
    done_s: float
    duration_s: float | None


ProgressListener = Callable[[AnalysisProgress], None]
_listener: ProgressListener | None = None


def set_progress_listener(listener: ProgressListener | None) -> None:
    """Set the function that is told of progress in this process; None for nobody."""
    global _listener
    _listener = listener


class ProgressReporter:
    """Reports the progress of one medium to the listener, at most every quarter of a second."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._last = time.monotonic()

    def __call__(self, done_s: float, duration_s: float | None) -> None:
        """Report it, unless the last report was a moment ago."""
        now = time.monotonic()
        if _listener is not None and now - self._last >= _INTERVAL_S:
            self._last = now
            _listener(AnalysisProgress(self._path, done_s, duration_s))
