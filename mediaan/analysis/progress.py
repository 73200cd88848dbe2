"""How far the analysis of a long medium has come, told to whoever listens in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class AnalysisProgress:
    """Seconds of a medium that are done, of how many (None: not known)."""

    path: str
    done_s: float
    duration_s: float | None


ProgressListener = Callable[[AnalysisProgress], None]
_listener: ProgressListener | None = None


def set_progress_listener(listener: ProgressListener | None) -> None:
    """Set who is told in this process; None for nobody."""
    global _listener
    _listener = listener


class ProgressReporter:
    """Tells how far one medium is, a few times a second at most."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._last = time.monotonic()

    def __call__(self, done_s: float, duration_s: float | None) -> None:
        """Tell it, if someone listens and the last time is long enough ago."""
        now = time.monotonic()
        if _listener is not None and now - self._last >= _EVERY_S:
            self._last = now
            _listener(AnalysisProgress(self._path, done_s, duration_s))
